"""Dynamic Condition Response graphs: what a contract's functions demand of, and do to, each other.

graph = read(text, "graph.json")                       # validated; errors name the faulty field
marking = graph.marking
for event in enabled(graph, marking, holds):           # holds(guard, event) decides guards
    marking = execute(graph, marking, event, holds)
"""

from solexp.dcr.graph import (
    Event,
    Graph,
    Marking,
    Relation,
    RelationType,
    first_marking,
    read,
    validate,
    write,
)
from solexp.dcr.semantics import (
    Holds,
    accepting,
    always,
    awaited,
    blocking,
    enabled,
    execute,
    is_enabled,
)

__all__ = [
    "Event",
    "Graph",
    "Holds",
    "Marking",
    "Relation",
    "RelationType",
    "accepting",
    "always",
    "awaited",
    "blocking",
    "enabled",
    "execute",
    "first_marking",
    "is_enabled",
    "read",
    "validate",
    "write",
]
