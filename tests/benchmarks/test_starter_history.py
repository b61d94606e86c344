"""The starter's recorded calls: made anew they are the same, and two independent machines agree on them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import cast

import pytest
from eth_typing import ABIEvent
from eth_utils.abi import event_abi_to_log_topic

from solexp.benchmarks.starter.history.stage import Stage
from solexp.benchmarks.starter.history.write import history_of, play
from solexp.benchmarks.starter.loader import FOLDER, read_task, task_ids
from solexp.core import ContractBuild, Program, Task, Trace
from solexp.evm.anvil import AnvilMachine
from solexp.evm.machine import Subject
from solexp.evm.observe import observation
from solexp.solidity.compiler import Compiler

BY_THE_CONTRACT_ITSELF = {"HouseholdWallet": {"setMember", "setRules"}}
"""Functions that only the contract may call; a recorded call of another function makes it do so."""

NEVER_EMITTED: dict[str, set[str]] = {}
"""Events that a task's recorded calls do not show."""

QUICK = {"HarborToken", "HouseholdWallet", "ShareVault", "TollToken"}
"""Played on every run, one a compiler series and fork; the others are slow only together."""
TASKS = [
    task_id if task_id in QUICK else pytest.param(task_id, marks=pytest.mark.slow)
    for task_id in task_ids()
]

Told = tuple[Task, ContractBuild, Stage, Trace]


@pytest.fixture(scope="module")
def compiler() -> Iterator[Compiler]:
    with Compiler() as running:
        yield running


@pytest.fixture(scope="module", params=TASKS)
def told(request: pytest.FixtureRequest, compiler: Compiler) -> Told:
    """A task, its build, its script played on py-evm, and its program run on solexp's machine."""
    task = read_task(request.param)
    program = _program(task)
    contract = compiler.compile(task.sources, task.compiler).contract(program.deployment.contract)
    assert contract is not None
    stage = play(request.param, compiler)
    machine = AnvilMachine(gas="recorded")
    [trace] = machine.run(
        program, [Subject(contract.creation, contract)], observation(program, contract)
    )
    return task, contract, stage, trace


def test_the_script_played_anew_gives_the_committed_history(told: Told) -> None:
    task, _, stage, _ = told

    assert history_of(stage) == (FOLDER / task.id / "calls.jsonl").read_bytes()


def test_status_and_gas_on_solexps_machine_are_the_recorded_ones(told: Told) -> None:
    task, _, _, trace = told
    recorded = [call.recorded for call in _program(task).calls]

    assert [result.status for result in trace.calls] == [
        known.status for known in recorded if known
    ]
    assert [result.gas_used for result in trace.calls] == [
        known.gas_used for known in recorded if known
    ]


def test_the_second_machine_gives_the_same_outputs_logs_and_address(told: Told) -> None:
    _, _, stage, trace = told

    assert trace.address == stage.contract
    for ours, theirs in zip(trace.calls, stage.results, strict=True):
        assert (ours.status, ours.output, ours.logs) == (theirs.status, theirs.output, theirs.logs)


def test_every_function_succeeds_at_least_once(told: Told) -> None:
    task, contract, _, trace = told
    answered = {
        call.input[2:10]
        for call, result in zip(_program(task).calls, trace.calls, strict=True)
        if result.status
    }
    never = {
        signature.partition("(")[0]
        for signature, selector in contract.methods.items()
        if selector not in answered
    }

    assert never == BY_THE_CONTRACT_ITSELF.get(task.id, set())


def test_every_event_of_the_target_is_seen(told: Told) -> None:
    task, contract, _, trace = told
    seen = {log.topics[0] for result in trace.calls for log in result.logs}
    never = {
        entry["name"]
        for entry in contract.abi
        if entry["type"] == "event"
        and f"0x{event_abi_to_log_topic(cast(ABIEvent, entry)).hex()}" not in seen
    }

    assert never == NEVER_EMITTED.get(task.id, set())


def _program(task: Task) -> Program:
    assert task.program is not None
    return task.program
