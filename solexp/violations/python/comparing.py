"""Comparisons: ==, <, in and is, as Python has them between values of any types."""

from __future__ import annotations

from fractions import Fraction

from solexp.violations.python import arith
from solexp.violations.python.calls import Bound
from solexp.violations.python.evaluation import Evaluation
from solexp.violations.python.logic import and_, not_, or_, same_bool
from solexp.violations.python.terms import Bool, Num, Term
from solexp.violations.python.values import (
    Bag,
    Items,
    SBool,
    Seq,
    Table,
    Text,
    Value,
    alternatives,
    boolean,
    characters,
    code,
    count,
    int_term,
    is_bool,
    is_number,
    is_text,
    real_term,
    special,
    type_of,
)


def equal(ev: Evaluation, a: Value, b: Value) -> Bool:
    """``a == b``, which raises for none of these values."""
    if a is b and not isinstance(a, float):
        return True
    ones, others = alternatives(a), alternatives(b)
    if len(ones) == 1 and len(others) == 1:
        return _equal(ev, ones[0][1], others[0][1])
    found = []
    for guard, one in ones:
        for own, other in others:
            with ev.under(both := and_(guard, own)) as possible:
                if possible:
                    found.append(and_(both, _equal(ev, one, other)))
    return or_(*found)


def same(ev: Evaluation, a: Value, b: Value) -> Bool:
    """How elements of containers are compared: the same object, or equal."""
    return True if a is b else equal(ev, a, b)


def _equal(ev: Evaluation, a: Value, b: Value) -> Bool:  # noqa: PLR0911
    if is_number(a) and is_number(b):
        if special(a) or special(b):
            return isinstance(a, float) and isinstance(b, float) and a == b
        if is_bool(a) and is_bool(b):
            return same_bool(ev.truth(a), ev.truth(b))
        return numbers_equal(ev, a, b)
    if is_text(a) and is_text(b):
        return texts_equal(a, b)
    if isinstance(a, Seq) and isinstance(b, Seq):
        return a.kind == b.kind and sequences_equal(ev, a, b)
    if isinstance(a, Bag) and isinstance(b, Bag):
        return and_(subset(ev, a, b), subset(ev, b, a))
    if isinstance(a, Table) and isinstance(b, Table):
        return and_(_within(ev, a, b), arith.equal(count_of(a), count_of(b)))
    if isinstance(a, Bound) or isinstance(b, Bound):
        ev.refuse("a comparison of what is not known")
        return False
    if type_of(a) is not type_of(b):
        return _views_equal(ev, a, b)
    return bool(a is b or (isinstance(a, type) and a == b))


def _views_equal(ev: Evaluation, a: Value, b: Value) -> Bool:
    for value in (a, b):
        if isinstance(value, Seq) and value.kind in ("dict_keys", "dict_items"):
            ev.refuse(f"comparison of {value.kind}")
    return False


def numbers_equal(ev: Evaluation, a: Value, b: Value) -> Bool:
    """Of finite numbers; where one may be rounded, only inputs that keep them apart lie within the bounds."""
    x, y = numeric(a, b)
    near(ev, a, b)
    return arith.equal(x, y)


def numeric(a: Value, b: Value) -> tuple[Num, Num]:
    """Both numbers in one sort."""
    if isinstance(a, float) or isinstance(b, float) or real(a) or real(b):
        return real_term(a), real_term(b)
    return int_term(a), int_term(b)


def real(value: Value) -> bool:
    return type_of(value) is float


MARGIN = Fraction(1, 2**12)
"""Numbers whose last digits may have been rounded are told apart from this distance on."""


def near(ev: Evaluation, a: Value, b: Value) -> None:
    """Leave out inputs for which rounding could decide a comparison."""
    if all(getattr(value, "grid", 0) is not None for value in (a, b)):
        return
    x, y = real_term(a), real_term(b)
    too_near = and_(arith.less(x, arith.add(y, MARGIN)), arith.less(y, arith.add(x, MARGIN)))
    ev.beyond("numbers too near to be told apart after rounding", too_near)


def count_of(value: Seq | Bag | Table | Text | str) -> Num:
    """The length of a container."""
    if isinstance(value, str):
        return len(value)
    length = getattr(value, "length", None)
    if length is not None:
        return length  # type: ignore[no-any-return]
    return count(guard for guard, *_ in value.items)


def texts_equal(a: str | Text, b: str | Text) -> Bool:
    if isinstance(a, str) and isinstance(b, str):
        return a == b
    one, other = compact_text(a), compact_text(b)
    parts: list[Bool] = []
    for n in range(max(len(one), len(other))):
        here = one[n][0] if n < len(one) else False
        there = other[n][0] if n < len(other) else False
        parts.append(same_bool(here, there))
        if here is not False and there is not False:
            parts.append(or_(not_(here), arith.equal(code(one[n][1]), code(other[n][1]))))
        if parts[-1] is False or parts[0] is False:
            return False
    return and_(*parts)


