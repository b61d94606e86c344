"""Python's own functions and types, called on symbolic values."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from solexp.violations.python.calls import Builtin, Function, Method, Module, positional
from solexp.violations.python.conversions import (
    to_chr,
    to_divmod,
    to_float,
    to_hash,
    to_int,
    to_ord,
    to_pow,
    to_round,
    to_str,
)
from solexp.violations.python.evaluation import Evaluation
from solexp.violations.python.logic import and_, not_
from solexp.violations.python.rounding import absolute
from solexp.violations.python.sequences import (
    all_or_any,
    distinct,
    elements,
    extreme,
    in_order,
    length,
    numbered,
    order_matters,
    ordered,
    ranged,
    steps,
    table_of,
    total,
    unordered,
    zipped,
)
from solexp.violations.python.values import (
    NOTHING,
    Bag,
    Opaque,
    Seq,
    Stream,
    Table,
    Text,
    Trouble,
    Value,
    alternatives,
    boolean,
    is_text,
    listed,
    sequence,
    type_of,
)

Given = tuple[Value, ...]
Keywords = dict[str, Value]


def call_builtin(ev: Evaluation, name: str, given: Given, keywords: Keywords) -> Value:
    """``name(*given, **keywords)`` of a function or type of Python's own."""
    if name in _ITERATIVE:
        return _ITERATIVE[name](ev, given, keywords)
    if name in _SIMPLE:
        names, defaults, implementation = _SIMPLE[name]
        arguments = positional(ev, given, keywords, names, *defaults)
        if arguments is None:
            return NOTHING
        return ev.lift(lambda *each: implementation(ev, *each), *arguments)
    if name in _TYPED:
        names, implementation = _TYPED[name]
        arguments = positional(ev, given, keywords, names)
        if arguments is None:
            return NOTHING
        return ev.lift_typed(lambda *each: implementation(ev, *each), *arguments)
    return ev.refuse(f"call of {name}")


# Types


def isinstance_of(ev: Evaluation, value: Value, classes: Value) -> Value:
    """``isinstance(value, classes)``: a tuple's classes are tried from the left, as far as needed."""
    kind = _known_type(ev, value)
    if kind is None:
        return NOTHING
    if isinstance(classes, type):
        return issubclass(kind, classes)
    if isinstance(classes, Seq) and classes.kind == "tuple":
        found: Value = False
        for guard, each in classes.items:
            with ev.under(and_(guard, not_(ev.truth(found)))) as possible:
                if possible:
                    here = ev.lift(lambda cls: isinstance_of(ev, value, cls), each)
                    hit = and_(guard, ev.truth(here))
                    found = ev.join([(hit, True), (not_(hit), found)])
        return found
    if isinstance(classes, Module | Builtin | Method | Opaque | Function):
        return ev.refuse("isinstance with such a class")
    return ev.fail(TypeError)


def _known_type(ev: Evaluation, value: Value) -> type | None:
    if isinstance(value, Module | Builtin | Method | Opaque | Function):
        ev.refuse("the type of a function or module")
        return None
    return type_of(value)


def _type(ev: Evaluation, value: Value) -> Value:
    found = _known_type(ev, value)
    return NOTHING if found is None else found


def _callable(ev: Evaluation, value: Value) -> Value:  # noqa: ARG001
    return isinstance(value, Builtin | Method | Function | type)


def _hasattr(ev: Evaluation, value: Value, name: Value) -> Value:
    kind = _known_type(ev, value)
    if kind is None:
        return NOTHING
    if not isinstance(name, str):
        return (
            ev.fail(TypeError) if not is_text(name) else ev.refuse("hasattr with an unknown name")
        )
    return hasattr(kind, name)


def _issubclass(ev: Evaluation, kind: Value, classes: Value) -> Value:
    if isinstance(kind, type) and isinstance(classes, type):
        return issubclass(kind, classes)
    return ev.refuse("issubclass of such classes")


def _bool(ev: Evaluation, value: Value) -> Value:
    return boolean(ev.truth(value))


# Containers and iteration


