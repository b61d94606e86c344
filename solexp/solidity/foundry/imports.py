"""Which files of a project a file needs."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache

from solexp.core import Project, Task
from solexp.solidity.comments import without_comments
from solexp.solidity.foundry.files import kept

_IMPORT = re.compile(r"""(?<![\w$])import\b[^;"']*["']([^"'\n]+)["'][^;]*;""")


@lru_cache(maxsize=512)
def imported(source: str) -> tuple[str, ...]:
    """The paths in a source's import directives, as written.

    >>> imported('import {A} from "./A.sol"; // import "./B.sol";')
    ('./A.sol',)
    """
    return tuple(_IMPORT.findall(without_comments(source)))


def resolved(path: str, importer: str, remappings: Sequence[str]) -> str:
    """The file that an import names: relative ones from the importer's folder, others by the longest remapping.

    >>> resolved("x/A.sol", "src/B.sol", ["x/=lib/x/src/"])
    'lib/x/src/A.sol'
    """
    if path.startswith((".", "..")):
        return posixpath.normpath(posixpath.join(posixpath.dirname(importer), path))
    fitting = [
        (prefix, target)
        for prefix, _, target in (line.partition("=") for line in remappings)
        if prefix and path.startswith(prefix)
    ]
    if fitting:
        prefix, target = max(fitting, key=lambda pair: len(pair[0]))
        path = target + path[len(prefix) :]
    return posixpath.normpath(path)


def closure(
    files: Mapping[str, bytes], roots: Iterable[str], remappings: Sequence[str]
) -> dict[str, bytes]:
    """``roots`` and all that they import, by path. What is not among ``files`` is left to the compiler to say."""
    found: dict[str, bytes] = {}
    waiting = list(roots)
    while waiting:
        path = waiting.pop()
        if path in found or path not in files:
            continue
        found[path] = files[path]
        source = files[path].decode(errors="replace")
        waiting += [resolved(each, path, remappings) for each in imported(source)]
    return found


def with_imports(
    sources: Mapping[str, str], files: Mapping[str, bytes], remappings: Sequence[str]
) -> dict[str, str]:
    """``sources`` and all that they import from ``files``, as text."""
    own = {path: text.encode() for path, text in sources.items()}
    found = closure({**files, **own}, sources, remappings)
    return {path: data.decode(errors="replace") for path, data in found.items()}


def with_project(task: Task, sources: Mapping[str, str]) -> dict[str, str]:
    """``sources`` of a task and all that they import from its project; as they are where it has none."""
    if not isinstance(task.project, Project):
        return dict(sources)
    return with_imports(sources, kept(task.project.hash), task.compiler.remappings)
