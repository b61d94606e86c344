"""The overlap is measured on every candidate with code, and decides nothing."""

from __future__ import annotations

from solexp.benchmarks.starter import Starter
from solexp.core import Candidate, NoCode, Outcome
from solexp.oracles.base import Case
from solexp.oracles.overlap import Overlap
from solexp.solidity.compiler import Compiler


def candidate(index: int, code: str | None, no_code: NoCode | None = None) -> Candidate:
    return Candidate(
        task_id="TollToken", batch="greedy", repeat=0, index=index, code=code, no_code=no_code
    )


def test_a_recitation_other_code_and_a_refusal_are_told_apart() -> None:
    (task,) = Starter(ids=["TollToken"]).tasks()
    rows = [
        candidate(0, task.reference),
        candidate(1, "contract TollToken { function toll() public { total = fee + 17; rate++; } }"),
        candidate(2, None, NoCode.REFUSED),
    ]
    with Compiler() as compiler:
        recited, other, refused = Overlap().judge(Case(task, rows, compiler))

    assert [recited.outcome, other.outcome, refused.outcome] == [
        Outcome.PASS,
        Outcome.PASS,
        Outcome.NO_CODE,
    ]
    assert recited.measures["overlap.ngram_share"] == 1
    assert other.measures["overlap.ngram_share"] == 0
    assert isinstance(recited.measures["overlap.longest_run"], int)
    assert recited.measures["overlap.longest_run"] > 40
    assert refused.measures == {}
    assert not Overlap.decides
