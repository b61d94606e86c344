"""Contract-violating tests by the translator, over all tasks of ContractEval, each of them executed.

    make bench-violations

Beside it stand the tests that ContractEval's pipeline and a language model asked directly gave, as released, executed
in the same way and with the targets that each was meant for. AVC counts a test when the contract-aware reference raises
AssertionError, TS the share of its targets that fire standing alone; it is exact when all of them do and all other
assertions stay silent. ``rest_as_0`` counts tasks that are not translated whole as 0. What the translator calls unsat
is hunted with the task's own inputs, a few parts of them changed, and with small values: ``false_unsat`` counts
combinations for which CPython finds an input after all. Cost is CPU seconds. The last line is one JSON object.
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import time
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import msgspec

from solexp.benchmarks.contracteval import ContractEval
from solexp.core import Batch, Prompt, Task
from solexp.core.preconditions import Preconditions
from solexp.llm.model import Request
from solexp.llm.violating import RecordedCvts
from solexp.python.literals import read, write
from solexp.toolchain.homes import data_home
from solexp.violations.checking import Checked, check
from solexp.violations.cvts import Cvt, decode
from solexp.violations.python import Generated, Settings, Status, generate
from solexp.violations.python.seeds import companion
from solexp.violations.released import Source

PROCESSES = 2
RELEASED: dict[str, Source] = {"pipeline": "models", "direct_o4mini": "direct"}


class Row(msgspec.Struct, kw_only=True):
    """What one task gave."""

    task_id: str
    found: Generated
    checked: list[Checked]
    missed: list[tuple[tuple[int, ...], str]] = []
    """Combinations without an input by the translator's word, and an input that CPython finds for it."""


def contract_of(task: Task) -> Preconditions:
    assert isinstance(task.preconditions, Preconditions)
    return task.preconditions


def program_of(task: Task) -> str:
    """The reference without its contract."""
    return "\n".join(task.sources.values())


def measured(task: Task, settings: Settings) -> Row:
    """Generate one task's tests, and execute them."""
    pre = contract_of(task)
    found = generate(pre, settings)
    cvts = [
        Cvt(violated=each.violated, args=args)
        for each in found.combinations
        for args in each.models
    ]
    row = Row(task_id=task.id, found=found, checked=check(program_of(task), pre, cvts))
    row.missed = missed(row, task)
    return row


def rates(checked: Sequence[Checked]) -> dict[str, float | int]:
    """AVC, TS and exact-set rate, percent."""
    count = len(checked)
    share = 100 / max(count, 1)
    return {
        "cvts": count,
        "avc": round(share * sum(each.rejected for each in checked), 2),
        "ts": round(share * sum(each.specific() for each in checked), 2),
        "exact_set": round(share * sum(each.exact for each in checked), 2),
    }


def summary(rows: Sequence[Row]) -> dict[str, Any]:
    """The figures of all tasks."""
    translated = [row for row in rows if not row.found.unsupported]
    combinations = [each for row in rows for each in row.found.combinations]
    asked = [each for each in combinations if each.queries]
    seconds = [each.seconds / each.queries for each in asked]
    assertions: dict[str, set[int]] = {row.task_id: set() for row in rows}
    for row in rows:
        for checked in row.checked:
            if checked.true:
                assertions[row.task_id] |= set(checked.cvt.violated)
    everything = [checked for row in rows for checked in row.checked]
    share = len(translated) / max(len(rows), 1)
    own = rates([checked for row in translated for checked in row.checked])
    return {
        "tasks": len(rows),
        "translated_tasks": len(translated),
        "translated_share": round(100 * share, 2),
        "assertions_violated": sum(map(len, assertions.values())),
        "status": dict(Counter(str(each.status) for each in combinations)),
        "translated": own,
        "rest_as_0": {key: round(value * share, 2) for key, value in own.items() if key != "cvts"},
        "all": rates(everything),
        "false_unsat": sum(len(row.missed) for row in rows),
        "queries": sum(each.queries for each in combinations),
        "query_cpu_ms_median": round(1000 * statistics.median(seconds), 3) if seconds else 0,
        "combination_cpu_ms_median": round(
            1000 * statistics.median([e.seconds for e in asked] or [0]), 3
        ),
        "cpu_s": round(sum(row.found.cpu_s for row in rows), 1),
        "task_cpu_s_median": round(statistics.median(row.found.cpu_s for row in rows), 3),
        "task_cpu_s_max": round(max(row.found.cpu_s for row in rows), 1),
    }


