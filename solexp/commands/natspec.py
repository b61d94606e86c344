"""`solexp data natspec`: a sheet in which people or a model describe functions anew."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from solexp.benchmarks.building.natspec import FILLED, sheet
from solexp.commands.building import kept
from solexp.commands.graphs import composed_tasks
from solexp.config.compose import compose, plain
from solexp.config.instantiate import instantiate
from solexp.core import Generation, Task
from solexp.generating import Wanted, generate
from solexp.llm.forecast import foresee
from solexp.progress import Progress
from solexp.store import Store
from solexp.store.sheets import check_sheet, write_sheet
from solexp.strategies import Ask, Dialogue
from solexp.strategies.documentation import documentation_in
from solexp.strategies.prompted import WRITER, documentation_prompt
from solexp.toolchain.homes import cache_home


def natspec(command: argparse.Namespace) -> int:
    """Write the sheet of the composed benchmark's tasks, filled in by the model if one is given.

    Returns 1 where a model falls silent or leaves functions out.
    """
    path = Path(command.out)
    check_sheet(path)
    tasks = composed_tasks(command.override)
    by_model = any(word.startswith("model=") for word in command.override)
    written, halted = _asked(command.override, tasks) if by_model else ({}, None)
    rows = list(sheet(tasks, written))
    write_sheet(path, rows)
    filled = sum(bool(row[FILLED]) for row in rows)
    print(f"{len(rows)} functions of {len(tasks)} tasks in {path}, {filled} of them described")
    if halted is not None:
        print(f"solexp: {halted}; start it again to go on", file=sys.stderr)
    return 1 if by_model and filled < len(rows) else 0


def _asked(
    overrides: Sequence[str], tasks: Sequence[Task]
) -> tuple[dict[str, dict[str, str]], str | None]:
    """What the composed model says of each task's functions, and why it ended early.

    It is asked as `strategy.natspec=model` asks. What was asked once is not paid for again.
    """
    model = instantiate(plain(compose(list(overrides)))["model"], "model")
    by_id = {task.id: task for task in tasks}
    store = Store(cache_home() / "generations")
    wanted = [
        Wanted(task=task, batch=WRITER, repeat=0, indices=(0,), begin=_Begin(task))
        for task in tasks
    ]
    asks = [
        (prompt, WRITER, 1, 1)
        for task in tasks
        if not kept(model, store, task, prompt := documentation_prompt(task), WRITER)
    ]
    print(foresee(model, asks).told(), file=sys.stderr)
    found: dict[str, dict[str, str]] = {}
    with Progress("asking") as progress:
        progress.total(len(wanted))

        def keep(generation: Generation) -> None:
            progress.advance()
            contract = by_id[generation.task_id].target.contract
            found[generation.task_id] = documentation_in(generation.completion.text, contract)

        halted = generate(model, wanted, store, keep=keep)
    return found, halted.told()


class _Begin:
    """The dialogue about a task: one question."""

    def __init__(self, task: Task) -> None:
        self._task = task

    def __call__(self, _index: int) -> Dialogue:
        return self._dialogue()

    def _dialogue(self) -> Dialogue:
        yield Ask(prompt=documentation_prompt(self._task))
