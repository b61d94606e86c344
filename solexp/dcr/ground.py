"""What a walk along a graph stands on."""

from __future__ import annotations

from typing import NamedTuple

from solexp.core import Call
from solexp.dcr.drafts import Draft, Drafts
from solexp.dcr.graph import Graph
from solexp.dcr.records import Search
from solexp.dcr.watching import Declared, Watched
from solexp.evm.stepping import Stepping
from solexp.fuzzing.settings import Constants


class Trial(NamedTuple):
    """A call as it was tried."""

    draft: Draft
    call: Call
    source: str


class Ground(NamedTuple):
    """What is walked on."""

    graph: Graph
    watched: Watched
    declared: Declared
    node: Stepping
    """On which the contract of ``watched`` stands, freshly deployed."""
    drafts: Drafts
    known: Constants
    search: Search
