"""What a bad candidate, a dying worker or a passed limit costs: itself, and nothing else."""

from __future__ import annotations

import dataclasses
import random
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import msgspec
import psutil
import pytest

from solexp.core import Candidate, Completion, Outcome, Verdict
from solexp.judging import Job, Judged, judge_all, judge_job
from solexp.judging.kept import KeptVerdicts
from solexp.judging.pool import stop_workers
from solexp.oracles.base import verdict
from tests.judging.parts import SOURCE, Acting, AsIs, Broken, Miscounting, job


@pytest.fixture(autouse=True)
def _no_workers_are_left() -> Iterator[None]:
    yield
    stop_workers()


def sleeps(process: psutil.Process) -> bool:
    """Whether this is the child of `Acting` that sleeps."""
    try:
        return "time.sleep(60)" in " ".join(process.cmdline())
    except psutil.Error:
        return False


def outcomes_of(judged: Judged) -> list[str]:
    return [row.outcome.value for row in sorted(judged.verdicts, key=lambda row: row.index)]


def outcomes(jobs: list[Job], n_jobs: int = 2) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for judged in judge_all(jobs, n_jobs):
        found[judged.task_id] = outcomes_of(judged)
    return found


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_a_reply_that_kills_its_worker_fails_and_costs_no_other_anything(n_jobs: int) -> None:
    jobs = [job(f"t{n}", SOURCE) for n in range(5)]
    jobs.insert(2, job("deadly", SOURCE, "die", "x"))
    found = outcomes(jobs, n_jobs)
    assert found.pop("deadly") == ["pass", "fail", "fail"]
    assert found == {f"t{n}": ["pass"] for n in range(5)}


def test_a_worker_that_dies_on_the_reference_too_is_our_fault() -> None:
    found = outcomes([job("t", "x", "y", oracle=Broken("die"))], 1)
    assert found == {"t": ["harness_error", "harness_error"]}


def test_two_tasks_that_kill_their_workers_cost_two() -> None:
    jobs = [job("a", "die"), job("b", SOURCE), job("c", "die"), job("d", SOURCE)]
    assert outcomes(jobs) == {
        "a": ["fail"],
        "b": ["pass"],
        "c": ["fail"],
        "d": ["pass"],
    }


@pytest.mark.parametrize("texts", [("x",), ("x", "y", SOURCE)])
def test_an_exception_that_the_reference_meets_too_is_no_failure_of_the_candidate(
    texts: tuple[str, ...],
) -> None:
    judged = judge_job(job("t", *texts, oracle=Broken("raise")))
    for row in judged.verdicts:
        assert row.outcome is Outcome.HARNESS_ERROR
        assert "ZeroDivisionError: odd" in str(row.evidence["reason"])
        assert "_judge" in str(row.evidence["trace"])
    assert any("ZeroDivisionError" in line for line in judged.log)


def test_a_candidate_cannot_buy_itself_or_others_a_harness_error() -> None:
    judged = judge_job(job("t", SOURCE, "raise", "x"))
    rows = sorted(judged.verdicts, key=lambda row: row.index)
    assert [row.outcome.value for row in rows] == ["pass", "fail", "fail"]
    assert rows[1].evidence["reason"] == (
        "the harness fails on this candidate and not on the reference: ZeroDivisionError: odd"
    )


def test_a_missing_tool_is_never_a_candidates_fault() -> None:
    (row,) = judge_job(job("t", "no compiler")).verdicts
    assert (row.outcome, row.evidence["reason"]) == (
        Outcome.HARNESS_ERROR,
        "ToolError: no compiler 0.8.17",
    )


def test_an_oracle_that_gives_too_few_verdicts_is_our_fault() -> None:
    judged = judge_job(job("t", SOURCE, "x", oracle=Miscounting()))
    assert {row.outcome for row in judged.verdicts} == {Outcome.HARNESS_ERROR}
    assert "oracle 'acting' gave 0 verdicts for 1 candidates" in str(
        judged.verdicts[0].evidence["reason"]
    )


def test_bad_luck_does_not_come_twice(tmp_path: Path) -> None:
    class Unlucky(Acting):
        def _judge(self, candidate: Candidate) -> Verdict:
            if candidate.code == "x" and not (tmp_path / "seen").exists():
                (tmp_path / "seen").touch()
                raise ZeroDivisionError
            return super()._judge(candidate)

    (row,) = judge_job(job("t", "x", oracle=Unlucky())).verdicts
    assert (row.outcome, row.evidence) == (Outcome.FAIL, {})


