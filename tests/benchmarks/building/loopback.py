"""An explorer and an archive node on loopback, which answer from recorded rows, and misbehave on demand.

The explorer speaks Etherscan's protocol, version 2, under ``/v2/api``; the node JSON-RPC under any other path. A script
of faults is worked off one request after the other. Run as a program it serves SolContractEval's tables:
``python -m tests.benchmarks.building.loopback DATA``.
"""

from __future__ import annotations

import argparse
import gzip
import json
import threading
from collections import Counter, defaultdict, deque
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Self
from urllib.parse import parse_qsl, urlsplit

Json = dict[str, Any]
_UNTOLD = ("apikey", "action")


@dataclass(frozen=True, kw_only=True)
class Fault:
    """How one request is answered otherwise than it should be."""

    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    body: Any = None
    """Sent in place of the answer: bytes as they are, anything else as JSON."""
    stall_s: float = 0.0
    share: float = 1.0
    """How much of the body is sent before the connection is closed."""
    reset: bool = False
    """Drops the connection without a word."""


def said(result: str, message: str = "NOTOK") -> Fault:
    """The explorer's way to say no."""
    return Fault(body={"status": "0", "message": message, "result": result})


RATE = said("Max rate limit reached, please use API Key for higher rate limit")
BAD_KEY = said("Invalid API Key (#err2)|A5")
TORN = Fault(share=0.6)
HTML = Fault(body=b"<html>Bad gateway</html>")
RESET = Fault(reset=True)
DOWN = Fault(status=503)
BUSY = Fault(status=429, headers={"Retry-After": "0"})
NODE_BUSY = Fault(
    body={"jsonrpc": "2.0", "id": 1, "error": {"code": -32005, "message": "limit exceeded"}}
)
LAGGING = Fault(body={"jsonrpc": "2.0", "id": 1, "result": None})


class Chain:
    """Contracts with their rows, as in SolContractEval's tables."""

    def __init__(self, chain: int = 1, head: int = 30_000_000) -> None:
        self.chain = chain
        self.head = head
        self.sources: dict[str, Json] = {}
        """The explorer's row of ``getsourcecode``, by address."""
        self.transactions: dict[str, list[Json]] = defaultdict(list)
        self.internal: dict[str, list[Json]] = defaultdict(list)
        self.by_hash: dict[str, Json] = {}
        self.made_by: dict[str, str] = {}
        """Creating transactions that are none of the contract's own."""

    def add(self, address: str, source: Json | None, rows: Iterable[Json]) -> None:
        """A contract with its top-level transactions."""
        if source is not None:
            self.sources[address] = source
        for row in rows:
            self.transactions[address].append(row)
            self.by_hash[row["hash"]] = row


def source_row(task: Mapping[str, Any]) -> Json:
    """A task of SolContractEval as the explorer has its contract."""
    optimised, _, runs = task["optimizer_raw"].partition(" with ")
    return {
        "SourceCode": task["source"],
        "ABI": json.dumps(task.get("abi") or []),
        "ContractName": task["deployed_contract"],
        "CompilerVersion": task["compiler_version_full"],
        "OptimizationUsed": str(int(optimised == "Yes")),
        "Runs": runs.partition(" ")[0],
        "ConstructorArguments": task["constructor_arguments"],
        "EVMVersion": "Default",
        "Library": "",
        "LicenseType": "",
        "Proxy": "0",
        "Implementation": "",
        "SwarmSource": "",
    }


def read_bundle(folder: Path, ids: Iterable[str] | None = None) -> Chain:
    """SolContractEval's tables, of some tasks or all, as a chain."""
    from pyarrow import compute, parquet  # noqa: PLC0415

    chain = Chain()
    with gzip.open(folder / "tasks.jsonl.gz", "rt") as file:
        tasks = {task["task_id"]: task for task in map(json.loads, file)}
    wanted = list(tasks if ids is None else ids)
    for name, held in (
        ("transactions.parquet", chain.transactions),
        ("internal_transactions.parquet", chain.internal),
    ):
        table = parquet.read_table(folder / name)
        for task_id in wanted:
            part = table.filter(compute.equal(table["task_id"], task_id))
            held[tasks[task_id]["address"]] = part.to_pylist()
    for task_id in wanted:
        address = tasks[task_id]["address"]
        chain.add(address, source_row(tasks[task_id]), ())
        chain.by_hash |= {row["hash"]: row for row in chain.transactions[address]}
    return chain


