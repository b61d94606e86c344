"""Fuzzing by other engines, which are given original and candidate side by side."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import msgspec
import pytest

from solexp.core import CompilerSettings, Outcome, Target, UserError, Verdict
from solexp.evm.words import keccak, word
from solexp.oracles.base import Case
from solexp.oracles.fuzz import Fuzz
from solexp.solidity.compiler import Compiler
from tests.evm.boxes import BOX, SENDER, candidates, task
from tests.oracles.test_fuzz import OVERDRAWN, SAME, SILENT, VAULT, judge

WHOLE: dict[str, Any] = {"scope": "contract", "calls": 400}
FORGED: dict[str, Any] = {"engine": "forge", "axes": "status_return_events", **WHOLE}
"""All by one handler, which takes seconds to compile."""


def told(rows: list[Verdict]) -> list[object]:
    return [(row.outcome, row.measures, row.divergence, row.counterexample) for row in rows]


FORGE = """
interface Vm {
    function allowCheatcodes(address) external;
    function assume(bool) external;
    function etch(address, bytes calldata) external;
    function mockCall(address, bytes calldata, bytes calldata) external;
    function skip(bool) external;
    function startPrank(address) external;
    function store(address, bytes32, bytes32) external;
    function deploy() external;
    function setUp() external;
    function pass(uint256) external;
}
Vm constant vm = Vm(address(uint160(uint256(keccak256("hevm cheat code")))));
address constant HANDLER = 0x5615dEB798BB3E4dFa0139dFa1b3D433Cc23b72f;
address constant TEST = 0x7FA9385bE102ac3EAc297483Dd6233D62b3e1496;
"""
"""The last are where forge deploys a test and its first contract, always."""
CHEATING = {
    "rejects the try": ["try vm.assume(false) {} catch {}"],
    "skips the test": ["try vm.skip(true) {} catch {}"],
    "replaces the handler": ['try vm.etch(HANDLER, hex"5f5ff3") {} catch {}'],
    "replaces the test": ['try vm.etch(TEST, hex"00") {} catch {}'],
    "acts as the handler": ["try vm.startPrank(HANDLER) {} catch {}"],
    "writes what the handler knows": [
        "try vm.allowCheatcodes(address(this)) {} catch {}",
        "for (uint256 i; i < 12; i++) try vm.store(HANDLER, bytes32(i), 0) {} catch {}",
    ],
    "answers for the handler": [
        'try vm.mockCall(HANDLER, hex"9c3674fc", abi.encode(false)) {} catch {}'
    ],
    "sets up anew": [
        "try Vm(HANDLER).pass(1) {} catch {}",
        "try Vm(HANDLER).deploy() {} catch {}",
        "try Vm(TEST).setUp() {} catch {}",
    ],
}
AS_IF_REJECTED = """assembly { mstore(0, "FOUNDRY::ASSUME") revert(0, 15) }"""


def cheating(steps: list[str], *, last: str = "") -> str:
    """A candidate that is wrong and cheats, when it is deployed and whenever it is about to be found out."""
    cheats = " ".join(
        step if step.startswith("for") else f"if (HANDLER.code.length > 0) {step}" for step in steps
    )
    return (
        (FORGE + VAULT)
        .replace("payable {}", f"payable {{ {cheats} }}")
        .replace("return amount / 100;", f"{cheats} {last} return amount / 50;")
    )


EVERY = [step for steps in CHEATING.values() for step in steps]
WATCHED = "if (HANDLER.code.length > 0) return 7; return amount / 100;"
CODES = {
    "overdrawn": OVERDRAWN,
    "silent": SILENT,
    "cheats": cheating(EVERY),
    "as if rejected": cheating([], last=AS_IF_REJECTED),
    "otherwise under forge": (FORGE + VAULT).replace("return amount / 100;", WATCHED),
    "same": SAME,
}


@pytest.fixture(scope="module")
def forged(compiler: Compiler) -> dict[str, Verdict]:
    """What comes of candidates under forge."""
    return dict(zip(CODES, judge(compiler, *CODES.values(), **FORGED), strict=True))


def test_forge_finds_what_takes_several_functions_and_it_is_made_small(
    forged: dict[str, Verdict],
) -> None:
    same, overdrawn, silent = forged["same"], forged["overdrawn"], forged["silent"]

    assert same.outcome is Outcome.PASS
    assert same.measures["fuzz.functions"] == 4
    assert same.measures["fuzz.equivalent"] == 4
    assert overdrawn.outcome is silent.outcome is Outcome.FAIL
    assert overdrawn.evidence["calls"] == ["start()", "take(1)"]
    assert overdrawn.divergence is not None
    assert overdrawn.divergence.expected == "failure (revert 'too much')"
    assert overdrawn.counterexample is not None
    assert silent.divergence is not None
    assert silent.divergence.axis == "events"


def test_forge_remembers_no_failures_and_draws_the_same_again(
    compiler: Compiler, forged: dict[str, Verdict]
) -> None:
    again = judge(compiler, SAME, OVERDRAWN, **FORGED)
    assert told(again) == told([forged["same"], forged["overdrawn"]])


def test_candidates_that_call_cheat_codes_forge_no_verdict(forged: dict[str, Verdict]) -> None:
    for row in (forged["cheats"], forged["as if rejected"]):
        assert row.outcome is Outcome.FAIL
        assert row.measures["fuzz.unconfirmed"] == 0


def test_what_is_otherwise_under_forge_alone_is_neither_right_nor_wrong(
    forged: dict[str, Verdict],
) -> None:
    row = forged["otherwise under forge"]

    assert row.outcome is Outcome.UNDECIDABLE
    assert "under forge" in str(row.evidence["reason"])
    assert row.measures["fuzz.unconfirmed"] == 1


@pytest.mark.slow
def test_no_cheat_code_alone_forges_a_verdict(compiler: Compiler) -> None:
    codes = [cheating(steps) for steps in CHEATING.values()]
    rows = judge(compiler, *codes, **FORGED)

    assert [row.outcome for row in rows] == [Outcome.FAIL] * len(codes)


@pytest.mark.slow
def test_what_depends_on_the_contracts_address_is_left_out(compiler: Compiler) -> None:
    original = """contract Box {
        uint256 n;
        constructor() payable {}
        function here() external view returns (bytes32) { return keccak256(abi.encode(this)); }
        function me() external view returns (address) { return address(this); }
        function add(uint256 by) external returns (uint256) { n += by % 8; return n; }
    }"""
    other = original.replace("n += by % 8; return n;", "uint256 m = n + by % 8; n = m; return m;")
    [same] = judge(compiler, other, original=original, **FORGED)

    assert same.outcome is Outcome.PASS
    assert same.measures["fuzz.unconfirmed"] == 0


@pytest.mark.slow
def test_each_of_the_two_is_run_with_libraries_of_its_own(compiler: Compiler) -> None:
    library = "library Sums { function sum(uint256 a, uint256 b) external pure returns (uint256) { return a + b; } }"
    wrong = library.replace("a + b", "a + b + (a == 7 ? 1 : 0)")
    box = BOX.replace("total += amount;", "total = Sums.sum(total, amount);")
    head = "pragma solidity 0.8.17;\n"
    linked = msgspec.structs.replace(
        task(box),
        sources={"box.sol": f"{head}{library}\n{box}"},
        target=Target(
            path="box.sol", contract="Sums", start=len(head), end=len(head) + len(library)
        ),
        compiler=CompilerSettings(version="0.8.17", libraries={"Sums": "0x" + "1b" * 20}),
    )
    oracle = Fuzz(**FORGED)
    case = Case(linked, candidates([library + " ", wrong]), compiler, cached=False)
    right, failed = oracle.judge(case)

    assert right.outcome is Outcome.PASS
    assert failed.outcome is Outcome.FAIL
    assert failed.measures["fuzz.unconfirmed"] == 0


@pytest.mark.parametrize("engine", ["forge", "echidna", "medusa"])
def test_an_engine_that_cannot_read_storage_says_so(engine: str) -> None:
    with pytest.raises(UserError, match=r"oracle.fuzz.axes: engine .* cannot compare storage"):
        Fuzz(engine=engine, axes="strict")  # type: ignore[arg-type]


def drawn_as_it_is() -> int:
    """A number that the handler passes on as it was drawn."""
    kept = (n for n in range(1, 99) if keccak(bytes.fromhex(word(n) + word(0))) % 8 < 2)
    return next(kept)


def echidna_file(*calls: tuple[str, list[int]]) -> str:
    """A sequence as Echidna writes it."""
    said = [
        {
            "call": {
                "contents": [
                    name.partition("(")[0],
                    [{"contents": [256, str(each)], "tag": "AbiUInt"} for each in values],
                ],
                "tag": "SolCall",
            },
            "delay": ["0x3c", "0x5"],
            "src": SENDER,
        }
        for name, values in calls
    ]
    return json.dumps(said)


def medusa_file(*calls: tuple[str, list[int]]) -> str:
    """The same as Medusa does."""
    said = [
        {
            "call": {
                "from": SENDER,
                "data": "0x" + word(keccak(name.encode()))[:8] + "".join(map(word, values)),
            },
            "blockNumberDelay": 5,
            "blockTimestampDelay": 60,
        }
        for name, values in calls
    ]
    return json.dumps(said)


WRITTEN = {
    "echidna": (echidna_file, "reproducers/1.txt", "coverage/2.txt"),
    "medusa": (medusa_file, "test_results/1.json", "call_sequences/mutable/2.json"),
}


@pytest.mark.parametrize(("engine", "broken"), [("echidna", True), ("medusa", False)])
def test_what_such_a_program_writes_is_believed_if_it_is_seen_again(
    engine: str, broken: bool, compiler: Compiler, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A stand-in, which writes what was put down for it, whatever it is asked.
    write, failed, kept = WRITTEN[engine]
    takes = write(("f2()", []), ("f3(uint256)", [drawn_as_it_is()]))
    puts = write(("f2()", []), ("f1(uint256)", [drawn_as_it_is()]))
    corpus = tmp_path / "written"
    for name, text in ((failed, takes), (kept, puts)) if broken else ((kept, takes),):
        (corpus / name).parent.mkdir(parents=True)
        (corpus / name).write_text(text)
    program = tmp_path / engine
    program.write_text(f"#!/bin/sh\ntest -s src/Beside.sol && cp -r {corpus} corpus\n")
    program.chmod(0o700)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    same, overdrawn = judge(compiler, SAME, OVERDRAWN, engine=engine, **WHOLE)

    assert overdrawn.outcome is Outcome.FAIL
    assert overdrawn.evidence["calls"] == ["start()", "take(1)"]
    assert overdrawn.measures["fuzz.vacuous"] == (1 if broken else 2)
    assert same.outcome is (Outcome.UNDECIDABLE if broken else Outcome.PASS)
    assert same.measures["fuzz.unconfirmed"] == (1 if broken else 0)


@pytest.mark.parametrize("engine", ["echidna", "medusa"])
def test_a_program_that_is_not_there_is_named(engine: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    with pytest.raises(UserError, match=f"oracle.fuzz.engine: {engine} is not on PATH"):
        Fuzz(engine=engine)  # type: ignore[arg-type]