def compact_text(value: str | Text) -> tuple[tuple[Bool, str | Term], ...]:
    """The characters of a string, the n-th one being the n-th that is there."""
    if isinstance(value, str) or value.prefix:
        return characters(value)
    found = []
    for guard, each in shifted([(g, code(char)) for g, char in value.items]):
        term: Num = each[-1][1]
        for own, other in reversed(each[:-1]):
            term = arith.if_(own, other, term)
        found.append((guard, term if isinstance(term, Term) else chr(int(term))))
    return tuple(found)


def shifted(items: list[tuple[Bool, Value]]) -> list[tuple[Bool, list[tuple[Bool, Value]]]]:
    """For each position: whether there is one, and which item stands there under which condition."""
    # reached[n]: exactly n items before this one are there.
    reached: list[Bool] = [True]
    places: list[list[tuple[Bool, Value]]] = []
    for guard, value in items:
        if guard is False:
            continue
        while len(places) < len(reached):
            places.append([])
        following: list[Bool] = [False] * (len(reached) + 1)
        for n, here in enumerate(reached):
            if here is False:
                continue
            taken = and_(here, guard)
            if taken is not False:
                places[n].append((taken, value))
                following[n + 1] = or_(following[n + 1], taken)
            following[n] = or_(following[n], and_(here, not_(guard)))
        reached = following if following[-1] is not False else following[:-1]
    return [(or_(*(guard for guard, _ in each)), each) for each in places if each]


def compact(ev: Evaluation, value: Seq) -> Items:
    """The items of a sequence, the n-th one being the n-th that is there."""
    if value.prefix:
        return value.items
    return tuple((guard, ev.join(each)) for guard, each in shifted(list(value.items)))


def sequences_equal(ev: Evaluation, a: Seq, b: Seq) -> Bool:
    one, other = compact(ev, a), compact(ev, b)
    parts: list[Bool] = []
    for n in range(max(len(one), len(other))):
        here = one[n][0] if n < len(one) else False
        there = other[n][0] if n < len(other) else False
        parts.append(same_bool(here, there))
        if parts[-1] is False:
            return False
        both = and_(here, there)
        with ev.under(both) as possible:
            if possible:
                parts.append(or_(not_(both), same(ev, one[n][1], other[n][1])))
    return and_(*parts)


def subset(ev: Evaluation, a: Bag, b: Bag) -> Bool:
    """Whether every element of ``a`` is in ``b``."""
    return and_(*(or_(not_(guard), contains_item(ev, b.items, value)) for guard, value in a.items))


def contains_item(ev: Evaluation, items: Items, value: Value) -> Bool:
    path = ev.path
    return or_(
        *(
            and_(guard, same(ev, each, value))
            for guard, each in items
            if guard is not False and and_(path, guard) is not False
        )
    )


def _within(ev: Evaluation, a: Table, b: Table) -> Bool:
    parts = []
    for (guard, key), value in zip(a.items, a.values, strict=True):
        here = [
            and_(own, same(ev, key, other), same(ev, value, item))
            for (own, other), item in zip(b.items, b.values, strict=True)
        ]
        parts.append(or_(not_(guard), *here))
    return and_(*parts)


def less(ev: Evaluation, a: Value, b: Value) -> Value:
    """``a < b``, a bool; what cannot be ordered raises TypeError."""
    return ev.lift(lambda x, y: boolean(_less(ev, x, y, strict=True)), a, b)


def at_most(ev: Evaluation, a: Value, b: Value) -> Value:
    """``a <= b``."""
    return ev.lift(lambda x, y: boolean(_less(ev, x, y, strict=False)), a, b)


def _less(ev: Evaluation, a: Value, b: Value, *, strict: bool) -> Bool:
    if is_number(a) and is_number(b):
        return _numbers_less(ev, a, b, strict=strict)
    if is_text(a) and is_text(b):
        return _texts_less(a, b, strict=strict)
    if isinstance(a, Seq) and isinstance(b, Seq) and a.kind == b.kind in ("list", "tuple"):
        return _sequences_less(ev, a, b, strict=strict)
    if isinstance(a, Bag) and isinstance(b, Bag):
        within = subset(ev, a, b)
        return and_(within, not_(subset(ev, b, a))) if strict else within
    if any(isinstance(value, Seq) and value.kind.startswith("dict_") for value in (a, b)):
        ev.refuse("order of a dict's views")
        return False
    ev.fail(TypeError)
    return False


