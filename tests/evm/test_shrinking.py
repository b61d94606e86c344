"""Programs that show something, made as small as can be."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st

from solexp.core import Call, ContractBuild, Program
from solexp.evm.encoding import calldata
from solexp.evm.shrinking import shrink, smaller_numbers
from tests.evm.boxes import BLOCK, OTHER, SENDER, TIME, call, program, put, selector

CONTRACT = ContractBuild(
    path="box.sol",
    name="Box",
    abi=[],
    creation="0x",
    runtime="0x",
    methods={
        "put(uint256)": selector("put(uint256)")[2:],
        "note(string,uint256[],(bool,int8),address)": "01020304",
    },
)


def _each(test: Callable[[Program], bool]) -> Callable[[Sequence[Program]], list[bool]]:
    return lambda programs: [test(each) for each in programs]


def _amounts(program: Program) -> list[int]:
    return [int(call.input[10:], 16) for call in program.calls]


@settings(max_examples=30, deadline=None)
@given(
    st.lists(st.integers(0, 5000), min_size=2, max_size=60),
    st.integers(1, 3),
    st.integers(1, 4000),
)
def test_as_few_calls_as_it_takes_and_as_small_as_they_may_be(
    amounts: list[int], count: int, bound: int
) -> None:
    def fails(tried: Program) -> bool:
        return sum(amount >= bound for amount in _amounts(tried)) >= count

    whole = program(*(put(n, sender=OTHER, at=at + 1) for at, n in enumerate(amounts)))
    if not fails(whole):
        return
    found = shrink(whole, _each(fails), contract=CONTRACT)

    assert _amounts(found) == [bound] * count
    assert {call.sender for call in found.calls} == {SENDER}
    assert {call.block_number for call in found.calls} <= {BLOCK + 1}


def test_time_and_ether_get_less_and_later_calls_come_sooner() -> None:
    def fails(tried: Program) -> bool:
        first, last = tried.calls[0], tried.calls[-1]
        return last.timestamp - first.timestamp >= 86_400 and last.value >= 12

    whole = program(put(1, at=1), put(2, at=3, value=5000, timestamp=TIME + 900_000), put(3, at=90))
    whole = msgspec.structs.replace(
        whole,
        calls=(*whole.calls[:2], msgspec.structs.replace(whole.calls[1], block_number=BLOCK + 9)),
    )
    found = shrink(whole, _each(lambda p: bool(p.calls) and fails(p)), contract=CONTRACT)

    assert len(found.calls) == 2
    assert found.calls[-1].value == 12
    assert found.calls[-1].timestamp - found.calls[0].timestamp == 86_400


def test_texts_lists_and_members_get_shorter() -> None:
    types = ["string", "uint256[]", "(bool,int8)", "address"]
    values = ["some words", [7, 900, 8], (True, -100), OTHER]
    given_ = Call(
        sender=OTHER,
        input=calldata("01020304", types, values),
        block_number=BLOCK + 1,
        timestamp=TIME + 1,
    )

    def fails(tried: Program) -> bool:
        from eth_abi.abi import decode  # noqa: PLC0415

        text, many, (_, small), _ = decode(types, bytes.fromhex(tried.calls[0].input[10:]))
        return len(text) >= 2 and max(many, default=0) >= 500 and small <= -3

    found = shrink(program(given_), _each(lambda p: bool(p.calls) and fails(p)), contract=CONTRACT)

    smallest = calldata("01020304", types, ["so", [500], (False, -3), SENDER])
    assert found.calls[0].input == smallest
    assert found.calls[0].sender == SENDER


def test_calls_of_unknown_functions_are_only_left_out() -> None:
    odd = call("odd(uint256)", 99, at=3)

    def fails(tried: Program) -> bool:
        return odd in tried.calls

    whole = program(put(1, at=1), put(2, at=2), odd, put(4, at=4))
    found = shrink(whole, _each(fails), contract=CONTRACT, values=False)
    assert found.calls == (odd,)


@given(st.integers(-(2**255), 2**256 - 1))
def test_smaller_numbers_are_nearer_to_zero_or_lose_their_sign(number: int) -> None:
    found = smaller_numbers(number)
    assert all(abs(each) < abs(number) or (number < 0 and each == -number) for each in found)
    assert not found if number == 0 else 0 in found
