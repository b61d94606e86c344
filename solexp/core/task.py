"""Tasks: one thing to write."""

from __future__ import annotations

from functools import cached_property
from typing import Literal

import msgspec

from solexp.core.hashing import content_hash
from solexp.core.preconditions import Preconditions
from solexp.core.program import Program
from solexp.core.project import Project, Suite
from solexp.core.workspace import Workspace


def series(version: str) -> str:
    """A compiler's series.

    >>> series("0.8.17")
    '0.8'
    """
    return ".".join(version.split(".")[:2])


class CompilerSettings(msgspec.Struct, frozen=True, kw_only=True):
    """Which compiler, and how it is asked."""

    version: str
    """Exact release such as ``0.8.17``; empty for a language that needs no compiler."""
    optimizer: bool = False
    runs: int = 200
    evm_version: str | None = None
    """None leaves it to the compiler."""
    libraries: dict[str, str] = {}
    """Addresses by library name, for code that must be linked."""
    remappings: tuple[str, ...] = ()
    via_ir: Literal[True] | msgspec.UnsetType = msgspec.UNSET
    """Whether code is made by way of Yul; unset, and then not encoded, where not: hashes are as before there was it."""


MutantLabel = Literal["equivalent", "shown", "hidden"]
"""``equivalent`` to the reference; not equivalent, and ``shown`` by the recorded calls; or ``hidden`` from them."""


class Target(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Where the thing to write stands in the sources."""

    path: str
    contract: str
    """Empty in a language without contracts."""
    start: int
    """UTF-8 byte offsets in ``sources[path]``, end exclusive."""
    end: int
    member: str = ""
    """Signature of the one function of ``contract`` that is to be written; empty where all of it is.

    In Python the name of the function that is called, its entry point.
    """


class Task(msgspec.Struct, frozen=True, kw_only=True, dict=True):
    """One thing to write, with all that is needed to prompt for it and to judge it."""

    id: str
    benchmark: str
    language: str = "solidity"
    compiler: CompilerSettings
    sources: dict[str, str]
    """Buildable sources by path, the reference in place."""
    target: Target
    framework: str
    """The target with its documentation and signatures, the bodies empty."""
    context: str = ""
    """Definitions that the target needs."""
    requirement: str = ""
    """What is asked for, in words."""
    program: Program | None = None
    """Recorded deployment and calls; None where there is no history."""
    category: str | None = None
    """ERC20, ERC721, DeFi or Others; another benchmark may have others."""
    facts: dict[str, str | int | float | bool | None] = {}
    """Further facts a benchmark states about the task."""
    mutants: dict[str, str] = {}
    """Wrong and equivalent variants of the target by name, for calibration."""
    mutant_labels: dict[str, MutantLabel] = {}
    """What is known of each mutant beforehand."""
    mutant_faults: dict[str, str] | msgspec.UnsetType = msgspec.UNSET
    """What is wrong with a mutant, or in which way an equivalent one differs, where somebody has said. Labels alone: no
    answer and no verdict depends on them, and so `content_hash` does not."""
    undecidable: str | None = None
    """Why no oracle can decide this task, as far as the data alone tell."""
    # What is unset is not encoded, so that tasks without these keep the hashes they had before there were any.
    project: Project | msgspec.UnsetType = msgspec.UNSET
    """The project around ``sources``, which then hold the target's file only; unset where the sources are all."""
    suite: Suite | msgspec.UnsetType = msgspec.UNSET
    """The project's tests that reach the target; unset where none is known."""
    preconditions: Preconditions | msgspec.UnsetType = msgspec.UNSET
    """What the function to write demands of its arguments; set for Python only."""
    graph: str | msgspec.UnsetType = msgspec.UNSET
    """Its life cycle as a person has annotated it: a DCR graph as JSON (`solexp.dcr.graph`); unset where nobody has."""
    workspace: Workspace | msgspec.UnsetType = msgspec.UNSET
    """The project in which an agent is to write the target; unset where there is none."""

    @property
    def reference(self) -> str:
        """The reference text of the target."""
        return self.sources[self.target.path].encode()[self.target.start : self.target.end].decode()

    @cached_property
    def content_hash(self) -> str:
        """SHA-256 over everything above but ``mutant_faults``."""
        return content_hash(msgspec.structs.replace(self, mutant_faults=msgspec.UNSET))
