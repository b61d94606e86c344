"""What Slither is asked, and what it finds."""

from __future__ import annotations

from typing import Any, Literal, get_args

import msgspec

Impact = Literal["high", "medium", "low", "informational", "optimization"]
Confidence = Literal["high", "medium", "low"]
IMPACTS: tuple[str, ...] = get_args(Impact)
CONFIDENCES: tuple[str, ...] = get_args(Confidence)


class Thresholds(msgspec.Struct, frozen=True, kw_only=True):
    """Which detectors are run: those of at least this impact and this confidence, as Slither itself rates them."""

    impact: Impact = "high"
    confidence: Confidence = "high"


class Limits(msgspec.Struct, frozen=True, kw_only=True):
    """What one analysis may use."""

    seconds: float = 60.0
    """Wall clock."""
    memory_mb: int = 2048
    """Address space, in MiB."""


class Subject(msgspec.Struct, frozen=True, kw_only=True):
    """One build to analyse."""

    version: str
    """The compiler's release, such as ``0.8.17``."""
    sources: dict[str, str]
    asts: dict[str, Any]
    """The compiler's AST of each source, by path."""
    thresholds: Thresholds = Thresholds()


class Element(msgspec.Struct, frozen=True, kw_only=True):
    """A piece of code that a finding names."""

    type: str
    """Slither's: ``contract``, ``function``, ``node``, ``variable``, …"""
    name: str
    """As it stands, such as ``C.f(uint256)``; of a node or local variable, the function's that it is in."""
    path: str
    start: int
    """UTF-8 byte span in ``path``, end exclusive."""
    end: int


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """One result of a detector."""

    detector: str
    """Its name on Slither's command line, such as ``suicidal``."""
    impact: Impact
    confidence: Confidence
    description: str
    elements: tuple[Element, ...]

    def within(self, path: str, start: int, end: int) -> bool:
        """Whether one of its elements lies in a span."""
        return any(
            element.path == path and start <= element.start and element.end <= end
            for element in self.elements
        )

    @property
    def key(self) -> tuple[str, ...]:
        """The same for the same finding elsewhere: its detector and the names of what it is about.

        Lines, expressions and local variables' names are left out, since they change with every rewording.
        """
        return (self.detector, *dict.fromkeys(element.name for element in self.elements))


class Analysis(msgspec.Struct, frozen=True, kw_only=True):
    """What came of one analysis."""

    findings: tuple[Finding, ...] = ()
    """Sorted, so that equal builds have equal ones."""
    failure: str | None = None
    """Why Slither came to no end; there are no findings then."""