def _made(kind: str) -> Callable[..., Value]:
    def make(ev: Evaluation, given: Given, keywords: Keywords) -> Value:
        arguments = positional(ev, given, keywords, "iterable", None)
        if arguments is None:
            return NOTHING
        if not given:
            return Bag(kind, []) if kind in ("set", "frozenset") else listed([], kind)
        return ev.lift_typed(lambda value: _container(ev, kind, value), *arguments)

    return make


def _container(ev: Evaluation, kind: str, value: Value) -> Value:
    if kind in ("set", "frozenset"):
        return ev.lift(lambda each: distinct(ev, elements(ev, each), kind), value)

    def sequence_of(each: Value) -> Value:
        order_matters(ev, each)
        prefix = isinstance(each, Seq | Text) and each.prefix
        return sequence(kind, elements(ev, each), prefix=prefix)

    return ev.lift(sequence_of, value)


def _dict(ev: Evaluation, given: Given, keywords: Keywords) -> Value:
    if not given:
        return table_of(ev, [(True, name, value) for name, value in keywords.items()])
    if len(given) > 1 or keywords:
        return ev.refuse("dict with such arguments")

    def made(value: Value) -> Value:
        if isinstance(value, Table):
            return value
        rows = []
        for guard, pair in elements(ev, value):
            with ev.under(guard) as possible:
                if not possible:
                    continue
                for own, each in alternatives(pair):
                    with ev.under(own) as here:
                        if here:
                            rows += [(and_(guard, own), *unpacked(ev, each, 2))]
        return table_of(ev, rows)

    return ev.lift(made, *given)


def unpacked(ev: Evaluation, value: Value, size: int) -> list[Value]:
    """The values that ``a, b = value`` assigns; ValueError where there are more or fewer."""
    items = ordered(ev, value)
    there = [guard for guard, _ in items[:size]] + [False] * (size - len(items))
    more = items[size][0] if len(items) > size else False
    if not isinstance(value, str | Text | Seq | Bag | Table | Stream):
        return [NOTHING] * size
    ev.fail(ValueError, not_(and_(*there, not_(more))))
    return [each for _, each in items[:size]] + [NOTHING] * (size - len(items))


def _sorted(ev: Evaluation, given: Given, keywords: Keywords) -> Value:
    key, reverse = keywords.pop("key", None), keywords.pop("reverse", False)
    if len(given) != 1 or keywords:
        return ev.fail(TypeError)
    if not isinstance(reverse, bool):
        return ev.refuse("sorted with an unknown order")

    def found(value: Value) -> Value:
        return in_order(ev, _keyed(ev, elements(ev, value), key), reverse=reverse)

    return ev.lift(found, given[0])


def _keyed(
    ev: Evaluation, items: list[tuple[Any, Value]], key: Value
) -> list[tuple[Any, Value, Value]]:
    rows = []
    for guard, value in items:
        with ev.under(guard) as possible:
            if possible:
                rows.append((guard, value, value if key is None else ev.call(key, [value], {})))
    return rows


def _extreme(name: str) -> Callable[..., Value]:
    def found(ev: Evaluation, given: Given, keywords: Keywords) -> Value:
        key, default = keywords.pop("key", None), keywords.pop("default", NOTHING)
        if keywords or not given:
            return ev.fail(TypeError)

        def best(value: Value) -> Value:
            rows = _keyed(ev, elements(ev, value), key)
            result, some = extreme(ev, rows, largest=name == "max")
            if default is NOTHING:
                ev.fail(ValueError, not_(some))
                return result
            return ev.join([(some, result), (not_(some), default)])

        return ev.lift(best, given[0] if len(given) == 1 else listed(given))

    return found


def _sum(ev: Evaluation, given: Given, keywords: Keywords) -> Value:
    arguments = positional(ev, given, keywords, "iterable start", 0)
    if arguments is None:
        return NOTHING
    return ev.lift(lambda value, start: total(ev, value, start), *arguments)


def _decided(*, every: bool) -> Callable[..., Value]:
    def found(ev: Evaluation, given: Given, keywords: Keywords) -> Value:
        arguments = positional(ev, given, keywords, "iterable")
        if arguments is None:
            return NOTHING
        return ev.lift(lambda value: boolean(all_or_any(ev, value, every=every)), *arguments)

    return found


