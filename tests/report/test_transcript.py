"""A conversation is kept a turn at a time and shown as a whole."""

from __future__ import annotations

from pathlib import Path

import msgspec

from solexp.core import Completion, Generation, Message, Prompt, Tool, ToolCall, Usage
from solexp.report.transcript import lines
from solexp.store import RunFolder
from solexp.store.records import write_lines
from solexp.store.runfolder import addition

CALL = ToolCall("c1", "read", '{"path": "a"}')
OPENING = (Message("system", "be good"), Message("user", "do it"))
TURN = (Message("assistant", "I look", (CALL,)), Message("tool", "the text", answers="c1"))
TOOLS = (Tool("read", "Read.", {}),)


def prompts() -> tuple[Prompt, Prompt]:
    first = Prompt(
        task_id="t", messages=OPENING, tools=TOOLS, holds={"step": 0, "follows": "", "fresh": 2}
    )
    second = Prompt(
        task_id="t",
        messages=(*OPENING, *TURN),
        tools=TOOLS,
        holds={"step": 1, "follows": first.key, "fresh": 2},
    )
    return first, second


def test_a_turn_adds_only_what_is_new_and_keeps_the_key_of_the_whole(tmp_path: Path) -> None:
    first, second = prompts()
    write_lines(tmp_path / "prompts.jsonl", map(addition, (first, second)))
    kept = RunFolder(tmp_path).prompts()
    assert [p.messages for p in kept] == [OPENING, TURN]
    assert [p.key for p in kept] == [first.key, second.key]
    assert addition(first) == first
    assert kept[1].tools is msgspec.UNSET


def test_a_conversation_is_shown_in_order(tmp_path: Path) -> None:
    first, second = prompts()
    write_lines(tmp_path / "prompts.jsonl", map(addition, (second, first)))
    replies = (
        Completion(text="I look", calls=(CALL,), usage=Usage(prompt_tokens=9, completion_tokens=3)),
        Completion(text="That is all."),
    )
    made = Generation(
        key="k", task_id="t", batch="b", repeat=0, index=0, completion=replies[1], earlier=replies[:1],
        prompts=(first.key, second.key),
    )  # fmt: skip
    shown = [line.strip() for line in lines(RunFolder(tmp_path), made) if line.strip()]
    assert shown == [
        "instructions:", "be good", "told:", "do it", "[1] the model (9 tokens in, 3 out):", "I look",
        '-> read {"path": "a"}', "the tool:", "the text", "[2] the model:", "That is all.",
    ]  # fmt: skip
    plain = Prompt(task_id="t", messages=OPENING)
    write_lines(tmp_path / "prompts.jsonl", [plain])
    assert (
        list(lines(RunFolder(tmp_path), msgspec.structs.replace(made, prompts=(plain.key,)))) == []
    )
