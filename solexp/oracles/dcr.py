"""Does it behave as the original along its life cycle? DCR-guided replay, SolBehave's oracle O3."""

from __future__ import annotations

from typing import Any

from solexp.core import UserError, Verdict
from solexp.dcr.records import Search
from solexp.evm.anvil import AnvilMachine
from solexp.evm.compare import axis_set
from solexp.oracles.base import Case
from solexp.oracles.judgement import timed
from solexp.oracles.sequenced import SequenceJudgement
from solexp.oracles.sequencing import sequencing

SCHEMA = 3
"""Raised with every change of what a verdict says."""

_DEFAULT = Search()


class Dcr:
    """Makes the calls of sequences along a graph of the contract on original and candidates, and compares the traces.

    Sequences are found on the original alone (`solexp.dcr.sequences`), each of their calls succeeding there, and kept:
    every model and every sample is asked the same. A task without any is undecidable. Measures beside those of replay:

    ``dcr.calls``, ``dcr.match_rate``
        Calls compared, and the share of them that end with the same status.
    ``dcr.task_calls``, ``dcr.sequences``, ``dcr.tried``, ``dcr.rejected``
        Calls of the sequences; fresh starts; calls tried on the original to find them; rejected ones that are kept.
    ``dcr.functions``, ``dcr.functions_called``, ``dcr.functions_succeeded``, and their shares
        State-changing functions of the original; those called; those called with success.
    """

    name = "dcr"
    language = "solidity"
    decides = True

    def __init__(
        self,
        *,
        graphs: str = "annotated",
        axes: str | list[str] = "status",
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
        """``graphs``: ``annotated`` (the task's own), ``static`` (extracted from the syntax tree), or a folder with a
        ``TASK.json`` each. ``search``: where arguments come from beside the graph, ``all``, ``none`` or a list. The
        others are those of `solexp.dcr.records.Search`; ``cpu_s`` is a node's for one contract. ``elsewhere`` takes a
        second look at candidates that ask more than their original, see `solexp.oracles.elsewhere`. Raises
        UserError.
        """
        try:
            self.axes = axis_set(axes)
        except UserError as error:
            raise UserError(f"oracle.dcr.{error}") from None
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
        self.elsewhere = elsewhere
        self.machine = AnvilMachine(timeout_s=10 * cpu_s, memory_mb=memory_mb)

    def fingerprint(self) -> dict[str, Any]:
        return {
            "oracle": self.name,
            "version": SCHEMA,
            "axes": self.axes,
            "elsewhere": self.elsewhere,
            "sequences": self.sequencing.fingerprint(),
            "machine": self.machine.fingerprint(),
        }

    def judge(self, case: Case) -> list[Verdict]:
        return timed(SequenceJudgement(self, case).verdicts, case, self.machine)
