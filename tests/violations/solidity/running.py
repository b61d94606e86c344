"""Calls run on the EVM, and what the terms of the same functions say of them."""

from __future__ import annotations

import random
from typing import Any

from solexp.core import Build, Call, Deployment, Program
from solexp.evm.anvil import AnvilMachine
from solexp.evm.machine import Observation, Subject
from solexp.evm.words import created_address, keccak
from solexp.violations.solidity import Guard
from solexp.violations.solidity.calldata import calldata
from solexp.violations.solidity.construction import construct
from solexp.violations.solidity.context import Limits
from solexp.violations.solidity.evaluation import evaluate
from solexp.violations.solidity.functions import Executed, execute
from solexp.violations.solidity.state import Snapshot
from solexp.violations.solidity.statements import Execution
from solexp.violations.solidity.storage import (
    BALANCE,
    TEXT_BYTES,
    Array,
    Chosen,
    Initial,
    Leaf,
    Written,
    locate,
)
from solexp.violations.solidity.tables import Tables
from solexp.violations.solidity.unit import Node, Unit
from solexp.violations.solidity.values import Word

SENDERS = tuple("0x" + digit * 40 for digit in "1234")
HERE = created_address(SENDERS[0], 0)
BLOCK = 20_000_000
TIME = 1_719_000_000


class Disagreement(AssertionError):
    """The EVM and the terms say different things."""


def disagreements(
    build: Build, sources: dict[str, str], seed: int, calls: int = 40
) -> tuple[int, list[str]]:
    """How many calls could be compared, and where EVM and terms disagree."""
    unit = Unit(build, sources)
    contract = unit.contract("Box")
    functions = list(unit.exposed(contract))
    limits = Limits(rounds=6)
    general = [execute(unit, contract, each, None, limits) for each in functions]
    chosen = random.Random(seed)
    deployed = build.contract("Box")
    assert deployed is not None
    models = []
    for _ in range(calls):
        place = chosen.randrange(len(functions))
        models.append((place, _model(general[place], chosen)))
    program = Program(
        deployment=Deployment(
            contract="Box", sender=SENDERS[0], nonce=0, block_number=BLOCK, timestamp=TIME
        ),
        calls=tuple(
            Call(
                sender=SENDERS[model["from"]],
                input=calldata(unit, functions[place], model),
                value=model["value"],
                block_number=BLOCK + 1 + number,
                timestamp=TIME + 12 * (1 + number),
            )
            for number, (place, model) in enumerate(models)
        ),
    )
    trace = AnvilMachine().run(
        program, [Subject(deployed.creation, deployed)], Observation(storage=False)
    )[0]
    assert trace.deployment.status, trace.deployment
    state = _constructed(unit, contract)
    compared = 0
    found: list[str] = []
    for number, ((place, model), result) in enumerate(zip(models, trace.calls, strict=True)):
        values = model | {
            "sender": int(SENDERS[model["from"]], 16),
            "timestamp": TIME + 12 * (1 + number),
            "number": BLOCK + 1 + number,
            "this": int(HERE, 16),
        }
        runs = [general[place]]
        if number % 7 == 0:
            runs.append(execute(unit, contract, functions[place], state, limits))
        for run in runs:
            verdict = said(run, values, state, result.status, result.output)
            if verdict is None:
                return compared, found
            compared += 1
            if verdict:
                found.append(f"call {number} {functions[place]['name']} {model}: {verdict}")
                return compared, found
        if result.status:
            state = after(general[place].execution, values, state)
    return compared, found


def said(  # noqa: PLR0911
    run: Executed, values: dict[str, int], state: Snapshot, status: bool, output: str
) -> str | None:
    """What is wrong with what the terms say of a call; empty if nothing, None where they say nothing."""
    read = Tables(state).read
    events = run.recorder.events
    verdicts = evaluate([e.fails for e in events], values, read)
    unknown = [
        bool(run.recorder.reasons(e.reached, e.holds)) or bool(lost)
        for e, lost in zip(events, evaluate([e.lost for e in events], values, read), strict=True)
    ]
    first = None
    for event, fails, blind in zip(events, verdicts, unknown, strict=True):
        if blind or (fails and event.guard is None):
            return None
        if fails:
            first = event
            break
    if first is None:
        if not status:
            return f"reverts with {output}, and no guard fails"
        returned = run.returned
        if isinstance(returned, Word):
            if run.recorder.reasons(returned.term):
                return None
            value = evaluate([returned.term], values, read)[0]
            if value != int(output, 16):
                return f"returns {int(output, 16)}, not {value}"
        return ""
    assert first.guard is not None
    guard: Guard = run.recorder.guards[first.guard]
    if status:
        return f"succeeds, and {guard.kind} fails: {guard.text}"
    if not guard.expected.matches(output):
        return f"reverts with {output}, not as {guard.kind} ({guard.expected}) {guard.text}"
    return ""


