"""A private anvil on which contracts are deployed one after the other, each on the state before all of them."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

from solexp.core import CallResult, HarnessError, Log, Program, TimeLimitExceeded
from solexp.evm.machine import BLOCK_GAS, Subject
from solexp.evm.process import AnvilProcess
from solexp.evm.rpc import Connection, RpcError


class Limit(Exception):
    """A subject used up its ``time``, ``memory`` or ``answer``."""


class PrivateNode:
    """One anvil, prepared for a program's deployment under one fork."""

    def __init__(
        self,
        anvil: Path,
        program: Program,
        hardfork: str,
        *,
        memory_mb: int,
        code_limit: bool = True,
    ) -> None:
        """``memory_mb`` bounds its address space; without ``code_limit`` contracts may be of any size.

        Raises ToolError and HarnessError when it does not come up.
        """
        deployment = program.deployment
        self._program = program
        self.process = AnvilProcess(
            anvil,
            [
                *("--hardfork", hardfork),
                *("--chain-id", str(program.chain_id)),
                *("--number", str(max(0, deployment.block_number - 1))),
                *("--timestamp", str(max(0, deployment.timestamp - 1))),
                *("--base-fee", str(program.base_fee)),
                *("--gas-limit", str(BLOCK_GAS)),
                *("--accounts", "1", "--balance", "0", "--order", "fifo", "--threads", "1"),
                *("--no-request-size-limit", "--disable-console-log", "--auto-impersonate"),
                "--no-priority-fee",
                *(() if code_limit else ("--disable-code-size-limit",)),
            ],
            memory_mb=memory_mb,
        )
        try:
            self._prepare()
        except BaseException:
            self.close()
            raise

    def _prepare(self) -> None:
        # No subject is on it yet, and none can be blamed: these questions have a time of their own.
        deployment = self._program.deployment
        self.connection = Connection(self.process.url)
        ask = self.connection.ask
        try:
            ask("anvil_setNonce", deployment.sender, hex(deployment.nonce))
            ask("anvil_setBalance", deployment.sender, hex(10**27 + deployment.value))
            ask("anvil_setCoinbase", self._program.coinbase)
            # It starts a second early, so that the block of each deployment gets its time without being told again.
            ask("anvil_setBlockTimestampInterval", 1)
            self._snapshot = ask("evm_snapshot")
        except TimeLimitExceeded as error:
            raise HarnessError(f"anvil cannot be prepared: {error}") from error

    def close(self) -> None:
        """End it."""
        if hasattr(self, "connection"):
            self.connection.close()
        self.process.close()

    def deploy(self, subject: Subject, gas: int) -> tuple[str | None, CallResult]:
        """Where the subject then stands, alone, and what its deployment did; None where it failed.

        Raises what `Connection.ask` does.
        """
        ask = self.connection.ask
        deployment = self._program.deployment
        ask("evm_revert", self._snapshot)
        self._snapshot = ask("evm_snapshot")
        for place, code in subject.code_at.items():
            ask("anvil_setCode", place, code)
        transaction = {
            "from": deployment.sender,
            "data": subject.creation + deployment.constructor_args[2:],
            "value": hex(deployment.value),
            "gas": hex(gas),
            "gasPrice": hex(self._program.base_fee),
        }
        try:
            receipt = self._mined(transaction)
        except RpcError as error:
            return None, CallResult(status=False, error=error.message)
        used = int(receipt["gasUsed"], 16)
        if receipt["status"] != "0x1":
            return None, CallResult(
                status=False,
                gas_used=used,
                output=self._reason(transaction),
                error="all gas used" if used >= gas else None,
            )
        logs = tuple(
            Log(log["address"].lower(), tuple(log["topics"]), log["data"])
            for log in receipt["logs"]
        )
        address: str = receipt["contractAddress"].lower()
        return address, CallResult(status=True, gas_used=used, logs=logs)

    def _mined(self, transaction: dict[str, str]) -> dict[str, Any]:
        """The receipt of a transaction, as soon as there is one.

        anvil's own way to wait (``eth_sendTransactionSync``) misses a block now and then on a busy machine, gives up
        after 30 s, and so refuses a deployment that nothing is wrong with: 3 of 3,500 in a trial.
        """
        ask = self.connection.ask
        sent = ask("eth_sendTransaction", transaction)
        pause = 0.0002
        while True:
            receipt: dict[str, Any] | None = ask("eth_getTransactionReceipt", sent)
            if receipt is not None:
                return receipt
            time.sleep(pause)
            pause = min(2 * pause, 0.05)

    def _reason(self, transaction: dict[str, str]) -> str:
        try:
            self.connection.ask("eth_call", transaction, "latest")
        except RpcError as error:
            return error.data if isinstance(error.data, str) else "0x"
        return "0x"
