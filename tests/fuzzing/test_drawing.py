"""Drawing values and sequences, and keeping what an original does with them."""

from __future__ import annotations

from random import Random

import msgspec
import pytest
from eth_abi.abi import decode
from hypothesis import given
from hypothesis import strategies as st

from solexp.core import CompilerSettings, ContractBuild, Log
from solexp.evm.encoding import calldata
from solexp.evm.words import keccak, word
from solexp.fuzzing import Constants, Reference, Settings, constants, pack, units, unpack
from solexp.fuzzing.drawing import Sequences
from solexp.fuzzing.reference import Ending, KeptReference
from solexp.fuzzing.values import Pool, drawer
from solexp.solidity.compiler import Compiler
from tests.evm.boxes import OTHER, SENDER, program, put

TYPES = [
    "uint8", "uint256", "int16", "int256", "bool", "address", "bytes4", "bytes32", "bytes", "string",
    "uint256[]", "address[3]", "(bool,uint64)[]", "(string,(int8,bytes2))[2]",
]  # fmt: skip
STATED = Constants((100, 10**18), ("0x" + "c3" * 20,), (b"admin",))
STRANGERS = tuple("0x" + f"{n:02x}" * 20 for n in range(5, 9))


def pool(seed: int = 0) -> Pool:
    return Pool(Random(seed), STATED, (SENDER, OTHER, *STRANGERS), (SENDER, "0x" + "0" * 40))


@pytest.mark.parametrize("kind", TYPES)
@given(seed=st.integers(0, 10**6))
def test_what_is_drawn_can_be_encoded_and_is_of_its_type(kind: str, seed: int) -> None:
    made = pool(seed)
    made.begin()
    value = drawer(kind, made)()
    data = calldata("01020304", [kind], [value])
    decode([kind], bytes.fromhex(data[10:]), strict=True)


def test_constants_of_the_source_and_bounds_are_among_what_is_drawn() -> None:
    made = pool()
    made.begin()
    drawn = {made.number(256) for _ in range(4000)}
    assert {0, 1, 99, 100, 101, 10**18, 2**256 - 1, 2**255} <= drawn
    assert b"admin".ljust(32, b"\0") in {made.fixed_bytes(32) for _ in range(200)}


def test_an_abi_says_what_can_be_called() -> None:
    inputs = {"f": ["uint256", "address"], "g": ["string"], "h": ["function"], "look": []}
    contract = ContractBuild(
        path="a.sol",
        name="A",
        abi=[
            {
                "type": "function",
                "name": name,
                "inputs": [{"type": kind} for kind in kinds],
                "stateMutability": "view" if name == "look" else "payable",
            }
            for name, kinds in inputs.items()
        ],
        creation="0x",
        runtime="0x",
        methods={f"{n}({','.join(k)})": word(keccak(n.encode()))[:8] for n, k in inputs.items()},
    )
    [unit], left_out = units(contract, Settings())
    assert unit.name == "f(uint256,address)"
    assert left_out == ("g(string)", "h(function)")
    [whole], _ = units(contract, Settings(scope="contract", arguments="all"))
    assert [entry.signature for entry in whole.entries] == ["f(uint256,address)", "g(string)"]
    assert [entry.signature for entry in whole.views] == ["look()"]
    assert all(entry.payable for entry in whole.entries)


def test_constants_are_read_from_the_syntax_tree() -> None:
    source = """pragma solidity 0.8.17;
    contract A {
        address constant OWNER = 0x5B38Da6a701c568545dCfcB03FcB875f56beddC4;
        bytes32 constant ROLE = keccak256("ROLE");
        function f(uint256 x) external pure returns (uint256) { return x > 3 ether ? 2 ** 70 : 30 days; }
    }"""
    with Compiler() as compiler:
        build = compiler.compile(
            {"a.sol": source}, CompilerSettings(version="0.8.17"), ast=True, keep_ast=False
        )
    found = constants(build)
    assert {3 * 10**18, 2**70, 30 * 86_400} <= set(found.numbers)
    assert found.addresses == ("0x5b38da6a701c568545dcfcb03fcb875f56beddc4",)
    assert {b"ROLE", bytes.fromhex(word(keccak(b"ROLE")))} <= set(found.texts)


def test_the_same_seed_draws_the_same_sequences_and_time_never_falls() -> None:
    contract = ContractBuild(
        path="box.sol",
        name="Box",
        abi=[{"type": "function", "name": "put", "inputs": [{"type": "uint256"}]}],
        creation="0x",
        runtime="0x",
        methods={"put(uint256)": "01020304"},
    )
    settings = Settings(length=7)
    [unit], _ = units(contract, settings)
    base = msgspec.structs.replace(program(), calls=())

    def drawn(seed: int) -> list[object]:
        random = Random(seed)
        made = Pool(random, STATED, (SENDER, OTHER, *STRANGERS), (SENDER,))
        sequences = Sequences(unit, settings, base, made, random)
        return [sequences.program(sequences.next()) for _ in range(30)]

    first = drawn(3)
    assert first == drawn(3)
    assert first != drawn(4)
    for each in first:
        calls = each.calls  # type: ignore[attr-defined]
        assert len(calls) == 7
        places = [(call.block_number, call.timestamp) for call in calls]
        assert places == sorted(places)
        assert places[0] > (base.deployment.block_number, base.deployment.timestamp)


def test_what_the_original_did_is_kept_whole() -> None:
    base = msgspec.structs.replace(program(), calls=())
    calls = (put(2**200, gas=10, value=2**70), put(5, sender=OTHER, at=9, gas=11))
    log = Log("0x" + "ab" * 20, ("0x01", "0x02"), "0x1234")
    reference = Reference(
        programs=(msgspec.structs.replace(base, calls=calls),),
        endings=((Ending(True, "0x05", (log,), False), Ending(False, "0x", (), True)),),
        called=9,
        costly=2,
        unstable=1,
        cut="gas",
    )
    assert unpack(pack(reference), base) == reference
    assert (reference.calls, reference.succeeded) == (2, 1)
    with pytest.raises(ValueError, match="not a packed reference"):
        unpack(KeptReference(b"nothing"), base)
