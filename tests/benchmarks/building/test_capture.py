"""Capturing contracts and histories from an explorer and a node."""

from __future__ import annotations

import json
import re
import threading
from pathlib import Path
from typing import Any

import pytest
from pyarrow import compute, parquet

from solexp.benchmarks.building.fresh import Fresh, Reproduction
from solexp.benchmarks.building.reading import from_place
from solexp.benchmarks.solcontracteval import SolContractEval
from solexp.cli import main
from solexp.core import CompilerSettings
from solexp.evm.process import AnvilProcess
from solexp.evm.rpc import Connection
from solexp.solidity.compiler import Compiler
from solexp.toolchain.install import ensure_anvil
from tests.benchmarks.building.captures import (
    ADDRESS,
    KEY,
    SENDER,
    SOURCE,
    capture,
    lines,
    made,
    told,
    transaction,
)
from tests.benchmarks.building.loopback import (
    Server,
    read_bundle,
)
from tests.docs.documents import ROOT, commands

pytestmark = pytest.mark.usefixtures("capturing")
WAIT = threading.Event()
SHARED = (
    "WhiteList_0xced4eb91efe1b708782afd33aa529a6a9ace6671",
    "ROAD_0xd7dcb670d682dffe9a36e0f33f1d3c59b98d3e56",
    "Wagmipet_0xecb504d39723b0be0e3a9aa33d646642d1051ee1",
)


def test_histories_are_those_of_the_chain_to_the_byte(data_home: Path, tmp_path: Path) -> None:
    bundle = data_home / "solcontracteval"
    chain = read_bundle(bundle, SHARED)
    with Server(chain, key=KEY) as server:
        assert capture(server, tmp_path / "out", addresses=tuple(chain.sources)) == 0
    for name in ("transactions.parquet", "internal_transactions.parquet"):
        found = parquet.read_table(tmp_path / "out" / name)
        table = parquet.read_table(bundle / name)
        for task_id in SHARED:
            expected = table.filter(compute.equal(table["task_id"], task_id))
            got = found.filter(compute.equal(found["task_id"], task_id))
            assert got.schema.remove_metadata() == expected.schema.remove_metadata()
            assert got.to_pylist() == expected.to_pylist()
    tasks = {task.id: task for task in SolContractEval(path=str(tmp_path / "out")).tasks()}
    shared = {task.id: task for task in SolContractEval(ids=list(SHARED)).tasks()}
    for task_id in SHARED:
        assert tasks[task_id].program == shared[task_id].program
        assert tasks[task_id].compiler == shared[task_id].compiler


def test_what_a_node_knows_is_kept_beside_the_explorers_history(tmp_path: Path) -> None:
    with Server(made(), key=KEY) as server:
        assert capture(server, tmp_path, "--node", server.node) == 0
    receipts = lines(tmp_path / "receipts.jsonl.gz")
    assert [(row["idx"], row["status"], row["gas_used"]) for row in receipts] == [
        (0, 1, 50_000),
        (1, 1, 50_000),
        (2, 1, 50_000),
    ]
    traces = lines(tmp_path / "traces.jsonl.gz")
    assert traces[1]["calls"]["to"] == ADDRESS  # type: ignore[index]
    assert traces[1]["changes"]["post"] == {SENDER: {"nonce": 2}}  # type: ignore[index]
    blocks = lines(tmp_path / "blocks.jsonl.gz")
    assert [(row["number"], row["timestamp"]) for row in blocks] == [
        (number, 1_700_000_000 + number) for number in (1, 2, 3)
    ]
    assert told(tmp_path)["notes"] == []