def _zip(ev: Evaluation, given: Given, keywords: Keywords) -> Value:
    if keywords:
        return ev.refuse("zip with keywords")
    return ev.lift(lambda *many: zipped(ev, many), *given)


def _map(ev: Evaluation, given: Given, keywords: Keywords) -> Value:
    if len(given) < 2 or keywords:
        return ev.fail(TypeError)
    if len(given) > 2:
        return ev.refuse("map over several iterables")

    def mapped(value: Value) -> Value:
        return _stream(ev, value, "map", lambda each: (True, ev.call(given[0], [each], {})))

    return ev.lift(mapped, given[1])


def _filter(ev: Evaluation, given: Given, keywords: Keywords) -> Value:
    if len(given) != 2 or keywords:
        return ev.fail(TypeError)

    def kept(each: Value) -> tuple[Any, Value]:
        result = each if given[0] is None else ev.call(given[0], [each], {})
        return ev.truth(result), each

    return ev.lift(lambda value: _stream(ev, value, "filter", kept), given[1])


def _stream(
    ev: Evaluation, value: Value, kind: str, change: Callable[[Value], tuple[Any, Value]]
) -> Value:
    found = []
    for guard, each, before in steps(ev, value):
        with ev.under(guard) as possible, ev.aside() as trouble:
            if not possible:
                continue
            ev.take(before)
            kept, result = change(each)
        found.append((guard, kept, result, trouble))
    rows = [(and_(guard, kept), result, trouble) for guard, kept, result, trouble in found]
    return Stream(rows, kind, loose=unordered(value))


def _reversed(ev: Evaluation, value: Value) -> Value:
    if isinstance(value, Bag | Stream) or not isinstance(value, str | Text | Seq | Table):
        return ev.fail(TypeError)
    items = elements(ev, value)[::-1]
    return Stream([(guard, each, Trouble()) for guard, each in items], "reversed")


_SIMPLE: dict[str, tuple[str, tuple[Any, ...], Callable[..., Value]]] = {
    "abs": ("x", (), absolute),
    "bool": ("x", (False,), _bool),
    "chr": ("x", (), to_chr),
    "divmod": ("a b", (), to_divmod),
    "enumerate": ("iterable start", (0,), numbered),
    "float": ("x", (0.0,), to_float),
    "hasattr": ("x name", (), _hasattr),
    "hash": ("x", (), to_hash),
    "int": ("x base", (0, None), to_int),
    "issubclass": ("a b", (), _issubclass),
    "len": ("x", (), length),
    "ord": ("x", (), to_ord),
    "pow": ("a b mod", (None,), to_pow),
    "reversed": ("x", (), _reversed),
    "round": ("x ndigits", (None,), to_round),
    "str": ("object", ("",), to_str),
}
_TYPED: dict[str, tuple[str, Callable[..., Value]]] = {
    "isinstance": ("x classes", isinstance_of),
    "type": ("x", _type),
    "callable": ("x", _callable),
}


def _range(ev: Evaluation, given: Given, keywords: Keywords) -> Value:
    if keywords or not 1 <= len(given) <= 3:
        return ev.fail(TypeError)
    start, stop, step = {1: (0, *given, 1), 2: (*given, 1), 3: given}[len(given)]
    return ev.lift(lambda *each: ranged(ev, *each), start, stop, step)


_ITERATIVE: dict[str, Callable[..., Value]] = {
    "all": _decided(every=True), "any": _decided(every=False), "dict": _dict, "filter": _filter,
    "frozenset": _made("frozenset"), "list": _made("list"), "map": _map, "max": _extreme("max"),
    "min": _extreme("min"), "range": _range, "set": _made("set"), "sorted": _sorted, "sum": _sum,
    "tuple": _made("tuple"), "zip": _zip,
}  # fmt: skip
NAMES = frozenset(_SIMPLE) | frozenset(_TYPED) | frozenset(_ITERATIVE)
"""The functions and types that can be called."""
