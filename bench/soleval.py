"""Judging functions by their repository's tests: solexp's oracle beside forge in the whole repository.

    make bench-soleval
    python bench/soleval.py [--tasks 20] [--mapped 5]

The same tasks of SolEval's core and the same three candidates of each: the reference with an idle statement put in, the
body emptied, and the reference with an undeclared name in it. The statement is numbered anew for each side, so that
nothing is in any cache. Sides:

- ``forge_file``: the release's way. The candidate is patched into the repository, which is built before (not counted),
  ``forge test --match-path`` runs the whole test file with a fixed fuzz seed, and the file is put back.
- ``forge_mapped``: the same with ``--match-test`` for the tests that reach the function, on ``--mapped`` of the tasks.
- ``solexp``: its oracle ``tests`` with the grounds of each task kept from before.
- ``solexp_with_grounds``: the same, finding out the grounds first (four runs or so for each task).

Cost is CPU seconds, user and system, of this process and all its children, compilers included. forge starts its
compiler afresh for each build: which one is in the last line, since a native compiler is a stronger peer than soljson.
Tests with parameters are tried equally often on all sides, by one thread. The last line of output is one JSON object.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import msgspec
import psutil

sys.path.insert(0, str(Path(__file__).parent.parent))

from bench.replay import cpu_seconds
from bench.wholes import Whole, incomplete, started_afresh
from solexp.benchmarks.base import select
from solexp.benchmarks.soleval import SolEval
from solexp.benchmarks.soleval.repositories import REPOSITORIES
from solexp.core import Candidate, Outcome, Project, Suite, Task, UserError
from solexp.oracles.base import Case
from solexp.oracles.tests import Tests
from solexp.solidity.compiler import Compiler
from solexp.solidity.foundry.files import kept
from solexp.solidity.stubs import stubbed_function
from solexp.toolchain.install import ensure_forge, ensure_node
from solexp.toolchain.node import ask_version

KINDS = ("reference", "emptied", "not_compiling")


class Cost:
    """CPU seconds and wall-clock seconds."""

    cpu_s = 0.0
    wall_s = 0.0


class Judged(NamedTuple):
    """What a side says of a task's candidates, and what each of them cost, in the order of `KINDS`."""

    task: str
    outcomes: tuple[Outcome, ...]
    costs: tuple[Cost, ...]


def candidates(task: Task, number: int) -> tuple[str, str, str]:
    """The texts to judge, in the order of `KINDS`; those of another number differ from them."""
    head = stubbed_function(task.reference, "empty").removesuffix("{}")
    body = task.reference[len(head) + 1 :]
    # In a block of its own the variable takes no place on the stack afterwards.
    idle = f"{{ {{ uint256 idle{number}; }} "
    return f"{head}{idle}{body}", f"{head}{idle}}}", f"{head}{{ undeclared{number}; {body}"


def comparable(limit: int) -> tuple[Task, ...]:
    """Tasks drawn from those of the core that a whole repository judges, built once under its own settings."""
    broken: dict[str, set[str]] = {}
    found = []
    for task in SolEval().tasks():
        if not isinstance(task.project, Project) or not isinstance(task.suite, Suite):
            continue
        project, usual = task.project, REPOSITORIES[task.project.name].compiler
        if project.name not in broken:
            broken[project.name] = incomplete(kept(project.hash), usual.remappings)
        if task.compiler == usual and task.suite.path not in broken[project.name]:
            found.append(task)
    return select(found, limit=limit)


@contextmanager
def measured(compiler: Compiler | None = None) -> Iterator[Cost]:
    """Measures what happens within; loaded compilers count although they do not end."""
    cost = Cost()
    cpu, wall = cpu_seconds() + _loaded(compiler), time.monotonic()
    yield cost
    cost.cpu_s = cpu_seconds() + _loaded(compiler) - cpu
    cost.wall_s = time.monotonic() - wall


def _loaded(compiler: Compiler | None) -> float:
    total = 0.0
    for pid in compiler.processes() if compiler else ():
        times = psutil.Process(pid).cpu_times()
        total += times.user + times.system
    return total


def by_solexp(tasks: Iterable[Task], oracle: Tests, number: int) -> Iterator[Judged]:
    """By the oracle. Starting the compilers is part of it."""
    with Compiler() as compiler:
        for task in tasks:
            outcomes, costs = [], []
            for text in candidates(task, number):
                posed = Candidate(task_id=task.id, batch="bench", repeat=0, index=0, code=text)
                # A case each, so that they share nothing but the grounds.
                with measured(compiler) as cost:
                    [verdict] = oracle.judge(Case(task, [posed], compiler))
                outcomes.append(verdict.outcome)
                costs.append(cost)
            yield Judged(task.id, tuple(outcomes), tuple(costs))


def by_forge(
    tasks: Iterable[Task], wholes: dict[str, tuple[Whole, Path]], number: int, *, mapped: bool
) -> Iterator[Judged]:
    """By forge in whole repositories."""
    for task in tasks:
        assert isinstance(task.project, Project)
        whole, solc = wholes[task.project.name]
        outcomes, costs = [], []
        for text in candidates(task, number):
            with measured() as cost:
                outcomes.append(whole.test(task, text, solc, mapped=mapped))
            costs.append(cost)
        yield Judged(task.id, tuple(outcomes), tuple(costs))


