"""Where limits lie, found by trying."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from solexp.core import CallResult
from solexp.dcr.borders import Borders
from solexp.dcr.drafts import Draft
from solexp.evm.encoding import calldata
from solexp.fuzzing.settings import Entry

WORD = 1 << 256


def paid(amount: int, *, value: int = 0) -> Draft:
    return Draft("0x" + "a1" * 20, value, calldata("aabbccdd", ("uint256",), (amount,)), 1000)


def amount_of(draft: Draft) -> int:
    return int(draft.input[10:], 16)


@given(st.integers(0, WORD - 1), st.integers(0, WORD - 1), st.integers(0, WORD - 1))
def test_the_last_number_that_is_taken_and_the_first_that_is_not_are_found(
    number: int, least: int, most: int
) -> None:
    least, most = min(least, most, number), max(least, most, number)
    entry = Entry("pay(uint256)", "aabbccdd", ("uint256",))
    asked = 0

    def tried(drafts: Sequence[Draft]) -> list[CallResult]:
        nonlocal asked
        asked += len(drafts)
        return [CallResult(status=least <= amount_of(each) <= most) for each in drafts]

    borders = Borders(tried, 10_000)
    above = borders.beside(entry, paid(number), 1000)
    if most == WORD - 1:
        assert above is None
    else:
        assert above is not None
        assert (amount_of(above.taken), amount_of(above.refused)) == (most, most + 1)
    assert borders.beside(entry, paid(number), 1000) is None, "its time is as good as any"
    below = borders.beside(entry, paid(number), 1000)
    if least == 0:
        assert below is None
    else:
        assert below is not None
        assert (amount_of(below.taken), amount_of(below.refused)) == (least, least - 1)
    assert asked < 1000


def test_ether_and_time_have_limits_too() -> None:
    entry = Entry("pay(uint256)", "aabbccdd", ("uint256",), payable=True)

    def tried(drafts: Sequence[Draft]) -> list[CallResult]:
        return [
            CallResult(status=5 <= each.value <= 70 and 900 <= each.timestamp <= 1234)
            for each in drafts
        ]

    borders = Borders(tried, 10_000)
    found = [borders.beside(entry, paid(1, value=7), 800) for _ in range(6)]
    numbers = [
        (each.taken.value, each.refused.value, each.taken.timestamp, each.refused.timestamp)
        for each in found
        if each is not None
    ]
    assert numbers == [
        (70, 71, 1000, 1000),
        (7, 7, 1234, 1235),
        (5, 4, 1000, 1000),
        (7, 7, 900, 899),
    ]


def test_each_limit_is_looked_for_a_few_times_and_no_more_calls_are_tried_than_allowed() -> None:
    entry = Entry("pay(uint256)", "aabbccdd", ("uint256",))

    def tried(drafts: Sequence[Draft]) -> list[CallResult]:
        return [CallResult(status=amount_of(each) < 50) for each in drafts]

    borders = Borders(tried, 10_000)
    found = [borders.beside(entry, paid(9), 1000) for _ in range(12)]
    assert sum(each is not None for each in found) == 2
    assert Borders(tried, 0).beside(entry, paid(9), 1000) is None
