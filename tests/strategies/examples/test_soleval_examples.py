"""SolEval's own pool of examples, as its presets name it."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import pytest

from solexp.benchmarks.soleval import SolEval
from solexp.benchmarks.soleval.release import EXAMPLES
from solexp.config.compose import compose, plain
from solexp.core import Task
from solexp.solidity.similarity import Originals
from solexp.strategies.examples.chosen import Chosen
from solexp.strategies.examples.ranking import Bm25


@pytest.fixture(scope="module")
def tasks(data_home: Path) -> Sequence[Task]:
    if not (data_home / "soleval").is_dir() and not os.environ.get("CI"):
        pytest.skip("no SolEval data")
    return SolEval().tasks()


def test_no_example_of_any_task_gives_an_evaluated_one_away(
    tasks: Sequence[Task], data_home: Path
) -> None:
    pool = data_home / "soleval" / EXAMPLES
    chosen = Chosen(by=Bm25(), pool="file", path=str(pool))
    chosen.prepare(tasks, tasks, "function")
    shown = {each.id: each for task in tasks[::7] for each in chosen.choose(task, 3)}
    assert len(shown) > 50
    codes = [f"{each.context}\n{each.code}" for each in shown.values()]
    originals = Originals([task.reference for task in tasks])
    assert max(originals.shown_by(codes)) < 0.7
    assert all(each.requirement for each in shown.values())


@pytest.mark.parametrize("preset", ["soleval_table3", "soleval_table4", "soleval_shots"])
def test_the_presets_take_their_examples_from_the_release(preset: str, data_home: Path) -> None:
    examples = plain(compose([f"experiments={preset}"]))["strategy"]["examples"]
    assert examples["path"] == str(data_home / "soleval" / EXAMPLES)
    assert examples["pool"] == "file"
