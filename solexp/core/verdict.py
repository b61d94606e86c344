"""Verdicts: one oracle's judgement of one candidate."""

from __future__ import annotations

from enum import StrEnum

import msgspec

from solexp.core.counterexample import Counterexample


class Outcome(StrEnum):
    """How a judgement ended. Only ``pass`` counts as a pass; the last three are nobody's success and nobody's fault."""

    PASS = "pass"
    FAIL = "fail"
    NO_CODE = "no_code"
    COMPILE_ERROR = "compile_error"
    TIMEOUT = "timeout"
    HARNESS_ERROR = "harness_error"
    VACUOUS = "vacuous"
    UNDECIDABLE = "undecidable"

    @property
    def decided(self) -> bool:
        """Whether this says something about the candidate."""
        return self not in (Outcome.HARNESS_ERROR, Outcome.VACUOUS, Outcome.UNDECIDABLE)


class Divergence(msgspec.Struct, frozen=True, kw_only=True):
    """The first place where a candidate's trace leaves the reference's."""

    axis: str
    """``deployment``, ``status``, ``return``, ``revert``, ``events``, ``storage`` or ``gas``."""
    index: int | None
    """0-based call of the program; None for the deployment or for state at the end."""
    expected: str
    got: str
    function: str | None = None
    """Signature with decoded arguments, where the ABI tells."""
    tx_hash: str | None = None


class Verdict(msgspec.Struct, frozen=True, kw_only=True):
    """One oracle's judgement of one candidate: a row of ``verdicts``."""

    task_id: str
    batch: str
    repeat: int
    index: int
    round: int = 0
    """The candidate's round of refinement; 0 is the first answer."""
    oracle: str
    outcome: Outcome
    measures: dict[str, float | int | bool | str | None] = {}
    divergence: Divergence | None = None
    counterexample: Counterexample | None = None
    """The calls that show the divergence, where they are known."""
    evidence: dict[str, object] = {}
    """Anything JSON can hold that explains the outcome: errors, axes that fail, reasons."""
    seconds: float = 0.0
    """Share of the judging time, in seconds; left out of comparisons between runs."""
