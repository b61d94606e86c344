"""SolEval as it was released, read into tasks."""

from __future__ import annotations

import gzip
import json
import os
import shutil
from collections import Counter
from pathlib import Path

import pytest

from solexp.benchmarks import data
from solexp.benchmarks.soleval import SolEval
from solexp.core import DataError, Project, Suite, Task, UserError
from solexp.solidity.splice import splice
from solexp.solidity.stubs import stub_of
from solexp.strategies.function import Function, wanted_of


@pytest.fixture(scope="module", name="data_home")
def _data_home(data_home: Path) -> Path:
    """The data home, if it holds this benchmark too."""
    if not (data_home / "soleval").is_dir() and not os.environ.get("CI"):
        pytest.skip(f"no SolEval in {data_home}")
    return data_home


@pytest.fixture(scope="module")
def every(data_home: Path) -> tuple[Task, ...]:
    return SolEval(subset="all", path=str(data_home / "soleval")).tasks()


@pytest.fixture(scope="module")
def core(every: tuple[Task, ...]) -> list[Task]:
    return [task for task in every if task.facts["mark"] == "core"]


def test_every_released_task_is_there_under_an_id_of_its_own(every: tuple[Task, ...]) -> None:
    assert len(every) == len({task.id for task in every}) == 823
    assert Counter(task.facts["repository"] for task in every) == {
        "solady": 574,
        "oz": 220,
        "foundry-upgrades": 15,
        "ethernaut": 11,
        "Account2": 2,
        "community": 1,
    }


def test_the_core_are_functions_that_a_known_test_reaches(
    core: list[Task], data_home: Path
) -> None:
    assert len(core) == 695
    for task in core:
        assert task.target.member
        assert isinstance(task.project, Project)
        assert isinstance(task.suite, Suite)
        assert task.suite.tests
        assert task.undecidable is None
    chosen = SolEval(limit=3, path=str(data_home / "soleval")).tasks()
    assert {task.id for task in chosen} <= {task.id for task in core}


def test_overloads_are_different_tasks(core: list[Task]) -> None:
    overloaded = [task for task in core if task.facts["overloads"] != 1]
    assert len(overloaded) > 100
    assert len({(task.target.path, task.reference, task.id) for task in core}) == len(core)


def test_whoever_is_no_decidable_function_says_why(every: tuple[Task, ...]) -> None:
    reasons = Counter(task.undecidable for task in every if task.undecidable)
    assert reasons["no test reaches it"] == 84
    assert reasons["its repository is not in the data"] == 2
    assert reasons["a struct, no function"] == 6
    for task in every:
        assert task.undecidable or isinstance(task.suite, Suite)


def test_the_target_is_the_released_body_and_leaves_the_rest_alone(core: list[Task]) -> None:
    for task in core[::10]:
        wanted = wanted_of(task)
        assert task.reference.startswith(wanted.header)
        assert splice(task, task.reference) == task.sources
        (spliced,) = splice(task, stub_of(task, "empty")).values()
        assert len(spliced) < len(task.sources[task.target.path])
        body = task.reference.removeprefix(wanted.header)
        assert body not in task.framework or task.sources[task.target.path].count(body) > 1
        assert task.requirement


def test_tasks_that_are_functions_are_posed_as_they_are(core: list[Task]) -> None:
    assert Function(template="soleval").expand(core[:20]) == core[:20]


def test_the_prompt_holds_requirement_context_and_signature(core: list[Task]) -> None:
    task = next(each for each in core if each.context)
    strategy = Function(template="soleval")
    asked = next(strategy.dialogue(task)).prompt
    text = "\n".join(message.content for message in asked.messages)
    assert "START_OF_REQUIREMENT" in text
    assert wanted_of(task).header.split("(")[0] in text
    assert task.reference not in text


def _copy(data_home: Path, folder: Path) -> Path:
    shutil.copytree(data_home / "soleval", folder / "soleval")
    for path in (folder / "soleval").rglob("*"):
        path.chmod(0o755)
    return folder / "soleval"


def test_a_body_that_is_not_at_its_lines_is_left_out_and_told(
    data_home: Path, tmp_path: Path
) -> None:
    folder = _copy(data_home, tmp_path)
    path = folder / "data" / "dataset.json.gz"
    released = json.loads(gzip.decompress(path.read_bytes()))
    next(iter(released.values()))[0]["body"] = "function other() {}"
    path.write_bytes(gzip.compress(json.dumps(released).encode()))
    benchmark = SolEval(subset="all", path=str(folder))
    told: list[str] = []
    benchmark.malformed = told.append
    assert len(benchmark.tasks()) == 822
    (line,) = told
    assert "task 1: lines 39 to 45 of contracts/utils/Packing.sol in oz do not hold" in line


def test_data_that_are_missing_or_damaged_are_one_line(data_home: Path, tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"dataset\.json\.gz is missing"):
        SolEval(path=str(tmp_path)).tasks()
    with pytest.raises(UserError, match="did you mean 'core'"):
        SolEval(subset="cores")  # type: ignore[arg-type]
    folder = _copy(data_home, tmp_path)
    index = folder / "data" / "task_index.jsonl.gz"
    lines = gzip.decompress(index.read_bytes()).splitlines()
    index.write_bytes(gzip.compress(b"\n".join(lines[:-1])))
    with pytest.raises(DataError, match="822 lines for the 823 tasks"):
        SolEval(path=str(folder)).tasks()


def test_data_that_are_there_verify(data_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOLEXP_DATA", str(data_home))
    found = data.verify("soleval")
    assert (found.tasks, found.problems) == (823, ())
    assert found.undecidable["no test reaches it"] == 84
    assert len(found.hashes) == 8
    (listing,) = [one for one in data.list_benchmarks() if one.name == "soleval"]
    assert (listing.present, listing.tasks) == (True, 823)
