"""`solexp prompt`: exactly what would be sent for a task."""

from __future__ import annotations

import argparse
import json
import sys

from solexp.benchmarks.base import everything
from solexp.config import build
from solexp.config.compose import compose, plain
from solexp.core import Prompt, Task, UserError
from solexp.core.errors import nearest
from solexp.llm.model import LiveModel
from solexp.llm.tokens import count


def prompt(command: argparse.Namespace) -> int:
    """Print the first request for each wanted task, with token counts on standard error; returns 0.

    Where a strategy asks several times, later requests depend on the replies and are said to follow.
    """
    spec = build(plain(compose(command.override)))
    posed = spec.strategy.expand(spec.benchmark.tasks())
    wanted = _wanted(posed, command.task)
    spec.strategy.prepare(posed, everything(spec.benchmark) if spec.strategy.shots else ())
    for task in wanted:
        ask = next(spec.strategy.dialogue(task))
        tokens = (
            spec.model.estimate(ask.prompt, spec.sampling.batches[0])[0]
            if isinstance(spec.model, LiveModel)
            else sum(count(message.content) for message in ask.prompt.messages)
        )
        print(shown(ask.prompt))
        turns = spec.strategy.turns(task) + (ask.batch is not None)
        later = f"; {turns - 1} more requests follow from the replies" if turns > 1 else ""
        print(
            f"{task.id}: about {tokens:,} tokens in the {ask.prompt.form} form{later}",
            file=sys.stderr,
        )
    return 0


def _wanted(tasks: list[Task], name: str) -> list[Task]:
    """The task of that id; all functions of it where a strategy poses functions; the first that begins so."""
    ids = {task.id: task for task in tasks}
    if name in ids:
        return [ids[name]]
    found = [task for task in tasks if task.facts.get("parent") == name]
    found = found or [task for task in tasks if task.id.startswith(name)][:1]
    if not found:
        raise UserError(f"no task '{name}'; {nearest(name, ids)}")
    return found


def shown(prompt: Prompt) -> str:
    """A prompt as it is sent, each message under its role."""
    parts = [f"── {message.role}\n{message.content}" for message in prompt.messages]
    if prompt.form != "chat":
        parts = [f"── text to be continued\n{prompt.messages[-1].content}"]
    if prompt.suffix:
        parts.append(f"── text behind the gap\n{prompt.suffix}")
    if prompt.tools:
        told = (f"{t.name}: {t.description} {json.dumps(t.parameters)}" for t in prompt.tools)
        parts.append("── tools\n" + "\n".join(told))
    if prompt.stop:
        parts.append("── stops at\n" + "\n".join(map(repr, prompt.stop)))
    return "\n".join(parts)
