"""Alternatives become one value again; and values that are known are Python's own."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from solexp.violations.python.arith import if_
from solexp.violations.python.logic import and_, or_
from solexp.violations.python.terms import Bool
from solexp.violations.python.values import (
    NOTHING,
    Bag,
    Items,
    Seq,
    SFloat,
    Table,
    Union,
    Value,
    Words,
    bool_term,
    boolean,
    floating,
    grid_of,
    int_term,
    integer,
    is_bool,
    is_int,
    listed,
    real_term,
    special,
)


def merge(given: Iterable[tuple[Bool, Value]]) -> Value:
    """The value that is whichever alternative's guard holds; alternatives of one kind become one term."""
    kept: list[tuple[Bool, Value]] = []
    for guard, value in given:
        if guard is False or value is NOTHING:
            continue
        if isinstance(value, Union) and not isinstance(value, Words):
            for own, each in value.alternatives:
                both = and_(guard, own)
                if both is not False:
                    kept.append((both, each))
        else:
            kept.append((guard, value))
    if len(kept) < 2:
        return kept[0][1] if kept else NOTHING
    groups: dict[Any, list[tuple[Bool, Value]]] = {}
    for guard, value in kept:
        groups.setdefault(_group(value), []).append((guard, value))
    merged = [
        (or_(*(guard for guard, _ in members)), _merged(members)) for members in groups.values()
    ]
    return merged[0][1] if len(merged) == 1 else Union(tuple(merged))


def _group(value: Value) -> Any:
    if is_bool(value):
        return "bool"
    if is_int(value):
        return "int"
    if isinstance(value, SFloat) or (isinstance(value, float) and not special(value)):
        return "float"
    if isinstance(value, Seq):
        return value.identity
    if isinstance(value, str | type) or value is None:
        return (type(value), value)
    return id(value)


def _merged(members: list[tuple[Bool, Value]]) -> Value:
    first = members[0][1]
    if len(members) == 1:
        return first
    if is_bool(first):
        if len({bool_term(value) for _, value in members}) == 1:
            return first
        return boolean(or_(*(and_(guard, bool_term(value)) for guard, value in members)))
    if is_int(first):
        term = int_term(members[-1][1])
        for guard, value in reversed(members[:-1]):
            term = if_(guard, int_term(value), term)
        return integer(term)
    if isinstance(first, float | SFloat) and not special(first):
        term = real_term(members[-1][1])
        grids = [grid_of(value) for _, value in members]
        for guard, value in reversed(members[:-1]):
            term = if_(guard, real_term(value), term)
        return floating(term, max(g for g in grids if g is not None) if None not in grids else None)
    return first


def concrete(value: Value) -> Any:
    """The Python value, where all of it is known. Raises LookupError where it is not."""
    if isinstance(value, Seq):
        if value.kind not in ("list", "tuple", "range"):
            raise LookupError
        items = [concrete(each) for each in _certain(value.items)]
        return tuple(items) if value.kind == "tuple" else items
    if isinstance(value, Bag):
        members = {concrete(each) for each in _certain(value.items)}
        return frozenset(members) if value.kind == "frozenset" else members
    if isinstance(value, Table):
        keys = [concrete(each) for each in _certain(value.items)]
        return dict(zip(keys, map(concrete, value.values), strict=True))
    if value is None or isinstance(value, bool | int | float | str):
        return value
    raise LookupError


def _certain(items: Items) -> list[Value]:
    if any(guard is not True for guard, _ in items):
        raise LookupError
    return [value for _, value in items]


def lifted(value: object) -> Value:
    """A value of Python as a value here. Raises LookupError for other types than those above."""
    if value is None or isinstance(value, bool | int | float | str | type):
        return value
    if isinstance(value, list | tuple):
        return listed(map(lifted, value), type(value).__name__)
    if isinstance(value, range):
        return listed(value, "range")
    if isinstance(value, set | frozenset):
        return Bag(type(value).__name__, [(True, lifted(each)) for each in sorted(value, key=repr)])
    if isinstance(value, dict):
        keys = tuple((True, lifted(key)) for key in value)
        return Table(keys, tuple(map(lifted, value.values())))
    raise LookupError
