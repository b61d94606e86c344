"""What a bad candidate, a dying worker or a passed limit costs: itself, and nothing else."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import msgspec
import psutil
import pytest

from solexp.core import Candidate, Outcome, Verdict
from solexp.judging import Job, judge_all, judge_job
from solexp.judging.kept import KeptVerdicts
from solexp.judging.pool import stop_workers
from tests.judging.parts import SOURCE, Acting, AsIs, job


@pytest.fixture(autouse=True)
def _no_workers_are_left() -> Iterator[None]:
    yield
    stop_workers()


def outcomes(jobs: list[Job], n_jobs: int = 2) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for judged in judge_all(jobs, n_jobs):
        rows = sorted(judged.verdicts, key=lambda row: row.index)
        found[judged.task_id] = [row.outcome.value for row in rows]
    return found


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_a_worker_that_dies_costs_one_harness_error(n_jobs: int) -> None:
    jobs = [job(f"t{n}", SOURCE) for n in range(5)]
    jobs.insert(2, job("deadly", "die"))
    found = outcomes(jobs, n_jobs)
    assert found.pop("deadly") == ["harness_error"]
    assert found == {f"t{n}": ["pass"] for n in range(5)}


def test_two_tasks_that_kill_their_workers_cost_two() -> None:
    jobs = [job("a", "die"), job("b", SOURCE), job("c", "die"), job("d", SOURCE)]
    assert outcomes(jobs) == {
        "a": ["harness_error"],
        "b": ["pass"],
        "c": ["harness_error"],
        "d": ["pass"],
    }


def test_an_exception_of_ours_is_no_failure_of_the_candidate() -> None:
    judged = judge_job(job("t", "raise"))
    (row,) = judged.verdicts
    assert row.outcome is Outcome.HARNESS_ERROR
    assert "ZeroDivisionError: ours" in str(row.evidence["reason"])
    assert any("ZeroDivisionError" in line for line in judged.log)


def test_a_reply_that_breaks_the_extraction_leaves_the_others_judged() -> None:
    judged = judge_job(job("t", SOURCE, "breaks the extraction", "contract A { }"))
    rows = sorted(judged.verdicts, key=lambda row: row.index)
    assert [row.outcome.value for row in rows] == ["pass", "harness_error", "fail"]
    assert {row.oracle for row in rows} == {"acting"}


def test_the_candidate_that_passes_the_time_limit_is_found_and_the_others_are_judged() -> None:
    started = outcomes([job("t", SOURCE, "child sleeps", "contract A { }", seconds=1)], 1)
    assert started == {"t": ["pass", "timeout", "fail"]}


def test_the_memory_limit_holds_for_children() -> None:
    found = outcomes([job("t", SOURCE, "child grows", memory_mb=600)], 1)
    assert found == {"t": ["pass", "timeout"]}


def test_children_are_gone_when_the_limit_was_passed() -> None:
    outcomes([job("t", "child sleeps", seconds=1)], 1)
    commands = [" ".join(p.cmdline()) for p in psutil.Process().children(recursive=True)]
    assert not [command for command in commands if "time.sleep(60)" in command]


def test_equal_candidates_are_judged_once_and_each_gets_the_verdict(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    seen: list[str | None] = []
    judge = Acting._judge

    def counting(self: Acting, candidate: Candidate) -> Verdict:
        seen.append(candidate.code)
        return judge(self, candidate)

    monkeypatch.setattr(Acting, "_judge", counting)
    judged = judge_job(job("t", SOURCE, "contract A { }", SOURCE, SOURCE))
    assert seen == [SOURCE, "contract A { }"]
    assert sorted((row.index, row.outcome.value) for row in judged.verdicts) == [
        (0, "pass"),
        (1, "fail"),
        (2, "pass"),
        (3, "pass"),
    ]


def test_results_do_not_depend_on_workers_or_order() -> None:
    jobs = [job(f"t{n}", *random.Random(n).choices([SOURCE, "x", "y"], k=3)) for n in range(8)]
    shuffled = random.Random(1).sample(jobs, len(jobs))
    assert outcomes(jobs, 1) == outcomes(shuffled, 2)


def test_kept_verdicts_are_found_again_under_another_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOLEXP_CACHE", str(tmp_path))
    first = job("t", SOURCE, "raise")
    kept = KeptVerdicts(AsIs(), first.oracles, enabled=True)
    known, missing = kept.look_up(first.task, first.generations)
    assert (known.verdicts, missing) == ((), list(first.generations))
    ok, _ = first.generations
    kept.keep(first.task, [ok], judge_job(job("t", SOURCE)))
    moved = msgspec.structs.replace(ok, batch="nucleus", repeat=2, index=4)
    known, missing = kept.look_up(first.task, [moved])
    assert missing == []
    assert [(row.batch, row.repeat, row.index) for row in known.verdicts] == [("nucleus", 2, 4)]


def test_a_harness_error_is_not_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOLEXP_CACHE", str(tmp_path))
    broken = job("t", "raise")
    kept = KeptVerdicts(AsIs(), broken.oracles, enabled=True)
    kept.keep(broken.task, broken.generations, judge_job(broken))
    assert kept.look_up(broken.task, broken.generations)[1] == list(broken.generations)
