"""Does it reject what the original rejects? Calls that failed elsewhere, asked in the same states."""

from __future__ import annotations

from typing import Any

from solexp.core import UserError, Verdict
from solexp.dcr.records import Search
from solexp.evm.anvil import AnvilMachine
from solexp.oracles.base import Case
from solexp.oracles.judgement import timed
from solexp.oracles.negated import NegativeJudgement
from solexp.oracles.rejecting import SOURCES, Source
from solexp.oracles.sequencing import sequencing
from solexp.oracles.violation import Violation

SCHEMA = 5
"""Raised with every change of what a verdict says."""

_DEFAULT = Search()


class Negative:
    """Asks every candidate the calls that the original rejects, and flags one that accepts one.

    They are left over from the search for sequences along a graph (`solexp.dcr`), from the recorded history, and from
    the violation oracle. Each is asked in the state in which the original rejects it, and only where the candidate has
    come there as the original did. Closes SolBehave's open end, which throws these calls away. Measures:

    ``negative.asked``, ``negative.rejected``, ``negative.accepted``
        Calls that were asked, that the candidate rejects, and that it accepts.
    ``negative.same_reason``, ``negative.other_reason``
        Of the rejected: with the original's revert data, or with others.
    ``negative.skipped``
        Calls that were not asked, since the candidate had left the original's state.
    ``negative.asked.SOURCE``, ``negative.accepted.SOURCE``
        The same by source.
    """

    name = "negative"
    language = "solidity"
    decides = True

    def __init__(
        self,
        *,
        sources: list[str] | str = ("sequences", "history", "receivers"),  # type: ignore[assignment]
        graphs: str = "annotated",
        search: str | list[str] = "all",
        calls: int = _DEFAULT.calls,
        length: int | None = _DEFAULT.length,
        beta: float = _DEFAULT.beta,
        alpha: float = _DEFAULT.alpha,
        closing: float = _DEFAULT.closing,
        led: float = _DEFAULT.led,
        attempts: int = _DEFAULT.attempts,
        queries: int = _DEFAULT.queries,
        rlimit: int = _DEFAULT.rlimit,
        rejected: int = _DEFAULT.rejected,
        borders: int = _DEFAULT.borders,
        seed: int = _DEFAULT.seed,
        cpu_s: float = 120.0,
        memory_mb: int = 2048,
        elsewhere: bool = True,
    ) -> None:
        """``sources``: some of ``sequences``, ``history``, ``receivers`` (calls of both during which an account with
        code refuses what it is sent, or calls back) and ``witnesses`` (the violation oracle's, with its default
        settings). ``elsewhere`` takes a second look at candidates that ask more than their original, see
        `solexp.oracles.elsewhere`. All others are those of `solexp.oracles.dcr.Dcr`: where they are the same, so are
        the sequences.
        """
        wanted = [sources] if isinstance(sources, str) else list(sources)
        for name in wanted:
            if name not in SOURCES:
                raise UserError(
                    f"oracle.negative.sources: choose from {', '.join(SOURCES)}; got {name!r}"
                )
        self.elsewhere = elsewhere
        self.sources: tuple[Source, ...] = tuple(each for each in SOURCES if each in wanted)
        if not self.sources:
            raise UserError(f"oracle.negative.sources: name some of {', '.join(SOURCES)}")
        self.sequencing = sequencing(
            self.name,
            graphs=graphs,
            cpu_s=cpu_s,
            memory_mb=memory_mb,
            search=search,
            calls=calls,
            length=length,
            beta=beta,
            alpha=alpha,
            closing=closing,
            led=led,
            attempts=attempts,
            queries=queries,
            rlimit=rlimit,
            rejected=rejected,
            borders=borders,
            seed=seed,
        )
        self.machine = AnvilMachine(timeout_s=cpu_s, memory_mb=memory_mb)
        self.violation = Violation() if "witnesses" in self.sources else None

    def fingerprint(self) -> dict[str, Any]:
        return {
            "oracle": self.name,
            "version": SCHEMA,
            "sources": self.sources,
            "elsewhere": self.elsewhere,
            "sequences": self.sequencing.fingerprint(),
            "witnesses": self.violation.fingerprint() if self.violation else None,
            "machine": self.machine.fingerprint(),
        }

    def judge(self, case: Case) -> list[Verdict]:
        return timed(NegativeJudgement(self, case).verdicts, case, self.machine)
