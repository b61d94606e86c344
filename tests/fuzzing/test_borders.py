"""Trails, what is changed of them, and known interfaces."""

from __future__ import annotations

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from solexp.core import CallResult
from solexp.fuzzing.borders import Input, earlier, emptied, inputs, moved, read
from solexp.fuzzing.drawing import Step, program
from solexp.fuzzing.interfaces import interface_ids
from solexp.fuzzing.settings import Entry
from solexp.fuzzing.tracing import Watched
from solexp.fuzzing.trails import fewer, needed, outcome, part, steps_of
from solexp.fuzzing.variants import variants
from tests.evm import boxes

PAY = Entry(
    "pay((uint8,int16)[],address)", "01020304", ("(uint8,int16)[]", "address"), payable=True
)
NOTE = Entry("note(uint64)", "01020305", ("uint64",))


def step(entry: Entry = NOTE, number: int = 1, blocks: int = 1, seconds: int = 12) -> Step:
    values = (number,) if entry is NOTE else ([(number, -2), (3, 4)], boxes.OTHER)
    return Step(entry, boxes.SENDER, values, 5 if entry.payable else 0, blocks, seconds)


def seen(reads: set[int], writes: set[int]) -> Watched:
    return Watched(True, {}, frozenset(reads), frozenset(writes), timely=True, blocks=False)


def test_every_number_that_a_caller_chooses_is_an_input_and_can_be_moved() -> None:
    trail = (step(PAY), step())
    nothing = seen(set(), set())
    found = inputs(trail, [nothing, nothing])

    assert [(each.step, each.kind, each.path) for each in found] == [
        (1, "seconds", ()),
        (1, "argument", (0,)),
        (0, "value", ()),
        *((0, "argument", (0, at, field)) for at in (0, 1) for field in (0, 1)),
    ]
    for each in found:
        assert read(moved(trail, each, 7), each) == 7
    assert moved(trail, Input(0, "argument", (0, 1, 0), 0, 255), 9)[0].values == (
        [(1, -2), (9, 4)],
        boxes.OTHER,
    )
    assert trail == (step(PAY), step())


@given(
    st.lists(st.tuples(st.integers(0, 9), st.integers(0, 99)), min_size=1, max_size=6), st.data()
)
def test_calls_of_a_part_come_when_they_came(
    pauses: list[tuple[int, int]], data: st.DataObject
) -> None:
    trail = tuple(step(number=at, blocks=b, seconds=s) for at, (b, s) in enumerate(pauses))
    places = sorted(data.draw(st.sets(st.integers(0, len(trail) - 1), min_size=1)))
    base = msgspec.structs.replace(boxes.program(), calls=())

    whole, some = program(base, trail).calls, program(base, part(trail, places)).calls
    assert [call.timestamp for call in some] == [whole[at].timestamp for at in places]
    assert [call.block_number for call in some] == [whole[at].block_number for at in places]


def test_a_call_that_comes_earlier_leaves_out_what_comes_later() -> None:
    trail = (step(number=1, seconds=10), step(number=2, seconds=10), step(number=3, seconds=10))

    sooner = earlier(trail, "seconds", 15)
    assert sooner is not None
    assert [(each.values, each.seconds) for each in sooner] == [((1,), 10), ((3,), 5)]
    assert earlier(trail, "seconds", 31) is None


def test_a_call_needs_what_wrote_what_it_reads() -> None:
    calls = [seen(set(), {1}), seen(set(), {2}), seen({1}, {3}), seen(set(), {9}), seen({3}, set())]
    assert needed(calls, 4) == [0, 2, 4]
    assert needed(calls, 3) == [3]


def test_a_trail_is_made_as_small_as_its_last_call_allows() -> None:
    trail = tuple(step(number=at) for at in range(12))

    def ask(trails: object) -> list[tuple[CallResult, ...]]:
        found = []
        for each in trails:  # type: ignore[attr-defined]
            there = {one.values[0] for one in each}
            found.append(
                (*[CallResult(status=True)] * (len(each) - 1), CallResult(status={2, 7} <= there))
            )
        return found

    [small] = fewer([trail], [outcome(CallResult(status=True))], ask)
    assert [each.values[0] for each in small] == [2, 7, 11]


def test_other_calls_come_before_the_last_with_flags_both_ways_and_about_the_same() -> None:
    rule = Entry("rule(uint64,bool)", "01020306", ("uint64", "bool"))
    way = Step(rule, boxes.OTHER, (5, False), 0, 0, 0)
    trail = (step(number=1), step(number=2))
    found = variants(trail, [(way,)], [boxes.SENDER])
    sent = {(one.sender, *one.values) for each in found for one in each if one.entry is rule}

    assert (boxes.OTHER, 5, False) in sent
    assert (boxes.OTHER, 5, True) in sent
    assert (boxes.SENDER, 2, False) in sent, "by who makes the last call, with its argument"


def test_arrays_and_words_of_the_last_call_are_changed() -> None:
    listed = Entry("join(bytes32,uint64[])", "01020307", ("bytes32", "uint64[]"))
    trail = (step(PAY), Step(listed, boxes.SENDER, (b"\x07" * 32, [3]), 0, 0, 0))
    [border] = emptied(trail)
    assert border.trail == (trail[0], trail[1]._replace(values=(b"\x07" * 32, [])))
    assert emptied(border.trail) == []

    word = next(each for each in inputs(trail, [seen(set(), set())] * 2) if each.path == (0,))
    assert read(trail, word) == int("07" * 32, 16)
    assert moved(trail, word, 9)[1].values == (bytes(31) + b"\x09", [3])


def test_a_history_is_read_as_the_calls_that_it_made() -> None:
    history = boxes.program()
    put = Entry("put(uint256)", boxes.selector("put(uint256)")[2:], ("uint256",))
    steps = steps_of(history, history.calls, [put])
    made = program(history, steps).calls

    assert [call.input for call in made] == [call.input for call in history.calls]
    assert [call.timestamp for call in made] == [call.timestamp for call in history.calls]
    assert steps_of(history, history.calls, [NOTE]) == ()


def test_interfaces_have_the_identifiers_that_their_standards_state() -> None:
    stated = ("01ffc9a7", "80ac58cd", "5b5e139f", "780e9d63", "d9b67a26", "0e89341c", "2a55205a")
    assert {bytes.fromhex(each) for each in stated} <= set(interface_ids())
    assert len(set(interface_ids())) == len(interface_ids())
