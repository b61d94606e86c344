"""A function of a project as a task."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import PurePosixPath

from solexp.benchmarks.functions import Found, framework
from solexp.core import CompilerSettings, Project, Suite, Target, Task
from solexp.solidity.definitions import index_of
from solexp.solidity.foundry.analysis import Reachable
from solexp.solidity.foundry.files import Files

_INHERITS = re.compile(r"@inheritdoc\b")
_ASSEMBLY = re.compile(r"\bassembly\b")


def pose(
    found: Found,
    known: Reachable,
    files: Files,
    project: Project,
    settings: Mapping[str, CompilerSettings],
) -> Task:
    """The task of one function, which tests in files with ``settings`` reach."""
    member, name, around = found
    source = files[known.path].decode()
    test_file = suite_of(known, settings)
    said = member.natspec
    if not said or _INHERITS.search(said):
        said = known.documentation.strip() or said
    text = source.encode()[member.start : member.end].decode()
    return Task(
        id=f"{known.path}:{member.contract}.{name}",
        benchmark="foundry",
        compiler=settings[test_file],
        sources={known.path: source},
        target=Target(
            path=known.path,
            contract=member.contract,
            start=member.start,
            end=member.end,
            member=name,
        ),
        framework=framework(source, member, around),
        context="\n".join(_signatures(known, files)),
        requirement=said,
        facts={
            "project": project.name,
            "signature": member.signature,
            "member": member.kind,
            "lines": text.count("\n") + 1,
            "assembly": bool(_ASSEMBLY.search(text)),
            "documented": bool(said),
            "test_file": test_file,
            "tests": len(known.tests[test_file]),
        },
        project=project,
        suite=Suite(path=test_file, tests=known.tests[test_file]),
    )


def suite_of(known: Reachable, usable: Mapping[str, object]) -> str:
    """The test file whose tests judge a function: the one named after its file, or else the one with most tests."""
    stem = PurePosixPath(known.path).name.partition(".")[0]

    def order(path: str) -> tuple[bool, int, str]:
        named = PurePosixPath(path).name.partition(".")[0] in (stem, f"{stem}Test", f"Test{stem}")
        return not named, -len(known.tests[path]), path

    return min((path for path in known.tests if path in usable), key=order)


def _signatures(known: Reachable, files: Files) -> list[str]:
    """The headers of what a function invokes, sorted."""
    found = set()
    for path, start, _ in known.invoked:
        index = index_of({path: files[path].decode()})
        declaration = next((each for each in index.declarations if each.start == start), None)
        if declaration is not None:
            found.add(f"{index.header(declaration)};")
    return sorted(found)
