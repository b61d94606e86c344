"""A user's own node as the machine, so that a contract has the real chain around it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from solexp.core import (
    CallResult,
    HarnessError,
    Program,
    TimeLimitExceeded,
    Trace,
    UserError,
)
from solexp.evm import answers
from solexp.evm.gas import call_limits, deployment_limit
from solexp.evm.hardforks import at_least, hardfork_at
from solexp.evm.machine import (
    BLOCK_GAS,
    GasRule,
    Observation,
    Subject,
    undeployable,
)
from solexp.evm.rpc import AnswerTooLarge, Connection, NodeGone, RpcError
from solexp.evm.script import write
from solexp.evm.simulate import Simulations
from solexp.evm.words import created_address

MOVING = ("latest", "pending", "safe", "finalized")
"""Tags of blocks that are others tomorrow."""

_IDENTITY_S = 10.0

CODE_LIMIT = 24_576
"""Bytes of runtime code that a contract may have, from Spurious Dragon on (EIP-170)."""


class NodeMachine:
    """Runs programs on a node by ``eth_simulateV1`` and ``eth_call`` alone: nothing on it changes.

    The contract is created by overriding the code at its recorded address with its creation code and arguments and
    calling that once: its constructor writes the storage, and what it returns is put in place as its code. (A standard
    creation inside ``eth_simulateV1`` is refused by anvil.) Two things differ from a real creation: the constructor
    sees a size of code that is not zero, and its gas lacks what creation itself costs.
    """

    def __init__(
        self,
        rpc_url: str,
        *,
        block: int | str = "recorded",
        gas: GasRule = "generous",
        timeout_s: float = 300.0,
        answer_mb: int = 512,
        distinct_blocks: bool = True,
    ) -> None:
        """``block`` is the state to start from: a number, a tag, or ``recorded`` for the block before the deployment.

        ``timeout_s`` is the wall clock of one subject's deployment and calls together.
        ``distinct_blocks`` keeps to the standard's rule that block numbers rise; the state is then read between calls
        only where the recorded numbers leave room.
        """
        if not rpc_url.startswith(("http://", "https://")):
            raise UserError(
                "oracle.replay.machine.rpc_url: must start with http:// or https://, "
                f"got {rpc_url!r}"
            )
        self.rpc_url = rpc_url
        self.block = block
        self.gas: GasRule = gas
        self.timeout_s = timeout_s
        self.answer_mb = answer_mb
        self.distinct_blocks = distinct_blocks
        self._tools: dict[str, str] = {}
        self._identity: tuple[int | None, str | None] | None = None

    def tools(self) -> dict[str, str]:
        """What the node says it is."""
        return dict(self._tools)

    def fingerprint(self) -> dict[str, object]:
        """Every setting that a trace depends on; the node's address is not one."""
        return {
            "machine": "node",
            "block": self.block,
            "gas": self.gas,
            "timeout_s": self.timeout_s,
            "answer_mb": self.answer_mb,
            "distinct_blocks": self.distinct_blocks,
            "chain": self._chain(),
        }

    @property
    def reproducible(self) -> bool:
        """Whether ``block`` is the same state every time, and the node said which."""
        return self.block not in MOVING and self._chain()[1] is not None

    def _chain(self) -> tuple[int | None, str | None]:
        """Chain id, and the hash of the starting block; None for what the node did not say when first asked.

        What ``recorded`` starts from differs from task to task: there the first block stands for the whole chain.
        """
        if self.block in MOVING:
            return None, None
        if self._identity is None:
            connection = Connection(self.rpc_url, timeout_s=min(self.timeout_s, _IDENTITY_S))
            place = hex(self.block) if isinstance(self.block, int) else self.block
            try:
                number = int(connection.ask("eth_chainId"), 16)
                first = "0x0" if place == "recorded" else place
                block = connection.ask("eth_getBlockByNumber", first, False)
                self._identity = number, block["hash"] if block else None
            except (HarnessError, TimeLimitExceeded):
                self._identity = None, None
            finally:
                connection.close()
        return self._identity

    def run(self, program: Program, subjects: Sequence[Subject], plan: Observation) -> list[Trace]:
        """One trace a subject, in order; see `solexp.evm.machine.Machine`.

        Raises UserError when the node cannot be reached or lacks ``eth_simulateV1``, HarnessError when it fails, and
        ValueError for branches where block numbers must rise: they would move those of the calls that follow.
        """
        if plan.branches and self.distinct_blocks:
            raise ValueError("branches need a node that takes blocks of one number more than once")
        connection = Connection(self.rpc_url, timeout_s=self.timeout_s)
        try:
            number = self._state(connection, program)
            self._tools["node"] = str(connection.ask("web3_clientVersion"))
            run = _Run(
                self, connection, program, number, Simulations(plan, subjects, _fork(program))
            )
            traces: list[Trace] = []
            for subject in subjects:
                traces.append(run.trace(subject, traces[0] if traces else None))
        except NodeGone as error:
            raise UserError(
                f"oracle.replay.machine.rpc_url: no node answers at {self.rpc_url}; "
                "start it, or leave rpc_url out"
            ) from error
        except TimeLimitExceeded as error:
            # No subject ran yet: what they are late with ends in their traces.
            raise HarnessError(f"the node at {self.rpc_url}: {error}") from error
        except RpcError as error:
            if error.code == -32601:
                raise UserError(
                    f"oracle.replay.machine.rpc_url: the node at {self.rpc_url} lacks eth_simulateV1; "
                    "use geth, reth, Nethermind, Besu or anvil of a recent release"
                ) from error
            raise
        finally:
            connection.close()
        return traces

    def _state(self, connection: Connection, program: Program) -> str:
        """The block whose state is the start, as JSON-RPC writes it."""
        if self.block == "recorded":
            wanted = program.deployment.block_number - 1
            head = int(connection.ask("eth_blockNumber"), 16)
            if wanted > head:
                raise UserError(
                    f"oracle.replay.machine.rpc_url: the node at {self.rpc_url} is at block {head}, "
                    f"before the recorded {wanted}; "
                    "let it catch up, or set oracle.replay.machine.block=latest"
                )
            return hex(wanted)
        return hex(self.block) if isinstance(self.block, int) else self.block


