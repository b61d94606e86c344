"""One contract of SolContractEval as its release states it, and the task it makes.

SolContractEval: 124 contracts from Ethereum's mainnet, each with up to 1,000 of its first transactions. Whatever the
data come from, the same entry gives the same task.
"""

from __future__ import annotations

import hashlib
import re

import msgspec

from solexp.benchmarks.categories import categorise
from solexp.benchmarks.solcontracteval.onchain import EVM_VERSIONS, LIBRARIES
from solexp.benchmarks.solidity_eval.construction import HARDFORK
from solexp.core import (
    Call,
    CompilerSettings,
    DataError,
    Deployment,
    Program,
    Recorded,
    Target,
    Task,
)

MAINNET = 1

_RELEASE = re.compile(r"v?(\d+\.\d+\.\d+)")
_OPTIMISER = re.compile(r"\s*(yes|no)(?:\s+with\s+(\d+)\s+runs)?\s*", re.IGNORECASE)
_TASK_LINE = re.compile(r"^// Your? task is to complete[^\n]*$", re.MULTILINE)
_FIRST_LINE = re.compile(r"\A// Below are some contexts[^\n]*\n")


class Transaction(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """One recorded top-level transaction; text is lower-case hex with ``0x``, ``value`` is in wei."""

    hash: str
    block_number: int
    timestamp: int
    nonce: int
    sender: str
    to: str | None
    value: int
    gas: int
    gas_used: int
    status: bool
    input: str
    created: str | None = None


class Entry(msgspec.Struct, frozen=True, kw_only=True):
    """One contract of the release."""

    address: str
    deployed_contract: str
    target_contract: str
    compiler: str
    """The compiler's full version, such as ``v0.4.18+commit.9cf6e910``; nightly builds occur."""
    optimiser: str
    """As the block explorer words it: ``Yes with 200 runs``."""
    constructor_arguments: str = ""
    """Hex without ``0x``."""
    function_sum: int | None = None
    """The release's count of the target's functions."""
    prompt: str
    ground_truth: str
    source: str
    history: str = "none"
    """How much of the contract's history the release holds: ``full``, a count, or ``none``."""
    transactions: tuple[Transaction, ...] = ()
    """The creation first."""
    evm_version: str | None = None
    """The release says nothing of this and what follows: captured histories do."""
    libraries: dict[str, str] = {}
    via_ir: bool = False
    chain_id: int = 1

    @property
    def id(self) -> str:
        return f"{self.deployed_contract}_{self.address}"


def succeeded(receipt_status: int | None, is_error: int) -> bool:
    """Whether the chain says that a transaction succeeded.

    The receipt's status decides where there is one (from Byzantium on): explorers report ``isError`` 0 for some failed
    transactions of 2017 and 2018.
    """
    return receipt_status == 1 if receipt_status is not None else is_error == 0


def task(entry: Entry, *, calls: int | None = None) -> Task:
    """The task that an entry makes, with at most the first ``calls`` recorded calls.

    Raises DataError where the entry contradicts itself; the reader adds file and line.
    """
    context, request, framework = split_prompt(entry.prompt)
    path = f"{entry.deployed_contract}.sol"
    program, undecidable = _program(entry, calls)
    creation = entry.transactions[0].input if entry.transactions else None
    return Task(
        id=entry.id,
        benchmark="solcontracteval",
        compiler=settings(entry),
        sources={path: entry.source},
        target=_target(entry, path),
        framework=framework,
        context=context,
        requirement=request,
        program=program,
        category=categorise(entry.source, entry.target_contract),
        facts={
            "address": entry.address,
            "deployed_contract": entry.deployed_contract,
            "compiler_full": entry.compiler,
            "function_sum": entry.function_sum,
            "history": entry.history,
            "recorded_transactions": len(entry.transactions),
            "creation_input_sha256": _sha256(creation) if creation else None,
        },
        undecidable=undecidable,
    )


def shortened(found: Task, calls: int | None) -> Task:
    """The task with at most its first ``calls`` recorded calls."""
    if calls is None or found.program is None:
        return found
    program = msgspec.structs.replace(found.program, calls=found.program.calls[:calls])
    return msgspec.structs.replace(found, program=program)


def settings(entry: Entry) -> CompilerSettings:
    """The compiler settings of the verified build.

    Nightly builds stand for the release of their number. Without the optimiser ``runs`` is 200, not the 0 that the
    explorer prints, since the number enters the metadata hash.
    """
    release = _RELEASE.match(entry.compiler)
    if release is None:
        raise DataError(f"compiler version '{entry.compiler}' names no release")
    optimiser = _OPTIMISER.fullmatch(entry.optimiser)
    if optimiser is None:
        raise DataError(f"optimiser setting '{entry.optimiser}' is not like 'Yes with 200 runs'")
    on = optimiser[1].lower() == "yes"
    return CompilerSettings(
        version=release[1],
        optimizer=on,
        runs=int(optimiser[2]) if on and optimiser[2] else 200,
        evm_version=entry.evm_version or EVM_VERSIONS.get(entry.id),
        libraries=entry.libraries or LIBRARIES.get(entry.id, {}),
        via_ir=entry.via_ir or msgspec.UNSET,
    )


def split_prompt(prompt: str) -> tuple[str, str, str]:
    """A prompt's context, task line (without its ``//``) and framework."""
    line = _TASK_LINE.search(prompt)
    if line is None:
        raise DataError("the prompt has no task line ('// You task is to complete …')")
    context = _FIRST_LINE.sub("", prompt[: line.start()]).strip()
    return context, line[0].removeprefix("//").strip(), prompt[line.end() :].strip()


def _target(entry: Entry, path: str) -> Target:
    source, truth = entry.source.encode(), entry.ground_truth.encode()
    if not truth or source.count(truth) != 1:
        raise DataError(
            f"the ground truth of {entry.target_contract} occurs {source.count(truth) if truth else 0} times in "
            "the source instead of once"
        )
    start = source.index(truth)
    return Target(path=path, contract=entry.target_contract, start=start, end=start + len(truth))


def _program(entry: Entry, calls: int | None) -> tuple[Program | None, str | None]:
    if not entry.transactions:
        return None, "no recorded transactions"
    creation, *following = entry.transactions
    if creation.to is not None:
        return None, "the record does not start with the contract's creation"
    if creation.created not in (None, entry.address):
        raise DataError(f"the first transaction creates {creation.created}, not {entry.address}")
    arguments = entry.constructor_arguments.lower()
    if not creation.input.endswith(arguments):
        return None, "the constructor's arguments are not those of the recorded creation"
    deployment = Deployment(
        contract=entry.deployed_contract,
        constructor_args="0x" + arguments,
        sender=creation.sender,
        nonce=creation.nonce,
        value=creation.value,
        gas=creation.gas,
        block_number=creation.block_number,
        timestamp=creation.timestamp,
        recorded=_recorded(creation),
    )
    program = Program(
        deployment=deployment,
        calls=tuple(_call(row, entry.address) for row in following[:calls]),
        chain_id=entry.chain_id,
        # Which rules held at a block is only known of mainnet.
        hardfork=None if entry.chain_id == MAINNET else HARDFORK,
    )
    return program, None if creation.status else "the recorded creation failed"


def _call(row: Transaction, address: str) -> Call:
    return Call(
        sender=row.sender,
        input=row.input,
        to=None if row.to == address else row.to,
        value=row.value,
        gas=row.gas,
        block_number=row.block_number,
        timestamp=row.timestamp,
        recorded=_recorded(row),
    )


def _recorded(row: Transaction) -> Recorded:
    return Recorded(row.status, row.gas_used, row.hash)


def _sha256(text: str) -> str:
    try:
        data = bytes.fromhex(text.removeprefix("0x"))
    except ValueError:
        raise DataError("the input of its creation is no hex") from None
    return hashlib.sha256(data).hexdigest()