def after(run: Execution, values: dict[str, int], state: Snapshot) -> Snapshot:
    """The state after a call that succeeds."""
    read = Tables(state).read
    storage = dict(state.storage)
    balances = dict(state.balances)
    texts: dict[int, dict[str, int]] = {}
    for leaf, array in run.path.storage.items():
        for keys, widths, value in _writes(array, values, read):
            if leaf is BALANCE or leaf.space == "balance":
                balances[f"0x{keys[0]:040x}"] = value
                continue
            slot, offset = locate(leaf, keys, widths)
            if leaf.form != "value":
                texts.setdefault(slot, {})[leaf.form] = value
                continue
            mask = (1 << leaf.width) - 1
            old = storage.get(slot, 0)
            storage[slot] = old & ~(mask << (8 * offset)) | value << (8 * offset)
    for slot, text in texts.items():
        _write_text(storage, slot, text)
    return Snapshot(
        address=HERE,
        block_number=state.block_number,
        timestamp=state.timestamp,
        storage=storage,
        balances=balances,
        contracts=state.contracts,
    )


def _write_text(storage: dict[int, int], slot: int, text: dict[str, int]) -> None:
    raw = text["data"].to_bytes(TEXT_BYTES, "big")[: text["length"]]
    if len(raw) < 32:
        storage[slot] = int.from_bytes(raw.ljust(32, b"\0"), "big") | 2 * len(raw)
        return
    storage[slot] = 2 * len(raw) + 1
    for place in range(0, len(raw), 32):
        word = int.from_bytes(raw[place : place + 32].ljust(32, b"\0"), "big")
        storage[keccak(slot.to_bytes(32, "big")) + place // 32] = word


def _writes(array: Array, values: dict[str, int], read: Any) -> list[Any]:
    """Keys, their widths and the value of each write, oldest first."""
    if isinstance(array, Initial):
        return []
    if isinstance(array, Chosen):
        chosen = evaluate([array.condition], values, read)[0]
        return _writes(array.yes if chosen else array.no, values, read)
    assert isinstance(array, Written)
    found = _writes(array.before, values, read)
    *keys, value = evaluate([*array.keys, array.value], values, read)
    widths = tuple(key.width for key in array.keys)
    if array.floor is not None:
        floor = evaluate([array.floor], values, read)[0]
        # No array of these tests grows beyond.
        return found + [((*keys, n), (*widths, 256), value) for n in range(floor, 16) if floor < 16]
    return [*found, (tuple(keys), widths, value)]


def _constructed(unit: Unit, contract: Node) -> Snapshot:
    """The state after deployment, by executing the constructors."""
    empty = Snapshot(address=HERE, contracts=frozenset({HERE}))
    run = construct(unit, contract, empty)
    return after(run, {"sender": int(SENDERS[0], 16)}, empty)


def _model(run: Executed, chosen: random.Random) -> dict[str, int]:
    """Arguments, half of them at the edges."""
    model = {"from": chosen.randrange(len(SENDERS)), "value": 0}
    if chosen.random() < 0.2:
        model["value"] = chosen.choice((1, 7, 10**18))
    for name, parameter in run.recorder.parameters.items():
        if not name.startswith("arg"):
            continue
        width = parameter.width
        if parameter.role == "dirty":
            model[name] = int(chosen.random() < 0.02)
        elif parameter.role == "bool":
            model[name] = chosen.randrange(2)
        elif parameter.role == "address":
            model[name] = chosen.choice([int(each, 16) for each in SENDERS] + [0, 3])
        elif chosen.random() < 0.6:
            model[name] = chosen.choice((0, 1, 2, 3, 5, 100, 127, 128, 200)) % (1 << width)
        else:
            edges = (-1, -2, 1 << (width - 1), (1 << (width - 1)) - 1, chosen.getrandbits(width))
            model[name] = chosen.choice(edges) % (1 << width)
    return model


__all__ = ["Leaf", "disagreements"]
