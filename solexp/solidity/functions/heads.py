"""The heads of functions: everything from the keyword to the brace that opens the body.

Read from masked text (see `solexp.solidity.lexing.mask`), so that every Solidity since 0.4.11 and what models write can
be read alike, whether a grammar takes it or not. Positions are character offsets.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal

import msgspec

from solexp.solidity.functions.types import Parameter, parameters

Kind = Literal["function", "constructor", "modifier", "fallback", "receive"]

VISIBILITIES = frozenset({"public", "external", "internal", "private"})
MUTABILITIES = frozenset({"pure", "view", "payable", "constant"})

KEYWORD = re.compile(r"(?<![\w$.])(?:function|constructor|modifier|fallback|receive)(?![\w$])")
BOUNDARY = re.compile(KEYWORD.pattern + r"|[{};]")
_TOKEN = re.compile(r"\s*+([\w$]++(?:\s*+\.\s*+[\w$]++)*+|\S)")
_PAREN = re.compile(r"[();]")


_ENDS = frozenset(
    ("function", "constructor", "modifier", "contract", "library", "interface", "event", "struct")
)
"""Words that no head goes on with: so no text is read twice."""


class Head(msgspec.Struct, frozen=True, kw_only=True):
    """A function's head, as it is written."""

    kind: Kind
    name: str
    """Empty for constructors (those named after their contract have its name), fallback and receive functions."""
    parameters: tuple[Parameter, ...] = ()
    returns: tuple[Parameter, ...] = ()
    visibility: str | None = None
    """None where nothing is written."""
    mutability: str | None = None
    virtual: bool = False
    override: bool = False
    modifiers: tuple[str, ...] = ()
    """Modifiers and base constructors, with their arguments as the masked text has them, white space taken out."""
    start: int
    brace: int | None
    """Where the body opens; None where there is none."""
    after: int
    """Just past the head: where the brace or the semicolon stands."""

    @property
    def types(self) -> tuple[str, ...]:
        """The canonical types of the parameters."""
        return tuple(parameter.type for parameter in self.parameters)

    @property
    def signature(self) -> str:
        """``name(type,type)``; constructors, fallback and receive functions go by those words."""
        name = self.name if self.kind in ("function", "modifier") else self.kind
        return f"{name}({','.join(self.types)})"


def parentheses(masked: str) -> dict[int, int]:
    """Where each parenthesis of a masked text is closed: the offset just past it. A semicolon ends what is open."""
    pairs, opened = {}, []
    for match in _PAREN.finditer(masked):
        if match[0] == "(":
            opened.append(match.start())
        elif match[0] == ";":
            opened.clear()
        elif opened:
            pairs[opened.pop()] = match.end()
    return pairs


def read_head(masked: str, start: int, closing: dict[int, int]) -> Head | None:
    """The head whose keyword stands at ``start``; None when what follows is none, such as prose or a function's type.

    ``closing`` are the text's `parentheses`.
    """
    match = KEYWORD.match(masked, start)
    if match is None:
        return None
    kind, name, position = match[0], "", match.end()
    token = _TOKEN.match(masked, position)
    if kind in ("function", "modifier") and token is not None and token[1] != "(":
        name, position = token[1], token.end()
        token = _TOKEN.match(masked, position)
        if not (name[0].isalpha() or name[0] in "_$") or "." in name:
            return None
    given: tuple[Parameter, ...] = ()
    if token is not None and token[1] == "(":
        end = closing.get(token.start(1))
        if end is None:
            return None
        given = parameters(masked[token.end() : end - 1])
        position = end
    elif kind != "modifier":
        return None
    if kind == "modifier" and not name:
        return None
    if kind == "function" and not name:
        kind = "fallback"
    begun = Head(
        kind=kind,  # type: ignore[arg-type]
        name=name,
        parameters=given,
        start=start,
        brace=None,
        after=position,
    )
    return read_tail(masked, begun, closing)


def read_tail(masked: str, begun: Head, closing: dict[int, int]) -> Head | None:
    """The head whose parameters end at ``begun.after``, read on from there: visibility, modifiers, what it returns."""
    position = begun.after
    visibility = mutability = None
    virtual = override = False
    returns: tuple[Parameter, ...] = ()
    modifiers: list[str] = []
    while (token := _TOKEN.match(masked, position)) is not None:
        word, position = token[1], token.end()
        if word in ("{", ";"):
            return msgspec.structs.replace(
                begun,
                returns=returns,
                visibility=visibility,
                mutability=mutability,
                virtual=virtual,
                override=override,
                modifiers=tuple(modifiers),
                brace=token.start(1) if word == "{" else None,
                after=token.start(1),
            )
        if not (word[0].isalpha() or word[0] in "_$") or word in _ENDS:
            return None
        arguments = ""
        following = _TOKEN.match(masked, position)
        if (
            following is not None
            and following[1] == "("
            and word not in VISIBILITIES | MUTABILITIES | {"virtual"}
        ):
            end = closing.get(following.start(1))
            if end is None:
                return None
            arguments, position = masked[following.start(1) : end], end
        if word in VISIBILITIES:
            visibility = word
        elif word in MUTABILITIES:
            mutability = word
        elif word == "virtual":
            virtual = True
        elif word == "override":
            override = True
        elif word == "returns":
            returns = parameters(arguments[1:-1])
        else:
            modifiers.append("".join((word + arguments).split()))
    return None


def heads_in(
    masked: str, start: int, end: int, braces: dict[int, int], closing: dict[int, int]
) -> Iterator[tuple[Head, int]]:
    """The members of a definition whose body lies between ``start`` and ``end``, its braces left out.

    Each with where the member before it, or whatever else stands there, has ended. ``braces`` are the text's
    `solexp.solidity.lexing.brace_pairs`.
    """
    boundary = position = start
    while (match := BOUNDARY.search(masked, position, end)) is not None:
        found = match[0]
        if found in "{;}":
            position = braces.get(match.start(), match.end()) if found == "{" else match.end()
            boundary = position
            continue
        position = match.end()
        if masked[boundary : match.start()].strip():
            continue
        head = read_head(masked, match.start(), closing)
        if head is not None:
            yield head, boundary
            position = head.after
