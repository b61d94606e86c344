"""Values as assignments to a node's variables, and what formulas say of them: a check that needs no solver."""

from __future__ import annotations

from collections.abc import Sequence

from solexp.violations.python.inputs import LARGEST_FLOAT, Node, elements
from solexp.violations.python.seeds import kind_of
from solexp.violations.python.terms import Number, Term, value_of
from solexp.violations.python.texts import HIGHEST, LOWEST
from solexp.violations.python.translating import Formulas, Translation
from solexp.violations.python.values import Text

Assignment = dict[Term, Number | bool]


class OutOfBounds(Exception):
    """A value that a node cannot be."""


def assign(roots: Sequence[Node], values: Sequence[object]) -> Assignment:
    """The variables that make each root its value. Raises OutOfBounds."""
    found: Assignment = {}
    for root, value in zip(roots, values, strict=True):
        _assign(root, value, found)
    return found


def _assign(node: Node, value: object, found: Assignment) -> None:
    kind = kind_of(value)
    if kind not in node.kinds:
        raise OutOfBounds(kind)
    for each in node.kinds:
        _pick(node.is_kind(each), each == kind, found)
    if kind == "bool":
        found[node.truth] = bool(value)
    elif isinstance(value, int):
        if abs(value) > node.shape.largest_int:
            raise OutOfBounds(value)
        found[node.number] = value
    elif kind == "float" and isinstance(value, float):
        if abs(value) > LARGEST_FLOAT or value * 8 != int(value * 8):
            raise OutOfBounds(value)
        found[node.eighths] = int(value * 8)
    elif isinstance(value, str):
        _assign_word(node, value, found)
    elif kind in ("list", "tuple", "set", "dict"):
        _assign_elements(node, value, found)


def _pick(term: Term | bool, holds: bool, found: Assignment) -> None:
    if isinstance(term, Term):
        found[term] = holds


def _assign_word(node: Node, value: str, found: Assignment) -> None:
    _ = node.value
    assert node.words is not None
    place = node.words.index(value) if value in node.words else _open(node, value, found)
    for n in range(len(node.words)):
        _pick(node.is_word(n), n == place, found)


def _open(node: Node, value: str, found: Assignment) -> int:
    """The place of the first word with open characters that ``value`` can be."""
    assert node.words is not None
    for place, word in enumerate(node.words):
        if not isinstance(word, Text) or len(value) > len(word.items):
            continue
        if any(guard is True for guard, _ in word.items[len(value) :]):
            continue
        pairs = list(zip(word.items, value, strict=False))
        if all(
            char == own if isinstance(char, str) else LOWEST <= ord(own) <= HIGHEST
            for (_, char), own in pairs
        ):
            for (_, char), own in pairs:
                if isinstance(char, Term):
                    found[char] = ord(own)
            for guard, _ in word.items:
                if isinstance(guard, Term):
                    found[_variable(guard)] = len(value)
            if not value:
                continue
            return place
    raise OutOfBounds(value)


def _variable(term: Term) -> Term:
    while term.op != "int":
        term = term.args[1][0][0] if term.op == "sum" else term.args[0]
    return term


def _assign_elements(node: Node, value: object, found: Assignment) -> None:
    own = list(elements(value))
    if len(own) > node.shape.bounds.length:
        raise OutOfBounds(value)
    found[node.size] = len(own)
    for child, each in zip(node.made_children(), own, strict=False):
        _assign(child, each, found)
    if isinstance(value, dict):
        for key, each in zip(node.made_keys(), value, strict=False):
            _assign(key, each, found)


def judge(formulas: Formulas, assignment: Assignment, known: dict[Term, object]) -> str:
    """``violated``, ``satisfied``, ``raises``; or ``refused`` or ``beyond``, where that is not known."""
    if value_of(formulas.refused, assignment, known):
        return "refused"
    if value_of(formulas.beyond, assignment, known):
        return "beyond"
    if value_of(formulas.violated, assignment, known):
        return "violated"
    return "satisfied" if value_of(formulas.satisfied, assignment, known) else "raises"


def judgements(translation: Translation, values: Sequence[object]) -> list[str]:
    """What the formulas of each assertion say of an input. Raises OutOfBounds."""
    assignment = assign(translation.roots, values)
    known: dict[Term, object] = {}
    return [judge(each, assignment, known) for each in translation.formulas]
