"""What the contract and the task's own inputs suggest: words, sizes, bounds, and companions of values."""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Iterable, Sequence
from typing import Any

import msgspec

from solexp.core.preconditions import Preconditions
from solexp.python.literals import read
from solexp.violations.python.answers import Settings
from solexp.violations.python.inputs import Bounds, Shape, elements
from solexp.violations.python.regex import NotRegular, example

_WORDS = ("", "abc", "12", "Hello", " ")
_MAX_WORDS = 12
_MAX_LONG = 20_000
_SMALLEST_INT_BOUND = 2**21


def seeds_of(pre: Preconditions, limit: int) -> list[list[Any]]:
    """The task's own inputs that are the smallest, each a list of arguments."""
    found = []
    for text in sorted(dict.fromkeys(pre.base), key=len)[: 4 * limit]:
        try:
            value = read(text)
        except ValueError:
            continue
        if isinstance(value, list) and len(value) == len(pre.parameters):
            found.append(value)
    return found[:limit]


def shape_of(
    pre: Preconditions, seeds: Sequence[list[Any]], settings: Settings, level: int
) -> Shape:
    """Bounds and suggestions at a level, the first being 0."""
    constants = _constants(pre.statements)
    ints = [abs(each) for each in constants if type(each) is int]
    depth = max([settings.depth, *(_depth(value) for seed in seeds for value in seed)])
    longest = [max(map(_longest, seed), default=0) for seed in seeds]
    lengths = _compared_lengths(pre.statements)
    length = min(5, max([settings.length, *([min(longest)] if longest else [])]))
    length = max([length, *(n + 1 for n in lengths if n <= 5)])
    text = "\n".join(pre.statements)
    return Shape(
        bounds=Bounds(
            depth + (level > 0), length + 2 * max(0, level - 1), (3, 5, 8)[min(level, 2)]
        ),
        largest_int=max([_SMALLEST_INT_BOUND, *(2 * each for each in ints if each < 2**40)]),
        words=_words(constants),
        special_floats=bool(re.search(r"\binf|nan\b|isfinite|isinf|isnan", text)),
        long=tuple(
            sorted({n + 1 for n in _compared_lengths(pre.statements) if length < n <= _MAX_LONG})
        )[:2],
        open_words=bool(re.search(r"\.(?!__|match)[a-z]+\(|\bin\b|\[|re\.", text)),
    )


def smaller(shape: Shape, length: int) -> Shape:
    """A shape with fewer alternatives: for contracts that look into every corner of their inputs."""
    bounds = shape.bounds
    return msgspec.structs.replace(
        shape,
        bounds=Bounds(bounds.depth, min(length, bounds.length), 1),
        words=shape.words[: 2 * length],
        long=shape.long[-1:],
        open_words=shape.open_words and length > 2,
    )


def _constants(statements: Iterable[str]) -> list[Any]:
    """Constants of the assertions, messages left out, and of the statements between them."""
    found = []
    for text in statements:
        for statement in ast.parse(text).body:
            messages = {
                id(node)
                for each in ast.walk(statement)
                if isinstance(each, ast.Assert) and each.msg is not None
                for node in ast.walk(each.msg)
            }
            found += [
                node.value
                for node in ast.walk(statement)
                if isinstance(node, ast.Constant) and id(node) not in messages
            ]
    return found


def _words(constants: Iterable[Any]) -> tuple[str, ...]:
    found = []
    for each in constants:
        if not isinstance(each, str) or len(each) > 40:
            continue
        found.append(each)
        if any(char in each for char in "\\[*+{"):
            try:
                found.append(example(each))
            except (NotRegular, re.error):
                continue
    return tuple(dict.fromkeys([*_WORDS, *found]))[:_MAX_WORDS]


def _compared_lengths(statements: Iterable[str]) -> list[int]:
    """Ints that lengths are compared with."""
    found = []
    for text in statements:
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Compare) and "len(" in ast.unparse(node):
                parts = [node.left, *node.comparators]
                found += [
                    each.value
                    for each in parts
                    if isinstance(each, ast.Constant) and type(each.value) is int
                ]
    return found


def _depth(value: object) -> int:
    if not isinstance(value, list | tuple | set | frozenset | dict):
        return 0
    return 1 + max(map(_depth, elements(value)), default=0)


def _longest(value: object) -> int:
    if not isinstance(value, list | tuple | set | frozenset | dict):
        return 0
    return max([len(value), *map(_longest, elements(value))])


def kind_of(value: object) -> str:
    """The kind of node that a value is."""
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    names = {type(None): "none", bool: "bool", int: "int", float: "float", str: "str", list: "list"}
    return names.get(type(value), type(value).__name__)


def companion(kind: str, hint: object) -> Any:  # noqa: PLR0911, PLR0912
    """A value of a kind that looks as if someone had confused it with ``hint``: "5", 5.5 or [5] for 5."""
    if kind_of(hint) == kind:
        return hint
    items = list(elements(hint))
    scalar = isinstance(hint, bool | int | float | str)
    match kind:
        case "none":
            return None
        case "bool":
            return True
        case "int":
            if isinstance(hint, float) and abs(hint) < 10**6:
                return int(hint)
            return len(hint) if isinstance(hint, str | list | tuple | set | dict) else 1
        case "float":
            return hint + 0.5 if type(hint) is int and abs(hint) < 10**5 else 1.5
        case "str":
            return str(hint) if isinstance(hint, bool | int | float) else "abc"
        case "list":
            return items or ([hint] if scalar else [1, 2])
        case "tuple":
            return tuple(items) or ((hint,) if scalar else (1, 2))
        case "set":
            try:
                return set(items) or ({hint} if scalar else {1, 2})
            except TypeError:
                return {1, 2}
        case "dict":
            return {"a": items[0]} if items else {"a": hint if scalar else 1}
    if kind.startswith("long"):
        return [items[0] if items else 1] * int(kind.removeprefix("long"))
    return float(kind)
