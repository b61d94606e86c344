"""An agent's loop: what replies ask for is done and told, and what is left is what they wrote."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pytest

from solexp.core import (
    Batch,
    Completion,
    FinishReason,
    Generation,
    Prompt,
    Task,
    ToolCall,
    Usage,
    UserError,
)
from solexp.sandbox.workspace import Limits
from solexp.solidity.foundry.enclosed import Report
from solexp.strategies.agent import Agent, strategy
from solexp.strategies.agent.actions import Protocol, actions
from solexp.strategies.agent.conversation import message_tokens
from tests.made_tasks import whole_source
from tests.made_workspaces import RIGHT, STUB, source, task

PATH = "src/Solves.sol"


def native(*calls: tuple[str, dict[str, Any]], **more: Any) -> Completion:
    made = tuple(
        ToolCall(f"c{number}", name, json.dumps(arguments))
        for number, (name, arguments) in enumerate(calls)
    )
    return Completion(text="", calls=made, **more)


def written(name: str, **arguments: Any) -> Completion:
    return Completion(text=f"I go on.\n```json\n{json.dumps({'tool': name, **arguments})}\n```\n")


def conversation(agent: Agent, replies: Sequence[Completion]) -> tuple[list[Prompt], int]:
    """The prompts, and how many replies were taken."""
    dialogue = agent.dialogue(task())
    prompts = [next(dialogue).prompt]
    for number, reply in enumerate(replies):
        try:
            prompts.append(dialogue.send(reply).prompt)
        except StopIteration:
            return prompts, number + 1
    return prompts, len(replies)


def last(prompts: Sequence[Prompt]) -> str:
    return prompts[-1].messages[-1].content


@pytest.fixture(autouse=True)
def _no_forge(monkeypatch: pytest.MonkeyPatch) -> None:
    def forge(tool: str, posed: Task, files: dict[str, str], limits: Limits) -> Report:  # noqa: ARG001
        good = STUB not in files[PATH]
        return Report(ok=good, text=f"{tool} {'works' if good else 'fails'}", seconds=2.0)

    monkeypatch.setattr(strategy, "forge", forge)


def generation(replies: Sequence[Completion]) -> Generation:
    *earlier, final = replies
    return Generation(
        key="k", task_id="made_Solves", batch=Batch(name="b", n=1).name, repeat=0, index=0,
        completion=final, earlier=tuple(earlier),
    )  # fmt: skip


@pytest.mark.parametrize("protocol", ["native", "text"])
def test_what_replies_write_is_built_told_and_left(protocol: Protocol) -> None:
    edit = {"path": PATH, "old": STUB, "new": RIGHT}
    replies = (
        [
            native(("read", {"path": PATH})),
            native(("edit", edit), ("build", {})),
            native(("done", {})),
        ]
        if protocol == "native"
        else [
            written("read", path=PATH),
            written("edit", **edit),
            written("build"),
            written("done"),
        ]
    )
    agent = Agent(protocol=protocol)
    prompts, taken = conversation(agent, replies)
    assert taken == len(replies)
    assert "function take(uint256 amount)" in last(prompts[:2])
    assert last(prompts).endswith("build works")
    candidate = agent.reader.candidate(task(), generation(replies))
    assert candidate.files is not None
    assert candidate.files[PATH] == source("Solves", RIGHT)
    assert candidate.code is not None
    assert candidate.code.startswith("function take")
    assert candidate.notes == ()


def test_native_results_name_their_calls_and_text_has_no_tools() -> None:
    prompts, _ = conversation(Agent(), [native(("list", {}), ("build", {}))])
    assert [m.answers for m in prompts[1].messages if m.role == "tool"] == ["c0", "c1"]
    assert prompts[1].tools
    prompts, _ = conversation(Agent(protocol="text"), [written("list")])
    assert not prompts[1].tools
    assert prompts[1].messages[-1].role == "user"


@pytest.mark.parametrize(
    ("call", "why"),
    [
        (("shell", {"command": "id"}), "there is no tool 'shell'"),
        (("read", {}), "'path' is missing"),
        (("read", {"path": 3}), "'path' must be a text"),
        (("read", {"path": "src/None.sol"}), "there is no file src/None.sol"),
        (("write", {"path": "../x", "content": ""}), "must not leave the workspace"),
        (("write", {"path": "/etc/x", "content": ""}), "relative to the workspace"),
        (("write", {"path": ".env", "content": ""}), "hidden files"),
        (("write", {"path": f"{PATH}/x", "content": ""}), "cannot be a folder"),
        (("write", {"path": "big", "content": "x" * 3_000_000}), "the workspace is full"),
        (("edit", {"path": PATH, "old": "amount", "new": ""}), "must occur exactly once"),
    ],
)
def test_what_cannot_be_done_is_told_and_changes_nothing(
    call: tuple[str, dict[str, Any]], why: str
) -> None:
    replies = [native(call)]
    prompts, _ = conversation(Agent(), replies)
    assert last(prompts).startswith("error: ")
    assert why in last(prompts)
    candidate = Agent().reader.candidate(task(), generation(replies))
    assert candidate.files == dict(task().workspace.files)  # type: ignore[union-attr]
    assert candidate.notes == ("ended before it was done",)


@pytest.mark.parametrize(
    ("settings", "reply", "taken"),
    [
        ({"steps": 3}, native(("list", {})), 3),
        ({"idle": 2}, Completion(text="I would write it."), 2),
        ({"tokens": 300}, native(("list", {}), usage=Usage(prompt_tokens=90, completion_tokens=20)), 3),
        ({"cost_usd": 0.05}, native(("list", {}), usage=Usage(cost_usd=0.02)), 3),
        ({"wall_s": 9.0}, native(("build", {}), seconds=1.5), 3),
    ],
)  # fmt: skip
def test_a_sample_ends_at_each_limit(
    settings: dict[str, Any], reply: Completion, taken: int
) -> None:
    assert conversation(Agent(**settings), [reply] * 9)[1] == taken


def test_a_long_conversation_keeps_its_beginning_and_end_within_the_window() -> None:
    reply = native(
        ("write", {"path": "a.txt", "content": "word " * 400}), ("read", {"path": "a.txt"})
    )
    prompts, _ = conversation(Agent(window_tokens=3000), [reply] * 12)
    for prompt in prompts:
        assert sum(map(message_tokens, prompt.messages)) <= 3000
        assert prompt.messages[:2] == prompts[0].messages
        for message in prompt.messages:
            for call in message.calls or ():
                json.loads(call.arguments)
    assert last(prompts).startswith("word word")
    assert any("left out here" in m.content for m in prompts[-1].messages)


def test_a_conversation_that_is_too_long_for_the_model_is_halved_or_ended() -> None:
    read = native(("read", {"path": PATH}))
    long = Completion(text="", finish=FinishReason.CONTEXT)
    prompts, taken = conversation(Agent(), [read, read, read, long, native(("done", {}))])
    assert taken == 5
    assert len(prompts[4].messages) < len(prompts[3].messages) or any(
        "left out" in m.content for m in prompts[4].messages
    )
    assert conversation(Agent(), [long])[1] == 1


def test_the_same_replies_are_asked_for_the_same_again() -> None:
    replies = [native(("read", {"path": PATH})), native(("build", {})), native(("test", {}))]
    first, second = (conversation(Agent(), replies)[0] for _ in range(2))
    assert [p.key for p in first] == [p.key for p in second]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('```json\n{"tool": "read", "path": "a"}\n```', [("read", {"path": "a"})]),
        ('```\n{"name": "read", "arguments": {"path": "a"}}\n```', [("read", {"path": "a"})]),
        ('so {"tool": "build"} it is', [("build", {})]),
        ('```json\n{"tool": "write", "path": "a"}\n```\n```\nx\n```', [("write", {"path": "a", "content": "x\n"})]),
        ('```\n{"tool": "write", "path": "a", "content": "1\n2"}\n```', [("write", {"path": "a", "content": "1\n2"})]),
        ('<think>{"tool": "done"}</think>```\n{"tool": "list"}\n```', [("list", {})]),
        ('```json\n{"tool": "list"}\n```\n```json\n{"tool": "done"}\n```', [("list", {})]),
        ('```json\n{"tool": "read", "path": ', []),
        ("no call at all", []),
    ],
)  # fmt: skip
def test_one_action_is_read_from_text(text: str, found: list[tuple[str, dict[str, Any]]]) -> None:
    read = actions(Completion(text=text), "text")
    assert [(action.tool, action.arguments) for action in read] == found


def test_tasks_without_a_workspace_and_limits_of_nothing_are_refused() -> None:
    with pytest.raises(UserError, match="no workspace"):
        Agent().expand([whole_source()])
    with pytest.raises(UserError, match=r"strategy\.steps"):
        Agent(steps=0)
    with pytest.raises(UserError, match=r"strategy\.protocol"):
        Agent(protocol="xml")  # type: ignore[arg-type]
