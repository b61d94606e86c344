"""Storage is read by label, whatever the layout."""

from __future__ import annotations

import msgspec

from solexp.evm.anvil import AnvilMachine
from solexp.evm.compare import compare
from solexp.evm.machine import Keys, Observation, Subject
from solexp.evm.observe import keys_in_play, observation
from solexp.evm.storage import canonical, plan_slots
from solexp.evm.words import word
from solexp.oracles.usertypes import with_underlying
from tests.evm.boxes import HERE, OTHER, SENDER, call, program, put, selector
from tests.evm.conftest import Make

EVERYTHING = """contract Box {
    bool flag = true; uint8 small = 7; address owner = msg.sender; uint256 big = 1 << 200;
    int64 negative = -2; bytes4 tag = 0xdeadbeef; bytes32 digest = bytes32(uint256(99));
    enum Kind { A, B, C } Kind kind = Kind.C;
    string short = "hello"; string long = "this string is rather longer than thirty-one bytes";
    bytes raw = hex"0102";
    uint16[5] packed; uint256[3] fixedOnes; uint64[] list; address[] people;
    struct Inner { uint128 low; uint128 high; string name; uint256[] marks; }
    Inner inner;
    mapping(address => uint256) balances; mapping(address => mapping(address => uint256)) allowances;
    mapping(uint256 => Inner) items; mapping(bytes32 => bool) known; mapping(string => uint256) named;
    mapping(address => Inner) profiles; mapping(bool => uint8) switches;
    mapping(uint256 => mapping(address => bool)) votes;
    function put(uint256 amount) external {
        packed[4] = 513; fixedOnes[2] = 5; list.push(11); list.push(22); people.push(msg.sender);
        inner.low = 1; inner.high = 2; inner.name = "inner"; inner.marks.push(31);
        balances[msg.sender] = amount; allowances[msg.sender][address(this)] = 4;
        items[amount].high = 9; items[amount].name = "item"; known[bytes32(amount)] = true;
        profiles[msg.sender].marks.push(77); switches[true] = 3; votes[amount][msg.sender] = true;
    }
    function name(string calldata text, address other) external { named[text] = 8; balances[other] = 6; }
}"""


def test_every_kind_of_variable_is_read(subject: Make) -> None:
    box = subject(EVERYTHING)
    text = word(64) + word(int(OTHER, 16)) + word(3) + "616263".ljust(64, "0")
    named = put(5, at=3)
    named = type(named)(
        sender=SENDER,
        input=selector("name(string,address)") + text,
        block_number=named.block_number,
        timestamp=named.timestamp,
    )
    history = program(put(5), named)
    [trace] = AnvilMachine().run(history, [box], observation(history, box.contract))
    assert all(result.status for result in trace.calls)
    found = trace.checkpoints[-1].storage
    expected = {
        "flag": 1,
        "small": 7,
        "owner": int(SENDER, 16),
        "big": 1 << 200,
        "negative": (1 << 256) - 2,
        "tag": 0xDEADBEEF,
        "digest": 99,
        "kind": 2,
        "short": int(b"hello".hex().ljust(62, "0") + "0a", 16),
        "long": 2 * 50 + 1,
        "long.word0": int(b"this string is rather longer tha".hex(), 16),
        "packed[3]": 0,
        "packed[4]": 513,
        "fixedOnes[2]": 5,
        "list.length": 2,
        "list[0]": 11,
        "list[1]": 22,
        "people[0]": int(SENDER, 16),
        "inner.low": 1,
        "inner.high": 2,
        "inner.marks.length": 1,
        "inner.marks[0]": 31,
        f"balances[{SENDER}]": 5,
        f"balances[{OTHER}]": 6,
        f"allowances[{SENDER}][{HERE}]": 4,
        "items[5].high": 9,
        "items[4].high": 0,
        f"known[0x{word(5)}]": 1,
        "named['abc']": 8,
        f"profiles[{SENDER}].marks.length": 1,
        f"profiles[{SENDER}].marks[0]": 77,
        "switches[true]": 3,
    }
    named_switch = {"switches[true]": "switches[1]"}
    got = {label: int(found[named_switch.get(label, label)], 16) for label in expected}
    assert got == expected


