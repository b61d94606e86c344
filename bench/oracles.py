"""What the behaviour oracles cost: replay and dcr a contract, fuzzing a call, sequences a call.

    make bench-oracles
    python -m bench.oracles [--tasks HarborToken ...] [--peer-tasks 1]

Contracts of ``starter``, each with ten samples: the reference under another hash, and nine mutants. Replay makes 1,000
calls, the recorded ones over and over, and dcr the 1,000 of its sequences, on the original and on every sample, with
everything compiled and the sequences known. Beside it stands Hardhat with web3.py, one transaction after another, with
the same calls, times, senders and gas limits on the same contracts, of which it reads the receipts and compares
nothing. Both sides' statuses must be the same, call by call.

Fuzzing is measured in calls that are made on original and sample and compared, with nothing kept (``cold``) and with
what the original did (``kept``), on samples that differ in their hash alone; the search for sequences in calls that it
finds and tries. Cost is CPU seconds of this process and the nodes, start-up included. The last line is one JSON object.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import msgspec

from bench import peers
from bench.replay import cpu_seconds
from solexp.benchmarks.starter import Starter
from solexp.core import Candidate, HarnessError, Program, Task, Trace, Verdict
from solexp.dcr.records import Sequences, programs
from solexp.dcr.sequences import DEPLOYMENT_GAS
from solexp.evm.deployed import NOTHING, Deployed
from solexp.evm.gas import call_limits
from solexp.evm.hardforks import hardfork_at
from solexp.evm.machine import Subject
from solexp.fuzzing.settings import Scope
from solexp.oracles.base import Case, Oracle
from solexp.oracles.dcr import Dcr
from solexp.oracles.fuzz import Fuzz
from solexp.oracles.replay import Replay
from solexp.oracles.sequencing import sequences_of
from solexp.oracles.staging import Stage, stage, subject
from solexp.solidity.compiler import Compiler
from solexp.solidity.splice import splice

T = TypeVar("T")

TASKS = ("HarborToken", "BadgeCollection", "LagoonExchange", "GuildHall")
"""A token, a collection, an exchange, and an association with roles; none reads the number of the block."""
SEARCHED = ("HarborToken", "LagoonExchange")
"""Contracts that are fuzzed, and for which sequences are looked for."""
SAMPLES = 10
CALLS = 1000
ROUNDS = 3
PAUSE_S, PAUSE_BLOCKS = 600, 10

Statuses = list[list[bool]]
"""Of each program, of each call."""


class Told(NamedTuple):
    """What one contract's calls came to on either side."""

    replay: Statuses
    dcr: Statuses


def repeated(program: Program, count: int) -> Program:
    """So many calls: the program's own, and the same again later, as often as it takes. Its fork is fixed."""
    deployment, own = program.deployment, program.calls
    blocks = own[-1].block_number - deployment.block_number + PAUSE_BLOCKS
    seconds = own[-1].timestamp - deployment.timestamp + PAUSE_S
    calls = []
    for number in range(count):
        turn, at = divmod(number, len(own))
        call = own[at]
        calls.append(
            msgspec.structs.replace(
                call,
                block_number=call.block_number + turn * blocks,
                timestamp=call.timestamp + turn * seconds,
                recorded=None if turn else call.recorded,
            )
        )
    fork = program.hardfork or hardfork_at(deployment.block_number, deployment.timestamp)
    return msgspec.structs.replace(program, calls=tuple(calls), hardfork=fork)


def case_of(task: Task, codes: Sequence[str], compiler: Compiler, *, cached: bool = True) -> Case:
    """The task with one sample a code."""
    samples = [
        Candidate(task_id=task.id, batch="bench", repeat=0, index=index, code=code)
        for index, code in enumerate(codes)
    ]
    return Case(task, samples, compiler, cached=cached)


def again(code: str, number: int) -> str:
    """The same contract under another hash."""
    return f"{code}\n// {number}\n"


def spent(do: Callable[[], T]) -> tuple[float, T]:
    """CPU seconds that something takes, and what it gives."""
    before = cpu_seconds()
    found = do()
    return cpu_seconds() - before, found


def forget(store: str) -> None:
    """Drop what was kept."""
    shutil.rmtree(Path(os.environ["SOLEXP_CACHE"]) / store, ignore_errors=True)


def mean_of(rounds: int, do: Callable[[], T]) -> tuple[float, T]:
    """As `spent`, of so many rounds the mean."""
    found = [spent(do) for _ in range(rounds)]
    return sum(used for used, _ in found) / rounds, found[-1][1]