def test_the_reference_is_tried_once_for_all_candidates(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[str | None] = []
    judge = Acting._judge

    def counting(self: Acting, candidate: Candidate) -> Verdict:
        seen.append(candidate.code)
        return judge(self, candidate)

    monkeypatch.setattr(Acting, "_judge", counting)
    judged = judge_job(job("t", "raise", "raise too"))
    assert outcomes_of(judged) == ["fail", "fail"]
    assert seen.count(SOURCE) == 1


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_who_stops_listening_waits_for_no_worker(n_jobs: int) -> None:
    jobs = [job("quick", SOURCE), *(job(f"t{n}", "sleep", seconds=60) for n in range(4))]
    started = time.monotonic()
    with (
        pytest.raises(OSError, match="full"),
        closing(judge_all(jobs, n_jobs)) as results,
    ):
        for _ in results:
            raise OSError("full")
    stop_workers()
    assert time.monotonic() - started < 15


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_workers_end_soon_after_their_parent_was_killed(n_jobs: int) -> None:
    code = (
        "from tests.judging.parts import SOURCE, job\n"
        "from solexp.judging import judge_all\n"
        f"list(judge_all([job('a', SOURCE), job('b', 'child sleeps')], {n_jobs}))\n"
    )
    with subprocess.Popen([sys.executable, "-c", code]) as parent:
        family = psutil.Process(parent.pid)
        children: list[psutil.Process] = []
        until = time.monotonic() + 20
        try:
            while not any(map(sleeps, children)):
                assert time.monotonic() < until
                time.sleep(0.1)
                children = family.children(recursive=True)
        finally:
            parent.kill()
    gone, alive = psutil.wait_procs(children, timeout=10)
    assert len(gone) >= 2
    assert alive == []


def test_a_reply_that_breaks_the_extraction_fails_and_leaves_the_others_judged() -> None:
    judged = judge_job(job("t", SOURCE, "breaks the extraction", "contract A { }"))
    rows = sorted(judged.verdicts, key=lambda row: row.index)
    assert [row.outcome.value for row in rows] == ["pass", "fail", "fail"]
    assert "ValueError: cannot extract" in str(rows[1].evidence["reason"])
    assert {row.oracle for row in rows} == {"acting"}


def test_an_earlier_reply_that_breaks_the_extraction_is_the_candidates_fault_too() -> None:
    broken = job("t", SOURCE)
    (generation,) = broken.generations
    earlier = (Completion(text="breaks the extraction"),)
    pieced = msgspec.structs.replace(generation, earlier=earlier)
    judged = judge_job(dataclasses.replace(broken, generations=(pieced,)))
    assert [row.outcome.value for row in judged.verdicts] == ["fail"]


def test_the_candidate_that_passes_the_time_limit_is_found_and_the_others_are_judged() -> None:
    started = outcomes([job("t", SOURCE, "child sleeps", "contract A { }", seconds=1)], 1)
    assert started == {"t": ["pass", "timeout", "fail"]}


def test_the_memory_limit_holds_for_children() -> None:
    found = outcomes([job("t", SOURCE, "child grows", memory_mb=600)], 1)
    assert found == {"t": ["pass", "timeout"]}


def test_children_are_gone_when_the_limit_was_passed() -> None:
    outcomes([job("t", "child sleeps", seconds=1)], 1)
    assert not any(map(sleeps, psutil.Process().children(recursive=True)))


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


@pytest.mark.parametrize(
    ("outcome", "fields", "kept"),
    [
        (Outcome.PASS, {}, True),
        (Outcome.FAIL, {"measures": {"keep": True}}, True),
        (Outcome.FAIL, {"measures": {"keep": False}}, False),
        (Outcome.HARNESS_ERROR, {}, False),
        (Outcome.TIMEOUT, {}, False),
        (Outcome.COMPILE_ERROR, {"evidence": {"errors": [{"type": "TypeError"}]}}, True),
        (Outcome.COMPILE_ERROR, {"evidence": {"errors": [{"type": "CompilerAbort"}]}}, False),
    ],
)
def test_only_what_would_come_out_again_is_kept(
    outcome: Outcome,
    fields: dict[str, Any],
    kept: bool,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("SOLEXP_CACHE", str(tmp_path))
    asked = job("t", SOURCE)
    verdicts = KeptVerdicts(AsIs(), asked.oracles, enabled=True)
    (generation,) = asked.generations
    row = verdict("acting", Candidate.of(generation), outcome, **fields)
    verdicts.keep(asked.task, [generation], Judged(task_id="t", verdicts=(row,)))
    known, missing = verdicts.look_up(asked.task, [generation])
    assert (len(known.verdicts), len(missing)) == ((1, 0) if kept else (0, 1))
