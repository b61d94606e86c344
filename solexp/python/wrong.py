"""Outputs that a function does not have, near the ones that it has."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

from solexp.python.matching import Rule, matches


def wrong(expected: Any, arguments: Sequence[Any], *, rule: Rule, atol: float) -> Any:
    """An output that does not count as ``expected``, of the same type where there is one.

    Raises ValueError where every output counts.
    """
    for other in _near(expected):
        if not matches(other, expected, arguments, rule=rule, atol=atol):
            return other
    raise ValueError("every output counts")


def _near(value: Any) -> Iterator[Any]:
    match value:
        case bool():
            yield not value
        case float() if not math.isfinite(value):
            yield 0.0
        case int() | float() | complex():
            yield value + 1
            yield value - 1
        case str():
            yield value[::-1]
            yield value + "x"
        case list() | tuple():
            yield value[:-1]
            yield value[:0]
            yield type(value)([*value, 0])
        case set() | frozenset():
            yield type(value)(sorted(value, key=repr)[:-1])
            yield type(value)([*value, 0, "x"])
        case dict():
            yield {}
            yield {**value, "x": 0}
    yield None
    yield 0
    yield False
