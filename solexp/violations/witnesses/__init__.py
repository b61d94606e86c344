"""Transactions that violate chosen guards of a contract, and ones that satisfy all, each confirmed on the original.

    found = find(original, program, machine, Search(), Contract(build, name, sources))
    for witness in found.witnesses:
        program_of(program, found, witness)    # the calls that lead to its state, then its own

A witness is a call from a state that the program reaches. It is kept only if the original ends it as it should: a
violating one by the revert of its first violated guard, a satisfying one with success.
"""

from solexp.violations.witnesses.records import (
    Counts,
    GuardRow,
    Query,
    Search,
    Tried,
    Witness,
    Witnesses,
    leading,
    program_of,
)

__all__ = [
    "Counts",
    "GuardRow",
    "Query",
    "Search",
    "Tried",
    "Witness",
    "Witnesses",
    "leading",
    "program_of",
]
