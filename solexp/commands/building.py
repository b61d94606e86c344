"""`solexp data build contracteval`: a judge says of each assertion whether the description asks for it."""

from __future__ import annotations

import argparse
import itertools
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import msgspec

from solexp.benchmarks.contracteval import ContractEval
from solexp.benchmarks.contracteval.aligned import (
    Judged,
    Votes,
    asserted,
    merged,
    read_judged,
    votes_of,
    write_judged,
)
from solexp.benchmarks.contracteval.asking import again, question, read_answer
from solexp.config.compose import choices, compose, plain
from solexp.config.instantiate import instantiate
from solexp.core import Batch, Completion, Generation, Prompt, Task, UserError
from solexp.generating import Wanted, generate
from solexp.llm.forecast import foresee
from solexp.llm.model import LiveModel, Model, Request, generation_key
from solexp.metrics.agreement import agreement
from solexp.progress import Progress
from solexp.report.tables import Grid, draw
from solexp.store import Store
from solexp.store.records import read_lines
from solexp.strategies import Ask, Dialogue
from solexp.toolchain.homes import cache_home

_BATCH = Batch(name="judge", n=1, temperature=0.0)
_OURS = ("model", "benchmark")


class Labels(msgspec.Struct, frozen=True, kw_only=True):
    """A line of a file of judgements that were made elsewhere, by people for example."""

    task_id: str
    asked_for: tuple[bool, ...]


def build(command: argparse.Namespace) -> int:
    """Have a model judge the tasks, or take judgements from a file; returns the exit status.

    Judgements of several judges stand side by side in ``aligned.jsonl`` in the benchmark's folder; what is asked twice
    is not paid for twice.
    """
    if command.benchmark != "contracteval":
        raise UserError(
            f"data build: '{command.benchmark}' has nothing to build; choose contracts, contracteval, "
            "solidity_eval or solbench"
        )
    if command.natspec is not None:
        raise UserError("data build contracteval: --natspec is for sets of sources")
    composed = compose(["benchmark=contracteval", *_checked(command.override)])
    config = plain(composed)
    benchmark = instantiate(config["benchmark"], "benchmark")
    assert isinstance(benchmark, ContractEval)
    tasks = [task for task in benchmark.tasks() if asserted(task)]
    if command.labels is not None:
        judge, votes = _labelled(command.labels)
        unread, halted = 0, None
    else:
        chosen = choices(composed.hydra.runtime.choices, config["oracle"])
        if not any(word.startswith("model=") for word in command.override):
            raise UserError("data build: who shall judge? give model=NAME, or --labels NAME=FILE")
        judge = command.judge or str(config["model"].get("name") or chosen["model"])
        model = instantiate(config["model"], "model")
        votes, unread, halted = _asked(model, tasks)
    judged = merged(read_judged(benchmark.folder), tasks, judge, votes)
    path = write_judged(benchmark.folder, judged)
    _tell(judge, votes, unread, judged, config["seed"])
    print(f"judgements: {path}")
    if halted is not None:
        print(f"solexp: {halted}; start it again to go on", file=sys.stderr)
        return 1
    return 0


def _checked(overrides: Sequence[str]) -> Sequence[str]:
    for override in overrides:
        key = override.lstrip("+~").partition("=")[0]
        if key.partition(".")[0].partition("/")[0] not in _OURS:
            raise UserError(
                f"data build: '{override}' is neither of the model nor of the benchmark; "
                "give model=NAME, model.KEY=VALUE or benchmark.KEY=VALUE"
            )
    return overrides


def _labelled(given: str) -> tuple[str, Votes]:
    judge, _, file = given.partition("=")
    if not judge or not file:
        raise UserError(f"data build: --labels wants NAME=FILE, got '{given}'")
    if not Path(file).is_file():
        raise UserError(f"{file}: no such file")
    return judge, {row.task_id: row.asked_for for row in read_lines(Path(file), Labels)}


def _asked(
    model: Model | LiveModel, tasks: Sequence[Task]
) -> tuple[dict[str, Sequence[bool]], int, str | None]:
    """The judgements by task, how many could not be read, and why asking ended early."""
    by_id = {task.id: task for task in tasks}
    votes: dict[str, Sequence[bool]] = {}
    unread = 0
    store = Store(cache_home() / "generations")
    wanted = [
        Wanted(task=task, batch=_BATCH, repeat=0, indices=(0,), begin=_Begin(task))
        for task in tasks
    ]
    asks = [
        (prompt, _BATCH, 1, 1)
        for task in tasks
        if not kept(model, store, task, prompt := question(task), _BATCH)
    ]
    print(foresee(model, asks).told(), file=sys.stderr)
    with Progress("judging") as progress:
        progress.total(len(wanted))

        def keep(generation: Generation) -> None:
            nonlocal unread
            progress.advance()
            count = len(asserted(by_id[generation.task_id]))
            try:
                votes[generation.task_id] = read_answer(generation.completion.text, count)
            except ValueError:
                unread += 1
                votes[generation.task_id] = ()

        halted = generate(model, wanted, store, keep=keep)
    return votes, unread, halted.told()


def kept(model: Model | LiveModel, store: Store, task: Task, prompt: Prompt, batch: Batch) -> bool:
    """Whether the first answer about a task is there already."""
    request = Request(task=task, prompt=prompt, batch=batch, repeat=0, index=0)
    return model.paid and store.get(generation_key(model, request), Completion) is not None


class _Begin:
    """The dialogue about a task: a question, and once more where the answer cannot be read."""

    def __init__(self, task: Task) -> None:
        self._task = task

    def __call__(self, _index: int) -> Dialogue:
        return self._dialogue()

    def _dialogue(self) -> Dialogue:
        prompt = question(self._task)
        reply = yield Ask(prompt=prompt)
        try:
            read_answer(reply.text, len(asserted(self._task)))
        except ValueError as error:
            yield Ask(prompt=again(prompt, reply.text, str(error)))


def _tell(judge: str, votes: Votes, unread: int, judged: Mapping[str, Judged], seed: int) -> None:
    """Print what the judge said, and how the judges agree."""
    said = [each for row in votes.values() for each in row]
    print(
        f"{judge}: {sum(said)} of {len(said)} assertions of {len(votes) - unread} tasks are asked for"
        + (f"; {unread} answers could not be read" if unread else "")
    )
    every = [each for row in judged.values() for each in row.aligned]
    kept = sum(any(row.aligned) for row in judged.values())
    print(
        f"by most judges: {sum(every)} of {len(every)} assertions are asked for; "
        f"{kept} of {len(judged)} tasks have one that is"
    )
    rows = tuple(_agreements(votes_of(judged.values()), seed))
    if rows:
        columns = ("judges", "tasks", "assertions", "alike", "kappa")
        draw(Grid(title="", columns=columns, rows=rows), sys.stdout)


def _agreements(
    votes: dict[str, dict[str, tuple[bool, ...]]], seed: int
) -> Iterator[tuple[str, ...]]:
    for one, other in itertools.combinations(sorted(votes), 2):
        found = agreement(votes[one], votes[other], seed=seed)
        if found is None:
            continue
        value = "-" if found.kappa is None else f"{found.kappa:.2f}"
        if found.lo is not None:
            value += f" [{found.lo:.2f}, {found.hi:.2f}]"
        yield (
            f"{one} and {other}",
            str(found.tasks),
            str(found.items),
            f"{100 * found.share:.1f} %",
            value,
        )
