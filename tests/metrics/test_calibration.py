"""Labelled answers and their verdicts."""

from __future__ import annotations

from solexp.core import (
    Completion,
    Generation,
    Outcome,
    Verdict,
)
from solexp.metrics.calibration import Calibration, calibrate
from tests.made_tasks import whole_source


def said(index: int, label: str | None, outcome: Outcome) -> tuple[Generation, list[Verdict]]:
    place = {"task_id": "t", "batch": "b", "repeat": 0, "index": index}
    generation = Generation(key=str(index), completion=Completion(text="", label=label), **place)  # type: ignore[arg-type]
    rows = [
        Verdict(oracle="replay", outcome=outcome, **place),  # type: ignore[arg-type]
        Verdict(oracle="static", outcome=Outcome.FAIL, **place),  # type: ignore[arg-type]
    ]
    return generation, rows


def test_labels_and_verdicts_are_counted_against_each_other() -> None:
    labels = {"same": "equivalent", "bad": "shown", "deep": "hidden"}
    task = whole_source(mutant_labels=labels)
    answers = [
        said(0, "reference", Outcome.PASS),
        said(1, "same", Outcome.FAIL),
        said(2, "bad", Outcome.FAIL),
        said(3, "bad", Outcome.PASS),
        said(4, "bad", Outcome.TIMEOUT),
        said(5, "deep", Outcome.PASS),
        said(6, "bad", Outcome.HARNESS_ERROR),
        said(7, None, Outcome.PASS),
    ]
    generations = [generation for generation, _ in answers]
    verdicts = [row for _, rows in answers for row in rows]
    found = calibrate([task], generations, verdicts, {"replay": True, "static": False})
    assert found == Calibration(right=2, false_alarms=1, wrong=3, caught=2, hidden=1)
    assert "2 of 3 wrong answers caught, 1 false alarms on 2 right ones" in found.told()
    assert calibrate([task], generations[7:], verdicts, {"replay": True}) is None


def test_mutants_of_which_nothing_is_known_are_told_apart_from_wrong_ones() -> None:
    answers = [
        said(0, "reference", Outcome.PASS),
        said(1, "operator at 12", Outcome.FAIL),
        said(2, "bound at 40", Outcome.PASS),
        said(3, "operator at 12", Outcome.VACUOUS),
    ]
    generations = [generation for generation, _ in answers]
    verdicts = [row for _, rows in answers for row in rows]
    found = calibrate([whole_source()], generations, verdicts, {"replay": True})
    assert found == Calibration(
        right=1, false_alarms=0, wrong=0, caught=0, hidden=0, unknown=2, unknown_caught=1
    )
    assert found.told() == (
        "calibration: 0 false alarms on 1 right answers; "
        "1 of 2 mutants that are wrong or equivalent do not pass"
    )
