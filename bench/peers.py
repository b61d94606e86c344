"""Other ways to replay a history, for comparison: step by step through web3.py, and raw JSON-RPC batches."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import time
import urllib.error
import urllib.request
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from solexp.core import Program
from solexp.toolchain.homes import tools_home
from solexp.toolchain.node import ensure_shelved_node, node_environment

HARDHAT = "3.18.0"
BATCH = 250
CONFIG = """export default { networks: { node: { type: "edr-simulated", hardfork: "%s", chainId: 1,
  loggingEnabled: false, throwOnTransactionFailures: false, allowBlocksWithSameTimestamp: true,
  blockGasLimit: 1000000000, initialBaseFeePerGas: 0, gasPrice: 0%s } } };
"""
RICH = hex(10**27)


@dataclass
class Collected:
    """What a side brings back of one deployment: as much as a comparison needs."""

    statuses: list[bool] = field(default_factory=list)
    gas: list[int] = field(default_factory=list)
    logs: list[int] = field(default_factory=list)
    """Number of events a call."""
    storage: dict[str, str] = field(default_factory=dict)
    """Words by slot."""
    words: int = field(default=0, compare=False)
    """Labels of state that were read, where that is more than ``storage``."""
    getters: int = field(default=0, compare=False)
    """Getters that were called."""


def hardhat_folder(hardfork: str = "london", since: int | None = None) -> Path:
    """Hardhat, installed by npm below the tools home when it is not there yet; its chain begins at ``since``."""
    folder = tools_home() / "bench" / f"hardhat-{HARDHAT}"
    shelved = ensure_shelved_node()
    if not (folder / "ready").is_file():
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "package.json").write_text('{"name":"peer","private":true,"type":"module"}')
        # By this very Node: an older one on PATH would leave out the native part of Hardhat's EVM.
        path = f"{shelved.node.parent}{os.pathsep}{os.environ.get('PATH', '')}"
        command = [str(shelved.node), str(shelved.npm_cli), "install", f"hardhat@{HARDHAT}"]
        options = ["--no-audit", "--no-fund", "--loglevel=error", "--fetch-retries=1"]
        subprocess.run(
            [*command, *options], cwd=folder, env=node_environment() | {"PATH": path}, check=True
        )
        (folder / "ready").touch()
    date = "" if since is None else f', initialDate: "{datetime.fromtimestamp(since, UTC):%FT%TZ}"'
    (folder / "hardhat.config.js").write_text(CONFIG % (hardfork, date))
    return folder


@contextmanager
def hardhat(hardfork: str = "london", since: int | None = None) -> Iterator[str]:
    """A running Hardhat node's address; see `hardhat_folder`."""
    folder = hardhat_folder(hardfork, since)
    cli = folder / "node_modules/hardhat/dist/src/cli.js"
    with _server([str(ensure_shelved_node().node), str(cli), "node", "--port"], folder) as url:
        yield url


@contextmanager
def anvil(binary: Path) -> Iterator[str]:
    """A running anvil's address, its accounts those of Hardhat."""
    command = [str(binary), "--silent", "--accounts", "20", "--hardfork", "london"]
    rest = ["--chain-id", "1", "--base-fee", "0", "--gas-limit", "1000000000", "--port"]
    with _server([*command, *rest], Path.cwd()) as url:
        yield url


