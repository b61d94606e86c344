"""Sizes, replies without code and overlap are shown where they say something."""

from __future__ import annotations

from typing import Any

from solexp.report import beside, tables


def metric(value: float, n: int = 10) -> dict[str, Any]:
    return {"value": value, "lo": None, "hi": None, "n": n}


METRICS = {
    "functions.11-15.compile_rate": metric(0.25, 3),
    "functions.11-15.pass_at_1": metric(0.0, 3),
    "functions.6-10.compile_rate": metric(0.5, 7),
    "functions.6-10.pass_at_1": metric(0.5, 7),
}


def test_sizes_stand_in_their_order_with_seconds_where_known() -> None:
    grid = beside.sizes(METRICS, {"per_compiling": {"6-10": 12.34}})

    assert grid is not None
    assert grid.columns == (
        "functions",
        "tasks",
        "compile rate",
        "Pass@1",
        "s per compiling sample",
    )
    assert grid.rows == (("6-10", "7", "50.0", "50.0", "12.3"), ("11-15", "3", "25.0", "0.0", "–"))
    without = beside.sizes(METRICS, {})
    assert without is not None
    assert without.columns == ("functions", "tasks", "compile rate", "Pass@1")


def test_one_class_of_sizes_says_nothing() -> None:
    assert beside.sizes({"functions.6-10.compile_rate": metric(1.0)}, {}) is None


def test_replies_and_overlap_have_a_line_each_where_there_is_something_to_say() -> None:
    assert beside.lines({"no_code_share": metric(0), "refused_share": metric(0)}) == []
    assert beside.lines(
        {
            "no_code_share": metric(0.2),
            "refused_share": metric(0.125),
            "empty_share": metric(0),
            "truncated_share": metric(0.05),
            "overlap.longest_run_share": metric(0.3),
            "overlap.ngram_share": metric(0.4),
            "overlap.long_run_share": metric(0.1),
        }
    ) == [
        "replies: 20.0 % hold no code: 12.5 % refused, 5.0 % cut off",
        "overlap: on average 40.0 % of a candidate's 8-grams are the reference's, and the longest common run is "
        "30.0 % of the reference; 10.0 % repeat 50 tokens or more",
    ]


def test_scores_around_a_cutoff_are_rows_of_the_scores_and_no_columns_of_comparisons() -> None:
    metrics = {
        "pass_at_1": metric(0.5),
        "before_cutoff.pass_at_1": metric(0.75, 4),
        "after_cutoff.pass_at_1": metric(0.25, 6),
    }

    assert [row[1] for row in tables.scores(metrics).rows] == [
        "all tasks",
        "deployed before the cut-off",
        "deployed after the cut-off",
    ]
    assert tables.comparison([("run", {"metrics": metrics})]).columns == ("run", "Pass@1")


def test_gas_is_said_where_it_was_measured() -> None:
    saving = {"value": 0.021, "lo": None, "hi": None, "n": 3}
    covered = {"value": 0.5, "lo": 0.2, "hi": 0.8, "n": 6}
    assert beside.lines({"gas.saving_median": saving, "gas.coverage": covered}) == [
        "gas: the median task saves 2.1 % of the reference's, and "
        "50.0 [20.0, 80.0] % of the samples that pass are measured"
    ]
    assert beside.lines({"gas.coverage": metric(0.0)}) == [
        "gas: 0.0 % of the samples that pass are measured"
    ]


def test_what_python_functions_refuse_is_told_with_what_they_refuse_wrongly() -> None:
    said = beside.lines(
        {
            "plus_share": metric(0.8),
            "base.pass_at_1": metric(0.9),
            "csr": metric(0.25),
            "csr_by_task": metric(0.3),
            "rejection": metric(0.5),
            "over_rejection": metric(0.01),
            "judge.agreement": metric(0.75),
            "judge.kappa": metric(0.5),
        }
    )
    assert said == [
        "inputs: 80.0 % of a task's plus inputs match on average; on base inputs alone Pass@1 is 90.0 %",
        "contract: 25.0 % of violating calls are refused with AssertionError (30.0 % of a task's on average), "
        "50.0 % with any exception",
        "valid inputs: 1.0 % are refused",
        "judge: sees 75.0 % of the assertions as tests show them, kappa 0.50",
    ]
