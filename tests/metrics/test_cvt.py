"""AVC, TS and exact sets over tests, over tasks, and with untranslated tasks as 0."""

from __future__ import annotations

import random

import pytest

from solexp.core import Outcome, Verdict
from solexp.metrics.cvt import cvt_counts, cvt_metrics
from solexp.metrics.scores import judged


def row(
    task: str,
    outcome: Outcome = Outcome.PASS,
    evidence: dict[str, object] | None = None,
    **counts: float,
) -> Verdict:
    return Verdict(
        task_id=task,
        batch="greedy",
        repeat=0,
        index=0,
        oracle="cvt",
        outcome=outcome,
        measures={f"cvt.{name.replace('__', '.')}": value for name, value in counts.items()},
        evidence=evidence or {},
    )


ROWS = [
    row("whole", tests=10, rejected=10, specific=9.5, exact=8, refused=2, combinations=7, combinations_covered=3,
        assertions=3, assertions_covered=3, release__tests=12, release__right=10, release__targeted=10,
        release__specific=9.0, release__merged=5.0, valid=2, valid_accepted=1),
    row("half", tests=2, rejected=1, specific=1.0, exact=1, refused=1, unsupported=1, assertions=2,
        assertions_covered=1, evidence={"unsupported": {"1": "Unsupported: import"}}),
    row("none", Outcome.VACUOUS, tests=0, unsupported=2, assertions=2,
        evidence={"unsupported": {"0": "Unsupported: import", "1": "Unsupported: eval"}}),
    row("empty", Outcome.NO_CODE),
    row("ours", Outcome.HARNESS_ERROR),
]  # fmt: skip


def test_means_are_over_tests_over_tasks_and_over_all_tasks() -> None:
    found = cvt_metrics(judged(ROWS), seed=1)
    assert found["cvt.avc"].value == pytest.approx(11 / 12)
    assert found["cvt.ts"].value == pytest.approx(10.5 / 12)
    assert found["cvt.exact_set"].value == pytest.approx(9 / 12)
    assert found["cvt.avc_by_task"].value == pytest.approx((1 + 0.5) / 2)
    assert (found["cvt.avc_by_task"].n, found["cvt.avc"].n) == (2, 2)
    # Half of a translation is none, and a fault of ours is nobody's.
    assert found["cvt.ts_all"].value == pytest.approx(0.95 / 4)
    assert found["cvt.ts_all"].n == 4
    assert found["cvt.translated"].value == pytest.approx(1 / 4)
    assert found["cvt.combinations"].value == pytest.approx(3 / 7)
    assert found["cvt.assertions"].value == pytest.approx(4 / 7)
    assert found["cvt.accepted"].value == pytest.approx(1 / 2)
    assert found["cvt.release.avc"].value == pytest.approx(10 / 12)
    assert found["cvt.release.ts"].value == pytest.approx(9 / 10)
    assert found["cvt.release.ts_merged"].value == pytest.approx(5 / 10)
    for metric in found.values():
        assert metric.lo is not None
        assert metric.hi is not None
        assert metric.lo <= metric.value <= metric.hi


def test_the_order_of_rows_does_not_matter() -> None:
    shuffled = random.Random(1).sample(ROWS, len(ROWS))
    assert cvt_metrics(judged(shuffled), seed=1) == cvt_metrics(judged(ROWS), seed=1)
    assert cvt_counts(judged(shuffled)) == cvt_counts(judged(ROWS))


def test_what_is_not_translated_is_listed_by_construct() -> None:
    found = cvt_counts(judged(ROWS))
    assert found is not None
    assert (found.tests, found.refused, found.unsupported, found.untranslated_tasks) == (
        12,
        3,
        3,
        3,
    )
    assert found.constructs == {
        "Unsupported: import": ("half assert_1", "none assert_0"),
        "Unsupported: eval": ("none assert_1",),
    }


def test_without_the_oracle_nothing_is_said() -> None:
    assert cvt_metrics([], seed=1) == {}
    assert cvt_counts([]) is None
