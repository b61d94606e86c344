"""A task's candidates judged by both rules."""

from __future__ import annotations

import random
import sys
from pathlib import Path

import msgspec

from solexp.core import Candidate, Outcome, Project, SolexpError, Task
from solexp.core.hashing import content_hash
from solexp.oracles.base import Case
from solexp.oracles.tests import Tests
from solexp.solidity.compiler import Compiler
from solexp.solidity.foundry.files import kept
from solexp.solidity.foundry.forge import Fuzzing, Limits, run_tests
from solexp.solidity.foundry.imports import closure
from solexp.solidity.mutation import Checked
from solexp.solidity.splice import splice
from solexp.solidity.stubs import stub_of

MUTANTS = 3
SEED = 2025


class Judged(msgspec.Struct, frozen=True):
    """What came of one candidate."""

    ours: Outcome
    whole: bool
    """Whether it builds and every test of the mapped file passes."""


class Row(msgspec.Struct, frozen=True):
    """A task's candidates, in the order in which a run would judge them."""

    task_id: str
    decidable: bool
    judged: tuple[Judged, ...]


def candidates(task: Task) -> list[str]:
    """The reference, the emptied body and mutants, in an order drawn by the task."""
    made = Checked(SEED)
    found = [made.mutant(task, "released rule", rank) for rank in range(MUTANTS)]
    codes = [task.reference, stub_of(task, "empty")]
    codes += [mutation.applied(task.reference) for mutation in found if mutation is not None]
    random.Random(f"{SEED}/{task.id}").shuffle(codes)
    return codes


def judge(task: Task, test_file: str, folder: Path) -> Row:
    """All candidates of a task by both rules; kept in ``folder``."""
    place = folder / f"{content_hash(task.content_hash, SEED, MUTANTS)}.json"
    if place.is_file():
        return msgspec.json.decode(place.read_bytes(), type=Row)
    codes = candidates(task)
    rows = [
        Candidate(task_id=task.id, batch="b", repeat=0, index=index, code=code)
        for index, code in enumerate(codes)
    ]
    with Compiler(max_workers=1) as compiler:
        verdicts = Tests().judge(Case(task, rows, compiler))
        whole = [_whole_file(task, test_file, code, compiler) for code in codes]
    row = Row(
        task.id,
        bool(verdicts[0].measures.get("task_decidable")),
        tuple(Judged(said.outcome, passed) for said, passed in zip(verdicts, whole, strict=True)),
    )
    place.write_bytes(msgspec.json.encode(row))
    print(f"{task.id}: {' '.join(said.outcome.value for said in verdicts)}", file=sys.stderr)
    return row


def _whole_file(task: Task, test_file: str, code: str, compiler: Compiler) -> bool:
    assert isinstance(task.project, Project)
    changed = {path: text.encode() for path, text in splice(task, code).items()}
    files = {**kept(task.project.hash), **changed}
    data = {path: text for path, text in files.items() if not path.endswith(".sol")}
    needed = closure(files, [test_file, task.target.path], task.compiler.remappings)
    try:
        (run,) = run_tests(
            {**data, **needed},
            task.project,
            task.compiler,
            compiler,
            path=test_file,
            names=(),
            fuzzings=(Fuzzing(),),
            limits=Limits(),
        )
    except SolexpError:
        return False
    tests = [each for each in run.results if each.suite.startswith(f"{test_file}:")]
    return not run.errors and bool(tests) and all(each.passed for each in tests)