def _fork(program: Program) -> str:
    deployment = program.deployment
    return program.hardfork or hardfork_at(deployment.block_number, deployment.timestamp)


class _Run:
    def __init__(
        self,
        machine: NodeMachine,
        connection: Connection,
        program: Program,
        block: str,
        simulations: Simulations,
    ) -> None:
        self._machine = machine
        self._connection = connection
        self._program = program
        self._block = block
        deployment = program.deployment
        self._address = created_address(deployment.sender, deployment.nonce)
        self._fork = _fork(program)
        self._simulations = simulations

    def trace(self, subject: Subject, reference: Trace | None) -> Trace:
        if subject.abstract:
            return undeployable(self._fork)
        gas = deployment_limit(self._program, self._machine.gas, reference)
        limits = call_limits(self._program, self._machine.gas, reference)
        self._connection.allow(self._machine.timeout_s)
        try:
            deployed = self._create(subject, gas)
            if not deployed.status:
                return Trace(address=None, deployment=deployed, hardfork=self._fork)
            answer = self._calls(subject, gas, limits, deployed.output)
        except TimeLimitExceeded:
            return self._stopped("time")
        except AnswerTooLarge:
            return self._stopped("answer")
        return Trace(
            address=self._address,
            deployment=msgspec.structs.replace(deployed, output="0x"),
            calls=tuple(answer.calls),
            checkpoints=tuple(answer.checkpoints),
            branches=tuple(answer.branches),
            hardfork=self._fork,
        )

    def _stopped(self, limit: str) -> Trace:
        nothing = CallResult(status=False, error=f"used up its {limit}")
        return Trace(address=None, deployment=nothing, hardfork=self._fork, stopped=limit)

    def _creation(self, subject: Subject, gas: int) -> dict[str, Any]:
        """The block in which the constructor runs in the contract's own place."""
        program = self._program
        deployment = program.deployment
        overrides: dict[str, Any] = {
            place: {"code": code} for place, code in subject.code_at.items()
        }
        overrides[deployment.sender] = {"balance": hex(10**27 + deployment.value)}
        overrides[self._address] = {
            "code": subject.creation + deployment.constructor_args[2:],
            "balance": "0x0",
        }
        return {
            "blockOverrides": {
                "number": hex(deployment.block_number),
                "time": hex(deployment.timestamp),
                "gasLimit": hex(BLOCK_GAS),
                "feeRecipient": program.coinbase,
                "baseFeePerGas": hex(program.base_fee),
            },
            "stateOverrides": overrides,
            "calls": [
                {
                    "from": deployment.sender,
                    "to": self._address,
                    "value": hex(deployment.value),
                    "gas": hex(gas),
                    "gasPrice": "0x0",
                    "input": "0x",
                }
            ],
        }

    def _create(self, subject: Subject, gas: int) -> CallResult:
        """What the constructor did; its output is the runtime code."""
        body = {
            "jsonrpc": "2.0",
            "id": 1,
            "method": "eth_simulateV1",
            "params": [{"blockStateCalls": [self._creation(subject, gas)]}, self._block],
        }
        [result] = answers.first_block(self._post([msgspec.json.encode(body)]))
        size = len(result.output) // 2 - 1
        if result.status and at_least(self._fork, "spuriousdragon") and size > CODE_LIMIT:
            return CallResult(
                status=False,
                gas_used=result.gas_used,
                error=f"runtime code of {size} bytes is over the limit of {CODE_LIMIT}",
            )
        if result.status and at_least(self._fork, "london") and result.output.startswith("0xef"):
            return CallResult(status=False, gas_used=result.gas_used, error="code starts with 0xef")
        return result

    def _calls(self, subject: Subject, gas: int, limits: list[int], code: str) -> answers.Answer:
        script = write(
            self._program,
            self._address,
            limits,
            self._simulations.plan_of(subject),
            self._fork,
            block=self._block,
            distinct_blocks=self._machine.distinct_blocks,
            prelude=msgspec.json.encode(self._creation(subject, gas)).decode(),
        )
        return self._simulations.run(subject, script, code, gas=limits, post=self._post)

    def _post(self, body: Sequence[bytes | str]) -> bytes:
        try:
            return self._connection.post(body, answer_bytes=self._machine.answer_mb << 20)
        except NodeGone:
            raise
        except HarnessError as error:
            raise HarnessError(f"the node at {self._machine.rpc_url}: {error}") from error
