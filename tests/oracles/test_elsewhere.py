"""What a second look shows can be read and run like any other difference."""

from __future__ import annotations

import msgspec
import pytest

from solexp.core import Candidate, Outcome, Verdict
from solexp.evm.anvil import AnvilMachine
from solexp.evm.evidence import NotSeen, Seen, listing, see
from solexp.evm.machine import Subject
from solexp.oracles.base import Case
from solexp.oracles.replay import Replay
from solexp.solidity.compiler import Compiler
from tests.evm.boxes import BOX, candidates, task

TASK = task()
LATE = BOX.replace("amount < 1000", "amount < (block.timestamp > 2000000000 ? 6 : 1000)")
POOR = BOX.replace("amount < 1000", "amount < (gasleft() < 300000 ? 4 : 1000)")


@pytest.fixture(scope="module")
def judged(compiler: Compiler) -> tuple[Case, list[Verdict]]:
    case = Case(TASK, candidates([LATE, POOR]), compiler, cached=False)
    return case, Replay().judge(case)


def seen(case: Case, candidate: Candidate, said: Verdict) -> Seen:
    pair = []
    for build in (case.reference(), case.build(candidate)):
        contract = build.contract("Box")
        assert contract is not None
        pair.append(Subject(contract.creation, contract))
    assert said.counterexample is not None
    return see(said.counterexample, TASK.program, pair[0], pair[1], AnvilMachine())


def test_a_difference_of_a_later_day_has_the_calls_that_show_it_and_no_others(
    judged: tuple[Case, list[Verdict]],
) -> None:
    case, (said, _) = judged
    assert said.outcome is Outcome.FAIL
    assert said.evidence["elsewhere"] == "late"
    found = said.counterexample
    assert found is not None
    assert (found.length, found.prefix) == (1, 0)
    assert said.evidence["calls"] == ["put(6)"]
    told = listing(found, TASK.program, case.reference().contract("Box"))
    assert told.what == "how call 1 ends, many years after the deployment"
    assert (told.expected, told.got) == ("success", "failure (revert 'too much')")


def test_it_is_seen_again_without_the_oracle(judged: tuple[Case, list[Verdict]]) -> None:
    case, (said, _) = judged
    assert seen(case, case.candidates[0], said).got.status is False


def test_a_difference_near_a_chain_is_told_and_cannot_be_exported(
    judged: tuple[Case, list[Verdict]],
) -> None:
    case, (_, said) = judged
    assert said.evidence["elsewhere"] == "chain"
    found = said.counterexample
    assert found is not None
    told = listing(found, TASK.program, case.reference().contract("Box"))
    assert told.what.endswith("with fees, gas limits and randomness as on a chain")
    assert told.lines[-1].call == "put(4)"
    with pytest.raises(NotSeen, match="only with fees"):
        seen(case, case.candidates[1], said)
    assert msgspec.json.decode(msgspec.json.encode(found))["elsewhere"] == "chain"