@contextmanager
def _server(command: Sequence[str], folder: Path) -> Iterator[str]:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    environment = {**os.environ, "HARDHAT_DISABLE_TELEMETRY_PROMPT": "true", "CI": "true"}
    process = subprocess.Popen(
        [*command, str(port)],
        cwd=folder,
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    url = f"http://127.0.0.1:{port}"
    try:
        _wait(url, process)
        yield url
    finally:
        # Politely, so that the CPU time of any children is accounted for.
        process.terminate()
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _wait(url: str, process: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline:
        if process.poll() is not None:
            raise RuntimeError(f"{process.args!r} ended with {process.returncode}")
        try:
            post(url, {"jsonrpc": "2.0", "id": 1, "method": "eth_chainId", "params": []})
        except (OSError, urllib.error.URLError):
            time.sleep(0.1)
        else:
            return
    raise RuntimeError(f"{process.args!r} does not answer")


def post(url: str, body: object) -> Any:
    """The decoded answer to one request or batch."""
    request = urllib.request.Request(
        url, json.dumps(body).encode(), {"Content-Type": "application/json"}
    )
    with urllib.request.urlopen(request, timeout=300) as answer:
        return json.load(answer)


def step_by_step(
    url: str, program: Program, creations: Sequence[str], slots: Sequence[str]
) -> list[Collected]:
    """The papers' way: web3.py sends a transaction, waits for its receipt, sends the next."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        from web3 import Web3  # noqa: PLC0415

    web3 = Web3(Web3.HTTPProvider(url, request_kwargs={"timeout": 120}))
    checked = Web3.to_checksum_address
    found = []
    for creation in creations:
        deployed = web3.eth.send_transaction(
            {
                "from": checked(program.deployment.sender),
                "data": creation,  # type: ignore[typeddict-item]
                "gas": 5_000_000,
                "gasPrice": 0,  # type: ignore[typeddict-item]
            }
        )
        address = web3.eth.wait_for_transaction_receipt(deployed)["contractAddress"]
        assert address is not None
        side = Collected()
        for call in program.calls:
            sent = web3.eth.send_transaction(
                {
                    "from": checked(call.sender),
                    "to": address,
                    "data": call.input,  # type: ignore[typeddict-item]
                    "gas": call.gas or 500_000,
                    "gasPrice": 0,  # type: ignore[typeddict-item]
                }
            )
            receipt = web3.eth.wait_for_transaction_receipt(sent, poll_latency=0.001)
            side.statuses.append(receipt["status"] == 1)
            side.gas.append(receipt["gasUsed"])
            side.logs.append(len(receipt["logs"]))
        for slot in slots:
            side.storage[slot] = web3.eth.get_storage_at(address, int(slot, 16)).to_0x_hex()
        found.append(side)
    return found


def statuses(
    url: str, programs: Sequence[Program], creations: Sequence[str]
) -> list[list[list[bool]]]:
    """Which calls of each program succeed on each contract, by one transaction after another, sent by web3.py.

    Each program begins with a deployment of its own, at its own time. Every call states its gas limit.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        from web3 import Web3  # noqa: PLC0415

    web3 = Web3(Web3.HTTPProvider(url, request_kwargs={"timeout": 120}))
    checked = Web3.to_checksum_address
    ask: Callable[..., Any] = lambda method, *params: web3.provider.make_request(  # noqa: E731
        method,
        params,
    )["result"]
    deployment = programs[0].deployment
    for sender in {deployment.sender, *(call.sender for each in programs for call in each.calls)}:
        ask("hardhat_impersonateAccount", sender)
        ask("hardhat_setBalance", sender, RICH)
    ask("hardhat_setNonce", deployment.sender, hex(deployment.nonce))
    beginning = ask("evm_snapshot")

    def sent(time: int, sender: str, fields: dict[str, Any]) -> Any:
        ask("evm_setNextBlockTimestamp", time)
        transaction: Any = fields | {"from": checked(sender), "gasPrice": 0}
        sha = web3.eth.send_transaction(transaction)
        return web3.eth.wait_for_transaction_receipt(sha, poll_latency=0.001)

    found = []
    for creation in creations:
        data = creation + deployment.constructor_args[2:]
        creating = {"data": data, "value": deployment.value, "gas": 30_000_000}
        rows = []
        for program in programs:
            ask("evm_revert", beginning)
            beginning = ask("evm_snapshot")
            made = sent(deployment.timestamp, deployment.sender, creating)
            row = []
            for call in program.calls:
                calling = {
                    "to": made["contractAddress"],
                    "data": call.input,
                    "value": call.value,
                    "gas": call.gas,
                }
                row.append(sent(call.timestamp, call.sender, calling)["status"] == 1)
            rows.append(row)
        found.append(rows)
    return found


def batched(
    url: str, program: Program, creations: Sequence[str], slots: Sequence[str]
) -> list[Collected]:
    """Raw JSON-RPC batches: many transactions mined in one block, then their receipts."""
    ask: Callable[..., Any] = lambda method, *params: post(  # noqa: E731
        url, {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
    )["result"]
    found = []
    for creation in creations:
        ask("evm_setAutomine", True)
        deployed = ask(
            "eth_sendTransaction",
            {
                "from": program.deployment.sender,
                "data": creation,
                "gas": hex(5_000_000),
                "gasPrice": "0x0",
            },
        )
        address = ask("eth_getTransactionReceipt", deployed)["contractAddress"]
        ask("evm_setAutomine", False)
        side = Collected()
        for start in range(0, len(program.calls), BATCH):
            calls = program.calls[start : start + BATCH]
            sent = _batch(
                url,
                "eth_sendTransaction",
                [
                    [
                        {
                            "from": call.sender,
                            "to": address,
                            "data": call.input,
                            "gas": hex(call.gas or 500_000),
                            "gasPrice": "0x0",
                        }
                    ]
                    for call in calls
                ],
            )
            ask("evm_mine")
            for receipt in _batch(url, "eth_getTransactionReceipt", [[sha] for sha in sent]):
                side.statuses.append(receipt["status"] == "0x1")
                side.gas.append(int(receipt["gasUsed"], 16))
                side.logs.append(len(receipt["logs"]))
        words = _batch(url, "eth_getStorageAt", [[address, slot, "latest"] for slot in slots])
        side.storage = dict(zip(slots, words, strict=True))
        found.append(side)
    return found


def _batch(url: str, method: str, params: Sequence[Sequence[object]]) -> list[Any]:
    body = [
        {"jsonrpc": "2.0", "id": index, "method": method, "params": list(arguments)}
        for index, arguments in enumerate(params)
    ]
    answers = sorted(post(url, body), key=lambda answer: int(answer["id"]))
    return [answer["result"] for answer in answers]