class Server:
    """Both protocols, in a thread of its own, for as long as the ``with`` block lasts."""

    def __init__(
        self,
        chain: Chain,
        *,
        key: str | None = None,
        script: Iterable[Fault | None] = (),
        traces: bool = True,
        upset: Callable[[str, Json], Any] | None = None,
        port: int = 0,
    ) -> None:
        """``script``: None is answered rightly. ``upset`` changes answers of the node, whose method it is given."""
        self.chain = chain
        self.key = key
        self.script = deque(script)
        self.traces = traces
        self.upset = upset
        self.asked: list[str] = []
        """What was asked, in order: ``action`` or method, with what it is about."""
        self._lock = threading.Lock()
        server = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            # Head and body in one packet: the other side's kernel would wait before it acknowledges the first.
            wbufsize = -1

            def do_GET(self) -> None:
                place = urlsplit(self.path)
                server.answer(self, dict(parse_qsl(place.query, keep_blank_values=True)), None)

            def do_POST(self) -> None:
                length = int(self.headers["Content-Length"])
                server.answer(self, {}, json.loads(self.rfile.read(length)))

            def log_message(self, *_: object) -> None: ...

        self._http = ThreadingHTTPServer(("127.0.0.1", port), Handler)
        self._http.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._http.server_port}"
        self.explorer = f"{self.url}/v2/api"
        self.node = f"{self.url}/rpc"

    def __enter__(self) -> Self:
        threading.Thread(target=self._http.serve_forever, args=(0.02,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._http.shutdown()
        self._http.server_close()

    @property
    def counts(self) -> Counter[str]:
        """Requests by action or method."""
        return Counter(each.split()[0] for each in self.asked)

    def answer(self, handler: BaseHTTPRequestHandler, query: Json, call: Json | None) -> None:
        with self._lock:
            if call is not None:
                self.asked.append(f"{call['method']} {json.dumps(call['params'])}")
            else:
                told = sorted(query.items())
                about = " ".join(f"{key}={value}" for key, value in told if key not in _UNTOLD)
                self.asked.append(f"{query.get('action')} {about}")
            fault = self.script.popleft() if self.script else None
        found = self._explored(query) if call is None else self._called(call)
        if call is not None and self.upset is not None:
            found = self.upset(call["method"], found)
        self._send(handler, found, fault or Fault())

    def _send(self, handler: BaseHTTPRequestHandler, found: Any, fault: Fault) -> None:
        threading.Event().wait(fault.stall_s)
        if fault.reset:
            handler.close_connection = True
            handler.connection.close()
            return
        body = found if fault.body is None else fault.body
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        handler.send_response(fault.status)
        handler.send_header("Content-Type", "application/json")
        handler.send_header("Content-Length", str(len(data)))
        for name, value in fault.headers.items():
            handler.send_header(name, value)
        handler.end_headers()
        handler.wfile.write(data[: int(len(data) * fault.share)])
        if fault.share < 1:
            handler.close_connection = True

    def _explored(self, query: Json) -> Json:  # noqa: PLR0911  (a case each)
        if query.get("chainid") != str(self.chain.chain):
            return _no("Missing or unsupported chainid parameter (required for v2 api)")
        if self.key is not None and query.get("apikey") != self.key:
            return _no("Invalid API Key (#err2)|")
        address = query.get("address", "").lower()
        match query.get("action"):
            case "eth_blockNumber":
                return {"jsonrpc": "2.0", "id": 83, "result": hex(self.chain.head)}
            case "getsourcecode":
                row = self.chain.sources.get(address) or {
                    "SourceCode": "", "ABI": "Contract source code not verified",
                    "ContractName": "", "CompilerVersion": "",
                }  # fmt: skip
                return _yes([row])
            case "getabi" if address in self.chain.sources:
                return _yes(self.chain.sources[address]["ABI"])
            case "getcontractcreation":
                made = self.chain.made_by.get(query["contractaddresses"])
                if made is None:
                    return {"status": "0", "message": "No records found", "result": []}
                return _yes([{"contractAddress": query["contractaddresses"], "txHash": made}])
            case "txlist":
                return _page(query, self.chain.transactions[address], _external)
            case "txlistinternal":
                return _page(query, self.chain.internal[address], _internal)
        return _no("Error! Missing Or invalid Action name")

    def _called(self, call: Json) -> Json:
        params = call["params"]
        row = self.chain.by_hash.get(params[0]) if params and isinstance(params[0], str) else None
        result: Any
        match call["method"]:
            case "eth_chainId":
                result = hex(self.chain.chain)
            case "eth_getTransactionByHash":
                result = row and _told(row)
            case "eth_getTransactionReceipt":
                result = row and _receipt(row)
            case "eth_getCode":
                result = "0x6001" if params[0] in self.chain.sources else "0x"
            case "eth_getBlockByNumber":
                result = self._block(int(params[0], 16))
            case "debug_traceTransaction" if self.traces:
                result = row and _traced(row, params[1]["tracer"])
            case method:
                return {
                    "jsonrpc": "2.0", "id": 1,
                    "error": {"code": -32601, "message": f"the method {method} does not exist/is not available"},
                }  # fmt: skip
        return {"jsonrpc": "2.0", "id": call["id"], "result": result}

    def _block(self, number: int) -> Json | None:
        times = {
            row["timestamp"] for row in self.chain.by_hash.values() if row["block_number"] == number
        }
        if not times:
            return None
        return {
            "number": hex(number), "hash": f"0x{number:064x}", "timestamp": hex(times.pop()),
            "miner": "0x" + "00" * 20, "gasLimit": hex(30_000_000), "difficulty": "0x1",
            "mixHash": "0x" + "00" * 32,
        }  # fmt: skip


def _yes(result: Any) -> Json:
    return {"status": "1", "message": "OK", "result": result}


def _no(result: str) -> Json:
    return {"status": "0", "message": "NOTOK", "result": result}


def _page(query: Json, rows: list[Json], worded: Callable[[Json], Json]) -> Json:
    start, end = int(query["startblock"]), int(query["endblock"])
    page, offset = int(query["page"]), int(query["offset"])
    if page * offset > 10_000:
        return _no(
            "Result window is too large, PageNo x Offset size must be less than or equal to 10000"
        )
    held = [row for row in rows if start <= row["block_number"] <= end]
    part = held[(page - 1) * offset : page * offset]
    if not part:
        return {"status": "0", "message": "No transactions found", "result": []}
    return _yes([worded(row) for row in part])


def _external(row: Json) -> Json:
    receipt = row["receipt_status"]
    return {
        "blockNumber": str(row["block_number"]), "blockHash": f"0x{row['block_number']:064x}",
        "timeStamp": str(row["timestamp"]), "hash": row["hash"], "nonce": str(row["nonce"]),
        "transactionIndex": str(row["tx_index"]), "from": row["sender"], "to": row["to"] or "",
        "value": row["value"], "gas": str(row["gas"]), "gasPrice": row["gas_price"], "input": row["input"],
        "methodId": row["input"][:10], "functionName": "", "contractAddress": row["created"] or "",
        "cumulativeGasUsed": str(row["gas_used"]),
        "txreceipt_status": "" if receipt is None else str(int(receipt)),
        "gasUsed": str(row["gas_used"]), "confirmations": "1", "isError": str(row["is_error"]),
    }  # fmt: skip


def _internal(row: Json) -> Json:
    return {
        "blockNumber": str(row["block_number"]), "timeStamp": str(row["timestamp"]), "hash": row["hash"],
        "from": row["sender"], "to": row["to"] or "", "value": row["value"],
        "contractAddress": row["created"] or "", "input": row["input"], "type": row["type"],
        "gas": str(row["gas"]), "gasUsed": str(row["gas_used"]), "traceId": row["trace_id"],
        "isError": str(row["is_error"]), "errCode": row["err_code"],
    }  # fmt: skip


def _told(row: Json) -> Json:
    return {
        "hash": row["hash"], "blockNumber": hex(row["block_number"]), "transactionIndex": hex(row["tx_index"]),
        "nonce": hex(row["nonce"]), "from": row["sender"], "to": row["to"], "value": hex(int(row["value"])),
        "gas": hex(row["gas"]), "gasPrice": hex(int(row["gas_price"])), "input": row["input"], "type": "0x0",
    }  # fmt: skip


def _receipt(row: Json) -> Json:
    receipt = row["receipt_status"]
    ended = {"root": "0x" + "11" * 32} if receipt is None else {"status": hex(int(receipt))}
    return {
        "transactionHash": row["hash"], "gasUsed": hex(row["gas_used"]), "contractAddress": row["created"],
        "logs": [], **ended,
    }  # fmt: skip


def _traced(row: Json, tracer: str) -> Json:
    if tracer == "callTracer":
        return {
            "type": "CALL" if row["to"] else "CREATE", "from": row["sender"], "to": row["to"] or row["created"],
            "value": hex(int(row["value"])), "gas": hex(row["gas"]), "gasUsed": hex(row["gas_used"]),
            "input": row["input"], "output": "0x",
        }  # fmt: skip
    return {
        "pre": {row["sender"]: {"nonce": row["nonce"]}},
        "post": {row["sender"]: {"nonce": row["nonce"] + 1}},
    }


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path, help="folder with SolContractEval's tables")
    parser.add_argument("--port", type=int, default=0)
    chosen = parser.parse_args()
    with Server(read_bundle(chosen.data), port=chosen.port) as running:
        print(running.explorer, running.node, flush=True)
        threading.Event().wait()