def test_a_node_that_traces_nothing_still_gives_receipts(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with Server(made(), key=KEY, traces=False) as server:
        assert capture(server, tmp_path, "--node", server.node) == 0
    assert server.counts["debug_traceTransaction"] == 1
    assert len(lines(tmp_path / "receipts.jsonl.gz")) == 3
    assert "the node traces nothing" in capsys.readouterr().out


def test_where_the_node_says_otherwise_than_the_explorer_it_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def upset(method: str, answer: Any) -> Any:
        if method == "eth_getTransactionReceipt":
            answer["result"]["gasUsed"] = "0x1"
        return answer

    with Server(made(), key=KEY, upset=upset) as server:
        assert capture(server, tmp_path, "--node", server.node) == 0
    assert "3 transactions whose gas_used the node has otherwise" in capsys.readouterr().out


def test_of_several_contracts_those_that_cannot_be_had_are_told_and_left_out(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    chain = made()
    old, unknown, vyper = (f"0x{number * 40}" for number in "123")
    chain.add(
        old,
        chain.sources[ADDRESS] | {"ContractName": "Chest", "SourceCode": "contract Chest {}"},
        [],
    )
    chain.add(vyper, chain.sources[ADDRESS] | {"CompilerVersion": "vyper:0.3.7"}, [])
    with Server(chain, key=KEY) as server:
        assert capture(server, tmp_path, addresses=(old,)) == 0
        assert capture(server, tmp_path, addresses=(ADDRESS, unknown, vyper)) == 0
    assert capsys.readouterr().err.splitlines() == [
        f"left out: {unknown} is not verified",
        f"left out: {vyper} is written in Vyper",
    ]
    sources, unfit = from_place(tmp_path)
    assert [source.contract for source in sources] == ["Box"]
    assert unfit == [
        (unknown, f"{unknown} is not verified"),
        (vyper, f"{vyper} is written in Vyper"),
    ]


def test_a_contract_that_another_made_or_that_is_gone_is_noted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    chain = made()
    del chain.transactions[ADDRESS][0]
    chain.made_by[ADDRESS] = "0xfac7"

    def upset(method: str, answer: Any) -> Any:
        return answer | {"result": "0x"} if method == "eth_getCode" else answer

    with Server(chain, key=KEY, upset=upset) as server:
        assert capture(server, tmp_path, "--node", server.node, "--to-block", "99") == 0
    told = capsys.readouterr().out.splitlines()
    name = f"Box_{ADDRESS}"
    made_by = f"{name} was created within transaction 0xfac7"
    assert told[:2] == [
        f"{made_by}: its history has no deployment to replay",
        f"{name} has no code in block 99",
    ]
    (task,) = SolContractEval(path=str(tmp_path)).tasks()
    assert task.program is None
    assert task.undecidable == "the record does not start with the contract's creation"


def test_long_histories_are_read_page_by_page_and_beyond_the_explorers_window(
    tmp_path: Path,
) -> None:
    chain = made()
    rows = [transaction(n, 100 + n // 3, tx_index=n) for n in range(1, 12_000)]
    chain.transactions[ADDRESS] = [*chain.transactions[ADDRESS][:1], *rows]
    with Server(chain, key=KEY) as server:
        words = ("--transactions", "11500", "--no-internal")
        assert capture(server, tmp_path, *words) == 0
    found = parquet.read_table(tmp_path / "transactions.parquet")
    assert found.num_rows == 11_500
    assert len(set(found["hash"].to_pylist())) == 11_500
    assert found["hash"].to_pylist()[1:] == [row["hash"] for row in rows[:11_499]]
    assert server.counts["txlist"] == 12


LID = """// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;
contract Lid { address public owner = msg.sender; }
"""
SPLIT = SOURCE.replace("contract Box {", 'import "./Lid.sol";\ncontract Box is Lid {')
HANDED = {
    "language": "Solidity",
    "sources": {"src/Box.sol": {"content": SPLIT}, "src/Lid.sol": {"content": LID}},
    "settings": {"optimizer": {"enabled": True, "runs": 9}, "evmVersion": "paris"},
}


def sent(node: Connection, sender: str, to: str | None, data: str) -> dict[str, Any]:
    """A transaction on a real node, as a row of the chain's history."""
    call = {"from": sender, "data": data, "gas": hex(900_000), **({"to": to} if to else {})}
    hash_ = node.ask("eth_sendTransaction", call)
    while (receipt := node.ask("eth_getTransactionReceipt", hash_)) is None:
        WAIT.wait(0.01)
    told = node.ask("eth_getTransactionByHash", hash_)
    block = node.ask("eth_getBlockByNumber", told["blockNumber"], False)
    status = int(receipt["status"], 16)
    created = receipt.get("contractAddress")
    return {
        "idx": int(told["nonce"], 16), "hash": hash_, "block_number": int(told["blockNumber"], 16),
        "timestamp": int(block["timestamp"], 16), "tx_index": 0, "nonce": int(told["nonce"], 16),
        "sender": sender, "to": to, "value": "0", "gas": 900_000, "gas_price": str(int(told["gasPrice"], 16)),
        "gas_used": int(receipt["gasUsed"], 16), "is_error": 1 - status, "receipt_status": float(status),
        "created": created.lower() if created else None, "input": data,
    }  # fmt: skip


def test_a_contract_of_several_files_is_captured_from_a_real_node_and_replayed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    process = AnvilProcess(ensure_anvil(), ["--hardfork", "paris"], memory_mb=2048)
    node = Connection(process.url)
    try:
        sender = node.ask("eth_accounts")[0].lower()
        text = LID + SPLIT.replace('import "./Lid.sol";', "")
        text = text.replace("// SPDX-License-Identifier: MIT\n", "", 1)
        settings = CompilerSettings(version="0.8.20", optimizer=True, runs=9, evm_version="paris")
        with Compiler(max_workers=1) as compiler:
            built = compiler.compile({"Box.sol": text}, settings).contract("Box")
        assert built is not None
        first = sent(node, sender, None, built.creation)
        box = first["created"]
        put = "0x" + built.methods["put(uint256)"]
        rows = [sent(node, sender, box, f"{put}{value:064x}") for value in (5, 3, 12)]
        chain = made(SourceCode="{" + json.dumps(HANDED) + "}")
        chain.chain, chain.head = 31337, 64 + 4
        chain.add(box, chain.sources[ADDRESS], [first, *rows])
        with Server(chain, key=KEY) as server:
            words = ("--chain", "31337", "--node", process.url)
            assert capture(server, tmp_path / "out", *words, addresses=(box,)) == 0
    finally:
        node.close()
        process.close()
    assert "otherwise" not in capsys.readouterr().out
    receipts = lines(tmp_path / "out" / "receipts.jsonl.gz")
    assert [row["status"] for row in receipts] == [1, 1, 0, 1]
    traces: list[Any] = lines(tmp_path / "out" / "traces.jsonl.gz")
    assert [trace["calls"].get("error") for trace in traces] == [
        None,
        None,
        "execution reverted",
        None,
    ]
    slot = f"0x{1:064x}"
    assert traces[1]["changes"]["post"][box]["storage"][slot] == f"0x{5:064x}"
    assert traces[3]["changes"]["pre"][box]["storage"][slot] == f"0x{5:064x}"
    ((source,), unfit) = from_place(tmp_path / "out")
    assert unfit == []
    assert "import" not in source.text
    assert source.program is not None
    assert source.compiler is not None
    assert [call.recorded and call.recorded.status for call in source.program.calls] == [
        True,
        False,
        True,
    ]
    with Compiler(max_workers=1) as compiler:
        found = Fresh().run(source.text, source.compiler, source.program, compiler)
    assert found == Reproduction(calls=3, alike=3)


PAGE = ROOT / "docs" / "how-to" / "own-contracts.md"


@pytest.mark.parametrize(
    "words",
    [each.words[1:] for each in commands(PAGE) if each.words[:3] == ["solexp", "data", "capture"]],
    ids=" ".join,
)
def test_what_the_documentation_shows_of_captures_can_be_done(
    words: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("ADDRESSES.txt").write_text(f"{ADDRESS}\n")
    with Server(made(), key=KEY) as server:
        monkeypatch.setenv("SOLEXP_EXPLORER", server.explorer)
        monkeypatch.setenv("SOLEXP_NODE", server.node)
        here = [server.explorer if word.startswith("https://") else word for word in words]
        assert main(here) == 0
    captured = {path.relative_to("CAPTURED").as_posix() for path in Path("CAPTURED").rglob("*.*")}
    named = re.findall(r"`([\w./]+\.(?:sol|json|gz|parquet))`", PAGE.read_text())
    assert captured == {name.replace("ID", f"Box_{ADDRESS}") for name in named}
