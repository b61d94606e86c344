"""SolEval's data from the authors' files and the repositories' sources."""

from __future__ import annotations

import gzip
import json
import os
import pickle
import shutil
import subprocess
import tarfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from solexp.benchmarks.soleval import SolEval
from solexp.benchmarks.soleval.importing import fetch, import_release
from solexp.benchmarks.soleval.indexing import index, read_mapping
from solexp.benchmarks.soleval.release import DATASET, INDEX, Known, read_entries
from solexp.core import DataError, Task, UserError

REPOS = ("solady", "oz", "ethernaut", "foundry-upgrades", "community")


@pytest.fixture(scope="module")
def shared(data_home: Path) -> Path:
    """The released data as they are shared."""
    folder = data_home / "soleval"
    if not folder.is_dir() and not os.environ.get("CI"):
        pytest.skip(f"no SolEval in {data_home}")
    return folder


@pytest.fixture(scope="module")
def authors(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What the authors publish: JSON that is not compressed, a pickled mapping, and no index."""
    folder = tmp_path_factory.mktemp("authors")
    for name in ("dataset.json", "example.json"):
        path = folder / "data" / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(gzip.decompress((shared / f"data/{name}.gz").read_bytes()))
    mapping = json.loads((shared / "data/real_path_cargo.json").read_bytes())
    (folder / "prebuilt").mkdir()
    (folder / "prebuilt" / "real_path_cargo.pkl").write_bytes(pickle.dumps(mapping))
    return folder


@pytest.fixture(scope="module")
def imported(authors: Path, shared: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An import of the authors' files and of unpacked repositories."""
    source = tmp_path_factory.mktemp("source")
    shutil.copytree(authors, source, dirs_exist_ok=True)
    shutil.copy(shared / INDEX, source)
    for name in REPOS:
        _unpack(shared, name, source / "repos")
    folder = tmp_path_factory.mktemp("home") / "soleval"
    report = import_release(source, folder)
    assert (report.tasks, report.problems) == (823, ())
    return folder


def _unpack(shared: Path, name: str, folder: Path) -> Path:
    with tarfile.open(shared / "repos" / f"{name}.tar.gz") as archive:
        archive.extractall(folder, filter="data")
    return folder / name


def _index(folder: Path) -> list[Known]:
    with gzip.open(folder / INDEX) as file:
        return [msgspec.json.decode(line, type=Known) for line in file]


def test_an_index_is_worked_out_as_the_shared_one_has_it(authors: Path, shared: Path) -> None:
    entries = read_entries(shared / DATASET)
    mapping = read_mapping(authors / "prebuilt" / "real_path_cargo.pkl")
    keys = {"tests": None, "overload_count": 1}
    assert [msgspec.structs.replace(line, **keys) for line in index(entries, mapping, REPOS)] == [
        msgspec.structs.replace(line, **keys) for line in _index(shared)
    ]


def _names(tests: Iterable[str]) -> list[str]:
    """Tests by name: the shared index spells a struct by its name, the compiler as a tuple."""
    return sorted({test.partition("(")[0] for test in tests})


def _worked_out(name: str, left_out: int, authors: Path, shared: Path, folder: Path) -> None:
    """Which tests reach the functions of a repository is found as the shared index has it, where that says."""
    shutil.copytree(authors, folder / "source")
    _unpack(shared, name, folder / "source" / "repos")
    report = import_release(folder / "source", folder / "home")
    # Libraries that the shared archives leave out, and a profile of other libraries.
    assert len(report.problems) == left_out
    assert all("and there is no" in str(problem) for problem in report.problems)
    absent = str(report.problems)
    known = [
        (ours.kind, _names(ours.tests or ()), _names(theirs.tests))
        for ours, theirs in zip(_index(folder / "home"), _index(shared), strict=True)
        if theirs.repo == name and theirs.tests is not None and theirs.test_file not in absent
    ]
    assert known
    unlike = [kind for kind, ours, theirs in known if ours != theirs]
    # A constructor runs in the set-up, and so before every test of the file.
    assert unlike == ["constructor"] * len(unlike) and len(unlike) < 2


def test_the_tests_that_reach_a_function_are_worked_out(
    authors: Path, shared: Path, tmp_path: Path
) -> None:
    _worked_out("community", 0, authors, shared, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "left_out"), [("oz", 4), ("solady", 0), ("foundry-upgrades", 1)])
