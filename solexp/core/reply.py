"""What a model's reply is made of, whatever language it holds: reasoning, fences, refusals, JSON."""

from __future__ import annotations

import json
import re
from typing import TypeVar

import msgspec

from solexp.core.candidate import NoCode
from solexp.core.prompt import FinishReason

FENCE = re.compile(r"^[ \t>]*(?:`{3,}|~{3,})[^\n]*\n?", re.MULTILINE)
_REASONING_TAG = r"(?:think|thinking|thought|reasoning|scratchpad)"
REASONING_START = re.compile(rf"\s*<{_REASONING_TAG}>", re.IGNORECASE)
_REASONING_END = re.compile(rf"</{_REASONING_TAG}>", re.IGNORECASE)
_REASONING_ANY = re.compile(rf"<{_REASONING_TAG}>", re.IGNORECASE)
REFUSAL = re.compile(
    r"\bI(?:['’]m| am) (?:sorry|unable|not able)\b|\bI (?:cannot|can['’]?t|can not|won['’]t|must decline)\b"
    r"|\bI apologi[sz]e\b|\bmy apologies\b|\bas an AI\b",
    re.IGNORECASE,
)


T = TypeVar("T")


class Extraction(msgspec.Struct, frozen=True):
    """The target's code, or the reason why a reply holds none: exactly one of ``code`` and ``no_code`` is set."""

    code: str | None = None
    no_code: NoCode | None = None
    notes: tuple[str, ...] = ()
    """What had to be done to find the code, or what stood in its place."""


def well_formed(text: str) -> str:
    """The text with lone surrogates, which no UTF-8 can hold, replaced by U+FFFD."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


def without_reasoning(reply: str) -> tuple[str, tuple[str, ...]]:
    """The reply after its reasoning. An opening tag may be missing (chat templates eat it), or the closing one."""
    ends = list(_REASONING_END.finditer(reply))
    if ends and (REASONING_START.match(reply) or not _REASONING_ANY.search(reply)):
        return reply[ends[-1].end() :], ("reasoning left out",)
    return reply, ()


def json_strings(text: str) -> list[str]:
    """Every string in a reply that is JSON; replies with structured output hold their code so."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return []
    strings, queue = [], [value]
    while queue:
        item = queue.pop()
        if isinstance(item, str):
            strings.append(well_formed(item))
        elif isinstance(item, list | dict):
            queue.extend(item.values() if isinstance(item, dict) else item)
    return strings


def reason_for_none(
    text: str, finish: FinishReason, *, cut: bool, defines: bool, opened: bool
) -> NoCode:
    """Why a reply, its reasoning taken off, holds no target.

    ``cut`` says that it ends within the target, ``defines`` that it defines something else, ``opened`` that it ends
    within something else.
    """
    if finish is FinishReason.CONTEXT:
        return NoCode.PROMPT_TOO_LONG
    if finish is FinishReason.REFUSED:
        return NoCode.REFUSED
    if cut or finish is FinishReason.LENGTH or REASONING_START.match(text):
        return NoCode.TRUNCATED
    if not text.strip():
        return NoCode.EMPTY
    if not defines and REFUSAL.search(text):
        return NoCode.REFUSED
    return NoCode.TRUNCATED if opened else NoCode.NOTHING_FOUND


def json_object(text: str, kind: type[T]) -> T:
    """The JSON object in a reply, as ``kind`` has it. Raises ValueError, in one line, where there is none such."""
    words, _ = without_reasoning(text)
    found = re.search(r"\{.*\}", words, re.DOTALL)
    if found is None:
        raise ValueError("there is no JSON object in it")
    try:
        return msgspec.convert(json.loads(found[0]), kind)
    except json.JSONDecodeError as error:
        raise ValueError(f"it does not parse: {error}") from None
    except (msgspec.ValidationError, RecursionError) as error:
        raise ValueError(str(error)) from None
