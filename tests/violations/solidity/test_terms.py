"""Terms: what Z3 makes of them is what their evaluation says."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import z3
from hypothesis import given, settings
from hypothesis import strategies as st

from solexp.evm.words import keccak
from solexp.violations.solidity import terms
from solexp.violations.solidity.evaluation import evaluate
from solexp.violations.solidity.terms import Term
from solexp.violations.solidity.z3terms import Translation

WIDTHS = (8, 16, 24)
_OPERATIONS: tuple[Callable[[Term, Term], Term], ...] = (
    terms.add,
    terms.sub,
    terms.mul,
    terms.udiv,
    terms.urem,
    terms.sdiv,
    terms.srem,
    terms.band,
    terms.bor,
    terms.bxor,
    terms.shl,
    terms.lshr,
    terms.ashr,
)
_COMPARISONS: tuple[Callable[[Term, Term], Term], ...] = (
    terms.eq,
    terms.ult,
    terms.ule,
    terms.slt,
    lambda a, b: terms.overflows(a, b, signed=False),
    lambda a, b: terms.overflows(a, b, signed=True),
)


@st.composite
def vectors(draw: st.DrawFn, width: int, depth: int = 3) -> Term:
    if depth == 0 or draw(st.booleans()):
        if draw(st.booleans()):
            return terms.const(draw(st.integers(0, (1 << width) - 1)), width)
        return terms.var(f"{draw(st.sampled_from('xyz'))}{width}", width)
    kind = draw(st.integers(0, 4))
    if kind == 0:
        other = draw(st.sampled_from([each for each in WIDTHS if each != width]))
        sign = draw(st.booleans())
        narrow: Term = draw(vectors(other, depth - 1))
        return terms.resized(narrow, width, sign=sign)
    if kind == 1:
        yes, no = draw(vectors(width, depth - 1)), draw(vectors(width, depth - 1))
        return terms.ite(draw(truths(depth - 1)), yes, no)
    if kind == 2 and width > 8:
        high, low = draw(vectors(width - 8, depth - 1)), draw(vectors(8, depth - 1))
        return terms.concat(high, low)
    operation: Callable[[Term, Term], Term] = draw(st.sampled_from(_OPERATIONS))
    return operation(draw(vectors(width, depth - 1)), draw(vectors(width, depth - 1)))


@st.composite
def truths(draw: st.DrawFn, depth: int = 3) -> Term:
    if depth == 0:
        return terms.var(draw(st.sampled_from("pq")), terms.BOOL)
    if draw(st.booleans()):
        width = draw(st.sampled_from(WIDTHS))
        compare: Callable[[Term, Term], Term] = draw(st.sampled_from(_COMPARISONS))
        return compare(draw(vectors(width, depth - 1)), draw(vectors(width, depth - 1)))
    joins: tuple[Callable[[Term, Term], Term], ...] = (terms.and_, terms.or_, terms.implies)
    join = draw(st.sampled_from(joins))
    return join(draw(truths(depth - 1)), terms.not_(draw(truths(depth - 1))))


def _translated(term: Term, values: dict[str, int]) -> bool:
    def variable(name: str, width: int) -> Any:
        value = values.get(name, 0)
        return z3.BoolVal(bool(value)) if width == terms.BOOL else z3.BitVecVal(value, width)

    translate = Translation(variable, lambda *_: None, lambda _: None, z3.main_ctx())
    return bool(z3.is_true(z3.simplify(translate(term))))


@settings(max_examples=150)
@given(truths(), st.integers(0, 2**32))
def test_z3_and_evaluation_agree(term: Term, seed: int) -> None:
    values: dict[str, int] = {}
    for node in terms.nodes([term]):
        if node.op == "var":
            size = max(1, node.width)
            values[str(node.data)] = hash((seed, node.data)) % (1 << size)
    [expected] = evaluate([term], values, lambda *_: 0)
    assert _translated(term, values) == bool(expected)


def test_a_term_keeps_its_place_while_terms_are_kept() -> None:
    with terms.keeping():
        first = terms.var("made and dropped", 8).number
        later = terms.var("made later", 8).number
        assert terms.var("made and dropped", 8).number == first < later


def test_the_order_of_kept_terms_does_not_hang_on_terms_made_before() -> None:
    def order() -> list[str]:
        with terms.keeping():
            made = [terms.var(name, 8) for name in ("kept first", "kept second")]
            return [str(term.data) for term in sorted(made, key=lambda term: term.number)]

    before = terms.var("kept second", 8)

    assert order() == ["kept first", "kept second"] == order()
    assert terms.var("kept second", 8) is before


def test_truth_and_the_constants_of_modules_are_the_same_within() -> None:
    with terms.keeping():
        assert terms.eq(terms.const(1, 8), terms.const(1, 8)) is terms.TRUE
        assert terms.not_(terms.TRUE) is terms.FALSE


def test_a_quotient_by_zero_is_zero() -> None:
    x = terms.var("x8", 8)
    for operation in (terms.udiv, terms.urem, terms.sdiv, terms.srem):
        zero = terms.eq(operation(x, terms.var("y8", 8)), terms.const(0, 8))
        assert evaluate([zero], {"x8": 7, "y8": 0}, lambda *_: 0) == [1]
        assert _translated(zero, {"x8": 7, "y8": 0})


@given(st.integers(0, 255), st.integers(0, 255))
def test_a_product_checked_by_division_is_one_that_fits(a: int, b: int) -> None:
    x, y = terms.var("x", 8), terms.var("y", 8)
    checked = terms.eq(terms.udiv(terms.mul(x, y), x), y)
    fits = (a * b) < 256 if a else b == 0
    assert evaluate([checked], {"x": a, "y": b}, lambda *_: 0) == [int(fits)]


def test_branches_that_meet_again_leave_no_condition() -> None:
    p, q = terms.var("p", terms.BOOL), terms.var("q", terms.BOOL)
    assert terms.or_(terms.and_(p, q), terms.and_(p, terms.not_(q))) is p


def test_hashes_are_equal_where_what_is_hashed_is() -> None:
    x, y = terms.var("x", 16), terms.var("y", 16)
    assert terms.eq(terms.keccak(x), terms.keccak(y)) is terms.eq(x, y)
    assert terms.eq(terms.keccak(x), terms.keccak(terms.zext(y, 24))) is terms.FALSE
    assert terms.keccak(terms.const(0x4142, 16)).value == keccak(b"AB")


@pytest.mark.parametrize("length", [0, 1, 2])
def test_a_text_is_hashed_as_long_as_it_is(length: int) -> None:
    data = terms.const(int.from_bytes(b"AB"[:length].ljust(4, b"\0"), "big"), 32)
    hashed = terms.keccak_text(data, terms.var("n", 8))
    assert evaluate([hashed], {"n": length}, lambda *_: 0) == [keccak(b"AB"[:length])]
