"""What a reply asks to have done: calls of tools in the server's own form, or written down as JSON."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, Literal

import msgspec

from solexp.core import Completion, Tool, ToolCall
from solexp.core.nesting import refuse_depth
from solexp.core.reply import well_formed, without_reasoning

Protocol = Literal["native", "text"]
"""``native``: tools in the form that the model's server has for them. ``text``: one JSON object a reply."""

MOST = 16
"""Calls of one reply that are looked at."""
_BLOCK = re.compile(r"^(`{3,}|~{3,})[^\n]*\n(.*?)^\1[ \t]*$", re.MULTILINE | re.DOTALL)
_STRING = {"type": "string"}
_PATH = {**_STRING, "description": "relative to the workspace, such as src/Vault.sol"}


def _tool(name: str, description: str, needed: dict[str, Any], **others: Any) -> Tool:
    return Tool(
        name,
        description,
        {"type": "object", "properties": {**needed, **others}, "required": list(needed)},
    )


TOOLS = (
    _tool("list", "List the files of the workspace.", {}),
    _tool(
        "read",
        "Read a file, or some of its lines (1-based, both included).",
        {"path": _PATH},
        first={"type": "integer"},
        last={"type": "integer"},
    ),
    _tool(
        "write",
        "Write a whole file, over what is there.",
        {"path": _PATH, "content": _STRING},
    ),
    _tool(
        "edit",
        "Replace a text that occurs exactly once in a file.",
        {"path": _PATH, "old": _STRING, "new": _STRING},
    ),
    _tool("build", "Compile everything: forge build.", {}),
    _tool("test", "Run the tests in test/*.t.sol: forge test.", {}),
    _tool("done", "Say that the work is finished.", {}),
)
_BY_NAME = {tool.name: tool for tool in TOOLS}


class Action(msgspec.Struct, frozen=True, kw_only=True):
    """One thing to do."""

    tool: str
    arguments: dict[str, Any] = {}
    call: str | None = None
    """The id by which the server knows it."""
    wrong: str | None = None
    """Why it cannot be done, where that shows by itself."""


def actions(reply: Completion, protocol: Protocol) -> tuple[Action, ...]:
    """What a reply asks for, in order; nothing where it asks for nothing."""
    if protocol == "native":
        return tuple(
            _native(call) if number < MOST else _too_many(call)
            for number, call in enumerate(reply.calls or ())
        )
    text, _ = without_reasoning(reply.text)
    found = next(_written(text), None)
    return () if found is None else (found,)


def _too_many(call: ToolCall) -> Action:
    wrong = f"not done: only the first {MOST} calls of a reply are"
    return Action(tool=call.name, call=call.id, wrong=wrong)


def _native(call: ToolCall) -> Action:
    try:
        refuse_depth(call.arguments)
        said = json.loads(call.arguments or "{}", strict=False)
    except ValueError as error:
        wrong = f"the arguments are no JSON: {error}"
        return Action(tool=call.name, call=call.id, wrong=wrong[:200])
    if not isinstance(said, dict):
        return Action(tool=call.name, call=call.id, wrong="the arguments must be a JSON object")
    return _checked(call.name, said, call.id)


def _written(text: str) -> Iterator[Action]:
    """The objects with a key ``tool`` in a text, those in fences first."""
    for block in _BLOCK.finditer(text):
        said = _object(block[2])
        if said is not None:
            # Code is hard to write within JSON: a block after it will do.
            after = _BLOCK.search(text, block.end())
            yield _named(said, after[2] if after else None)
    decoder = json.JSONDecoder(strict=False)
    try:
        refuse_depth(text)
    except ValueError:
        return
    for found in re.finditer(r"\{\s*\"", text):
        try:
            said, _ = decoder.raw_decode(text, found.start())
        except ValueError:
            continue
        if isinstance(said, dict) and _name(said) is not None:
            yield _named(said, None)


def _object(text: str) -> dict[str, Any] | None:
    try:
        refuse_depth(text)
        said = json.loads(text, strict=False)
    except ValueError:
        return None
    return said if isinstance(said, dict) and _name(said) is not None else None


def _name(said: dict[str, Any]) -> str | None:
    name = said.get("tool", said.get("name"))
    return name if isinstance(name, str) else None


def _named(said: dict[str, Any], after: str | None) -> Action:
    inner = said.get("arguments")
    arguments = dict(inner) if isinstance(inner, dict) else dict(said)
    name = _name(said) or ""
    if name == "write" and "content" not in arguments and after is not None:
        arguments["content"] = after
    return _checked(name, arguments, None)


def _checked(name: str, said: dict[str, Any], call: str | None) -> Action:
    """The action, its arguments those of the tool alone and of the right kinds."""
    tool = _BY_NAME.get(name)
    if tool is None:
        wrong = f"there is no tool '{name[:40]}'; there are {', '.join(_BY_NAME)}"
        return Action(tool=name, call=call, wrong=wrong)
    arguments: dict[str, Any] = {}
    for key, schema in tool.parameters["properties"].items():
        value = said.get(key)
        if value is None:
            if key in tool.parameters["required"]:
                return Action(tool=name, call=call, wrong=f"'{key}' is missing")
        elif schema["type"] == "string":
            if not isinstance(value, str):
                return Action(tool=name, call=call, wrong=f"'{key}' must be a text")
            arguments[key] = well_formed(value)
        elif isinstance(value, int) and not isinstance(value, bool):
            arguments[key] = value
        else:
            return Action(tool=name, call=call, wrong=f"'{key}' must be a whole number")
    return Action(tool=name, arguments=arguments, call=call)