def test_the_tests_that_reach_each_function_are_worked_out(
    name: str, left_out: int, authors: Path, shared: Path, tmp_path: Path
) -> None:
    _worked_out(name, left_out, authors, shared, tmp_path)


def test_imported_projects_hold_all_that_the_shared_ones_do_for_the_tasks(
    imported: Path, shared: Path
) -> None:
    def posed(folder: Path) -> list[Task]:
        return list(SolEval(subset="all", path=str(folder)).tasks())

    for ours, theirs in zip(posed(imported), posed(shared), strict=True):
        unlike = {"project": msgspec.UNSET, "suite": msgspec.UNSET, "undecidable": None}
        facts = {
            name: {**task.facts, "mark": "", "overloads": 0}
            for name, task in (("a", ours), ("b", theirs))
        }
        assert msgspec.structs.replace(ours, **unlike, facts=facts["a"]) == msgspec.structs.replace(
            theirs, **unlike, facts=facts["b"]
        )


def test_a_pickle_that_would_run_code_is_refused(tmp_path: Path) -> None:
    class Bad:
        def __reduce__(self) -> tuple[Any, tuple[str]]:
            return os.system, (f"touch {tmp_path / 'ran'}",)

    path = tmp_path / "real_path_cargo.pkl"
    path.write_bytes(pickle.dumps({"a": Bad()}))
    with pytest.raises(DataError, match="which is no plain value"):
        read_mapping(path)
    assert not (tmp_path / "ran").exists()


def test_a_body_that_is_not_at_its_lines_is_told_by_the_import(
    authors: Path, shared: Path, tmp_path: Path
) -> None:
    source = tmp_path / "source"
    shutil.copytree(authors, source)
    community = _unpack(shared, "community", source / "repos")
    path = community / "contracts" / "utils" / "Masks.sol"
    path.write_text(path.read_text().replace("function", "\nfunction"))
    report = import_release(source, tmp_path / "home")
    (problem,) = report.problems
    assert str(problem).startswith(f"{DATASET}: ") and "Masks.sol in community do not hold" in str(
        problem
    )
    assert report.tasks == 822
    assert any("not there: solady, oz" in note for note in report.notes)


def test_what_is_no_release_is_refused_in_one_line_and_nothing_written(
    authors: Path, tmp_path: Path
) -> None:
    with pytest.raises(
        UserError, match=r"repos holds no repository; put folders or archives there: solady"
    ):
        import_release(authors, tmp_path / "home")
    assert not (tmp_path / "home").exists()


def test_releases_are_fetched_by_git_with_what_their_repositories_need(
    authors: Path, shared: Path, tmp_path: Path
) -> None:
    theirs = _committed(shutil.copytree(authors, tmp_path / "authors"))
    upstream = _committed(_unpack(shared, "community", tmp_path))
    places = {"community": (upstream[0].as_uri(), upstream[1])}
    report = fetch(tmp_path / "home", authors=(theirs[0].as_uri(), theirs[1][:7]), upstreams=places)
    assert (report.tasks, report.problems) == (823, ())
    benchmark = SolEval(
        subset="all", filter={"repository": "community"}, path=str(tmp_path / "home")
    )
    (task,) = benchmark.tasks()
    assert task.target.path == "contracts/utils/Masks.sol" and task.target.member
    # What was cloned is at hand.
    shutil.rmtree(upstream[0])
    shutil.rmtree(theirs[0])
    again = fetch(tmp_path / "home", authors=(theirs[0].as_uri(), theirs[1][:7]), upstreams=places)
    assert again.tasks == 823


def _committed(folder: Path) -> tuple[Path, str]:
    def git(*arguments: str) -> str:
        words = ("-c", "user.name=x", "-c", "user.email=x@example.org", *arguments)
        return subprocess.run(
            ["git", "-C", str(folder), *words], check=True, capture_output=True, text=True
        ).stdout

    git("init", "--quiet")
    git("add", "--all", "--force")
    git("commit", "--quiet", "--message", "x")
    return folder, git("rev-parse", "HEAD").strip()