def recorded(task: Task, model: RecordedCvts) -> list[Checked]:
    """The released tests of a task that mean to violate something, executed."""
    batch = Batch(name="recorded", n=1)
    prompt = Prompt(task_id=task.id, messages=())
    request = Request(task=task, prompt=prompt, batch=batch, repeat=0, index=0)
    cvts = [each for each in decode(model.complete(request).text).cvts if each.violated]
    return check(program_of(task), contract_of(task), cvts)


def beside(tasks: Sequence[Task]) -> dict[str, Any]:
    """The figures of the release's two generators over the same tasks."""
    folder = str(data_home() / "contracteval")
    found: dict[Any, Any] = {}
    for name, source in RELEASED.items():
        model = RecordedCvts(source=source, path=folder)
        found[name] = rates([checked for task in tasks for checked in recorded(task, model)])
    return found


SMALL: list[Any] = [
    None, True, False, 0, 1, -1, 2, 0.5, -1.5, "", "a", "1", " ", "ab c", [], [1], ["a"], [1, 2], [[1], [2]],
    (), (1,), ("a", 1), [(1, 2)], ((1, 2), (3, 4)), set(), {1}, {}, {"a": 1}, {"a": (1, 2)}, [None], [[], [1]],
]  # fmt: skip
TRIED = 200
KINDS = ("none", "int", "float", "str", "list", "tuple", "set", "dict")


def tried(task: Task) -> list[str]:
    """Inputs that are the task's own but for a few parts, and small values: argument lists."""
    pre = contract_of(task)
    draw = random.Random(task.id)
    own: list[Any] = [
        given
        for text in [*pre.base[:20], *pre.plus[:20]]
        if len(text) < 400
        for given in [read(text)]
    ]
    own = [given for given in own if isinstance(given, list) and len(given) == len(pre.parameters)]
    found = []
    for _ in range(TRIED):
        given = list(draw.choice(own)) if own else [draw.choice(SMALL) for _ in pre.parameters]
        for place in draw.sample(range(len(given)), k=min(len(given), draw.randint(1, 2))):
            given[place] = changed(given[place], draw)
        try:
            found.append(write(given))
        except ValueError:
            continue
    return list(dict.fromkeys(found))


def changed(value: Any, draw: random.Random) -> Any:
    """Another value: a small one, one of another type, or the same with another element."""
    way = draw.random()
    if isinstance(value, list | tuple) and value and way < 0.5:
        items = list(value)
        place = draw.randrange(len(items))
        items[place] = changed(items[place], draw)
        return type(value)(items)
    return draw.choice(SMALL) if way < 0.8 else companion(draw.choice(KINDS), value)


def missed(row: Row, task: Task) -> list[tuple[tuple[int, ...], str]]:
    """Inputs that CPython finds to violate exactly what the translator says no input does."""
    hopeless = {each.violated for each in row.found.combinations if each.status is Status.UNSAT}
    if not hopeless:
        return []
    cvts = [Cvt(violated=(), args=args) for args in tried(task)]
    found: dict[Any, Any] = {}
    for each in check(program_of(task), contract_of(task), cvts):
        if not each.others and not each.unreadable and each.fired in hopeless:
            found.setdefault(each.fired, each.cvt.args)
    return list(found.items())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tasks", nargs="*", help="ids of tasks; all by default")
    parser.add_argument("--out", type=Path, help="where rows are kept, one JSON line a task")
    parser.add_argument("--processes", type=int, default=PROCESSES)
    parser.add_argument("--only-recorded", action="store_true", help="only the release's tests")
    given = parser.parse_args()
    tasks = [each for each in ContractEval().tasks() if not given.tasks or each.id in given.tasks]
    if given.only_recorded:
        print(json.dumps(beside(tasks)))
        return
    started = time.monotonic()
    rows = []
    out = given.out.open("wb") if given.out else None
    with ProcessPoolExecutor(given.processes) as pool:
        for row in pool.map(measured, tasks, [Settings()] * len(tasks)):
            rows.append(row)
            report(row)
            if out is not None:
                out.write(msgspec.json.encode(row) + b"\n")
                out.flush()
    wall = time.monotonic() - started
    found = {**summary(rows), "wall_s": round(wall, 1), "processes": given.processes}
    print(json.dumps({**found, **beside(tasks)}))


def report(row: Row) -> None:
    """What a reader should see of a task: what was refused, and tests that are not what they claim."""
    for number, construct in row.found.unsupported.items():
        print(f"{row.task_id} assertion {number}: {construct}", flush=True)
    for violated, args in row.missed:
        print(f"{row.task_id} {violated} is no unsat: {args}", flush=True)
    for each in row.checked:
        if not each.true:
            print(
                f"{row.task_id} {each.cvt.violated} {each.cvt.args[:120]}: {each.whole} {each.alone}",
                flush=True,
            )


if __name__ == "__main__":
    main()
