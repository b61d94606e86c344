"""What verdicts say of the task beside their candidate."""

from __future__ import annotations

import pytest

from solexp.core import Candidate, NoCode, Outcome, Program
from solexp.oracles.base import Case
from solexp.oracles.replay import Replay
from solexp.solidity.compiler import Compiler
from tests.evm.boxes import BOX, candidates, program, put, task


@pytest.mark.parametrize(
    ("history", "reason"),
    [
        (program(put(1), put(2, at=2)), "2 calls of the original succeed, fewer than 5"),
        (
            program(*(put(n, at=n + 1, value=1) for n in range(9))),
            "0 calls of the original succeed, fewer than 5",
        ),
    ],
)
def test_why_a_task_is_undecidable_is_said_also_where_no_candidate_can_be_run(
    history: Program, reason: str
) -> None:
    refused = Candidate(task_id="box", batch="greedy", repeat=0, index=0, no_code=NoCode.REFUSED)
    [broken] = candidates([BOX.replace("total += amount;", "totl += amount;")])
    with Compiler() as compiler:
        found = Replay().judge(Case(task(history=history), [refused, broken], compiler))
        decidable = Replay().judge(Case(task(), [refused, broken], compiler))
    assert [row.outcome for row in found] == [Outcome.NO_CODE, Outcome.COMPILE_ERROR]
    for row in found:
        assert row.measures["task_outcome"] == "undecidable"
        assert row.measures["task_reason"] == reason
    assert "errors" in found[1].evidence
    assert not any("task_reason" in row.measures for row in decidable)
