"""A task of the release as a task of solexp."""

from __future__ import annotations

import msgspec

from solexp.benchmarks.functions import framework, function_at
from solexp.benchmarks.soleval.release import Entry, Known
from solexp.benchmarks.soleval.repositories import Repository
from solexp.core import CompilerSettings, DataError, Project, Suite, Target, Task
from solexp.solidity.functions import Member, plain

CORE = "core"
_UNKNOWN = CompilerSettings(version="0.8.28")


def pose(
    entry: Entry,
    known: Known,
    project: Project | None,
    repository: Repository | None,
    source: str | None,
) -> Task:
    """The task of one function.

    ``source`` is the text of its file, None where the repository is not there. Raises DataError when the recorded lines
    of the file do not hold the recorded text.
    """
    if source is None or project is None or repository is None:
        source = f"contract {entry.contract or 'Unknown'} {{\n{entry.body}\n}}\n"
        start = source.encode().index(entry.body.encode())
    else:
        start = start_of(entry, known, source)
    end = start + len(entry.body.encode())
    found = function_at(source, start)
    member, name, around = found if found and found[0].end == end else (None, "", None)
    mark, undecidable = _mark(known, member)
    contract = member.contract if member else entry.contract
    label = name or entry.identifier or known.kind
    return Task(
        id=f"{known.repo}/{known.source}:{contract}.{label}",
        benchmark="soleval",
        compiler=repository.settings(known.test_file) if repository else _UNKNOWN,
        sources={known.source: source},
        target=Target(path=known.source, contract=contract, start=start, end=end, member=name),
        framework=framework(source, member, around) if member else entry.full_signature,
        context="\n".join(entry.signatures()),
        requirement=plain(entry.human_labeled_comment),
        facts={
            "repository": known.repo,
            "mark": mark,
            "kind": known.kind,
            "assembly": known.assembly,
            "overloads": known.overload_count,
            "signature": member.signature if member else None,
            "member": member.kind if member else None,
        },
        undecidable=undecidable,
        project=project or msgspec.UNSET,
        suite=Suite(path=known.test_file, tests=known.tests) if known.tests else msgspec.UNSET,
    )


def start_of(entry: Entry, known: Known, source: str) -> int:
    """The byte at which the recorded text begins. Raises DataError where it is not at its lines."""
    lines = source.split("\n")
    before = "".join(f"{line}\n" for line in lines[: known.start - 1])
    column = "\n".join(lines[known.start - 1 : known.end]).find(entry.body)
    if column < 0:
        raise DataError(
            f"lines {known.start} to {known.end} of {known.source} in {known.repo} do not hold the "
            f"recorded text of {entry.identifier!r}"
        )
    return len(before.encode()) + len(source[len(before) : len(before) + column].encode())


def _mark(known: Known, member: Member | None) -> tuple[str, str | None]:
    """``core`` or why a task is not in the core, and why no oracle can decide it, if none can."""
    if not known.recovered:
        why = "its repository is not in the data"
    elif known.kind != "function":
        why = f"a {known.kind.replace('_', ' ')}, no function"
    elif member is None:
        why = "cannot be read as one function"
    elif known.tests is None:
        why = "which tests reach it is not known"
    elif not known.tests:
        why = "no test reaches it"
    elif not known.signature_ok:
        return "the recorded signature is not the function's", None
    else:
        return CORE, None
    return why, None if known.tests and member else why
