"""A contract put together from functions that were each written by itself (SolContractEval, §4.4: re-integration)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from solexp.core import Candidate, Completion, Generation, NoCode, Task
from solexp.core.hashing import content_hash
from solexp.solidity.functions import replace_members
from solexp.solidity.functions.repeats import without_repeats
from solexp.strategies.base import Reader
from solexp.strategies.function import wanted_of

_Sample = tuple[str, int, int]


class TogetherReader:
    """Reads generations that `as_generation` made: their text is the code itself."""

    def fingerprint(self) -> dict[str, Any]:
        return {"strategy": "together", "assembly": 1}

    def candidate(self, task: Task, generation: Generation) -> Candidate:  # noqa: ARG002
        completion = generation.completion
        no_code = NoCode(completion.label) if completion.label else None
        return Candidate.of(generation, None if no_code else completion.text, no_code)


def assemble(
    parent: Task, functions: Sequence[Task], candidates: Iterable[Candidate]
) -> list[Candidate]:
    """Candidates of the ``parent`` task: sample i has all functions' samples i in place.

    ``functions`` are all of the parent's function tasks (`solexp.strategies.function.function_tasks`) that were posed,
    ``candidates`` those of any tasks. A sample that lacks a function, since its request failed, is left out; one in
    which a function has no code has none either. Where functions went through different numbers of rounds, each
    counts as it stood after that round. Helpers that several functions brought along alike stand once.
    """
    table: dict[_Sample, dict[str, dict[int, Candidate]]] = {}
    ids = {task.id for task in functions}
    for one in candidates:
        if one.task_id in ids:
            sample = table.setdefault((one.batch, one.repeat, one.index), {})
            sample.setdefault(one.task_id, {})[one.round] = one
    found = []
    for key in sorted(table):
        rows = table[key]
        if len(rows) < len(functions):
            continue
        for number in sorted({number for rounds in rows.values() for number in rounds}):
            latest = {
                name: rounds[max(n for n in rounds if n <= number)]
                for name, rounds in rows.items()
                if any(n <= number for n in rounds)
            }
            if len(latest) == len(functions):
                found.append(_assembled(parent, functions, latest, key, number))
    return found


def judgeable(
    parent: Task, functions: Sequence[Task], generations: Iterable[Generation], reader: Reader
) -> tuple[Generation, ...]:
    """What to judge the ``parent`` task by, with a `TogetherReader`: `assemble` on what ``reader`` finds."""
    by_id = {task.id: task for task in functions}
    candidates = [
        reader.candidate(by_id[one.task_id], one) for one in generations if one.task_id in by_id
    ]
    return tuple(as_generation(one) for one in assemble(parent, functions, candidates))


def as_generation(candidate: Candidate) -> Generation:
    """A generation that a `TogetherReader` reads the candidate from, as judging is given generations."""
    return Generation(
        key=content_hash("together", candidate.task_id, candidate.key, candidate.code),
        task_id=candidate.task_id,
        batch=candidate.batch,
        repeat=candidate.repeat,
        index=candidate.index,
        round=candidate.round,
        completion=Completion(
            # Verdicts are kept by the text, so that the reason has to be in it.
            text=candidate.code or candidate.no_code or "",
            label=candidate.no_code.value if candidate.no_code else None,
        ),
    )


def _assembled(
    parent: Task,
    functions: Sequence[Task],
    candidates: Mapping[str, Candidate],
    sample: _Sample,
    number: int,
) -> Candidate:
    batch, repeat, index = sample
    missing = [candidates[task.id] for task in functions if candidates[task.id].code is None]
    code = None
    if not missing:
        source = parent.sources[parent.target.path]
        whole = replace_members(
            source, [(wanted_of(task), candidates[task.id].code or "") for task in functions]
        )
        after = len(source.encode()) - parent.target.end
        data = whole.encode()
        code = data[parent.target.start : len(data) - after].decode()
        code = without_repeats(code, parent.target.contract)
    return Candidate(
        task_id=parent.id,
        batch=batch,
        repeat=repeat,
        index=index,
        round=number,
        code=code,
        no_code=(missing[0].no_code or NoCode.NOTHING_FOUND) if missing else None,
        notes=tuple(f"no code for {one.task_id.removeprefix(parent.id + '/')}" for one in missing),
    )