def _numbers_less(ev: Evaluation, a: Value, b: Value, *, strict: bool) -> Bool:
    if special(a) or special(b):
        # Any finite number stands between the infinities.
        x = a if special(a) else 0
        y = b if special(b) else 0
        return bool(x < y if strict else x <= y)
    near(ev, a, b)
    one, other = numeric(a, b)
    return arith.less(one, other) if strict else arith.at_most(one, other)


def _texts_less(a: str | Text, b: str | Text, *, strict: bool) -> Bool:
    if isinstance(a, str) and isinstance(b, str):
        return a < b if strict else a <= b
    one, other = compact_text(a), compact_text(b)
    found: Bool = not strict
    for n in reversed(range(max(len(one), len(other)))):
        here = one[n][0] if n < len(one) else False
        there = other[n][0] if n < len(other) else False
        both: Bool = False
        if here is not False and there is not False:
            x, y = code(one[n][1]), code(other[n][1])
            both = or_(arith.less(x, y), and_(arith.equal(x, y), found))
        found = or_(
            and_(not_(here), there),
            and_(not_(here), not_(there), not strict),
            and_(here, there, both),
        )
    return found


def _sequences_less(ev: Evaluation, a: Seq, b: Seq, *, strict: bool) -> Bool:
    one, other = compact(ev, a), compact(ev, b)
    equal_so_far: Bool = True
    found: list[Bool] = []
    for n in range(max(len(one), len(other))):
        here = one[n][0] if n < len(one) else False
        there = other[n][0] if n < len(other) else False
        found.append(and_(equal_so_far, not_(here), there))
        if not strict:
            found.append(and_(equal_so_far, not_(here), not_(there)))
        both = and_(equal_so_far, here, there)
        if both is False:
            equal_so_far = False
            break
        alike = same(ev, one[n][1], other[n][1])
        with ev.under(and_(both, not_(alike))) as possible:
            if possible:
                lesser = less(ev, one[n][1], other[n][1])
                found.append(and_(both, not_(alike), ev.truth(lesser)))
        equal_so_far = and_(both, alike)
    if not strict:
        found.append(equal_so_far)
    return or_(*found)


def contains(ev: Evaluation, item: Value, container: Value) -> Value:
    """``item in container``."""
    return ev.lift(lambda each: boolean(_contains(ev, item, each)), container)


def _contains(ev: Evaluation, item: Value, container: Value) -> Bool:
    from solexp.violations.python.texts import contains_text  # noqa: PLC0415

    if is_text(container):
        return ev.truth(ev.lift(lambda each: boolean(contains_text(ev, each, container)), item))
    if isinstance(container, Bag):
        # Looked for in a set, a set counts as a frozenset.
        sets = [(guard, each) for guard, each in alternatives(item) if _is_set(each)]
        rest = [(guard, each) for guard, each in alternatives(item) if not _is_set(each)]
        item = ev.join([*sets, (True, hashable(ev, ev.join(rest)))]) if sets else hashable(ev, item)
    elif isinstance(container, Table):
        item = hashable(ev, item)
    if isinstance(container, Seq | Bag | Table):
        return contains_item(ev, container.items, item)
    if hasattr(container, "kind"):
        ev.refuse(f"in on a {container.kind}")
        return False
    ev.fail(TypeError)
    return False


def _is_set(value: Value) -> bool:
    return isinstance(value, Bag) and value.kind == "set"


def hashable(ev: Evaluation, value: Value) -> Value:
    """The value, as far as it has a hash; TypeError where it has none."""
    kept = []
    for guard, each in alternatives(value):
        with ev.under(guard) as possible:
            if not possible:
                continue
            if isinstance(each, Seq) and each.kind == "tuple":
                kept.append((guard, _hashable_tuple(ev, each)))
            elif isinstance(each, Table) or (
                isinstance(each, Seq | Bag) and each.kind not in ("range", "frozenset")
            ):
                ev.fail(TypeError)
            else:
                kept.append((guard, each))
    return ev.join(kept)


def _hashable_tuple(ev: Evaluation, value: Seq) -> Seq:
    items = []
    for own, item in value.items:
        with ev.under(own) as possible:
            items.append((own, hashable(ev, item) if possible else item))
    return Seq("tuple", items, prefix=value.prefix, length=value.length)


def identical(ev: Evaluation, a: Value, b: Value) -> Value:
    """``a is b``, of None, bools and types; the identity of others is up to the interpreter."""

    def decided(x: Value, y: Value) -> Value:
        if x is None or y is None or isinstance(x, type) or isinstance(y, type):
            return x is y
        if is_bool(x) and is_bool(y):
            return boolean(same_bool(ev.truth(x), ev.truth(y)))
        if (
            isinstance(x, bool | SBool)
            or isinstance(y, bool | SBool)
            or type_of(x) is not type_of(y)
        ):
            return False
        return ev.refuse("is between values")

    return ev.lift_typed(decided, a, b)
