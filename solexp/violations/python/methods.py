"""Methods of strings, lists, tuples, sets and dicts, called on symbolic values. None of them changes its owner."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from solexp.violations.python import texts
from solexp.violations.python.arithmetic import set_operation
from solexp.violations.python.calls import Method
from solexp.violations.python.comparing import contains_item, count_of, same, subset
from solexp.violations.python.evaluation import Evaluation
from solexp.violations.python.functions import Given, Keywords
from solexp.violations.python.logic import and_, not_, or_
from solexp.violations.python.merging import lifted
from solexp.violations.python.sequences import distinct, elements, looked_up, ordered
from solexp.violations.python.values import (
    NOTHING,
    Bag,
    Seq,
    Table,
    Text,
    Value,
    boolean,
    count,
    integer,
    is_text,
    listed,
    sequence,
    type_of,
)

_OWNERS: dict[type, type] = {}


def attribute(ev: Evaluation, value: Value, name: str) -> Value:
    """``value.name`` of a value that is no union."""
    if isinstance(value, type):
        if name in ("__name__", "__qualname__"):
            return value.__name__
        return Method(value, name) if hasattr(value, name) else ev.fail(AttributeError)
    kind = type_of(value)
    if not hasattr(kind, name):
        return ev.fail(AttributeError)
    if name == "__class__":
        return kind
    if name in ("real", "numerator") and kind in (int, bool):
        return value
    return Method(value, name)


def call_method(ev: Evaluation, method: Method, given: Given, keywords: Keywords) -> Value:  # noqa: PLR0911
    """``owner.name(*given, **keywords)``."""
    owner, name = method.owner, method.name
    if isinstance(owner, type):
        if not given:
            return ev.fail(TypeError)
        if issubclass(owner, str | list | dict | set | tuple | frozenset):
            return ev.lift(
                lambda own: _unbound(ev, owner, own, name, given[1:], keywords), given[0]
            )
        return ev.refuse(f"call of {owner.__name__}.{name}")
    kind = type_of(owner)
    if name in _CHANGES.get(kind, ()):
        return ev.refuse(f"side effect ({kind.__name__}.{name})")
    if is_text(owner):
        return _text(ev, owner, name, given, keywords)
    table = _METHODS.get((kind, name))
    if table is None or keywords:
        return ev.refuse(f"call of {kind.__name__}.{name}")
    return table(ev, owner, given)


def _unbound(  # noqa: PLR0917
    ev: Evaluation, kind: type, owner: Value, name: str, given: Given, keywords: Keywords
) -> Value:
    if type_of(owner) is not kind:
        return ev.fail(TypeError)
    return call_method(ev, Method(owner, name), given, keywords)


_CHANGES: dict[type, frozenset[str]] = {
    list: frozenset(["append", "clear", "extend", "insert", "pop", "remove", "reverse", "sort"]),
    dict: frozenset(["clear", "pop", "popitem", "setdefault", "update"]),
    set: frozenset(
        [
            "add",
            "clear",
            "difference_update",
            "discard",
            "intersection_update",
            "pop",
            "remove",
            "symmetric_difference_update",
            "update",
        ]
    ),
}


# Strings


def _text(ev: Evaluation, owner: Value, name: str, given: Given, keywords: Keywords) -> Value:
    if name == "join" and len(given) == 1 and not keywords:
        return ev.lift(lambda value: _join(ev, owner, value), given[0])
    if keywords:
        return ev.refuse(f"str.{name} with keywords")
    return ev.lift(lambda *each: _text_of_known_types(ev, owner, name, *each), *given)


def _join(ev: Evaluation, owner: Value, value: Value) -> Value:
    items = ordered(ev, value)
    rows: list[tuple[Any, Value]] = []
    for guard, each in items:
        with ev.under(guard) as possible:
            if possible:
                rows.append(
                    (guard, ev.lift(lambda v: v if is_text(v) else ev.fail(TypeError), each))
                )
    if any(hasattr(each, "alternatives") for _, each in rows):
        return ev.refuse("join of strings that are told apart")
    return texts.joined(ev, owner, [(g, each) for g, each in rows if each is not NOTHING])


def _text_of_known_types(ev: Evaluation, owner: Value, name: str, *given: Value) -> Value:  # noqa: PLR0911
    if isinstance(owner, str) and all(_known(each) for each in given):
        return _natively(ev, owner, name, given)
    value = owner if isinstance(owner, Text) else Text([(True, char) for char in owner], True)
    if not given and name in texts.TESTS:
        return texts.test(value, name)
    if not given and name in _CHARACTERS:
        return texts.mapped(value, _CHARACTERS[name])
    if name in ("strip", "lstrip", "rstrip"):
        return _strip(ev, value, name, *given)
    if name in ("startswith", "endswith"):
        return _starts_or_ends(ev, value, name, *given)
    if name == "split":
        return _split(ev, value, *given)
    if name == "replace" and len(given) == 2:
        return _replace(ev, value, *given)
    if name in ("count", "find", "index") and len(given) == 1:
        return _search(ev, value, name, given[0])
    if name == "capitalize" and not given:
        return texts.capitalized(value)
    return ev.refuse(f"str.{name}")


_CHARACTERS: dict[str, Callable[[texts.Char], texts.Char]] = {
    "lower": texts.lowered, "casefold": texts.lowered, "upper": texts.uppered,
    "swapcase": texts.swapped,
}  # fmt: skip


def _known(value: Value) -> bool:
    return (
        value is None
        or isinstance(value, bool | int | float | str)
        or (
            isinstance(value, Seq)
            and value.kind == "tuple"
            and all(guard is True and isinstance(each, str) for guard, each in value.items)
        )
    )


def _natively(ev: Evaluation, owner: str, name: str, given: Given) -> Value:
    plain = [tuple(each for _, each in v.items) if isinstance(v, Seq) else v for v in given]
    try:
        return lifted(getattr(owner, name)(*plain))
    except (ArithmeticError, TypeError, ValueError, IndexError, KeyError) as error:
        return ev.fail(type(error))
    except LookupError:
        return ev.refuse(f"str.{name}")


def _strip(ev: Evaluation, value: Text, name: str, chars: Value = None, *rest: Value) -> Value:
    if rest or not (chars is None or is_text(chars)):
        return ev.fail(TypeError)
    if isinstance(chars, Text):
        return ev.refuse(f"str.{name} of unknown characters")
    return texts.stripped(value, chars, left=name != "rstrip", right=name != "lstrip")


def _starts_or_ends(ev: Evaluation, value: Text, name: str, *given: Value) -> Value:
    if len(given) != 1:
        return ev.refuse(f"str.{name} with a place")
    test = texts.starts_with if name == "startswith" else texts.ends_with
    part = given[0]
    if is_text(part):
        return boolean(test(value, part))
    if isinstance(part, Seq) and part.kind == "tuple":
        found = []
        for guard, each in part.items:
            if not is_text(each):
                return ev.refuse(f"str.{name} with such a tuple")
            found.append(and_(guard, test(value, each)))
        return boolean(or_(*found))
    return ev.fail(TypeError)


def _split(ev: Evaluation, value: Text, separator: Value = None, *rest: Value) -> Value:
    if rest:
        return ev.refuse("str.split with a limit")
    if separator is None:
        return texts.split_at_space(value)
    if separator == "":
        return ev.fail(ValueError)
    if isinstance(separator, str):
        return texts.split(value, separator)
    return (
        ev.fail(TypeError) if not is_text(separator) else ev.refuse("str.split at unknown strings")
    )


def _replace(ev: Evaluation, value: Text, old: Value, new: Value) -> Value:
    if not is_text(old) or not is_text(new):
        return ev.fail(TypeError)
    if not isinstance(old, str) or not old:
        return ev.refuse("str.replace of an unknown or empty string")
    return texts.replaced(value, old, new)


def _search(ev: Evaluation, value: Text, name: str, part: Value) -> Value:
    if not is_text(part):
        return ev.fail(TypeError)
    if not isinstance(part, str) or not part:
        return ev.refuse(f"str.{name} of an unknown or empty string")
    if name == "count":
        return texts.counted(value, part)
    found, missing = texts.position(value, part)
    if name == "index":
        ev.fail(ValueError, missing)
        return ev.join(found)
    return ev.join([*found, (missing, -1)])


# Containers


def _count(ev: Evaluation, owner: Value, given: Given) -> Value:
    if len(given) != 1:
        return ev.fail(TypeError)
    return integer(count(and_(guard, same(ev, each, given[0])) for guard, each in owner.items))


def _index(ev: Evaluation, owner: Value, given: Given) -> Value:
    if len(given) != 1:
        return ev.refuse("index with a place")
    missing: Any = True
    rows: list[tuple[Any, Value]] = []
    for place, (guard, each) in enumerate(ordered(ev, owner)):
        here = and_(missing, guard, same(ev, each, given[0]))
        rows.append((here, place))
        missing = and_(missing, not_(here))
    ev.fail(ValueError, missing)
    return ev.join(rows)


def _copy(ev: Evaluation, owner: Value, given: Given) -> Value:
    return owner if not given else ev.fail(TypeError)


def _keys(ev: Evaluation, owner: Table, given: Given) -> Value:
    if given:
        return ev.fail(TypeError)
    return Seq("dict_keys", owner.items, prefix=owner.length is not None, length=owner.length)


def _values(ev: Evaluation, owner: Table, given: Given) -> Value:
    if given:
        return ev.fail(TypeError)
    items = [(guard, value) for (guard, _), value in zip(owner.items, owner.values, strict=True)]
    return Seq("dict_values", items, prefix=owner.length is not None, length=owner.length)


def _items(ev: Evaluation, owner: Table, given: Given) -> Value:
    if given:
        return ev.fail(TypeError)
    items = [
        (guard, listed([key, value], "tuple"))
        for (guard, key), value in zip(owner.items, owner.values, strict=True)
    ]
    return Seq("dict_items", items, prefix=owner.length is not None, length=owner.length)


def _get(ev: Evaluation, owner: Table, given: Given) -> Value:
    if not 1 <= len(given) <= 2:
        return ev.fail(TypeError)
    with ev.aside() as trouble:
        found, there = looked_up(ev, owner, given[0])
    trouble.raised = [(guard, kind) for guard, kind in trouble.raised if kind is not KeyError]
    ev.take(trouble)
    return ev.join([(there, found), (not_(there), given[1] if len(given) > 1 else None)])


def _other(relation: str) -> Callable[..., Value]:
    def compared(ev: Evaluation, owner: Bag, given: Given) -> Value:
        if len(given) != 1:
            return ev.refuse(f"set.{relation} with such arguments")
        return ev.lift(lambda value: _related(ev, relation, owner, value), given[0])

    return compared


def _related(ev: Evaluation, relation: str, owner: Bag, value: Value) -> Value:
    other = value if isinstance(value, Bag) else distinct(ev, elements(ev, value))
    if relation == "issubset":
        return boolean(subset(ev, owner, other))
    if relation == "issuperset":
        return boolean(subset(ev, other, owner))
    if relation == "isdisjoint":
        shared = (and_(guard, contains_item(ev, other.items, each)) for guard, each in owner.items)
        return boolean(not_(or_(*shared)))
    operations: dict[str, type[ast.operator]] = {
        "union": ast.BitOr, "intersection": ast.BitAnd, "difference": ast.Sub,
        "symmetric_difference": ast.BitXor,
    }  # fmt: skip
    return set_operation(ev, operations[relation], owner, other)


_RELATIONS = [
    "issubset",
    "issuperset",
    "isdisjoint",
    "union",
    "intersection",
    "difference",
    "symmetric_difference",
]
_METHODS: dict[tuple[type, str], Callable[..., Value]] = {
    (list, "count"): _count, (tuple, "count"): _count, (list, "index"): _index,
    (tuple, "index"): _index, (list, "copy"): _copy, (dict, "copy"): _copy, (set, "copy"): _copy,
    (dict, "keys"): _keys, (dict, "values"): _values, (dict, "items"): _items, (dict, "get"): _get,
    **{(kind, name): _other(name) for kind in (set, frozenset) for name in _RELATIONS},
}  # fmt: skip


__all__ = ["attribute", "call_method", "count_of", "sequence"]
