"""A second machine for cross-checks: py-evm, which shares no code with anvil.

State is read from its database, slot by slot, the keys of mappings hashed here: solexp's reading program has no part in
it. Which slots are read, and how words become labels, is solexp's own slot plan.
"""

from __future__ import annotations

import warnings
from collections.abc import Collection, Iterator, Sequence
from typing import Any

from solexp.core import CallResult, Checkpoint, Log, Program
from solexp.evm.answers import bounded
from solexp.evm.hardforks import hardfork_at
from solexp.evm.machine import BLOCK_GAS
from solexp.evm.script import randomness
from solexp.evm.storage import SlotPlan
from solexp.evm.words import keccak

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    from eth.db.atomic import AtomicDB
    from eth.vm import forks
    from eth.vm.execution_context import ExecutionContext
    from eth.vm.spoof import SpoofTransaction

_RULES: dict[str, Any] = {
    name: getattr(forks, f"{kind}VM")
    for name, kind in {
        "frontier": "Frontier",
        "homestead": "Homestead",
        "tangerine": "TangerineWhistle",
        "spuriousdragon": "SpuriousDragon",
        "byzantium": "Byzantium",
        "petersburg": "Petersburg",
        "istanbul": "Istanbul",
        "berlin": "Berlin",
        "london": "London",
        "paris": "Paris",
        "shanghai": "Shanghai",
        "cancun": "Cancun",
        "prague": "Prague",
    }.items()
}
_MERGED = ("paris", "shanghai", "cancun", "prague")
_EMPTY_ROOT = bytes.fromhex("56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421")


def second_trace(
    program: Program,
    creation: str,
    gas: Sequence[int],
    deployment_gas: int,
    *,
    slots: SlotPlan,
    read_after: Collection[int] = (),
) -> tuple[str | None, list[CallResult], list[Checkpoint]]:
    """Address, results of the deployment and all calls, and state after so many calls.

    Each call is run under the rules of its own block.
    """
    chain = _Chain(program)
    start = program.deployment
    chain.rich(start.sender, start.value)
    deployed, address = chain.transact(
        start.block_number,
        start.timestamp,
        sender=start.sender,
        to=None,
        data=creation + start.constructor_args[2:],
        value=start.value,
        gas=deployment_gas,
    )
    results = [deployed]
    if not deployed.status or address is None:
        return None, results, []
    spent = sum(call.value for call in program.calls)
    for sender in {call.sender for call in program.calls} - {address}:
        chain.rich(sender, spent)
    states: list[Checkpoint] = []
    for done, (call, limit) in enumerate(zip(program.calls, gas, strict=True), 1):
        result, _ = chain.transact(
            call.block_number,
            call.timestamp,
            sender=call.sender,
            to=call.to or address,
            data=call.input,
            value=call.value,
            gas=limit,
        )
        results.append(result)
        if done in read_after:
            states.append(chain.state_of(address, slots, done))
    return address, results, states


def _wanted(calldata: str) -> Iterator[tuple[str, int]]:
    """What a slot plan asks for, in order: ``slot`` and its place, or ``balance`` and the account."""
    words = [int(calldata[at : at + 64], 16) for at in range(2, len(calldata), 64)]
    at = 0
    while at < len(words):
        kind, base, count, offset = words[at : at + 4]
        at += 4
        for _ in range(count):
            if kind == 0:
                yield "slot", (base + words[at] + offset) % (1 << 256)
            elif kind == 3:
                yield "balance", words[at]
            else:
                slot = base
                for key in words[at : at + kind]:
                    slot = keccak(key.to_bytes(32, "big") + slot.to_bytes(32, "big"))
                yield "slot", (slot + offset) % (1 << 256)
            at += max(1, kind % 3)


class _Chain:
    def __init__(self, program: Program) -> None:
        self._program = program
        self._db = AtomicDB()
        self._root = _EMPTY_ROOT

    def _state(self, block: int, time: int) -> tuple[Any, Any]:
        fork = self._program.hardfork or hardfork_at(block, time)
        rules = _RULES[fork]
        given = self._program.prevrandao
        mixed = int(given, 16) if given else randomness(block, fork in _MERGED)
        make: Any = ExecutionContext
        context = make(
            coinbase=bytes.fromhex(self._program.coinbase[2:]),
            timestamp=time,
            block_number=block,
            difficulty=0 if fork in _MERGED else mixed,
            mix_hash=mixed.to_bytes(32, "big"),
            gas_limit=BLOCK_GAS,
            prev_hashes=(),
            chain_id=self._program.chain_id,
            base_fee_per_gas=self._program.base_fee,
            excess_blob_gas=0,
        )
        return rules, rules.get_state_class()(self._db, context, self._root)

    def state_of(self, contract: str, slots: SlotPlan, after: int) -> Checkpoint:
        """The state as it is now, by label."""
        _, state = self._state(self._program.deployment.block_number, 0)
        address = bytes.fromhex(contract[2:])
        words = [
            state.get_storage(address, place)
            if kind == "slot"
            else state.get_balance(place.to_bytes(20, "big"))
            for kind, place in _wanted(slots.calldata)
        ]
        balance: int = state.get_balance(address)
        answer = "0x" + "".join(f"{word:064x}" for word in (balance, *words))
        return Checkpoint(after=after, balance=balance, storage=slots.read(answer))

    def rich(self, account: str, spends: int) -> None:
        _, state = self._state(self._program.deployment.block_number, 0)
        address = bytes.fromhex(account[2:])
        state.set_balance(address, 10**27 + spends)
        if account == self._program.deployment.sender and state.get_nonce(address) == 0:
            state.set_nonce(address, self._program.deployment.nonce)
        self._keep(state)

    def _keep(self, state: Any) -> None:
        state.persist()
        self._root = state.state_root

    def transact(
        self,
        block: int,
        time: int,
        *,
        sender: str,
        to: str | None,
        data: str,
        value: int,
        gas: int,
    ) -> tuple[CallResult, str | None]:
        rules, state = self._state(block, time)
        address = bytes.fromhex(sender[2:])
        plain = rules.create_unsigned_transaction(
            nonce=state.get_nonce(address),
            gas_price=0,
            gas=gas,
            to=bytes.fromhex(to[2:]) if to else b"",
            value=value,
            data=bytes.fromhex(data[2:]),
        )
        spoofed = SpoofTransaction(plain, from_=address, sender=address)
        computation = state.apply_transaction(spoofed)
        used = rules.finalize_gas_used(spoofed, computation)
        self._keep(state)
        created = computation.msg.storage_address
        ok = computation.is_success
        output = "0x" + bytes(computation.output).hex()
        logs = tuple(
            Log("0x" + place.hex(), tuple(f"0x{topic:064x}" for topic in topics), "0x" + text.hex())
            for place, topics, text in computation.get_log_entries()
        )
        result = CallResult(
            status=ok,
            output="0x" if to is None and ok else bounded(output),
            gas_used=used,
            logs=logs if ok else (),
        )
        return result, "0x" + created.hex() if to is None else None
