"""Labelled answers and their verdicts."""

from __future__ import annotations

from solexp.core import (
    Completion,
    Generation,
    Outcome,
    Verdict,
)
from solexp.metrics.calibration import Calibration, Caught, calibrate, calibrate_oracles
from solexp.metrics.estimators import wilson
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


ORACLES = {"compile": True, "replay": True, "dcr": True, "static": False}


def judged_by(
    index: int, label: str | None, **outcomes: Outcome
) -> tuple[Generation, list[Verdict]]:
    place = {"task_id": "t", "batch": "b", "repeat": 0, "index": index}
    generation = Generation(key=str(index), completion=Completion(text="", label=label), **place)  # type: ignore[arg-type]
    rows = [
        Verdict(oracle=name, outcome=outcome, **place)  # type: ignore[arg-type]
        for name, outcome in {"compile": Outcome.PASS, **outcomes}.items()
    ]
    return generation, rows


def test_each_oracle_has_its_recall_by_fault_and_its_false_alarms() -> None:
    task = whole_source(
        mutant_labels={
            "late": "shown",
            "open": "hidden",
            "quiet": "shown",
            "lost": "hidden",
            "swapped": "equivalent",
            "far": "shown",
        },
        mutant_faults={"late": "time", "open": "role", "quiet": "event", "swapped": "reordered"},
    )
    ok, bad, vacuous = Outcome.PASS, Outcome.FAIL, Outcome.VACUOUS
    answers = [
        judged_by(0, "reference", replay=ok, dcr=ok, static=ok),
        judged_by(1, "late", replay=bad, dcr=ok, static=ok),
        judged_by(2, "open", replay=ok, dcr=bad, static=ok),
        judged_by(3, "quiet", replay=vacuous, dcr=Outcome.HARNESS_ERROR, static=ok),
        judged_by(4, "quiet", replay=bad, dcr=Outcome.HARNESS_ERROR, static=ok),
        judged_by(5, "lost", replay=ok, dcr=vacuous, static=ok),
        judged_by(6, "swapped", replay=ok, dcr=vacuous, static=bad),
        judged_by(7, "late", replay=bad, dcr=ok, static=ok),
        judged_by(8, "operator at 3", replay=bad, dcr=ok, static=ok),
        judged_by(9, None, replay=bad, dcr=bad, static=bad),
    ]
    verdicts = [row for _, rows in answers for row in rows]
    generations = [generation for generation, _ in reversed(answers)]
    found = calibrate_oracles([task], generations, verdicts, ORACLES)
    assert found is not None
    replay, dcr = found.oracles["replay"], found.oracles["dcr"]
    lo, hi = wilson(2, 4)
    assert replay.wrong == Caught(caught=2, n=4, lo=lo, hi=hi)
    assert {name: (each.caught, each.n) for name, each in replay.faults.items()} == {
        "time": (1, 1),
        "role": (0, 1),
        "event": (1, 1),
        "unsaid": (0, 1),
    }
    assert replay.missed == ("t/lost", "t/open")
    assert (replay.shown.caught, replay.shown.n, replay.hidden.caught) == (2, 2, 0)
    assert (dcr.wrong.caught, dcr.wrong.n, dcr.wrong.open) == (1, 4, 2)
    assert dcr.equivalent == Caught(caught=0, n=0, open=1)
    assert found.oracles["static"].false_alarms == ("t/swapped",)
    assert found.oracles["static"].kinds["reordered"].caught == 1
    assert (found.together.wrong.caught, found.together.wrong.n) == (3, 4)
    assert (found.together.equivalent.caught, found.together.references.n) == (0, 1)
    assert [(case.name, case.about) for case in found.missed] == [("t/lost", "unsaid")]
    assert found.missed[0].said["dcr"] is vacuous
    assert [case.name for case in found.false_alarms] == ["t/swapped"]
    assert found.unlabelled == 1
    assert found.not_drawn == ("t/far",)
    assert calibrate_oracles([task], generations[:2], verdicts, ORACLES) is None


def test_what_only_compiles_is_not_decided() -> None:
    task = whole_source(mutant_labels={"bad": "shown", "same": "equivalent"})
    vacuous = Outcome.VACUOUS
    answers = [judged_by(0, "bad", replay=vacuous), judged_by(1, "same", replay=vacuous)]
    verdicts = [row for _, rows in answers for row in rows]
    found = calibrate_oracles([task], [each for each, _ in answers], verdicts, ORACLES)
    assert found is not None
    assert (found.together.wrong.caught, found.together.wrong.open) == (0, 1)
    assert (found.together.equivalent.n, found.together.equivalent.open) == (0, 1)


def test_mutants_that_were_asked_for_and_not_drawn_are_told() -> None:
    task = whole_source(mutant_labels={"bad": "shown", "deep": "hidden", "same": "equivalent"})
    answers = [said(0, "reference", Outcome.PASS), said(1, "bad", Outcome.FAIL)]
    generations = [generation for generation, _ in answers]
    verdicts = [row for _, rows in answers for row in rows]
    found = calibrate([task], generations, verdicts, {"replay": True}, each=True)
    assert found is not None
    assert found.told().endswith("; 2 labelled mutants were not drawn: raise the sampling's n")
    drawn = calibrate([task], generations, verdicts, {"replay": True})
    assert drawn is not None
    assert drawn.not_drawn == 0
