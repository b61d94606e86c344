"""Soft constraints: inputs that look like the task's own, apart from what must differ.

A preference is tried as an assumption; where all of them cannot hold, those in the conflict that matter least go first.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from solexp.violations.python import arith
from solexp.violations.python.inputs import Node, elements
from solexp.violations.python.logic import and_, implies, not_, or_
from solexp.violations.python.seeds import companion, kind_of
from solexp.violations.python.terms import Bool
from solexp.violations.python.values import Text

CONTENT, NEARBY, KIND, SIZE, OUTER, VARIED = range(6)
"""How much it matters: a scalar is as given, or near it; its kind; length and kind of a container; variety."""


class Preference(msgspec.Struct, frozen=True):
    rank: int
    term: Bool
    path: str


def preferences(node: Node, hint: object, there: Bool = True) -> Iterator[Preference]:
    """What makes a node like ``hint``, of those parts that have come into being."""
    kind = kind_of(hint)
    outer = isinstance(hint, list | tuple | set | frozenset | dict)
    if kind in node.kinds:
        wanted = implies(there, node.is_kind(kind))
        yield Preference(OUTER if outer else KIND, wanted, node.path)
    for each in node.kinds:
        here = and_(there, node.is_kind(each))
        like = companion(each, hint)
        for rank, term in _content(node, each, like):
            yield Preference(rank, implies(here, term), node.path)
    yield from _inner(node, hint, there)


def _content(node: Node, kind: str, like: object) -> Iterator[tuple[int, Bool]]:
    if kind == "bool":
        yield CONTENT, node.truth if like else not_(node.truth)
    elif kind == "int" and isinstance(like, int) and abs(like) <= node.shape.largest_int:
        yield CONTENT, arith.equal(node.number, int(like))
        yield NEARBY, or_(*(arith.equal(node.number, each) for each in neighbours(int(like))))
        yield KIND, near(node, int(like))
    elif kind == "float" and isinstance(like, float):
        eighths = round(like * 8)
        yield CONTENT, arith.equal(node.eighths, eighths)
        nearby = [eighths, eighths + 4, eighths - 4, -eighths, 4, -4, 12, -12, 20, -20, 0]
        yield NEARBY, or_(*(arith.equal(node.eighths, each) for each in nearby))
        yield (
            KIND,
            and_(arith.at_most(-8 * 100, node.eighths), arith.at_most(node.eighths, 8 * 1000)),
        )
    elif kind == "str" and node.words is not None:
        yield from _word(node, like)


def neighbours(like: int) -> list[int]:
    """Numbers that come to mind beside one."""
    return list(dict.fromkeys([like, -like, 0, 1, -1, 2, -2, 3, -3, like + 1, like - 1, 10]))


def near(node: Node, like: int) -> Bool:
    """Numbers that a person would write."""
    reach = max(20, 2 * abs(like))
    return and_(arith.at_most(-reach, node.number), arith.at_most(node.number, reach))


def _word(node: Node, like: object) -> Iterator[tuple[int, Bool]]:
    assert node.words is not None
    if like in node.words:
        yield CONTENT, node.is_word(node.words.index(like))
    plain = [node.is_word(n) for n, word in enumerate(node.words) if isinstance(word, str)]
    yield KIND, or_(*plain)
    for place, word in enumerate(node.words):
        if not isinstance(word, Text):
            continue
        for guard, char in word.items:
            if not isinstance(char, str):
                letter = and_(arith.at_most(ord("a"), char), arith.at_most(char, ord("z")))
                yield CONTENT, implies(and_(node.is_word(place), guard), letter)


def _inner(node: Node, hint: object, there: Bool) -> Iterator[Preference]:
    own = list(elements(hint))
    if node.children is None and node.keys is None:
        return
    if own and len(own) <= node.shape.bounds.length:
        holds = or_(
            *(node.is_kind(kind) for kind in node.kinds if kind in ("list", "tuple", "set", "dict"))
        )
        yield Preference(
            SIZE, implies(and_(there, holds), arith.equal(node.size, len(own))), node.path
        )
    for n, child in enumerate(node.children or ()):
        if own or not isinstance(hint, list | tuple | set | dict):
            like = own[n % len(own)] if own else hint
            yield from preferences(child, like, and_(there, node.has(n)))
    keys = list(hint) if isinstance(hint, dict) else []
    for n, key in enumerate(node.keys or ()):
        yield from preferences(key, keys[n] if n < len(keys) else name(n), and_(there, node.has(n)))


def name(place: int) -> str:
    """A key for a dict that has no like among the inputs."""
    return "abcdefghijklmnopqrstuvwxyz"[place % 26]


def differs(node: Node, value: object) -> Bool:
    """Whether a node is another value than a model gave it, as far as formulas can tell."""
    kind = kind_of(value)
    if kind not in node.kinds:
        return True
    return or_(not_(node.is_kind(kind)), _content_differs(node, kind, value))


def _content_differs(node: Node, kind: str, value: object) -> Bool:
    if kind == "bool":
        return not_(node.truth) if value else node.truth
    if kind == "int" and isinstance(value, int):
        return not_(arith.equal(node.number, value))
    if kind == "float" and isinstance(value, float):
        return not_(arith.equal(node.eighths, round(value * 8)))
    if kind == "str":
        return _word_differs(node, value)
    own = list(elements(value))
    parts: list[Bool] = []
    if node.children is not None:
        if len(own) <= node.shape.bounds.length:
            parts.append(not_(arith.equal(node.size, len(own))))
        parts += [differs(child, each) for child, each in zip(node.children, own, strict=False)]
    if node.keys is not None and isinstance(value, dict):
        parts += [differs(key, each) for key, each in zip(node.keys, value, strict=False)]
    return or_(*parts)


def _word_differs(node: Node, value: object) -> Bool:
    if node.words is None or not isinstance(value, str):
        return False
    same = []
    for place, word in enumerate(node.words):
        if isinstance(word, str):
            if word == value:
                same.append(node.is_word(place))
        elif len(value) <= len(word.items):
            here = [node.is_word(place)]
            for n, (guard, char) in enumerate(word.items):
                if n < len(value):
                    code = arith.equal(ord(char) if isinstance(char, str) else char, ord(value[n]))
                    here += [guard, code]
                else:
                    here.append(not_(guard))
            same.append(and_(*here))
    return not_(or_(*same))
