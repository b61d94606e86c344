"""The loop: ask, do what the reply says, tell what came of it, until the model is done or a limit is reached."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import msgspec

from solexp.core import (
    Candidate,
    Completion,
    FinishReason,
    Generation,
    Prompt,
    Task,
    ToolError,
    UserError,
)
from solexp.core.settings import above
from solexp.llm.tokens import count
from solexp.sandbox.workspace import Limits
from solexp.solidity.functions import identifiers, members
from solexp.solidity.functions.masking import text_of
from solexp.strategies.agent.actions import TOOLS, Action, Protocol, actions
from solexp.strategies.agent.conversation import Conversation, turn_of
from solexp.strategies.agent.desk import Desk, workspace_of
from solexp.strategies.agent.forge import forge
from solexp.strategies.agent.wording import nothing_asked, opening
from solexp.strategies.base import Ask, Dialogue, Refine
from solexp.strategies.refine.none import NoRefine

_LOG = logging.getLogger("solexp")

_USUAL_TURNS = 12
"""Requests that a sample is taken to need, where nothing is known yet."""
_ABOVE_0 = (
    "steps", "idle", "tokens", "cost_usd", "wall_s", "window_tokens", "output_chars", "cpu_s", "memory_mb", "disk_mb",
)  # fmt: skip


@dataclass(kw_only=True, eq=False)
class Agent:
    """Gives a model a workspace in which one body is missing, and the tools to write it (Solidity Eval, 2026).

    What it asks depends on the replies alone: files are kept in memory, and what forge says of them is kept under their
    hash. A run that was killed goes on without asking again.
    """

    protocol: Protocol = "native"
    steps: int = 40
    """Requests of one sample, at most."""
    idle: int = 3
    """Replies in a row that ask for nothing, after which a sample ends."""
    tokens: int | None = 1_000_000
    """Tokens of all requests and replies of one sample, after which it ends."""
    cost_usd: float | None = None
    """US dollars of one sample, after which it ends, where the price is known."""
    wall_s: float | None = 3600.0
    """Seconds of one sample, spent by the model and by tools, after which it ends."""
    window_tokens: int = 48_000
    """Tokens of a conversation that are sent, at most; older turns are shortened and then left out."""
    output_chars: int = 12_000
    """Characters that a tool says, at most."""
    cpu_s: float = 60.0
    """CPU seconds of one build, or of one run of the tests."""
    memory_mb: int = 2048
    disk_mb: int = 256
    refine: Refine = field(default_factory=NoRefine)

    shots = 0

    def __post_init__(self) -> None:
        """Raises UserError for a protocol that there is not, and for limits that leave nothing."""
        if self.protocol not in ("native", "text"):
            raise UserError(f"strategy.protocol: must be native or text, got {self.protocol!r}")
        for name in _ABOVE_0:
            if (value := getattr(self, name)) is not None:
                above(f"strategy.{name}", value)

    @property
    def calls_tools(self) -> bool:
        """Whether the model must have a form of its own for calls of tools."""
        return self.protocol == "native"

    @property
    def reader(self) -> AgentReader:
        return AgentReader(self.protocol)

    @property
    def limits(self) -> Limits:
        """What one run of forge may use."""
        return Limits(
            cpu_s=self.cpu_s, wall_s=10 * self.cpu_s, memory_mb=self.memory_mb, disk_mb=self.disk_mb
        )

    def fingerprint(self) -> dict[str, Any]:
        names = (*_ABOVE_0, "protocol")
        return {"strategy": "agent", "version": 1, **{name: getattr(self, name) for name in names}}

    def expand(self, tasks: Sequence[Task]) -> list[Task]:
        """The tasks as they are. Raises UserError for tasks without a workspace."""
        for task in tasks:
            workspace_of(task)
        return list(tasks)

    def prepare(self, tasks: Sequence[Task], pool: Sequence[Task]) -> None: ...

    def turns(self, task: Task) -> int:  # noqa: ARG002
        return min(self.steps, _USUAL_TURNS)

    def dialogue(self, task: Task) -> Dialogue:
        workspace = workspace_of(task)
        desk = Desk(workspace.files)
        start = opening(task, workspace.stub, self.protocol)
        conversation = Conversation(start, self.window_tokens)
        spent = _Spent()
        idle, fresh, earlier = 0, len(start), ""
        while True:
            prompt = Prompt(
                task_id=task.id,
                messages=conversation.messages,
                tools=TOOLS if self.protocol == "native" else msgspec.UNSET,
                holds={"step": spent.steps, "follows": earlier, "fresh": fresh},
            )
            earlier = prompt.key
            reply = yield Ask(prompt=prompt, works=True)
            spent.add(prompt, reply)
            if reply.finish is FinishReason.CONTEXT:
                if not conversation.halve() or self._reached(spent):
                    return
                fresh = 0
                continue
            found = actions(reply, self.protocol)
            idle = 0 if found else idle + 1
            done = tuple(self._done(task, desk, found, spent))
            if any(_ends(action) for action in found) or idle >= self.idle or self._reached(spent):
                return
            turn = turn_of(reply, self.protocol, done, nothing_asked(self.protocol))
            fresh = len(turn.messages)
            conversation.add(turn)

    def _done(
        self, task: Task, desk: Desk, found: Sequence[Action], spent: _Spent
    ) -> Iterator[tuple[Action, str]]:
        """Each action with what came of it."""
        for action in _up_to_done(found):
            said = desk.act(action)
            if said is None:
                try:
                    report = forge(action.tool, task, desk.files, self.limits)
                except ToolError as error:
                    _LOG.warning("%s: %s: %s", task.id, action.tool, error)
                    said = f"error: {action.tool} cannot be run here"
                else:
                    said, spent.seconds = report.text, spent.seconds + report.seconds
            yield action, self._cut(said or "(empty)")

    def _cut(self, text: str) -> str:
        most = self.output_chars
        if len(text) <= most:
            return text
        half = most // 2
        return (
            f"{text[:half]}\n({len(text) - 2 * half} characters are left out here)\n{text[-half:]}"
        )

    def _reached(self, spent: _Spent) -> bool:
        """Whether a sample has used up what it has."""
        return (
            spent.steps >= self.steps
            or (self.tokens is not None and spent.tokens >= self.tokens)
            or (self.cost_usd is not None and spent.cost_usd >= self.cost_usd)
            or (self.wall_s is not None and spent.seconds >= self.wall_s)
        )


@dataclass
class _Spent:
    """What a sample has used so far; by what is kept with replies, so that it is the same when a run goes on."""

    steps: int = 0
    tokens: int = 0
    cost_usd: float = 0.0
    seconds: float = 0.0

    def add(self, prompt: Prompt, reply: Completion) -> None:
        usage = reply.usage
        asked, answered = usage.prompt_tokens, usage.completion_tokens
        if asked is None:
            asked = sum(count(message.content) for message in prompt.messages)
        if answered is None:
            answered = count(reply.text)
        self.steps += 1
        self.tokens += asked + answered
        self.cost_usd += usage.cost_usd or 0.0
        self.seconds += reply.seconds


def _ends(action: Action) -> bool:
    return action.tool == "done" and action.wrong is None


def _up_to_done(found: Sequence[Action]) -> Iterator[Action]:
    for action in found:
        if _ends(action):
            return
        yield action


class AgentReader:
    """Finds what an agent left: the workspace's files after all that its replies wrote."""

    def __init__(self, protocol: Protocol) -> None:
        self.protocol = protocol

    def fingerprint(self) -> dict[str, Any]:
        return {"strategy": "agent", "extraction": 1, "protocol": self.protocol}

    def candidate(self, task: Task, generation: Generation) -> Candidate:
        desk = Desk(workspace_of(task).files)
        finished = False
        for reply in generation.completions:
            found = actions(reply, self.protocol)
            for action in _up_to_done(found):
                desk.act(action)
            finished = any(map(_ends, found))
        notes = () if finished else ("ended before it was done",)
        return left(task, generation, desk.files, notes)


def left(
    task: Task, generation: Generation, files: dict[str, str], notes: tuple[str, ...] = ()
) -> Candidate:
    """The candidate that a workspace's files are; its code is the function that was to be written, if it is there."""
    source = files.get(task.target.path, "")
    code = source
    try:
        known = members(source, task.target.contract)
    except ValueError:
        known = ()
    for member, name in zip(known, identifiers(known), strict=True):
        if name == task.target.member:
            code = text_of(source, member)
    return Candidate.of(generation, code, notes=notes, files=files)
