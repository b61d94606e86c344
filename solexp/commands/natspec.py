"""`solexp data natspec`: a sheet in which people or a model describe functions anew."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from solexp.benchmarks.building.natspec import FILLED, check_kept, sheet
from solexp.commands.asking import answers
from solexp.commands.graphs import composed_tasks
from solexp.config.compose import compose, plain
from solexp.config.instantiate import instantiate
from solexp.core import Task
from solexp.store.records import check_writable
from solexp.store.sheets import check_sheet, write_sheet
from solexp.strategies.documentation import documentation_in
from solexp.strategies.prompted import WRITER, documentation_prompt


def natspec(command: argparse.Namespace) -> int:
    """Write the sheet of the composed benchmark's tasks, filled in by the model if one is given.

    Returns 1 where a model falls silent or leaves functions out.
    """
    path = Path(command.out)
    check_sheet(path)
    check_writable(path)
    tasks = composed_tasks(command.override)
    by_model = any(word.startswith("model=") for word in command.override)
    written, halted = _asked(command.override, tasks) if by_model else ({}, None)
    rows = list(sheet(tasks, written))
    check_kept(path, rows)
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

    It is asked as `strategy.natspec=model` asks.
    """
    model = instantiate(plain(compose(list(overrides)))["model"], "model")
    texts, halted = answers(model, tasks, WRITER, documentation_prompt)
    contracts = {task.id: task.target.contract for task in tasks}
    return {name: documentation_in(text, contracts[name]) for name, text in texts.items()}, halted
