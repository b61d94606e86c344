"""Expressions of a contract with all that is local replaced: what is left are state, the call's arguments, context."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from solexp.dcr.expressions import Expression, shown

UNKNOWN = Expression("name", "?")
"""A value of which nothing is said."""
MOST_NODES = 300
"""Larger expressions than this are not followed."""
TRUE, FALSE = Expression("literal", "true"), Expression("literal", "false")
ZERO = Expression("literal", "0")


def name(text: str) -> Expression:
    return Expression("name", text)


def member(base: Expression, text: str) -> Expression:
    return Expression("member", text, (base,))


def binary(left: Expression, operator: str, right: Expression) -> Expression:
    return bounded(Expression("binary", operator, (left, right)))


def bounded(tree: Expression) -> Expression:
    """The expression, or nothing known where it is too large."""
    return tree if sum(1 for _ in tree.walk()) <= MOST_NODES else UNKNOWN


def known(tree: Expression) -> bool:
    """Whether every part is known."""
    return UNKNOWN not in tree.walk()


_OPPOSITES = {
    "==": "!=",
    "!=": "==",
    "<": ">=",
    ">=": "<",
    ">": "<=",
    "<=": ">",
    "&&": "||",
    "||": "&&",
}


def opposite(tree: Expression) -> Expression:
    """What holds where a condition does not, as a person would write it."""
    if not known(tree):
        return UNKNOWN
    if tree.kind == "unary" and tree.text == "!":
        return tree.parts[0]
    if tree in (TRUE, FALSE):
        return FALSE if tree == TRUE else TRUE
    if tree.kind == "binary" and tree.text in ("&&", "||"):
        return Expression("binary", _OPPOSITES[tree.text], tuple(map(opposite, tree.parts)))
    if tree.kind == "binary" and tree.text in _OPPOSITES:
        return Expression("binary", _OPPOSITES[tree.text], tree.parts)
    return Expression("unary", "!", (tree,))


def joined(parts: Iterable[Expression], operator: str = "&&") -> Expression | None:
    """The parts joined, or None where there are none."""
    found: Expression | None = None
    for part in parts:
        found = part if found is None else Expression("binary", operator, (found, part))
    return found


def atoms(tree: Expression) -> Iterator[Expression]:
    """What a condition joins by ``&&``."""
    if tree.kind == "binary" and tree.text == "&&":
        for part in tree.parts:
            yield from atoms(part)
    else:
        yield tree


def family(tree: Expression) -> str | None:
    """The variable that a place belongs to, with members but without keys: ``orders.amount``; None for no place."""
    if tree.kind == "name":
        return tree.text
    if tree.kind == "index":
        return family(tree.parts[0])
    if tree.kind == "member":
        base = family(tree.parts[0])
        return None if base is None else f"{base}.{tree.text}"
    return None


def keyed(tree: Expression) -> bool:
    """Whether a place is one of many: an element of a mapping or array."""
    return tree.kind == "index" or (tree.kind == "member" and keyed(tree.parts[0]))


def related(one: str, other: str) -> bool:
    """Whether two families are the same, or one is a part of the other."""
    return one == other or one.startswith(f"{other}.") or other.startswith(f"{one}.")


def places(tree: Expression) -> Iterator[Expression]:
    """The outermost places of an expression: names, members and elements, not the names within them but in keys."""
    if family(tree) is not None:
        yield tree
        while tree.kind in ("index", "member"):
            if tree.kind == "index":
                yield from places(tree.parts[1])
            tree = tree.parts[0]
        return
    for part in tree.parts:
        yield from places(part)


def replaced(tree: Expression, old: Expression, new: Expression) -> Expression:
    """An expression with a part replaced wherever it stands."""
    if tree == old:
        return new
    parts = tuple(replaced(part, old, new) for part in tree.parts)
    return tree if parts == tree.parts else Expression(tree.kind, tree.text, parts)


def text(tree: Expression) -> str:
    """As Solidity, without parentheses around the whole."""
    found = shown(tree)
    whole = tree.kind in ("binary", "choice") and found.startswith("(")
    return found[1:-1] if whole else found
