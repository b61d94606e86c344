"""What solexp compare says of cells, and what it refuses."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from pathlib import Path

import pytest

from solexp.core import Outcome, UserError
from solexp.metrics.paired import mcnemar
from solexp.report.compare import compare_by, compare_runs
from solexp.store.runfolder import RunFolder
from tests.report.compare.made_cells import make_cell

TASKS = [f"task{number:02}" for number in range(12)]


def _passing(count: int, samples: int = 1) -> dict[str, list[bool]]:
    """The first ``count`` tasks pass with every sample."""
    return {task: [number < count] * samples for number, task in enumerate(TASKS)}


def _grid(
    root: Path, passing: Callable[[str, str], int], samples: int = 2, **fields: object
) -> list[RunFolder]:
    cells = itertools.product(("none", "dependencies"), ("0", "2"))
    return [
        make_cell(
            root / "s" / str(number),
            _passing(passing(context, shots), samples),
            {"strategy/context": context, "strategy.shots": shots},
            **fields,  # type: ignore[arg-type]
        )
        for number, (context, shots) in enumerate(cells)
    ]


def test_one_sample_a_task_is_tested_by_mcnemars_exact_test(tmp_path: Path) -> None:
    folders = [
        make_cell(tmp_path / "s" / str(count), _passing(count), {"strategy.shots": str(count)})
        for count in (3, 9)
    ]
    found = compare_by(None, folders)
    baseline, cell = found.rows
    assert found.metric == "pass_at_1"
    assert baseline.label == found.baseline == "shots=3"
    assert baseline.difference is None
    assert cell.difference is not None
    assert cell.difference.test == "mcnemar"
    assert cell.difference.p == cell.difference.holm == mcnemar(6, 0)
    assert cell.difference.value == pytest.approx(0.5)
    assert (cell.difference.better, cell.difference.worse, cell.difference.tasks) == (6, 0, 12)
    assert (cell.prompt_tokens, cell.completion_tokens, cell.seconds) == (1200, 600, 3.0)
    assert cell.cost_usd == pytest.approx(0.5)


def test_scores_are_those_of_the_summary(tmp_path: Path) -> None:
    folders = _grid(tmp_path, lambda context, shots: 3 + len(context) // 2 + int(shots))
    for row, folder in zip(compare_by("compile_at_1", folders).rows, folders, strict=True):
        assert row.score is not None
        metric = folder.summary["metrics"]["compile_at_1"]
        assert (row.score.value, row.score.lo, row.score.hi) == (
            metric["value"],
            metric["lo"],
            metric["hi"],
        )


def test_effects_and_their_interaction_are_averaged_over_the_other_factors(tmp_path: Path) -> None:
    counts = {("none", "0"): 2, ("none", "2"): 4, ("dependencies", "0"): 5}
    folders = _grid(tmp_path, lambda context, shots: counts.get((context, shots), 10))
    found = compare_by(None, folders)
    values = {
        tuple((step.factor, step.level) for step in effect.steps): 12 * effect.difference.value
        for effect in found.effects
    }
    context, shots = ("strategy/context", "dependencies"), ("strategy.shots", "2")
    assert values == pytest.approx(
        {(context,): (3 + 6) / 2, (shots,): (2 + 5) / 2, (context, shots): 3}
    )
    assert all(effect.difference.holm is None for effect in found.effects)


def test_holm_is_over_the_family_that_is_declared(tmp_path: Path) -> None:
    cell = "strategy/context=dependencies,strategy.shots=2"
    plan = {"family": ["context*shots", cell, "contxt"]}
    folders = _grid(tmp_path, lambda context, shots: len(context) // 3 + int(shots), compare=plan)
    found = compare_by(None, folders)
    assert found.notes == ("family: nothing here fits 'contxt'",)
    assert found.family == (
        "context: none → dependencies × shots: 0 → 2",
        "context=dependencies shots=2",
    )
    corrected = [row.difference is not None and row.difference.holm for row in found.rows]
    assert corrected[:3] == [False, None, None]
    assert corrected[3] is not None
    assert [effect.difference.holm is not None for effect in found.effects] == [False, False, True]


@pytest.mark.parametrize(
    "given", ["shots=2,context=none", "strategy.shots=2,strategy/context=none", "s/1"]
)
def test_the_baseline_is_named_by_levels_or_as_a_run(tmp_path: Path, given: str) -> None:
    folders = _grid(tmp_path, lambda *_: 5)
    assert compare_by(None, folders, baseline=given).baseline == "context=none shots=2"


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("shots=2", "fits 2 cells"),
        ("shots=7", "no cell is at strategy.shots=7; it is one of 0, 2"),
        ("shot=2", "no factor 'shot'; did you mean 'shots'"),
        ("nowhere", "is none of the runs"),
    ],
)
def test_a_baseline_that_is_not_one_cell_is_refused(tmp_path: Path, given: str, said: str) -> None:
    with pytest.raises(UserError, match=said):
        compare_by(None, _grid(tmp_path, lambda *_: 5), baseline=given)


def test_a_declared_baseline_comes_first_among_the_levels(tmp_path: Path) -> None:
    plan = {"baseline": {"strategy/context": "dependencies", "strategy.shots": 0}}
    found = compare_by(None, _grid(tmp_path, lambda *_: 5, compare=plan))
    assert found.baseline == "context=dependencies shots=0"
    assert [factor.levels[0] for factor in found.factors] == ["dependencies", "0"]


def test_cells_with_unlike_tasks_are_refused(tmp_path: Path) -> None:
    one = make_cell(tmp_path / "0", _passing(3), {"seed": "1"})
    fewer = {task: [True] for task in TASKS[1:]} | {"other": [True]}
    two = make_cell(tmp_path / "1", fewer, {"seed": "2"})
    changed = make_cell(tmp_path / "2", _passing(3), {"seed": "3"}, changed=["task05"])
    with pytest.raises(UserError, match="lacks task00, has other besides") as raised:
        compare_by(None, [one, two])
    assert "\n" not in str(raised.value)
    with pytest.raises(UserError, match="has other content in task05"):
        compare_by(None, [one, changed])


def test_functions_are_compared_with_whole_contracts_by_contract(tmp_path: Path) -> None:
    whole = make_cell(tmp_path / "0", {"A": [True], "B": [False]}, {"strategy": "contract"})
    functions: dict[str, list[bool]] = {"A/f": [True], "A/g": [False], "B/f": [True]}
    parts = make_cell(tmp_path / "1", functions, {"strategy": "function"})
    found = compare_by(None, [whole, parts])
    assert [row.score.value for row in found.rows if row.score] == [0.5, 0.75]
    difference = found.rows[1].difference
    assert difference is not None
    assert (difference.value, difference.tasks) == (0.25, 2)
    assert difference.test == "sign_flip_exact"
    assert any("compared by contract" in note for note in found.notes)
    other = make_cell(tmp_path / "2", {"A/f": [True]}, {"strategy": "function"})
    with pytest.raises(UserError, match="lacks B, against"):
        compare_by(None, [whole, other])


def test_cells_that_asked_the_same_and_came_out_alike_are_one(tmp_path: Path) -> None:
    cells = [("0", "random"), ("0", "bm25"), ("2", "random"), ("2", "bm25")]
    folders = [
        make_cell(
            tmp_path / "s" / str(number),
            _passing(4 if shots == "0" else 8, 2),
            {"strategy.shots": shots, "strategy/examples": examples},
            asked="no examples" if shots == "0" else None,
        )
        for number, (shots, examples) in enumerate(cells)
    ]
    found = compare_by(None, folders)
    assert [row.same_as for row in found.rows] == [None, "shots=0 examples=random", None, None]
    assert found.family == ("shots=2 examples=random", "shots=2 examples=bm25")
    assert len(found.effects) == 3
    # Levels that fit both name one cell.
    assert compare_by(None, folders, baseline="shots=0").baseline == "shots=0 examples=random"


def test_undecidable_tasks_are_left_out_of_all_cells_where_one_shows_them(tmp_path: Path) -> None:
    open_here = dict(_passing(6, 2)) | {"task00": [Outcome.UNDECIDABLE, Outcome.UNDECIDABLE]}
    folders = [
        make_cell(tmp_path / "0", open_here, {"seed": "1"}),
        make_cell(tmp_path / "1", _passing(6, 2), {"seed": "2"}),
    ]
    everything = compare_by("pass_at_1", folders).rows
    decidable = compare_by("decidable.pass_at_1", folders).rows
    assert compare_by("pass_at_1", folders).notes == (
        "no oracle could decide 1 of the tasks, which count as failed; "
        "decidable.pass_at_1 leaves them out",
    )
    assert compare_by("decidable.pass_at_1", folders).notes == ()
    assert [row.score.n for row in everything if row.score] == [12, 12]
    assert [row.score.n for row in decidable if row.score] == [11, 11]
    assert decidable[1].difference is not None
    assert decidable[1].difference.value == 0


def test_a_hole_in_the_grid_is_told(tmp_path: Path) -> None:
    folders = _grid(tmp_path, lambda *_: 5)[:3]
    found = compare_by(None, folders)
    assert found.effects == ()
    assert found.notes == (
        "no effects of factors: no cell is at strategy/context=dependencies, strategy.shots=2",
    )


def test_runs_without_results_are_left_out_and_told(tmp_path: Path) -> None:
    folders = _grid(tmp_path, lambda *_: 5)
    (folders[3].path / "summary.json").unlink()
    assert any("left out" in note for note in compare_by(None, folders).notes)
    with pytest.raises(UserError, match="needs two runs with results"):
        compare_by(None, folders[3:])


def test_several_metrics_are_compared_each(tmp_path: Path) -> None:
    folders = _grid(tmp_path, lambda *_: 5, compare={"metrics": ["pass_at_1", "compile_at_1"]})
    assert [found.metric for found in compare_runs(folders)] == ["pass_at_1", "compile_at_1"]
    assert [found.metric for found in compare_runs(folders, metrics=["compile_at_1"])] == [
        "compile_at_1"
    ]
    with pytest.raises(UserError, match="no run has it; did you mean 'pass_at_1'"):
        compare_runs(folders, metrics=["pas_at_1"])


def test_what_a_preset_declares_and_too_few_samples_do_not_give_is_left_out_and_told(
    tmp_path: Path,
) -> None:
    folders = _grid(tmp_path, lambda *_: 5, compare={"metrics": ["pass_at_5", "pass_at_1"]})
    (found,) = compare_runs(folders)
    assert found.metric == "pass_at_1"
    assert found.notes == ("declared, but no run takes so many samples: pass_at_5",)
