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
from solexp.commands.asking import answers
from solexp.config.compose import choices, compose, plain
from solexp.config.instantiate import instantiate
from solexp.core import Batch, Prompt, Task, UserError
from solexp.llm.model import LiveModel, Model
from solexp.metrics.agreement import agreement
from solexp.report.tables import Grid, draw
from solexp.store.records import read_lines

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
    texts, halted = answers(model, tasks, _BATCH, question, again=_once_more, title="judging")
    by_id = {task.id: task for task in tasks}
    votes: dict[str, Sequence[bool]] = {}
    unread = 0
    for name, text in texts.items():
        try:
            votes[name] = read_answer(text, len(asserted(by_id[name])))
        except ValueError:
            unread += 1
            votes[name] = ()
    return votes, unread, halted


def _once_more(task: Task, asked: Prompt, reply: str) -> Prompt | None:
    """What is asked where an answer cannot be read."""
    try:
        read_answer(reply, len(asserted(task)))
    except ValueError as error:
        return again(asked, reply, str(error))
    return None


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
