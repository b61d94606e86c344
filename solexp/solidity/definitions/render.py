"""Some of the definitions of a set of sources, written out as Solidity."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable

from solexp.solidity.comments import without_comments
from solexp.solidity.definitions.index import CONTAINERS, Declaration, Index

DIRECTIVES = frozenset({"import", "pragma"})
_VALUE = re.compile(r"=(?!>)")
_INDENT = re.compile(r"[ \t]*\Z")


def render(index: Index, kept: Collection[int], *, comments: bool = True) -> str:
    """The definitions numbered ``kept``, in source order; contracts hold only those of their members that are kept.

    A member's contract is written around it whether it is among them or not. Directives (pragmas, imports) are left
    out: imported definitions stand in the text themselves. With ``comments``, each definition has the ones right above
    it and those within.
    """
    text = _outline(index, kept, lambda each: _written(index, each))
    return text if comments else without_comments(text)


def render_headers(index: Index, kept: Collection[int]) -> str:
    """The signatures of the definitions numbered ``kept``, grouped by contract; structs and enums in full."""
    return _outline(index, kept, lambda each: _signature(index, each), headers=True)


def _outline(
    index: Index,
    kept: Collection[int],
    write: Callable[[Declaration], str],
    *,
    headers: bool = False,
) -> str:
    chosen = set(kept)
    chosen |= {
        owner for number in kept if (owner := index.declarations[number].contract) is not None
    }
    pieces = []
    for each in _in_order(index, chosen):
        if each.kind not in CONTAINERS:
            pieces.append(write(each))
            continue
        members = [m for m in index.members(each.number) if m.number in chosen]
        head = index.header(each) + " {" if headers else _opening(index, each)
        pieces.append(_block(head, [write(member) for member in members], tight=headers))
    return "\n\n".join(piece.strip("\n") for piece in pieces) + "\n" if pieces else ""


def _in_order(index: Index, chosen: Collection[int]) -> Iterable[Declaration]:
    """Source order, but for files that are given before those they import: a base stands before what inherits it."""
    waiting = {
        each.name: each
        for each in index.declarations
        if each.number in chosen and each.kind in CONTAINERS
    }
    for each in index.declarations:
        if each.number not in chosen or each.contract is not None or each.kind in DIRECTIVES:
            continue
        if each.kind not in CONTAINERS:
            yield each
        else:
            yield from _with_bases(each, waiting)


def _with_bases(contract: Declaration, waiting: dict[str, Declaration]) -> Iterable[Declaration]:
    if waiting.pop(contract.name, None) is None:
        return
    for base in contract.bases:
        if base in waiting:
            yield from _with_bases(waiting[base], waiting)
    yield contract


def _block(head: str, members: Iterable[str], *, tight: bool) -> str:
    body = ("\n" if tight else "\n\n").join(member.strip("\n") for member in members)
    return f"{head}\n{body}\n}}" if body else f"{head}}}"


def _opening(index: Index, contract: Declaration) -> str:
    assert contract.brace is not None
    source = index.sources[contract.path]
    return source[contract.documented : contract.brace + 1].decode("utf-8", "replace")


def _written(index: Index, declaration: Declaration) -> str:
    """A definition with its comments and the indentation of its first line."""
    before = index.sources[declaration.path][: declaration.documented]
    line = before[before.rfind(b"\n") + 1 :].decode("utf-8", "replace")
    indent = _INDENT.search(line)
    return (indent[0] if indent else "") + index.text(declaration, documented=True)


def _signature(index: Index, declaration: Declaration) -> str:
    margin = "" if declaration.contract is None else "    "
    if declaration.kind in ("struct", "enum"):
        return margin + " ".join(without_comments(index.text(declaration)).split())
    header = index.header(declaration)
    if declaration.kind == "variable":
        header = _VALUE.split(header, maxsplit=1)[0].rstrip()
    return f"{margin}{header};"