def test_labels_outlive_a_change_of_layout(subject: Make) -> None:
    one = subject(
        "contract Box { uint128 a; uint128 b; mapping(address => uint256) held; "
        "function put(uint256 x) external { a = 1; b = 2; held[msg.sender] = x; } }"
    )
    other = subject(
        "contract Box { mapping(address => uint256) held; uint128 b; bool c; uint128 a; "
        "function put(uint256 x) external { a = 1; b = 2; held[msg.sender] = x; c = true; } }"
    )
    history = program(put(5))
    first, second = AnvilMachine().run(history, [one, other], observation(history, one.contract))
    before, after = first.checkpoints[-1].storage, second.checkpoints[-1].storage
    # Of the candidate nothing is read but what the original has as well.
    assert after == before


def test_a_negative_number_reads_the_same_in_whatever_size_it_is_kept(subject: Make) -> None:
    body = "function put(uint256 x) external { low = -int8(int256(x)); high = 7; kept[msg.sender] = -2; }"
    one = subject(
        "contract Box { int128 low; int128 high; mapping(address => int64) kept; " + body + " }"
    )
    other = subject(
        "contract Box { int256 low; int256 high; mapping(address => int256) kept; " + body + " }"
    )
    history = program(put(5))
    first, second = AnvilMachine().run(history, [one, other], observation(history, one.contract))
    state = first.checkpoints[-1].storage
    assert state == second.checkpoints[-1].storage
    assert int(state["low"], 16) == (1 << 256) - 5
    assert not any(compare(first, second, history).counts[axis] for axis in ("storage", "status"))


def test_two_compilations_of_the_same_variables_have_one_layout(subject: Make) -> None:
    code = "contract Box { struct S { uint256 a; } S s; mapping(uint256 => S) held; }"
    plain, shifted = subject(code), subject("contract Unrelated { uint256 x; }\n" + code)
    layouts = [s.contract.storage_layout for s in (plain, shifted)]
    assert layouts[0] != layouts[1]
    assert canonical(layouts[0]) == canonical(layouts[1])


def test_as_many_slots_are_read_as_allowed(subject: Make) -> None:
    keys = Keys(addresses=tuple(word(n) for n in range(1000)), words=tuple(map(word, range(1000))))
    layout = subject(EVERYTHING).contract.storage_layout
    plan = plan_slots(layout, Observation(keys=keys, max_slots=300))
    assert len(plan.calldata) < 2 + 64 * 2 * 300 + 64 * 4 * 40
    assert len({field.word for field in plan.fields}) <= 300
    nothing = plan_slots(None, Observation(keys=keys))
    assert (nothing.calldata, nothing.fields, nothing.words) == ("0x", (), 1)


def test_keys_come_from_senders_and_calldata() -> None:
    history = program(put(77, sender=OTHER), call("give(address,uint256)", int(HERE, 16), 1 << 90))
    keys = keys_in_play(history)
    addresses = {"0x" + key[24:] for key in keys.addresses}
    assert {SENDER, OTHER, HERE} <= addresses
    assert word(77) in keys.words
    assert word(0) in keys.words
    assert (word(int(SENDER, 16)), word(int(HERE, 16))) in keys.pairs


def test_types_over_numbers_and_addresses_read_as_what_is_under_them(subject: Make) -> None:
    body = """function put(uint256 x) external {{
        low = {low}(-int64(int256(x))); high = 7; kept[{key}(-2)] = {low}(-3); by[{id}(msg.sender)] = 4;
    }}"""
    one = """contract Box {{ type Low is int64; type Id is address; type High is uint32;
        Low low; uint32 high; mapping(Low => Low) kept; mapping(Id => uint256) by; {body} }}"""
    other = """contract Box {{
        int256 low; uint32 high; mapping(int64 => int256) kept; mapping(address => uint256) by; {body} }}"""
    sources = (
        one.format(body=body.format(low="Low.wrap", key="Low.wrap", id="Id.wrap")),
        other.format(body=body.format(low="int256", key="int64", id="")),
    )
    subjects = []
    for source in sources:
        made = subject(source)
        layout = with_underlying(made.contract.storage_layout, [source])
        contract = msgspec.structs.replace(made.contract, storage_layout=layout)
        subjects.append(Subject(made.creation, contract))
    minus_two = call("touch(int256)", (1 << 256) - 2, at=2)
    history = program(put(5), minus_two)
    plan = observation(history, subjects[0].contract)
    first, second = (trace.checkpoints[-1] for trace in AnvilMachine().run(history, subjects, plan))
    assert first.storage == second.storage
    assert int(first.storage["low"], 16) == (1 << 256) - 5
    assert int(first.storage["kept[-2]"], 16) == (1 << 256) - 3
    assert int(first.storage[f"by[{SENDER}]"], 16) == 4
    assert not first.getters
