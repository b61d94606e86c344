"""A second machine for cross-checks: py-evm, which shares no code with anvil."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

from solexp.core import CallResult, Log, Program
from solexp.evm.answers import bounded
from solexp.evm.hardforks import hardfork_at
from solexp.evm.script import BLOCK_GAS, randomness

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
    program: Program, creation: str, gas: Sequence[int], deployment_gas: int
) -> tuple[str | None, list[CallResult]]:
    """Address and results of the deployment and all calls, each call under the rules of its own block."""
    chain = _Chain(program)
    start = program.deployment
    chain.rich(start.sender)
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
        return None, results
    for call in program.calls:
        chain.rich(call.sender)
    for call, limit in zip(program.calls, gas, strict=True):
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
    return address, results


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

    def rich(self, account: str) -> None:
        _, state = self._state(self._program.deployment.block_number, 0)
        address = bytes.fromhex(account[2:])
        state.set_balance(address, 10**27 + sum(call.value for call in self._program.calls))
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
