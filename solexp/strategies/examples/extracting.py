"""Solved tasks made of Solidity: its contracts or its functions, with their documentation."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Literal

import msgspec

from solexp.core import Task
from solexp.solidity.comments import comments, without_comments
from solexp.solidity.contracts import Definition
from solexp.solidity.functions.members import Member, members, plain
from solexp.solidity.lexing import mask
from solexp.solidity.parsing import outline
from solexp.strategies.base import Example

Granularity = Literal["contract", "function"]

_NATSPEC = re.compile(r"(?:/\*\*(?!/)(?:[^*]|\*(?!/))*+\*/|(?:///[^\n]*\n?[ \t]*)+)\s*\Z")
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
    return "function" if task.target.member else "contract"


def of_task(task: Task) -> Entry:
    """A task with its reference as the answer."""
    requirement = task.requirement.strip()
    if not requirement and not task.target.member:
        requirement = "\n".join(filter(None, map(plain, comments(task.framework))))
    return Entry(
        example=Example(
            id=task.id,
            requirement=requirement,
            signature=header(task.reference),
            code=aligned(task.reference),
            context=task.context.strip(),
        ),
        text=wanted(task),
    )


def wanted(task: Task) -> str:
    """What examples for a task are looked for by: its requirement, and the signatures of what is to be written."""
    signatures = header(task.reference) if task.target.member else task.framework
    return f"{task.requirement}\n{signatures}"


def of_source(source: str, place: str, kind: Granularity) -> Iterator[Entry]:
    """The contracts and libraries, or the functions, of a source that do something.

    Ids are ``place:Contract`` and ``place:Contract.signature``.
    """
    data = source.encode()
    end = 0
    for found in outline(source):
        above = data[end : found.start].decode()
        end = found.end
        working = [each for each in members(source, found.name) if not each.empty]
        if found.kind == "interface" or not working:
            continue
        if kind == "contract":
            yield _contract(data, found, working, above, place)
        else:
            yield from (_function(data, each, place) for each in working)


def _contract(
    data: bytes, found: Definition, working: Sequence[Member], above: str, place: str
) -> Entry:
    code = data[found.start : found.end].decode()
    requirement = documentation(above)
    said = [each.natspec for each in working if each.natspec]
    headers = [header(each.header + "{") for each in working]
    return Entry(
        example=Example(
            id=f"{place}:{found.name}",
            requirement=requirement or "\n".join(said),
            signature=header(code),
            code=aligned(code),
        ),
        text="\n".join((requirement, *said, header(code), *headers)),
    )


def _function(data: bytes, found: Member, place: str) -> Entry:
    signature = header(found.header + "{")
    return Entry(
        example=Example(
            id=f"{place}:{found.contract}.{found.signature}",
            requirement=found.natspec,
            signature=signature,
            code=aligned(data[found.start : found.end].decode()),
        ),
        text=f"{found.natspec}\n{signature}",
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
    return plain(comment) if _NATSPEC.match(comment.lstrip()) else ""


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
