"""Models of the solver as Python values: what no formula mentions is taken from the task's own inputs."""

from __future__ import annotations

from typing import Any

from solexp.violations.python.inputs import SPECIAL, Node, elements
from solexp.violations.python.preferring import name
from solexp.violations.python.seeds import companion, kind_of
from solexp.violations.python.solving import Solver
from solexp.violations.python.terms import Term
from solexp.violations.python.values import Text

MISSING = object()
_DEFAULT = 1
"""What a value is where neither a formula nor an input says anything."""


class Collision(Exception):
    """Elements of a set, or keys of a dict, came out equal: what filled them in was no good."""


class Reader:
    """Reads values of nodes from the solver's last model."""

    def __init__(self, solver: Solver) -> None:
        self._solver = solver

    def read(self, node: Node, hint: object) -> Any:  # noqa: PLR0911
        """The value of a node; ``hint`` (or MISSING) is what it is to be like."""
        hint = _DEFAULT if hint is MISSING else hint
        kind = self.kind(node)
        if kind is None:
            return hint
        like = companion(kind, hint)
        match kind:
            case "none":
                return None
            case "bool":
                found = self._solver.value(node.truth)
                return bool(like) if found is None else bool(found)
            case "int":
                return self._number(node.number, like)
            case "float":
                eighths = self._solver.value(node.eighths)
                return like if eighths is None else int(eighths) / 8
            case "str":
                return self._word(node, like)
            case "list" | "tuple" | "set" | "dict":
                return self._container(node, kind, like)
        if kind in SPECIAL:
            return SPECIAL[kind]
        repeated = self.read(node.made_children()[0], next(iter(elements(like)), MISSING))
        return [repeated] * int(kind.removeprefix("long"))

    def kind(self, node: Node) -> str | None:
        """Which kind the model chooses for a node; None where it is free."""
        member = self._solver.member(f"{node.path}:kind")
        return None if member is None else node.kinds[member]

    def _number(self, variable: Term, like: object) -> Any:
        found = self._solver.value(variable)
        return like if found is None else int(found)

    def _word(self, node: Node, like: object) -> Any:
        if node.words is None:
            return like
        member = self._solver.member(f"{node.path}:word")
        if member is None:
            return like
        word = node.words[member]
        if isinstance(word, str):
            return word
        assert isinstance(word, Text)
        return self._text(word)

    def _text(self, word: Text) -> str:
        chars = []
        for place, (guard, char) in enumerate(word.items):
            if isinstance(guard, Term) and not self._there(word, place):
                break
            code = None if isinstance(char, str) else self._solver.value(char)
            chars.append(
                char if isinstance(char, str) else chr(int(code)) if code is not None else "x"
            )
        return "".join(chars)

    def _there(self, word: Text, place: int) -> bool:
        guard = word.items[place][0]
        assert isinstance(guard, Term)
        variable = _variable(guard)
        length = self._solver.value(variable)
        return place < int(length if length is not None else variable.lo or 0)

    def _container(self, node: Node, kind: str, like: Any) -> Any:
        size = self._solver.value(node.size)
        own = list(elements(like))
        total = len(own) if size is None else int(size)
        if node.children is not None:
            total = min(total, len(node.children))
        hints = [own[n % len(own)] if own else MISSING for n in range(total)]
        values = (
            hints
            if node.children is None
            else [self.read(child, hint) for child, hint in zip(node.children, hints, strict=False)]
        )
        values = [_DEFAULT if value is MISSING else value for value in values]
        if kind == "list":
            return values
        if kind == "tuple":
            return tuple(values)
        if kind == "set":
            return _distinct(values, free=node.children is None)
        return dict(zip(self._keys(node, like, total), values, strict=True))

    def _keys(self, node: Node, like: Any, total: int) -> list[Any]:
        own = list(like) if isinstance(like, dict) else []
        if node.keys is None:
            names = [*own, *(name(n) for n in range(total))]
            return list(dict.fromkeys(names))[:total]
        keys = [
            self.read(key, own[n] if n < len(own) else name(n))
            for n, key in enumerate(node.keys[:total])
        ]
        if len(set(keys)) < total:
            raise Collision
        return keys


def _distinct(values: list[Any], *, free: bool) -> set[Any]:
    try:
        found = set(values)
    except TypeError:
        raise Collision from None
    if free:
        # Nothing hangs on the values: others make up the number.
        extra = iter(range(1, 10_000))
        while len(found) < len(values):
            found.add(next(extra))
    if len(found) < len(values):
        raise Collision
    return found


def _variable(term: Term) -> Term:
    """The variable that a guard of a character speaks of."""
    while term.op != "int":
        term = term.args[1][0][0] if term.op == "sum" else term.args[0]
    return term


__all__ = ["MISSING", "Collision", "Reader", "kind_of"]
