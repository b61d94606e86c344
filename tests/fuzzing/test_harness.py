"""A handler does what its calls are read as."""

from __future__ import annotations

from random import Random

import msgspec

from solexp.core import Call, CompilerSettings, ContractBuild
from solexp.evm.abi import decoded
from solexp.evm.anvil import AnvilMachine
from solexp.evm.deployed import NOTHING
from solexp.evm.encoding import calldata
from solexp.evm.machine import RICH, Subject
from solexp.evm.words import created_address
from solexp.fuzzing import Constants, Settings, units
from solexp.fuzzing.drawing import BLOCK_S
from solexp.fuzzing.engines.harness import Harness, Sent, harness
from solexp.fuzzing.values import Pool, drawer
from solexp.solidity.compiler import Compiler
from tests.evm.boxes import HERE, OTHER, SENDER, program

THIRD = "0x" + "c3" * 20
ACCOUNTS = (SENDER, OTHER, THIRD)
ECHO = """pragma solidity 0.8.28;
struct Pair { uint8 a; bytes b; }
interface Box {
    function pay(address to, uint64 amount, uint256 until) external;
    function put(address to, int8[2] calldata two, bool) external payable;
    function pairs(Pair[] calldata all, uint256[2] calldata two, uint96 n) external payable;
    function name() external view returns (string memory);
    function symbol() external view returns (string memory);
    function held(address) external view returns (uint256);
}
contract Echo {
    event Got(address who, uint256 value, bytes data);
    fallback() external payable { emit Got(msg.sender, msg.value, msg.data); }
}"""
BASE = msgspec.structs.replace(program(), calls=(), hardfork="london")
STATED = Constants((77, 3600, 10**18), (), (b"role",))


def built(compiler: Compiler, source: str, name: str) -> ContractBuild:
    settings = CompilerSettings(version="0.8.28", evm_version="london")
    build = compiler.compile({"a.sol": source}, settings)
    found = build.contract(name)
    assert found is not None, build.errors
    return found


def types_of(made: Harness, selector: str) -> list[str]:
    """The parameters of a function of the handler."""
    group = made.slots[selector]
    if len(group) > 1:
        return ["uint256"]
    [(_, entry)] = group
    return [*entry.types, *(["uint256"] if entry.payable or not entry.selector else [])]


def test_a_handler_sends_what_its_calls_are_read_as() -> None:
    random = Random(5)
    pool = Pool(random, STATED, (*ACCOUNTS, *ACCOUNTS), (*ACCOUNTS, HERE))
    settings = Settings(scope="contract", arguments="all")
    with Compiler() as compiler:
        box = built(compiler, ECHO, "Box")
        echo = built(compiler, ECHO, "Echo")
        [unit], left_out = units(box, settings)
        made = harness(
            "Actors.sol",
            unit,
            BASE,
            stated=STATED,
            accounts=ACCOUNTS,
            axes=("status", "return"),
            ARGUMENTS="",
            ORIGINAL=echo.creation[2:],
            CANDIDATE=echo.creation[2:],
        )
        handler = built(compiler, made.source, "Handler")
    assert not left_out
    sent = []
    for selector in list(made.slots) * 12:
        pool.begin()
        types = types_of(made, selector)
        data = calldata(selector, types, [drawer(kind, pool)() for kind in types])
        blocks = random.randrange(3)
        sent.append(Sent(random.choice(ACCOUNTS), data, blocks, blocks * random.randrange(9999)))
    acting = {SENDER: HERE, OTHER: created_address(HERE, 1), THIRD: created_address(HERE, 2)}
    places = {actor: account for account, actor in acting.items()}
    expected = made.program(BASE, sent, places, restless=False)

    number, time = BASE.deployment.block_number + 1, BASE.deployment.timestamp + BLOCK_S
    calls = []
    for each in sent:
        number, time = number + each.blocks, time + each.seconds
        calls.append(
            Call(
                sender=each.sender,
                input=each.data,
                block_number=number,
                timestamp=time,
                gas=60_000_000,
            )
        )
    deployment = msgspec.structs.replace(BASE.deployment, value=4 * RICH)
    ran = msgspec.structs.replace(BASE, calls=tuple(calls), deployment=deployment)
    [trace] = AnvilMachine().run(ran, [Subject(handler.creation, handler)], NOTHING)

    assert len(expected.calls) == len(sent)
    entries = {entry.selector: entry for entry in (*unit.entries, *unit.views)}
    values: set[str] = set()
    for call, result in zip(expected.calls, trace.calls, strict=True):
        assert result.status
        original, candidate = result.logs
        assert original.data == candidate.data
        got = decoded(["address", "uint256", "bytes"], original.data[2:])
        assert got is not None
        who, value, data = got
        assert (who, value) == (acting[call.sender], call.value)
        assert data[:4].hex() == call.input[2:10]
        if data:
            entry = entries.get(data[:4].hex())
            types = list(entry.types) if entry else []
            arguments = decoded(types, call.input[10:])
            told = decoded(types, data[4:].hex())
            assert told is not None
            named = [places.get(each, each) if isinstance(each, str) else each for each in told]
            assert tuple(named) == arguments
            values.update(map(repr, named))
    assert {repr(SENDER), repr(OTHER), repr(THIRD), "77"} <= values
