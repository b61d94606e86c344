"""A chain in memory on py-evm: the actors' stage, and a machine to check solexp's own against."""

from __future__ import annotations

from typing import Any

import msgspec
from eth.constants import BLANK_ROOT_HASH, CREATE_CONTRACT_ADDRESS
from eth.db.atomic import AtomicDB
from eth.vm.execution_context import ExecutionContext
from eth.vm.forks.berlin import BerlinVM
from eth.vm.forks.byzantium import ByzantiumVM
from eth.vm.forks.cancun import CancunVM
from eth.vm.forks.istanbul import IstanbulVM
from eth.vm.forks.london import LondonVM
from eth.vm.forks.muir_glacier import MuirGlacierVM
from eth.vm.forks.petersburg import PetersburgVM
from eth.vm.forks.shanghai import ShanghaiVM
from eth.vm.spoof import SpoofTransaction
from eth_typing import Address, BlockNumber, Hash32

from solexp.core import CallResult, Log

FORKS = (
    (4_370_000, ByzantiumVM),
    (7_280_000, PetersburgVM),
    (9_069_000, IstanbulVM),
    (9_200_000, MuirGlacierVM),
    (12_244_000, BerlinVM),
    (12_965_000, LondonVM),
    (17_034_870, ShanghaiVM),
    (19_426_587, CancunVM),
)
"""First mainnet block of each fork that the starter's histories play in, and py-evm's class for it."""

WEALTH = 10**24
"""Wei that every account starts with."""
BLOCK_GAS = 10**9


class Performed(msgspec.Struct, frozen=True):
    """One executed transaction."""

    result: CallResult
    gas_needed: int
    """Gas taken before refunds, which the gas limit has to cover."""
    created: str | None
    """Address of the new contract, for creations."""


class Chain:
    """One mainnet-like chain whose block number and time are set by hand; fees are zero.

    The fork is the one in force at ``block_number``, and the chain never leaves it.
    """

    def __init__(self, block_number: int, timestamp: int) -> None:
        self.block_number = block_number
        self.timestamp = timestamp
        self._vm = [vm for first, vm in FORKS if first <= block_number][-1]
        state_class = self._vm.get_state_class()
        self._state = state_class(AtomicDB(), self._context(), BLANK_ROOT_HASH)
        self._rich: set[Address] = set()

    def _context(self) -> ExecutionContext:
        return ExecutionContext(
            coinbase=Address(bytes(20)),
            timestamp=self.timestamp,
            block_number=BlockNumber(self.block_number),
            difficulty=0,
            mix_hash=Hash32(bytes(32)),
            gas_limit=BLOCK_GAS,
            prev_hashes=(),
            chain_id=1,
            base_fee_per_gas=0,
            excess_blob_gas=0,
        )

    def set_nonce(self, account: str, nonce: int) -> None:
        """Sets the number of transactions that ``account`` has sent."""
        self._state.set_nonce(_address(account), nonce)

    def fund(self, account: str) -> None:
        """Gives ``account`` its wealth; senders get it by themselves, but others may want to be there before."""
        owner = _address(account)
        if owner not in self._rich:
            self._rich.add(owner)
            self._state.delta_balance(owner, WEALTH)
            self._state.lock_changes()

    def balance(self, account: str) -> int:
        """Returns the balance in wei."""
        return int(self._state.get_balance(_address(account)))

    def storage(self, account: str, slot: int) -> int:
        """Returns one storage word."""
        return int(self._state.get_storage(_address(account), slot))

    def send(
        self,
        sender: str,
        to: str | None,
        data: str,
        value: int = 0,
        gas: int = 5_000_000,
        *,
        keep: bool = True,
    ) -> Performed:
        """Executes one transaction in the current block; ``to`` None creates a contract.

        With ``keep=False`` the state afterwards is the state before, as ``eth_call`` does it.
        """
        state = self._state
        state.execution_context = self._context()
        self.fund(sender)
        origin = _address(sender)
        before = state.snapshot()
        transaction = self._transaction(origin, to, data, value, gas)
        executor = state.get_transaction_executor()
        message = executor.build_evm_message(transaction)
        computation = executor.build_computation(message, transaction)
        executor.finalize_computation(transaction, computation)
        performed = _performed(executor, computation, gas, message)
        if keep:
            state.commit(before)
            state.lock_changes()
        else:
            state.revert(before)
        return performed

    def _transaction(self, origin: Address, to: str | None, data: str, value: int, gas: int) -> Any:
        unsigned = self._vm.get_transaction_builder().create_unsigned_transaction(
            nonce=self._state.get_nonce(origin),
            gas_price=0,
            gas=gas,
            to=CREATE_CONTRACT_ADDRESS if to is None else _address(to),
            value=value,
            data=_bytes(data),
        )
        return SpoofTransaction(unsigned, from_=origin)


def _performed(executor: Any, computation: Any, gas: int, message: Any) -> Performed:
    needed = gas - computation.get_gas_remaining()
    refund = executor.calculate_gas_refund(computation, needed)
    logs = tuple(
        Log(
            address=_hex(address),
            topics=tuple(f"0x{topic:064x}" for topic in topics),
            data=_hex(data),
        )
        for address, topics, data in computation.get_log_entries()
    )
    result = CallResult(
        status=bool(computation.is_success),
        output=_hex(computation.output),
        gas_used=needed - refund,
        logs=logs,
        error=None if computation.is_success else type(computation.error).__name__,
    )
    created = _hex(message.storage_address) if message.is_create else None
    return Performed(result, needed, created)


def _address(text: str) -> Address:
    return Address(_bytes(text))


def _bytes(text: str) -> bytes:
    return bytes.fromhex(text.removeprefix("0x"))


def _hex(data: bytes) -> str:
    return "0x" + bytes(data).hex()
