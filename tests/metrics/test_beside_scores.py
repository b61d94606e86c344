"""What is said beside the scores: replies without code, overlap, sizes, cut-offs."""

from __future__ import annotations

import pytest

from solexp.core import Batch, Completion, Generation, NoCode, Outcome, UserError, Verdict
from solexp.llm.model import checked_cutoff
from solexp.metrics.sizes import size_class, stated_cutoff
from solexp.metrics.summary import Summary, summarise
from solexp.store.runfolder import TaskRow

ORACLES = {"compile": True, "replay": True, "overlap": False}
TASKS = [
    TaskRow(id="a", hash="", compiler="0.8.17", functions=5, deployed="2021-03-14"),
    TaskRow(id="b", hash="", compiler="0.8.17", functions=6, deployed="2023-10-31"),
    TaskRow(id="c", hash="", compiler="0.8.17", functions=7, deployed="2023-11-01"),
    TaskRow(id="d", hash="", compiler="0.8.17"),
]


def rows(
    task: str, index: int, said: Outcome | NoCode, share: float | None = None
) -> list[Verdict]:
    outcome = Outcome.NO_CODE if isinstance(said, NoCode) else said
    evidence: dict[str, object] = {"reason": said.value} if isinstance(said, NoCode) else {}
    found = [
        Verdict(
            task_id=task,
            batch="mean_of_n",
            repeat=0,
            index=index,
            oracle=oracle,
            outcome=Outcome.PASS if (oracle, outcome) == ("compile", Outcome.FAIL) else outcome,
            evidence=evidence,
        )
        for oracle in ("compile", "replay")
    ]
    if share is not None:
        measures: dict[str, float | int | bool | str | None] = {
            "overlap.longest_run": int(100 * share),
            "overlap.longest_run_share": share,
            "overlap.ngram_share": share,
        }
        found.append(
            Verdict(
                task_id=task,
                batch="mean_of_n",
                repeat=0,
                index=index,
                oracle="overlap",
                outcome=Outcome.PASS,
                measures=measures,
            )
        )
    return found


def summary(verdicts: list[Verdict], cutoff: str | None = None, seconds: float = 2.0) -> Summary:
    generations = [
        Generation(
            key="",
            task_id=row.task_id,
            batch=row.batch,
            repeat=0,
            index=row.index,
            completion=Completion(text="", seconds=seconds),
            earlier=(Completion(text="", seconds=1.0),),
        )
        for row in verdicts
        if row.oracle == "compile"
    ]
    return summarise(
        TASKS,
        verdicts,
        [Batch(name="mean_of_n", n=2, temperature=0.2)],
        seed=1,
        oracles=ORACLES,
        generations=generations,
        cutoff=cutoff,
    )


VERDICTS = [
    *rows("a", 0, Outcome.PASS, 1.0),
    *rows("a", 1, NoCode.REFUSED),
    *rows("b", 0, Outcome.FAIL, 0.5),
    *rows("b", 1, Outcome.COMPILE_ERROR, 0.1),
    *rows("c", 0, NoCode.TRUNCATED),
    *rows("c", 1, NoCode.EMPTY),
    *rows("d", 0, Outcome.PASS, 0.0),
    *rows("d", 1, Outcome.HARNESS_ERROR),
]


def test_replies_without_code_are_shares_of_replies_by_task() -> None:
    metrics = summary(VERDICTS).metrics

    shares = {name: metrics[name].value for name in metrics if name.endswith("_share")}
    assert shares["no_code_share"] == pytest.approx((1 / 2 + 0 + 1 + 0) / 4)
    assert shares["refused_share"] == pytest.approx(1 / 8)
    assert shares["truncated_share"] == pytest.approx(1 / 8)
    assert shares["empty_share"] == pytest.approx(1 / 8)
    assert shares["prompt_too_long_share"] == 0
    assert metrics["refused_share"].n == 4
    assert metrics["prompt_too_long_share"].hi != 0


def test_the_overlap_is_a_mean_over_candidates_with_code_and_shares_above_limits() -> None:
    metrics = summary(VERDICTS).metrics

    assert metrics["overlap.ngram_share"].value == pytest.approx((1.0 + 0.3 + 0.0) / 3)
    assert metrics["overlap.longest_run_share"].n == 3
    assert metrics["overlap.long_run_share"].value == pytest.approx((1 + 1 / 2 + 0) / 3)
    assert metrics["overlap.mostly_share"].value == pytest.approx((1 + 1 / 2 + 0) / 3)


def test_without_the_oracle_there_is_no_overlap() -> None:
    metrics = summary([row for row in VERDICTS if row.oracle != "overlap"]).metrics

    assert not [name for name in metrics if name.startswith("overlap.")]


def test_sizes_have_their_scores_and_their_price_in_seconds() -> None:
    found = summary(VERDICTS)

    assert found.metrics["functions.1-5.compile_rate"].value == 0.5
    assert found.metrics["functions.6-10.compile_rate"].value == 0.25
    assert found.metrics["functions.6-10.compile_rate"].n == 2
    assert found.metrics["functions.1-5.pass_at_1"].value == 0.5
    assert not [name for name in found.metrics if name.startswith("functions.-")]
    assert found.seconds.per_compiling == {"1-5": 6.0, "6-10": 12.0}


def test_without_times_there_is_no_price_in_seconds() -> None:
    compiled = [row for row in VERDICTS if row.task_id == "b" and row.index == 1]

    assert summary(compiled).seconds.per_compiling == {}


@pytest.mark.parametrize(
    ("functions", "name"), [(1, "1-5"), (5, "1-5"), (6, "6-10"), (30, "26-30"), (31, "31-35")]
)
def test_classes_of_sizes_are_those_of_the_paper(functions: int, name: str) -> None:
    assert size_class(functions) == name


def test_scores_before_and_after_a_models_cutoff_are_told_apart() -> None:
    metrics = summary(VERDICTS, cutoff="2023-10").metrics

    assert metrics["before_cutoff.pass_at_1"].n == 2
    assert metrics["before_cutoff.pass_at_1"].value == 0.25
    assert metrics["after_cutoff.pass_at_1"].n == 1
    assert metrics["after_cutoff.compile_at_1"].value == 0


def test_without_a_cutoff_or_a_date_nothing_is_said_of_it() -> None:
    assert not [name for name in summary(VERDICTS).metrics if "cutoff" in name]
    undated = [row for row in VERDICTS if row.task_id == "d"]
    assert not [name for name in summary(undated, cutoff="2023-10").metrics if "cutoff" in name]


def test_a_cutoff_is_a_month() -> None:
    assert checked_cutoff(None) is None
    assert checked_cutoff("2023-10") == "2023-10"
    for wrong in ("2023", "2023-13", "October 2023", "2023-10-01"):
        with pytest.raises(UserError, match=r"model\.cutoff: must be a month such as 2023-10"):
            checked_cutoff(wrong)
    assert stated_cutoff({"model": {"cutoff": "2023-10"}}) == "2023-10"
    assert stated_cutoff({"model": {}}) is None
    assert stated_cutoff({}) is None
