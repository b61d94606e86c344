"""Making a difference small, and making sure of it."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import msgspec

from solexp.core import Call, ContractBuild, Program, Trace
from solexp.evm.compare import Difference, compare
from solexp.evm.deployed import NOTHING, Deployed
from solexp.evm.shrinking import MOST, shrink

GAS = 2_000_000_000
"""Gas that a candidate may use while a program is made small: some burn all they get in every call."""

_SPENT = "all gas used"


class Differing:
    """Says of programs whether they tell a candidate from the original."""

    def __init__(
        self, original: Deployed, candidate: Deployed, twin: Deployed | None, axes: Collection[str]
    ) -> None:
        """All stand deployed. Of what ``twin``, the original compiled otherwise, does otherwise too nothing follows."""
        self._original = original
        self._candidate = candidate
        self._twin = twin
        self._axes = tuple(axes)
        self._gas = 0
        self._alike: tuple[Call, ...] = ()
        """Calls none of which the candidate ends otherwise, where nothing is read of the state behind them."""

    def first(self, programs: Sequence[Program]) -> list[Difference | None]:
        """The first difference that each shows; None for none. Raises HarnessError when a node fails."""
        questions = self._original.questions(programs)
        expected = self._original.run(questions)
        got = self._candidate.run(questions)
        self._gas += sum(result.gas_used for trace in got for result in trace.calls)
        found = self._all(programs, expected, got)
        places = [place for place, difference in enumerate(found) if difference is not None]
        if self._twin is not None and places:
            twins = self._twin.run([questions[place] for place in places])
            unlike = self._all(
                [programs[place] for place in places], [expected[place] for place in places], twins
            )
            for place, difference in zip(places, unlike, strict=True):
                if difference is not None:
                    found[place] = None
        return found

    def _all(
        self, programs: Sequence[Program], expected: Sequence[Trace], got: Sequence[Trace]
    ) -> list[Difference | None]:
        pairs = zip(programs, expected, got, strict=False)
        found = [self._one(*pair) for pair in pairs]
        return [*found, *([None] * (len(programs) - len(found)))]

    def _one(self, program: Program, expected: Trace, got: Trace) -> Difference | None:
        if expected.stopped or got.stopped:
            return None
        if any(result.error == _SPENT for result in expected.calls):
            # It may be that a candidate only needs less.
            return None
        return compare(expected, got, program).earliest(self._axes)

    def shrunk(
        self,
        program: Program,
        contract: ContractBuild,
        *,
        values: bool = True,
        most: int = MOST,
    ) -> Program | None:
        """The smallest program to be found that shows a difference; None where ``program`` itself does not.

        ``most`` programs are tried, about. Without ``values`` it has fewest calls, which stay as they are.
        """
        [first] = self.first([program])
        if first is None:
            return None
        if first.index is not None:
            calls = program.calls[: first.index + 1]
            program = msgspec.structs.replace(program, calls=calls)
            if self._candidate.plan == NOTHING:
                self._alike = calls[:-1]
        return shrink(
            program,
            self._fail,
            contract=contract,
            values=values,
            most=most,
        )

    def _fail(self, programs: Sequence[Program]) -> list[bool]:
        if self._gas > GAS:
            return [False] * len(programs)
        # Of the beginnings of what was looked at first it is known that they show nothing.
        asked = [each for each in programs if not self._begins(each)]
        found = iter(self.first(asked))
        return [not self._begins(each) and next(found) is not None for each in programs]

    def _begins(self, program: Program) -> bool:
        return program.calls == self._alike[: len(program.calls)]
