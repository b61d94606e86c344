"""Explorers and nodes that answer what nobody should: nothing is written but into the folder, and one line tells."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from solexp.store.alone import alone
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
    written = {path for path in tmp_path.rglob("*") if path.is_file() and "cache" not in path.parts}
    assert written == {out / "capture.json"}


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
        {"ConstructorArguments": "zz"},
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
        {"input": "0xzz"},
        {"input": "0x123"},
        {"input": ""},
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


@pytest.mark.parametrize(
    ("method", "others"),
    [
        ("eth_chainId", None),
        ("eth_chainId", "main"),
        ("eth_getCode", 5),
        ("eth_getTransactionReceipt", {"gasUsed": None}),
        ("eth_getTransactionReceipt", {"status": 1}),
        ("eth_getTransactionReceipt", {"logs": [{}]}),
        ("eth_getTransactionByHash", {"value": "0x" + "f" * 5000}),
        ("eth_getBlockByNumber", {"difficulty": "much"}),
    ],
)
def test_a_node_that_answers_something_else_ends_in_one_line(
    method: str, others: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def upset(asked: str, answer: dict[str, Any]) -> dict[str, Any]:
        if asked != method:
            return answer
        result = answer["result"] | others if isinstance(others, dict) else others
        return answer | {"result": result}

    with Server(made(), key=KEY, upset=upset) as server:
        assert capture(server, tmp_path, "--node", server.node) == 2
    assert f"{method}: the answer is malformed" in last_line(capsys)


@pytest.mark.parametrize(
    "url",
    ["wss://node.example/v2/{key}", "node.example/v2/{key}", "http://a b/{key}", "http://node.example:99999/{key}"],
)  # fmt: skip
def test_an_address_that_is_none_is_refused_without_a_request_and_not_shown(
    url: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    secret = "n0de-k3y-0123456789"
    with Server(made(), key=KEY) as server:
        assert capture(server, tmp_path, "--node", url.format(key=secret)) == 2
        assert not server.asked
    assert "its address" in (line := last_line(capsys))
    assert secret not in line


def test_a_folder_that_cannot_be_written_is_told_before_anything_is_asked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").write_text("kept")
    with Server(made(), key=KEY) as server:
        for out in (tmp_path / "file", tmp_path / "file" / "out"):
            assert capture(server, out) == 2
            assert f"{out} cannot be written" in last_line(capsys)
        assert not server.asked
    assert (tmp_path / "file").read_text() == "kept"


def test_of_two_captures_into_one_folder_the_second_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    with Server(made(), key=KEY) as server:
        with alone(out, "capture"):
            assert capture(server, out) == 2
        assert "another capture into" in last_line(capsys)
        assert capture(server, out) == 0


def test_a_capture_that_fails_leaves_an_earlier_one_as_it_was(tmp_path: Path) -> None:
    with Server(made(), key=KEY) as server:
        assert capture(server, tmp_path) == 0
        before = told(tmp_path)
        assert capture(server, tmp_path, addresses=("0x" + "ab" * 20,)) == 2
    assert told(tmp_path) == before


@pytest.mark.parametrize("damage", [b"", b"{", b"\xff", b'{"chain": 1}'])
def test_a_damaged_record_of_a_capture_is_told_with_what_to_do(
    damage: bytes, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "capture.json").write_bytes(damage)
    with Server(made(), key=KEY) as server:
        assert capture(server, tmp_path) == 2
    assert "delete it and capture again" in last_line(capsys)


def test_a_file_of_addresses_that_is_no_text_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "addresses").write_bytes(b"\xff\xfe0\0x\0")
    with Server(made(), key=KEY) as server:
        assert capture(server, tmp_path, "--addresses", str(tmp_path / "addresses")) == 2
    assert "is no UTF-8 text" in last_line(capsys)


def test_a_redirect_to_another_host_is_not_followed_nor_the_key_sent_there(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with Server(made(), key=KEY) as other:
        away = Fault(status=307, headers={"Location": other.explorer})
        with Server(made(), key=KEY, script=[away]) as server:
            assert capture(server, tmp_path) == 2
        assert not other.asked
    assert "HTTP status 307; mend the address" in (line := last_line(capsys))
    assert KEY not in line
