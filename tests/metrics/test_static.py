"""Vul: shares of samples with findings, over those that compile and over all; and counts of detectors."""

from __future__ import annotations

import random

import msgspec
import pytest

from solexp.core import Outcome, Verdict
from solexp.metrics.scores import judged
from solexp.metrics.static import detector_counts, vulnerability_metrics


def row(task: str, index: int, outcome: Outcome = Outcome.PASS, **measures: int | None) -> Verdict:
    return Verdict(
        task_id=task,
        batch="greedy",
        repeat=0,
        index=index,
        oracle="static",
        outcome=outcome,
        measures={name.replace("__", "."): value for name, value in measures.items()},
    )


def found(task: str, index: int, findings: int, new: int | None) -> Verdict:
    return row(task, index, static__findings=findings, static__new_findings=new)


ROWS = [
    found("a", 0, 2, 1),
    found("a", 1, 1, 0),
    row("a", 2, Outcome.COMPILE_ERROR),
    row("a", 3, Outcome.NO_CODE),
    found("b", 0, 0, 0),
    row("b", 1, Outcome.HARNESS_ERROR),
    found("c", 0, 1, None),
]


def test_samples_are_counted_together_and_faults_of_the_harness_are_none() -> None:
    metrics = vulnerability_metrics(judged(ROWS), seed=0)

    assert metrics["vul"].value == pytest.approx(3 / 4)
    assert metrics["vul_all"].value == pytest.approx(3 / 6)
    # The original of c was not analysed: nobody knows what is new in it.
    assert metrics["vul_new"].value == pytest.approx(1 / 3)
    assert metrics["vul_new_all"].value == pytest.approx(1 / 5)
    assert metrics["vul"].n == 3
    assert metrics["vul_new"].n == 2
    assert all(m.lo is not None and m.lo <= m.value <= (m.hi or 0) for m in metrics.values())


def test_the_order_of_rows_does_not_matter() -> None:
    shuffled = random.Random(1).sample(ROWS, len(ROWS))
    assert vulnerability_metrics(judged(shuffled), seed=0) == vulnerability_metrics(
        judged(ROWS), seed=0
    )


def test_one_sample_a_task_has_wilsons_interval() -> None:
    metric = vulnerability_metrics(
        judged([found(str(i), 0, int(i == 0), 0) for i in range(12)]), seed=0
    )["vul"]
    assert metric.lo == pytest.approx(0.0149, abs=1e-4)
    assert metric.hi == pytest.approx(0.3539, abs=1e-4)


def test_repeats_are_averaged_and_have_a_spread() -> None:
    rows = [found("a", 0, 1, 1), found("b", 0, 0, 0)]
    again = [
        msgspec.structs.replace(each, repeat=1)
        for each in (found("a", 0, 1, 1), found("b", 0, 1, 1))
    ]
    metric = vulnerability_metrics(judged([*rows, *again]), seed=0)["vul"]
    assert metric.value == pytest.approx(0.75)
    assert metric.repeats == (0.5, 1.0)


def test_no_oracle_no_metrics() -> None:
    assert vulnerability_metrics([], seed=0) == {}


def test_detectors_are_counted_by_sample() -> None:
    rows = [
        row(
            "a",
            0,
            static__findings=3,
            static__new_findings=1,
            static__suicidal=2,
            static__new__suicidal=1,
        ),
        row(
            "b",
            0,
            static__findings=2,
            static__new_findings=0,
            static__suicidal=1,
            static__backdoor=1,
        ),
    ]
    counts = detector_counts(judged(rows))
    assert [(n, c.samples, c.new) for n, c in counts.items()] == [
        ("suicidal", 2, 1),
        ("backdoor", 1, 0),
    ]