class Measured:
    """One contract with its samples."""

    def __init__(self, task: Task, compiler: Compiler) -> None:
        assert task.program is not None
        self.program = repeated(task.program, CALLS)
        self.task = msgspec.structs.replace(task, program=self.program)
        mutants = [task.mutants[name] for name in sorted(task.mutants)][: SAMPLES - 1]
        self.case = case_of(self.task, [again(task.reference, 0), *mutants], compiler)
        self.replay, self.dcr = Replay(), Dcr()
        staged = stage(self.case, self.replay.machine)
        assert isinstance(staged, Stage), staged
        self.staged = staged
        self.subjects = [staged.original, *map(self._subject, self.case.candidates)]
        self.cpu_s: dict[str, float] = {}
        self.verdicts: dict[str, list[Verdict]] = {}
        self.told: list[Told] = []
        self.sequences: list[Program] = []

    def _subject(self, candidate: Candidate) -> Subject:
        build = self.case.build(candidate)
        contract = build.contract(self.program.deployment.contract)
        assert contract is not None, build.errors
        return subject(build, contract, self.case, splice(self.task, candidate.code or ""))

    def cost(self) -> None:
        """Measure solexp's side, comparing, making counterexamples small and confirming them included."""
        found = self.cpu_s
        for oracle in (self.replay, self.dcr):
            # Compiles what has to be compiled, and finds what is to be kept.
            oracle.judge(self.case)
            found[oracle.name], self.verdicts[oracle.name] = mean_of(
                ROUNDS, partial(oracle.judge, self.case)
            )

        def anew() -> None:
            forget("grounds")
            self.replay.judge(self.case)

        found["replay_grounds_anew"] = mean_of(ROUNDS, anew)[0]
        found["together"] = found["replay"] + found["dcr"]

    def tell(self) -> None:
        """See what the statuses are on original and samples, and that the verdicts are about them.

        The programs are then known with their limits.
        """
        traces = self.replay.machine.run(self.program, self.subjects, NOTHING)
        limits = call_limits(self.program, "generous", traces[0])
        calls = [
            msgspec.structs.replace(call, gas=limit)
            for call, limit in zip(self.program.calls, limits, strict=True)
        ]
        self.program = msgspec.structs.replace(self.program, calls=tuple(calls))
        base = msgspec.structs.replace(self.program, calls=())
        with node_for(base) as node:
            known = sequences_of(self.case, self.staged, self.dcr.sequencing, node)
            self.sequences = [each for each in programs(base, known.programs) if each.calls]
            for trace, each in zip(traces, self.subjects, strict=True):
                node.deploy(each, DEPLOYMENT_GAS)
                runs = node.run(node.questions(self.sequences))
                self.told.append(Told([_statuses(trace)], [_statuses(run) for run in runs]))
        if differing(self.told) != said(self.verdicts):
            raise HarnessError(f"{self.task.id}: the verdicts are not about these calls")

    @property
    def calls(self) -> int:
        """Calls of both oracles on one contract."""
        return sum(len(row) for row in (*self.told[0].replay, *self.told[0].dcr))

    def by_hardhat(self) -> list[Told]:
        """Statuses on Hardhat, asked by web3.py; the programs are those of `tell`."""
        deployment = self.program.deployment
        assert self.program.hardfork is not None
        with peers.hardhat(self.program.hardfork, deployment.timestamp - 1) as url:
            every = [self.program, *self.sequences]
            creations = [each.creation for each in self.subjects]
            return [Told(rows[:1], rows[1:]) for rows in peers.statuses(url, every, creations)]


def node_for(program: Program) -> Deployed:
    """A node on which sequences are made."""
    deployment = program.deployment
    fork = program.hardfork or hardfork_at(deployment.block_number, deployment.timestamp)
    return Deployed(msgspec.structs.replace(program, calls=()), fork)


def _statuses(trace: Trace) -> list[bool]:
    return [call.status for call in trace.calls]


def differing(told: Sequence[Told]) -> list[tuple[int, int]]:
    """Of each sample, at how many calls of replay and of dcr its status is not the original's, who comes first."""
    original, *samples = told

    def count(one: Statuses, other: Statuses) -> int:
        return sum(
            a != b
            for mine, yours in zip(one, other, strict=True)
            for a, b in zip(mine, yours, strict=True)
        )

    return [
        (count(original.replay, each.replay), count(original.dcr, each.dcr)) for each in samples
    ]


def said(verdicts: dict[str, list[Verdict]]) -> list[tuple[Any, Any]]:
    """The same by the oracles' verdicts."""
    return [
        (one.measures["diverges.status"], other.measures["diverges.status"])
        for one, other in zip(verdicts["replay"], verdicts["dcr"], strict=True)
    ]


def mean(rows: Sequence[dict[str, float]]) -> dict[str, float]:
    """The mean of each figure over the rows that have it."""
    names = dict.fromkeys(name for row in rows for name in row)
    found = {name: [row[name] for row in rows if name in row] for name in names}
    return {name: round(sum(each) / len(each), 3) for name, each in found.items()}


def contracts(tasks: Sequence[Task], compiler: Compiler) -> list[Measured]:
    """Replay and dcr, measured a contract."""
    found = []
    for task in tasks:
        measured = Measured(task, compiler)
        measured.cost()
        measured.tell()
        say(f"{task.id}: {mean([measured.cpu_s])}")
        found.append(measured)
    return found


