"""What is known about each task of the release, worked out where no index comes with it."""

from __future__ import annotations

import io
import pickle
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from solexp.benchmarks.soleval.posing import start_of
from solexp.benchmarks.soleval.release import Entry, Known
from solexp.benchmarks.soleval.repositories import REPOSITORIES
from solexp.core import DataError
from solexp.solidity.compiler import Compiler
from solexp.solidity.foundry.analysis import analyse
from solexp.solidity.foundry.files import Files
from solexp.solidity.foundry.imports import closure
from solexp.toolchain.install import soljson_versions

_TOKEN = re.compile(r"\w+|[^\w\s]")
_KINDS = ("function", "constructor", "modifier", "struct", "fallback", "receive")


def index(
    entries: Sequence[tuple[str, Entry]],
    mapping: Mapping[str, str],
    there: Collection[str],
) -> list[Known]:
    """A line for each of ``entries``, a task with its path in the release.

    ``mapping`` has the mapped test file of each path, ``there`` the repositories that are there. Which tests reach a
    task is left open (`with_tests`). Raises DataError where the release names no test file.
    """
    overloads = Counter((path, entry.identifier) for path, entry in entries)
    lines = []
    for path, entry in entries:
        repo, source = _placed(path)
        if path not in mapping:
            raise DataError(f"the release maps no test file to {path}")
        test_file = _placed(mapping[path])[1]
        lines.append(
            Known(
                repo=repo,
                source=source,
                test_file=test_file,
                identifier=entry.identifier,
                start=int(entry.start),
                end=int(entry.end),
                kind=_kind(entry.body),
                overload_count=overloads[path, entry.identifier],
                signature_ok=_signature_ok(entry),
                assembly="assembly" in entry.body,
                recovered=repo in there,
            )
        )
    return lines


def _placed(path: str) -> tuple[str, str]:
    """The repository of a path in the release, and the path in it."""
    # The release's paths begin with its authors' home folder.
    path = path.strip("/").partition("/")[2]
    for name, repository in REPOSITORIES.items():
        if path.startswith(repository.prefix):
            return name, path.removeprefix(repository.prefix)
    # Such as NAME/lib/NAME/src/A.sol.
    parts = path.split("/")
    inner = parts.index("lib") + 2 if "lib" in parts[:-2] else 1
    return parts[0], "/".join(parts[inner:])


def _kind(body: str) -> str:
    first = re.split(r"[\s(]", body.strip(), maxsplit=1)[0]
    return first if first in _KINDS else "state_variable"


def _signature_ok(entry: Entry) -> bool:
    """Whether the recorded signature has the words of the function's header, in whichever order."""
    header = entry.body.partition("{")[0]
    return Counter(_TOKEN.findall(entry.full_signature)) == Counter(_TOKEN.findall(header))


def read_mapping(path: Path) -> dict[str, str]:
    """Which test file is mapped to each source: as JSON, or as the pickle that the authors released.

    Of a pickle only plain text in dictionaries is read; whatever would run code is refused. Raises DataError.
    """
    try:
        if path.suffix == ".json":
            return msgspec.json.decode(path.read_bytes(), type=dict[str, str])
        return msgspec.convert(_Plain(io.BytesIO(path.read_bytes())).load(), dict[str, str])
    except (OSError, EOFError, ValueError, pickle.UnpicklingError, msgspec.MsgspecError) as error:
        raise DataError(f"{path}: {error}") from None


class _Plain(pickle.Unpickler):
    """Reads pickles that hold no more than built-in values."""

    def find_class(self, module: str, name: str) -> Any:
        raise pickle.UnpicklingError(f"holds {module}.{name}, which is no plain value")


def sources_of(lines: Sequence[Known], repo: str) -> Iterator[str]:
    """Every file of a repository that a line names."""
    for line in lines:
        if line.repo == repo:
            yield line.source
            yield line.test_file


def with_tests(
    lines: Sequence[Known],
    entries: Sequence[tuple[str, Entry]],
    projects: Mapping[str, Files],
    compiler: Compiler,
    malformed: Callable[[str], None],
) -> list[Known]:
    """``lines``, each with the tests of its file that reach it, by the calls in the compiler's AST.

    ``malformed`` is told of each test file that does not build; which tests of it reach a task stays unknown.
    """
    reached: dict[tuple[str, str, int], dict[str, tuple[str, ...]]] = {}
    built: set[tuple[str, str]] = set()
    for repo, files in projects.items():
        repository = REPOSITORIES[repo]
        test_files = {line.test_file for line in lines if line.repo == repo}
        for evm_version in sorted(
            {repository.settings(each).evm_version or "" for each in test_files}
        ):
            roots = [
                each
                for each in test_files
                if (repository.settings(each).evm_version or "") == evm_version
            ]
            needed = closure(files, roots, repository.compiler.remappings)
            profile = repository.profile(evm_version or None)
            found = analyse(needed, profile, compiler, soljson_versions())
            for problem in found.problems:
                malformed(f"{repo}: {problem}")
            built |= {(repo, test_file) for test_file in found.settings}
            for each in found.functions:
                reached.setdefault((repo, each.path, each.start), {}).update(each.tests)
    known = []
    for line, (_, entry) in zip(lines, entries, strict=True):
        if (line.repo, line.test_file) in built:
            source = projects[line.repo].get(line.source, b"").decode(errors="replace")
            try:
                start = start_of(entry, line, source)
            except DataError:
                start = -1
            tests = reached.get((line.repo, line.source, start), {}).get(line.test_file, ())
            line = msgspec.structs.replace(line, tests=tests)  # noqa: PLW2901
        known.append(line)
    return known
