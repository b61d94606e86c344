"""Calling Python candidates: solexp's sandbox beside one plain process a candidate.

    make bench-sandbox

Both sides run references of HumanEval+ and MBPP+ on their own inputs. The peer is what harnesses commonly do: a
``multiprocessing.Process`` for each candidate, which executes the program and makes all calls in itself, each under a
timer of wall-clock time, and notes in shared memory whether it returned. It keeps no value, and holds back nothing:
its candidates can read any file, open any connection and write their own marks. ``alone`` is the sandbox with a
process for each call, on fewer inputs of each task; ``together`` is with up to 100 calls a process, all twice; ``one``
is a candidate with a single call. Cost is CPU time of this process and all its children. The last line is one JSON
object.
"""

from __future__ import annotations

import copy
import json
import multiprocessing
import resource
import signal
import statistics
import time
from collections.abc import Callable
from typing import Any, NamedTuple

from solexp.benchmarks.contracteval import ContractEval
from solexp.python.literals import read
from solexp.sandbox import Ended, Limits, call_python
from solexp.sandbox.box import Sandbox

EVERY = 16
"""Of the benchmark's tasks one in so many."""
ALONE = 40
"""Inputs of each task that are called alone."""
PASSES = 3
TIME_LIMIT_S = 5.0
LIMITS = Limits(cpu_s=TIME_LIMIT_S)


class Candidate(NamedTuple):
    """A program and what it is called with."""

    program: str
    entry_point: str
    arguments: list[str]


def candidates() -> list[Candidate]:
    """References and their inputs."""
    found = []
    for task in ContractEval().tasks()[::EVERY]:
        given = task.preconditions
        assert given
        (program,) = task.sources.values()
        found.append(Candidate(program, given.entry_point, [*given.base, *given.plus]))
    return found


def peer(asked: list[Candidate]) -> int:
    """A process for each candidate."""
    fork = multiprocessing.get_context("fork")
    returned = 0
    for candidate in asked:
        inputs = [read(text) for text in candidate.arguments]
        marks = fork.Array("b", len(inputs))
        process = fork.Process(target=_peer_calls, args=(candidate, inputs, marks))
        process.start()
        process.join(TIME_LIMIT_S * len(inputs))
        if process.is_alive():
            process.kill()
            process.join()
        returned += sum(marks[:])
    return returned


def _peer_calls(candidate: Candidate, inputs: list[Any], marks: Any) -> None:
    names: dict[str, Any] = {}
    exec(candidate.program, names)
    function = names[candidate.entry_point]

    def over(*_: object) -> None:
        raise TimeoutError

    signal.signal(signal.SIGALRM, over)
    for at, arguments in enumerate(inputs):
        signal.setitimer(signal.ITIMER_REAL, TIME_LIMIT_S)
        try:
            function(*copy.deepcopy(arguments))
            marks[at] = 1
        except BaseException:
            marks[at] = 0
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)


def sandboxed(asked: list[Candidate], together: int) -> int:
    """One warm sandbox for all."""
    returned = 0
    with Sandbox() as sandbox:
        for one in asked:
            results = sandbox.ask(
                one.program, one.entry_point, one.arguments, LIMITS, together=together
            )
            returned += sum(result.ended is Ended.RETURNED for result in results)
    return returned


def start() -> int:
    """Start a sandbox and end it."""
    with Sandbox():
        return 1


def measured(side: Callable[[], int], count: int) -> tuple[float, float]:
    """CPU seconds and wall-clock seconds of a side, which must come to ``count``."""
    cpu, wall = _cpu_seconds(), time.monotonic()
    if (found := side()) != count:
        raise SystemExit(f"{found} of {count} calls returned")
    return _cpu_seconds() - cpu, time.monotonic() - wall


def _cpu_seconds() -> float:
    usages = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)


def main() -> None:
    """Measure all sides in turn, and say the median of each."""
    every = candidates()
    fewer = [one._replace(arguments=one.arguments[:ALONE]) for one in every]
    single = [one._replace(arguments=one.arguments[:1]) for one in every]
    sides: dict[str, tuple[Callable[[], int], int]] = {
        "peer": (lambda: peer(every), sum(len(one.arguments) for one in every)),
        "together": (lambda: sandboxed(every, 100), sum(len(one.arguments) for one in every)),
        "alone": (lambda: sandboxed(fewer, 1), sum(len(one.arguments) for one in fewer)),
        "one": (lambda: sandboxed(single, 1), len(single)),
        "start": (start, 1),
    }
    call_python("def f(): pass", "f", ["[]"], LIMITS)
    costs: dict[str, list[tuple[float, float]]] = {name: [] for name in sides}
    for _ in range(PASSES):
        for name, (side, count) in sides.items():
            costs[name].append(measured(side, count))
    told: dict[str, float] = {"candidates": len(every), "calls": sides["peer"][1]}
    starting = statistics.median(cpu for cpu, _ in costs["start"])
    for name, (_, count) in sides.items():
        cpu = statistics.median(cpu for cpu, _ in costs[name])
        wall = statistics.median(wall for _, wall in costs[name])
        less = 0.0 if name in {"peer", "start"} else starting
        told[f"{name}_cpu_ms"] = round((cpu - less) * 1000 / count, 3)
        told[f"{name}_calls_per_s"] = round(count / wall, 1)
        print(
            f"{name:10} {told[f'{name}_cpu_ms']:9.3f} ms of CPU time each, {count / wall:9.0f} per s"
        )
    print(json.dumps(told))


if __name__ == "__main__":
    main()
