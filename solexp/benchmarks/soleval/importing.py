"""From the authors' JSON and the repositories' sources to the folder that the benchmark reads."""

from __future__ import annotations

import gzip
import os
import shutil
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from solexp.benchmarks.fetching import Problem, Report, clone
from solexp.benchmarks.soleval.benchmark import SolEval
from solexp.benchmarks.soleval.indexing import index, read_mapping, sources_of, with_tests
from solexp.benchmarks.soleval.release import (
    ARCHIVES,
    DATASET,
    EXAMPLES,
    INDEX,
    Known,
    read_entries,
)
from solexp.benchmarks.soleval.repositories import REPOSITORIES, Repository
from solexp.core import DataError, UserError
from solexp.solidity.compiler import Compiler
from solexp.solidity.foundry.files import Files, read_archive
from solexp.solidity.foundry.folders import archive, read_folder
from solexp.solidity.foundry.imports import closure
from solexp.store.records import read_gzip_lines, write_atomically, write_gzip_lines
from solexp.toolchain.npm import fetch_package

AUTHORS = "https://github.com/pzy2000/SolEval"
COMMIT = "d23cf4e"

_MAPPINGS = ("real_path_cargo.json", "real_path_cargo.pkl")
_ROOT_FILES = (".toml", ".txt", ".md")


def import_release(source: Path, folder: Path) -> Report:
    """Makes of the release in ``source`` the folder that `SolEval` reads.

    ``source`` holds, anywhere, ``dataset.json`` and ``example.json`` (compressed or not) and the authors' mapping of
    sources to test files (``real_path_cargo.pkl``, or as JSON), unless it has an index of its own; and in ``repos`` a
    folder or an archive for each repository, under the names in `REPOSITORIES`. Tasks of a repository that is not there
    are undecidable. Raises UserError or DataError where nothing is usable; then ``folder`` stays as it was.
    """
    projects = _projects(source / ARCHIVES)
    with tempfile.TemporaryDirectory(prefix="solexp-") as scratch:
        staged = Path(scratch, "soleval")
        for name in (DATASET, EXAMPLES):
            write_atomically(staged / name, _compressed(source, Path(name).stem))
        problems: list[Problem] = []
        lines = _index(source, staged, projects, problems)
        write_gzip_lines(staged / INDEX, lines)
        for name, files in projects.items():
            needed = _needed(files, REPOSITORIES[name], list(sources_of(lines, name)))
            write_atomically(staged / ARCHIVES / f"{name}.tar.gz", archive(needed, name))
        benchmark = SolEval(subset="all", path=str(staged))
        benchmark.malformed = lambda said: problems.append(
            Problem(DATASET, None, said.removeprefix(f"{staged}/"))
        )
        tasks = benchmark.tasks()
        _replace(staged, folder)
    decidable = sum(not task.undecidable for task in tasks)
    missing = [name for name in REPOSITORIES if name not in projects]
    return Report(
        folder=folder,
        tasks=len(tasks),
        problems=tuple(problems),
        notes=(
            f"{decidable} of them with tests that reach them",
            *((f"repositories that are not there: {', '.join(missing)}",) if missing else ()),
        ),
    )


def fetch(
    folder: Path,
    *,
    authors: tuple[str, str] = (AUTHORS, COMMIT),
    upstreams: Mapping[str, tuple[str, str]] | None = None,
) -> Report:
    """Clones the authors' release and every repository at its pinned commit, and imports them into ``folder``.

    ``upstreams`` are other addresses and commits by name. Raises UserError as `fetching.clone` does; what was cloned
    already is not fetched again.
    """
    known = {name: (each.upstream, each.commit) for name, each in REPOSITORIES.items()}
    release = folder / "release"
    clone(release / "authors", *authors, benchmark="soleval")
    for name, (address, commit) in (upstreams or known).items():
        repository = REPOSITORIES[name]
        place = release / "clones" / name
        clone(place, address, commit, benchmark="soleval", submodules=True)
        inner = place / repository.folder
        for path, package in repository.packages.items():
            if not (inner / path).exists():
                with tempfile.TemporaryDirectory(prefix="solexp-") as scratch:
                    files = read_archive(fetch_package(package, Path(scratch)))
                for file, data in files.items():
                    write_atomically(inner / path / file, data)
        link = release / ARCHIVES / name
        link.parent.mkdir(parents=True, exist_ok=True)
        if not link.exists():
            link.symlink_to(os.path.relpath(inner, link.parent), target_is_directory=True)
    return import_release(release, folder)


def _projects(folder: Path) -> dict[str, Files]:
    """The repositories that are there."""
    found: dict[str, Files] = {}
    for name in REPOSITORIES:
        if (folder / name).is_dir():
            found[name] = read_folder((folder / name).resolve())
        elif (folder / f"{name}.tar.gz").is_file():
            found[name] = read_archive(folder / f"{name}.tar.gz")
    if not found:
        raise UserError(
            f"{folder} holds no repository; put folders or archives there: {', '.join(REPOSITORIES)}"
        )
    return found


def _find(source: Path, names: Sequence[str]) -> Path | None:
    """The file of one of these names that lies highest in ``source``."""
    found = [path for name in names for path in source.rglob(name) if path.is_file()]
    return min(found, key=lambda path: (len(path.parts), path), default=None)


def _compressed(source: Path, name: str) -> bytes:
    """The released file, compressed; the same content gives the same bytes."""
    path = _find(source, (name, f"{name}.gz"))
    if path is None:
        raise UserError(f"{source} holds no {name}; give the folder of the authors' release")
    data = path.read_bytes()
    try:
        return gzip.compress(gzip.decompress(data) if path.suffix == ".gz" else data, mtime=0)
    except (OSError, EOFError) as error:
        raise DataError(f"{path}: {error}") from None


def _index(
    source: Path, staged: Path, projects: Mapping[str, Files], problems: list[Problem]
) -> list[Known]:
    if (path := _find(source, (Path(INDEX).name,))) is not None:
        wrong: list[str] = []
        lines = [line for _, line in read_gzip_lines(path, Known, wrong.append)]
        if wrong:
            raise DataError(wrong[0])
        return lines
    mapping = _find(source, _MAPPINGS)
    if mapping is None:
        raise UserError(f"{source} holds neither {Path(INDEX).name} nor {_MAPPINGS[1]}")
    entries = read_entries(staged / DATASET)
    print("finding the tests that reach each function …", file=sys.stderr, flush=True)
    with Compiler(max_workers=1) as compiler:
        return with_tests(
            index(entries, read_mapping(mapping), projects),
            entries,
            projects,
            compiler,
            lambda said: problems.append(Problem(ARCHIVES, None, said)),
        )


def _needed(files: Files, repository: Repository, roots: Sequence[str]) -> Files:
    """What the tasks of a repository need of it: the files they name, what these import, and what tests may read."""
    readable = [folder for folder in repository.readable if folder != "."]
    kept = closure(files, roots, repository.compiler.remappings)
    return kept | {
        path: data
        for path, data in files.items()
        if ("/" not in path and (path.endswith(_ROOT_FILES) or path.startswith("LICENSE")))
        or any(path.startswith(f"{folder}/") for folder in readable)
        or ("." in repository.readable and path.startswith("test/"))
    }


def _replace(staged: Path, folder: Path) -> None:
    """Puts every file in its place; what else is in the folder, such as clones, stays."""
    for path in sorted(staged.rglob("*")):
        if path.is_file():
            target = folder / path.relative_to(staged)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, target)
