"""Solved tasks made of Solidity: its contracts or its functions, with their documentation."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal

import msgspec

from solexp.core import Task
from solexp.solidity.comments import comments, without_comments
from solexp.solidity.contracts import Definition, Function
from solexp.solidity.lexing import mask
from solexp.solidity.parsing import definitions
from solexp.strategies.base import Example

Granularity = Literal["contract", "function"]

_NATSPEC = re.compile(r"(?:/\*\*(?!/)(?:[^*]|\*(?!/))*+\*/|(?:///[^\n]*\n?[ \t]*)+)\s*\Z")
_MARKS = re.compile(r"\A\s*/\*+|\*+/\s*\Z|^[ \t]*(?:\*(?!/)|/{2,})?[ \t]?", re.MULTILINE)
_SPACE = re.compile(r"\s+")
_FUNCTION = re.compile(r"\s*(?:function|constructor|modifier|fallback|receive)\b")
_CONTRACT = re.compile(r"\s*(?:abstract\s+)?(?:contract|library|interface)\s+[\w$]+")


class Entry(msgspec.Struct, frozen=True, kw_only=True):
    """An example of a pool."""

    example: Example
    text: str
    """What it is found by: requirement and signatures."""


def granularity(task: Task) -> Granularity:
    """What a task asks for."""
    return "function" if "parent" in task.facts else "contract"


def of_task(task: Task) -> Entry:
    """A task with its reference as the answer."""
    documentation = "\n".join(filter(None, map(prose, comments(task.framework))))
    requirement = task.requirement.strip() or documentation
    signature = str(task.facts.get("signature_text") or "") or header(task.reference)
    return Entry(
        example=Example(
            id=task.id,
            requirement=requirement,
            signature=signature,
            code=aligned(task.reference),
            context=task.context.strip(),
        ),
        text=wanted(task),
    )


def wanted(task: Task) -> str:
    """What examples for a task are looked for by: its requirement, and the signatures of what is to be written."""
    signature = task.facts.get("signature_text")
    return "\n".join((task.requirement, str(signature or task.framework)))


def of_source(source: str, place: str, kind: Granularity) -> Iterator[Entry]:
    """The contracts and libraries, or the functions, of a source that do something.

    Ids are ``place:Contract`` and ``place:Contract.function(types)``.
    """
    data = source.encode()
    end = 0
    for found in definitions(source):
        above = data[end : found.start].decode()
        end = found.end
        working = [each for each in found.functions if not each.empty]
        if found.kind == "interface" or not working:
            continue
        if kind == "contract":
            yield _contract(data, found, above, place)
        else:
            yield from _functions(data, found, working, place)


def _contract(data: bytes, found: Definition, above: str, place: str) -> Entry:
    code = data[found.start : found.end].decode()
    headers = [header(data[each.start : each.end].decode()) for each in found.functions]
    requirement = documentation(above)
    said = [prose(comment) for comment in comments(code) if comment.startswith(("/**", "///"))]
    return Entry(
        example=Example(
            id=f"{place}:{found.name}",
            requirement=requirement or "\n".join(filter(None, said)),
            signature=header(code),
            code=aligned(code),
        ),
        text="\n".join((requirement, *said, header(code), *headers)),
    )


def _functions(
    data: bytes, found: Definition, working: list[Function], place: str
) -> Iterator[Entry]:
    for each in working:
        code = data[each.start : each.end].decode()
        signature = header(code)
        requirement = documentation(data[found.start : each.start].decode())
        name = each.name or each.kind
        yield Entry(
            example=Example(
                id=f"{place}:{found.name}.{name}({','.join(each.parameters)})",
                requirement=requirement,
                signature=signature,
                code=aligned(code),
            ),
            text=f"{requirement}\n{signature}",
        )


def documentation(above: str) -> str:
    """The NatSpec that ends the text ``above`` a definition, as prose; empty where none does."""
    # A doc comment is short: looking no further keeps this linear.
    tail = above[-20_000:]
    starts = [tail.rfind("/**")] if tail.rstrip().endswith("*/") else []
    if not starts:
        lines = tail.split("\n")
        first = len(lines) - 1
        while first and lines[first - 1].lstrip().startswith("///"):
            first -= 1
        starts = [len("\n".join(lines[:first])) + (1 if first else 0)]
    comment = tail[max(starts[0], 0) :]
    return prose(comment) if _NATSPEC.match(comment.lstrip()) else ""


def prose(comment: str) -> str:
    """A comment without its marks.

    >>> prose("/** @notice Pays out.\\n * @param to who */")
    '@notice Pays out.\\n@param to who'
    """
    return "\n".join(line.rstrip() for line in _MARKS.sub("", comment).strip().splitlines())


def aligned(code: str) -> str:
    """``code`` with its lines moved to the left until the last one, its closing brace, begins there."""
    first, _, rest = code.strip("\n").partition("\n")
    last = rest.rpartition("\n")[2]
    indent = last[: len(last) - len(last.lstrip())]
    lines = [line.removeprefix(indent) for line in rest.split("\n")] if rest else []
    return "\n".join((first.lstrip(), *lines))


def header(code: str) -> str:
    """A definition up to its body, on one line; empty for what is none.

    >>> header("function f(uint a)\\n  public { }")
    'function f(uint a) public'
    """
    bare = without_comments(code)
    masked = mask(bare)
    if not (_FUNCTION.match(masked) or _CONTRACT.match(masked)):
        return ""
    depth, end = 0, len(bare)
    for place, char in enumerate(masked):
        if char == "(":
            depth += 1
        elif char == ")":
            depth -= 1
        elif char in "{;" and depth <= 0:
            end = place
            break
    return _SPACE.sub(" ", bare[:end]).strip()


def is_of(code: str, kind: Granularity) -> bool:
    """Whether ``code`` is what an example of that granularity shows: one with a body."""
    masked = mask(code)
    pattern = _FUNCTION if kind == "function" else _CONTRACT
    return pattern.match(masked) is not None and "{" in masked
