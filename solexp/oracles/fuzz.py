"""Does it do what the original does, whatever it is sent? Differential fuzzing, SolBehave's oracle O1."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Any, Literal

import msgspec

from solexp import fuzzing
from solexp.core import UserError, Verdict
from solexp.core.hashing import content_hash, file_hash
from solexp.core.settings import above
from solexp.evm.anvil import AnvilMachine
from solexp.evm.compare import axis_set
from solexp.fuzzing import Settings
from solexp.fuzzing.engines import ENGINES, EngineName
from solexp.fuzzing.settings import Arguments, Corpus, Feedback, Scope
from solexp.oracles.base import Case
from solexp.oracles.fuzz_engines import engine_fingerprint, refuse
from solexp.oracles.fuzzed import FuzzJudgement
from solexp.oracles.judgement import timed

SCHEMA = 3
"""Raised with every change of what a verdict says."""

Rule = Literal["strict", "paper"]
"""``strict``: a function of which every call fails on the original tells nothing. ``paper``: it is equivalent."""


class Fuzz:
    """Sends original and candidate the same random sequences of calls, and compares what they do.

    SolBehave's O1: every function that changes state and takes primitive arguments only, one at a time, each sequence
    from a fresh deployment; a candidate is equivalent where status and return data are. Beyond it there are other
    arguments, sequences of all functions, and events and storage to compare. The sequences depend on the original
    alone. Measures are those of `solexp.oracles.fuzzed`.
    """

    name = "fuzz"
    language = "solidity"
    decides = True

    def __init__(
        self,
        *,
        engine: EngineName = "solexp",
        scope: Scope = "function",
        arguments: Arguments = "primitive",
        axes: str | list[str] = "status_return",
        rule: Rule = "strict",
        calls: int = 10_000,
        length: int = 20,
        gas: int = 20_000_000_000,
        seed: int = 0,
        cpu_s: float = 120.0,
        memory_mb: int = 2048,
        answer_mb: int = 128,
        elsewhere: bool = True,
        corpus: Corpus = "history",
        feedback: Feedback = "comparisons",
    ) -> None:
        """``calls`` of each function (or of the contract) in sequences of ``length``. ``gas`` bounds what the original
        may use for them all; ``cpu_s`` a node's CPU seconds for one function (or contract) of one candidate.
        ``elsewhere`` takes a second look at candidates that ask more than their original, see
        `solexp.oracles.elsewhere`. ``corpus`` and ``feedback`` say where sequences of all functions go on from beside
        what is new; sequences of one function never do.
        """
        for setting, value, allowed in (
            ("engine", engine, ENGINES),
            ("scope", scope, ("function", "contract")),
            ("arguments", arguments, ("primitive", "all")),
            ("rule", rule, ("strict", "paper")),
            ("corpus", corpus, ("history", "none")),
            ("feedback", feedback, ("comparisons", "none")),
        ):
            if value not in allowed:
                raise UserError(
                    f"oracle.fuzz.{setting}: must be {' or '.join(allowed)}, got {value!r}"
                )
        try:
            self.axes = axis_set(axes)
        except UserError as error:
            raise UserError(f"oracle.fuzz.{error}") from None
        if "gas" in self.axes:
            raise UserError("oracle.fuzz.axes: gas is not compared here; use oracle gas")
        for setting, number in (
            ("calls", calls),
            ("length", length),
            ("gas", gas),
            ("cpu_s", cpu_s),
            ("memory_mb", memory_mb),
            ("answer_mb", answer_mb),
        ):
            above(f"oracle.fuzz.{setting}", number)
        refuse(engine, self.axes)
        self.engine = engine
        self.elsewhere = elsewhere
        self.rule: Rule = rule
        self.settings = Settings(
            scope=scope,
            arguments=arguments,
            calls=calls,
            length=length,
            gas=gas,
            seed=seed,
            corpus=corpus,
            feedback=feedback,
        )
        self.cpu_s = cpu_s
        self.memory_mb = memory_mb
        self.answer_mb = answer_mb
        self.machine = AnvilMachine(memory_mb=memory_mb, answer_mb=answer_mb)

    def fingerprint(self) -> dict[str, Any]:
        return {
            "oracle": self.name,
            "version": SCHEMA,
            "axes": self.axes,
            "rule": self.rule,
            "elsewhere": self.elsewhere,
        } | self.search_fingerprint()

    def search_fingerprint(self) -> dict[str, Any]:
        """Every setting that sequences depend on."""
        return {
            "engine": engine_fingerprint(self.engine),
            "settings": msgspec.to_builtins(self.settings),
            "limits": [self.cpu_s, self.memory_mb, self.answer_mb],
            "code": _code(),
            "machine": self.machine.fingerprint(),
        }

    def judge(self, case: Case) -> list[Verdict]:
        return timed(FuzzJudgement(self, case).verdicts, case, self.machine)


@functools.cache
def _code() -> str:
    """Hash of what draws sequences: nothing else says that it draws others now."""
    folder = Path(fuzzing.__file__).parent
    files = sorted((*folder.rglob("*.py"), *folder.rglob("*.sol")))
    return content_hash([[path.name, file_hash(path)] for path in files])