def beside(contracts: Sequence[Measured]) -> int:
    """Hardhat on the same contracts: how many calls end with the same status there. Raises HarnessError for another."""
    same = 0
    for each in contracts:
        each.cpu_s["hardhat_web3"], theirs = spent(each.by_hardhat)
        if theirs != each.told:
            places = where(each.told, theirs)
            raise HarnessError(f"{each.task.id}: Hardhat ends calls otherwise: {places}")
        each.cpu_s["hardhat_web3_over_together"] = (
            each.cpu_s["hardhat_web3"] / each.cpu_s["together"]
        )
        say(f"{each.task.id}: {mean([each.cpu_s])}")
        same += sum(len(row) for one in theirs for row in (*one.replay, *one.dcr))
    return same


def where(ours: Sequence[Told], theirs: Sequence[Told]) -> list[tuple[int, str, int, int]]:
    """The first places where two sides differ: contract, oracle, program and call."""
    return [
        (contract, oracle, number, at)
        for contract, (one, other) in enumerate(zip(ours, theirs, strict=True))
        for oracle in Told._fields
        for number, (mine, yours) in enumerate(
            zip(getattr(one, oracle), getattr(other, oracle), strict=True)
        )
        for at, (a, b) in enumerate(zip(mine, yours, strict=True))
        if a != b
    ][:5]


def fuzzing(tasks: Sequence[Task], compiler: Compiler) -> dict[str, dict[str, float]]:
    """Calls made on original and sample and compared, a CPU second."""
    found = {}
    for task in tasks:
        codes = [again(task.reference, number) for number in range(SAMPLES)]
        one, ten = case_of(task, codes[:1], compiler), case_of(task, codes, compiler)
        # Of single functions ten samples take a minute each time.
        asked: dict[Scope, dict[str, Case]] = {
            "contract": {"one": one, "ten": ten},
            "function": {"one": one},
        }
        for scope, cases in asked.items():
            oracle = Fuzz(scope=scope)
            for case in cases.values():
                oracle.judge(case)
            rates = {f"{name}_kept": rate(oracle, case) for name, case in cases.items()}
            for name, case in cases.items():
                forget("fuzzing")
                rates[f"{name}_cold"] = rate(oracle, case)
            found[f"{task.id}.{scope}"] = rates
            say(f"fuzz {task.id} {scope}: {rates}")
    return found


def rate(oracle: Oracle, case: Case) -> float:
    """Compared calls a CPU second."""
    used, verdicts = spent(lambda: oracle.judge(case))
    return round(sum(float(each.measures["fuzz.calls"] or 0) for each in verdicts) / used)


def searching(tasks: Sequence[Task], compiler: Compiler) -> dict[str, dict[str, float]]:
    """Calls found, and calls tried, a CPU second of the search for sequences."""
    found: dict[str, dict[str, float]] = {}
    for task in tasks:
        case = case_of(task, [], compiler, cached=False)
        for name, search in (("with_z3", "all"), ("without_z3", ["history", "pool"])):
            oracle = Dcr(search=search)
            used, known = spent(partial(_sequences, case, oracle))
            row = {"found": known.calls / used, "tried": known.tried / used, "cpu_s": used}
            found[f"{task.id}.{name}"] = row = mean([row])
            say(f"sequences {task.id} {name}: {row}")
    return found


def _sequences(case: Case, oracle: Dcr) -> Sequences:
    staged = stage(case, oracle.machine)
    assert isinstance(staged, Stage), staged
    with node_for(staged.program) as node:
        return sequences_of(case, staged, oracle.sequencing, node)


def say(line: str) -> None:
    """Progress."""
    print(line, file=sys.stderr, flush=True)


def main() -> None:
    """Measure, and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tasks", nargs="+", default=list(TASKS))
    parser.add_argument("--peer-tasks", type=int, default=1, help="how many of them Hardhat takes")
    options = parser.parse_args()
    tasks = Starter(ids=options.tasks).tasks()
    with tempfile.TemporaryDirectory() as kept:
        os.environ["SOLEXP_CACHE"] = kept
        with Compiler() as compiler:
            measured = contracts(tasks, compiler)
            others = Starter(ids=list(SEARCHED)).tasks()
            fuzzed, searched = fuzzing(others, compiler), searching(others, compiler)
            same = beside(measured[: options.peer_tasks])
    found = {
        "bench": "oracles",
        "samples": SAMPLES,
        "calls_a_contract": {each.task.id: each.calls for each in measured},
        "cpu_s_a_contract": mean([each.cpu_s for each in measured]),
        "cpu_s_by_contract": {each.task.id: mean([each.cpu_s]) for each in measured},
        "same_statuses_as_hardhat": same,
        "fuzz_paired_calls_per_cpu_s": fuzzed,
        "sequences_calls_per_cpu_s": searched,
        "cores": os.cpu_count(),
        "load": round(os.getloadavg()[0], 1),
    }
    print(json.dumps(found))


if __name__ == "__main__":
    main()