def told(name: str, judging: Iterable[Judged]) -> dict[str, Judged]:
    """What a side says, by task; each is told as it comes."""
    found = {}
    for each in judging:
        found[each.task] = each
        outcomes = " ".join(outcome.value for outcome in each.outcomes)
        cpu = " ".join(f"{cost.cpu_s:.2f}" for cost in each.costs)
        print(f"{name:20} {each.task}: {outcomes}; {cpu} cpu-s", file=sys.stderr, flush=True)
    return found


def per_candidate(judged: Iterable[Judged]) -> float:
    """CPU seconds a candidate."""
    rows = list(judged)
    return sum(cost.cpu_s for row in rows for cost in row.costs) / (len(KINDS) * len(rows))


def figures(judged: dict[str, Judged]) -> dict[str, object]:
    """A side's figures."""
    rows = list(judged.values())
    return {
        "candidates": len(KINDS) * len(rows),
        "cpu_s_per_candidate": round(per_candidate(rows), 2),
        "wall_s_per_candidate": round(
            sum(cost.wall_s for row in rows for cost in row.costs) / (len(KINDS) * len(rows)), 2
        ),
        "cpu_s_by_kind": {
            kind: round(sum(row.costs[place].cpu_s for row in rows) / len(rows), 2)
            for place, kind in enumerate(KINDS)
        },
    }


def differing(ours: dict[str, Judged], theirs: dict[str, Judged]) -> list[str]:
    """The candidates that two sides say different things of."""
    return [
        f"{task} {kind}: solexp {our.value}, forge {their.value}"
        for task, row in theirs.items()
        for kind, our, their in zip(KINDS, ours[task].outcomes, row.outcomes, strict=True)
        if our is not their
    ]


def ready_wholes(
    tasks: Sequence[Task], oracle: Tests, folder: Path
) -> tuple[dict[str, tuple[Whole, Path]], dict[str, str]]:
    """The tasks' repositories, built, each with the compiler that forge starts; and which compilers those are."""
    wholes: dict[str, tuple[Whole, Path]] = {}
    compilers: dict[str, str] = {}
    with Compiler() as compiler:
        for task in tasks:
            assert isinstance(task.project, Project)
            name = task.project.name
            if name in wholes:
                continue
            solc, compilers[name] = started_afresh(task.compiler.version, compiler, folder)
            whole = Whole(
                task.project,
                task.compiler.remappings,
                folder / name,
                msgspec.to_builtins(oracle.fuzzing),
            )
            with measured() as cost:
                whole.warm(solc)
            print(f"{name}: built in {cost.cpu_s:.0f} cpu-s", file=sys.stderr, flush=True)
            wholes[name] = whole, solc
    return wholes, compilers


def main() -> int:
    """Runs every side; 0, or 2 when the data are missing."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--tasks", type=int, default=20)
    parser.add_argument("--mapped", type=int, default=5, help="tasks of the side forge_mapped")
    options = parser.parse_args()
    oracle = Tests()
    with tempfile.TemporaryDirectory(prefix="bench-", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        os.environ["SOLEXP_CACHE"] = str(folder / "cache")
        try:
            tasks = comparable(options.tasks)
        except UserError as error:
            print(f"bench-soleval: {error}", file=sys.stderr)
            return 2
        wholes, compilers = ready_wholes(tasks, oracle, folder)
        grounding = told("solexp_with_grounds", by_solexp(tasks, oracle, 1))
        ours = told("solexp", by_solexp(tasks, oracle, 2))
        whole_file = told("forge_file", by_forge(tasks, wholes, 3, mapped=False))
        few = (
            tasks[:: max(1, len(tasks) // options.mapped)][: options.mapped]
            if options.mapped
            else ()
        )
        only_mapped = told("forge_mapped", by_forge(few, wholes, 4, mapped=True))
    sides = {
        "solexp": ours,
        "solexp_with_grounds": grounding,
        "forge_file": whole_file,
        "forge_mapped": only_mapped,
    }
    peers = {"forge_file": whole_file, "forge_mapped": only_mapped}
    differ = {name: differing(ours, judged) for name, judged in peers.items() if judged}
    print(
        json.dumps(
            {
                "benchmark": "soleval",
                "tasks": len(tasks),
                **{name: figures(judged) for name, judged in sides.items() if judged},
                "ratio_cpu": {
                    f"{name}_over_{own}": round(
                        per_candidate(judged.values())
                        / per_candidate(sides[own][task] for task in judged),
                        1,
                    )
                    for name, judged in peers.items()
                    if judged
                    for own in ("solexp", "solexp_with_grounds")
                },
                "same_verdicts": {
                    name: f"{len(KINDS) * len(peers[name]) - len(lines)} of {len(KINDS) * len(peers[name])}"
                    for name, lines in differ.items()
                },
                "differing": differ,
                "fuzzing": msgspec.to_builtins(oracle.fuzzing),
                "forge_starts": compilers,
                "forge": ask_version(str(ensure_forge())),
                "node": ask_version(str(ensure_node())),
                "load": round(os.getloadavg()[0], 1),
            }
        )
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
