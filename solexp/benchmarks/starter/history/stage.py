"""The stage on which actors play: a deployed contract, names for accounts, and a clock."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Any

import msgspec
from eth_abi.abi import decode, encode
from eth_utils.abi import function_abi_to_4byte_selector

from solexp.benchmarks.starter.history.chain import Chain
from solexp.core import Call, CallResult, ContractBuild, Deployment, Recorded
from solexp.evm.abi import input_types
from solexp.evm.words import keccak, word

USERS = ("alice", "bob", "carol", "dave", "erin")
"""Actors of every script; all of them send something sooner or later."""
LENGTH = 300
"""Recorded calls a task."""
DRAFTS = 14
"""How many moves an actor thinks of before it makes one whose outcome is not the wanted one."""
SPARE_GAS = 400_000
"""Gas limit of calls that fail: what a sender allows who could not estimate it."""
MERGE = 15_537_394

Draft = Callable[["Stage"], "Move"]


class Move(msgspec.Struct, frozen=True):
    """What an actor is about to do."""

    who: str
    function: str
    """Name of the function, with its types where the name alone is not enough; empty for plain ether or raw data."""
    args: tuple[Any, ...] = ()
    value: int = 0


class Stage:
    """One task's contract among its actors. Whatever is random comes from ``random``."""

    def __init__(
        self, chain: Chain, contract: str, build: ContractBuild, chance: random.Random
    ) -> None:
        self.chain = chain
        self.contract = contract
        self.random = chance
        self.calls: list[Call] = []
        self.results: list[CallResult] = []
        self._abi: dict[str, Any] = {}
        for entry in build.abi:
            if entry.get("type") == "function":
                types = ",".join(input_types(entry))
                self._abi[entry["name"]] = self._abi[f"{entry['name']}({types})"] = entry

    @property
    def left(self) -> int:
        """How many calls are still to be made."""
        return LENGTH - len(self.calls)

    @property
    def now(self) -> int:
        """The time of the current block, in seconds since 1970."""
        return self.chain.timestamp

    def view(self, function: str, *args: Any) -> Any:
        """Asks the contract without leaving a trace; a single value comes bare, several as a tuple.

        None when the contract refuses.
        """
        entry = self._abi[function]
        data = self._encode(Move("reader", function, args))
        result = self.chain.send(address("reader"), self.contract, data, keep=False).result
        if not result.status:
            return None
        values = decode([item["type"] for item in entry["outputs"]], _bytes(result.output))
        return values[0] if len(values) == 1 else values

    def tick(self, *, same_block: float = 0.08) -> None:
        """Lets a random while pass: mostly some blocks, now and then none."""
        if self.calls and self.random.random() < same_block:
            return
        self.blocks(self.random.choice((1, 1, 2, 3, 5, 8, 13, 21, 34)))

    def blocks(self, count: int) -> None:
        """Lets ``count`` blocks pass."""
        pace = 12 if self.chain.block_number >= MERGE else self.random.choice((13, 14, 15))
        self.chain.block_number += count
        self.chain.timestamp += count * pace

    def rest(self, seconds: int) -> None:
        """Lets at least ``seconds`` pass."""
        pace = 12 if self.chain.block_number >= MERGE else 14
        count = -(-seconds // pace)
        self.chain.block_number += count
        self.chain.timestamp += count * pace

    def do(
        self,
        who: str,
        function: str,
        *args: Any,
        value: int = 0,
        ok: bool = True,
        now: bool = False,
    ) -> CallResult:
        """Makes one move and records it; ``now`` keeps it in the current block.

        Raises AssertionError when its status is not ``ok``: the script then means something that does not happen.
        """
        if not now:
            self.tick()
        result = self._make(Move(who, function, args, value))
        assert result.status == ok, f"call {len(self.calls) - 1}: {who} {function}{args}: {result}"
        return result

    def act(self, drafts: Sequence[tuple[int, Draft]], success: float = 0.8) -> CallResult:
        """Has some actor make one move, drawn from weighted ``drafts``, that succeeds with about that chance."""
        self.tick()
        wanted = self.random.random() < success
        weights = [weight for weight, _ in drafts]
        thought = [draft for _, draft in drafts]
        for _ in range(DRAFTS):
            move = self.random.choices(thought, weights)[0](self)
            data = self._encode(move)
            tried = self.chain.send(
                address(move.who), self.contract, data, move.value, keep=False
            ).result
            if tried.status == wanted:
                break
        return self._make(move)

    def until(self, made: int, drafts: Sequence[tuple[int, Draft]], success: float = 0.8) -> None:
        """Has the actors move until ``made`` calls are recorded."""
        while len(self.calls) < made:
            self.act(drafts, success)

    def _make(self, move: Move) -> CallResult:
        assert self.left > 0, "the script is longer than the history"
        sender, data = address(move.who), self._encode(move)
        trial = self.chain.send(sender, self.contract, data, move.value, keep=False)
        gas = -(-trial.gas_needed * 5 // 4000) * 1000
        if not trial.result.status:
            gas = max(gas, SPARE_GAS)
        result = self.chain.send(sender, self.contract, data, move.value, gas).result
        assert result.status == trial.result.status, f"{move}: gas limit {gas} changes the outcome"
        self.calls.append(
            Call(
                sender=sender,
                input=data,
                value=move.value,
                gas=gas,
                block_number=self.chain.block_number,
                timestamp=self.chain.timestamp,
                recorded=Recorded(result.status, result.gas_used),
            )
        )
        self.results.append(result)
        return result

    def data(self, function: str, *args: Any) -> bytes:
        """Returns the call data of a call of the contract."""
        return _bytes(self._encode(Move("reader", function, args)))

    def _encode(self, move: Move) -> str:
        if not move.function:
            return move.args[0] if move.args else "0x"
        entry = self._abi[move.function]
        selector: bytes = function_abi_to_4byte_selector(entry)
        return "0x" + (selector + encode(input_types(entry), move.args)).hex()


def address(name: str) -> str:
    """Returns the address of the actor called ``name``; addresses stand for themselves."""
    if name.startswith("0x"):
        return name
    return "0x" + word(keccak(f"solexp starter: {name}".encode()))[24:]


def deploy(deployment: Deployment, creation: str) -> tuple[Chain, str]:
    """Returns a new chain on which ``deployment`` has been made, and the contract's address.

    Raises AssertionError when the deployment fails.
    """
    chain = Chain(deployment.block_number, deployment.timestamp)
    for name in USERS:
        chain.fund(address(name))
    chain.set_nonce(deployment.sender, deployment.nonce)
    data = creation + deployment.constructor_args.removeprefix("0x")
    performed = chain.send(deployment.sender, None, data, deployment.value, 30_000_000)
    assert performed.result.status and performed.created, performed.result
    return chain, performed.created


def _bytes(text: str) -> bytes:
    return bytes.fromhex(text.removeprefix("0x"))
