"""Explorers and nodes that answer what nobody should: nothing is written but into the folder, and one line tells."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.benchmarks.building.captures import KEY, SOURCE, capture, made, told
from tests.benchmarks.building.loopback import Fault, Server

pytestmark = pytest.mark.usefixtures("capturing")

ROW: dict[str, Any] = {
    "blockNumber": "1", "hash": "0x01", "timeStamp": "1", "transactionIndex": "0", "nonce": "0", "from": "0x02",
    "to": "", "value": "0", "gas": "1", "gasPrice": "1", "gasUsed": "1", "isError": "0", "contractAddress": "",
    "input": "0x",
}  # fmt: skip


def yes(*rows: Any) -> Fault:
    return Fault(body={"status": "1", "message": "OK", "result": rows})


def last_line(capsys: pytest.CaptureFixture[str]) -> str:
    return capsys.readouterr().err.strip().splitlines()[-1]


@pytest.mark.parametrize(
    "name", ["../../Box", "{here}/Box", "a.sol:../../Box", "", "a\0b", "B" * 300, None]
)
def test_a_contract_whose_name_is_a_path_is_left_out(
    name: str | None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "in" / "out"
    named: Any = name and name.format(here=tmp_path / "in")
    with Server(made(ContractName=named), key=KEY) as server:
        assert capture(server, out) == 2
    assert "names no contract" in last_line(capsys)
    written = [path for path in tmp_path.rglob("*") if path.is_file() and "cache" not in path.parts]
    assert written == [out / "capture.json"]


@pytest.mark.parametrize(
    "others",
    [
        {"ContractName": "nowhere.sol:Box"},
        {"ABI": None},
        {"Library": [1]},
        {"Proxy": 1},
        {"SourceCode": json.dumps({"/x/Box.sol": {"content": SOURCE}, "../../Y.sol": {"content": ""}})},
    ],
)  # fmt: skip
def test_fields_of_other_types_and_paths_that_lead_out_do_no_harm(
    others: dict[str, Any], tmp_path: Path
) -> None:
    out = tmp_path / "in" / "out"
    with Server(made(**others), key=KEY) as server:
        assert capture(server, out) == 0
    assert {path.name for path in tmp_path.iterdir()} <= {"in", "cache"}
    assert list((tmp_path / "in").iterdir()) == [out]
    (source,) = (out / "sources").glob("*.sol")
    assert source.read_text() == SOURCE


@pytest.mark.parametrize(
    "others",
    [
        {"CompilerVersion": None},
        {"CompilerVersion": 7},
        {"SourceCode": '{"a":' * 100_000},
        {"SourceCode": '{"a.sol": 5}'},
    ],
)
def test_a_malformed_source_is_told_in_one_line(
    others: dict[str, Any], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with Server(made(**others), key=KEY) as server:
        assert capture(server, tmp_path) == 2
    assert "nothing is left" in last_line(capsys)


def test_a_compiler_that_there_is_none_of_leaves_out_its_contract_alone(tmp_path: Path) -> None:
    files = {
        "A.sol": {"content": 'import "./B.sol"; contract Box is B {}'},
        "B.sol": {"content": "contract B {}"},
    }
    chain = made(SourceCode=json.dumps(files), CompilerVersion="v99.0.0+commit.00000000")
    with Server(chain, key=KEY) as server:
        assert capture(server, tmp_path) == 0
    (reason,) = dict(told(tmp_path)["left_out"]).values()  # type: ignore[call-overload]
    assert "no Solidity compiler '99.0.0'" in reason


@pytest.mark.parametrize(
    "others",
    [
        {"transactionIndex": "x"},
        {"hash": ["x"]},
        {"blockNumber": "9" * 5000},
        {"blockNumber": str(1 << 70)},
        {"gas": str(1 << 70)},
        {"timeStamp": "-1"},
        {"txreceipt_status": "x"},
    ],
)
def test_a_malformed_transaction_is_told_in_one_line(
    others: dict[str, Any], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with Server(made(), key=KEY, script=[None, None, *[yes(ROW | others)] * 9]) as server:
        assert capture(server, tmp_path) == 2
    assert "malformed" in (line := last_line(capsys)) or "no list of transactions" in line


@pytest.mark.parametrize(
    ("before", "fault"),
    [
        (0, Fault(body={"jsonrpc": "2.0", "result": "0x" + "f" * 5000})),
        (0, Fault(body={"jsonrpc": "2.0", "result": "-0x5"})),
        (1, Fault(body=b"[" * 200_000 + b"]" * 200_000)),
        (1, Fault(headers={"Content-Length": "many"})),
    ],
)
def test_an_answer_that_cannot_be_is_asked_for_again(
    before: int, fault: Fault, tmp_path: Path
) -> None:
    with Server(made(), key=KEY, script=[*[None] * before, fault]) as server:
        assert capture(server, tmp_path) == 0
    assert told(tmp_path)["done"]


def test_a_word_about_the_creation_that_is_none_is_asked_for_again(tmp_path: Path) -> None:
    script = [None, None, yes(ROW), None, yes("x"), yes({"txHash": 5})]
    with Server(made(), key=KEY, script=script) as server:
        assert capture(server, tmp_path) == 0
    assert told(tmp_path)["done"]
