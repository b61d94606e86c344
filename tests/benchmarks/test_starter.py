"""The starter benchmark as data: what every task has, and what a model is shown of it."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import get_args

import msgspec
import pytest

from solexp.benchmarks.starter import VERSION, MutantLabel, Starter, mutant_labels
from solexp.benchmarks.starter.loader import FOLDER, Fault, read_task, task_ids
from solexp.config.compose import compose
from solexp.core import DataError, Program, Task, UserError
from solexp.evm.hardforks import hardfork_at
from solexp.solidity.extract import extract_contract
from solexp.solidity.parsing import definition
from solexp.solidity.splice import splice

TASKS = task_ids()


def test_the_tasks_span_five_compiler_series_and_four_categories() -> None:
    tasks = Starter().tasks()
    series = Counter(task.compiler.version[:3] for task in tasks)
    categories = Counter(task.category for task in tasks)

    assert len(tasks) == 24
    assert set(series) == {"0.4", "0.5", "0.6", "0.7", "0.8"}
    assert min(series.values()) >= 3
    assert set(categories) == {"ERC20", "ERC721", "DeFi", "Others"}
    assert min(categories.values()) >= 3
    assert any(task.program and task.program.deployment.value for task in tasks)
    assert any(task.facts["deployed"] != task.target.contract for task in tasks)


def test_tasks_are_chosen_by_limit_ids_and_filter() -> None:
    assert [task.id for task in Starter(ids=["GatePass"]).tasks()] == ["GatePass"]
    assert {task.category for task in Starter(filter={"category": "DeFi"}).tasks()} == {"DeFi"}
    assert Starter(limit=2, seed=5).tasks() == Starter(limit=2, seed=5).tasks()


def test_an_earlier_version_has_its_tasks_alone() -> None:
    first = Starter(version=1)

    assert len(first.every()) == 12
    assert set(Counter(task.category for task in first.tasks()).values()) == {3}
    assert set(first.data_hashes()) <= set(Starter().data_hashes())
    assert first.data_hashes()["version"] == "1"
    with pytest.raises(UserError, match="version must be 1 to 3"):
        Starter(version=4)


def test_an_earlier_version_has_no_mutants_of_a_later_one() -> None:
    def mutants(version: int) -> set[str]:
        (task,) = Starter(ids=["InitVault"], version=version).tasks()
        faults = task.mutant_faults or {}
        assert task.mutants.keys() == task.mutant_labels.keys() == faults.keys()
        return set(task.mutants)

    assert mutants(3) - mutants(2) == {"withdrawal-not-booked"}


def test_an_unknown_task_names_the_nearest() -> None:
    with pytest.raises(DataError, match="did you mean 'GatePass'"):
        read_task("GatePas")


def test_every_file_of_data_is_hashed_and_all_are_small() -> None:
    hashes = Starter().data_hashes()

    assert hashes.pop("version") == str(VERSION)
    for task_id in TASKS:
        for name in ("calls.jsonl", "mutants.yaml", "source.sol", "task.yaml"):
            assert len(hashes[f"{task_id}/{name}"]) == 64
    assert sum(path.stat().st_size for path in FOLDER.rglob("*") if path.is_file()) < 3_500_000


@pytest.mark.parametrize("task_id", TASKS)
def test_a_framework_shows_signatures_and_documentation_but_no_statement(task_id: str) -> None:
    task = read_task(task_id)
    shown = definition(task.framework, task.target.contract)
    original = definition(task.reference, task.target.contract)

    assert shown is not None
    assert original is not None
    assert task.framework.startswith("/// @title")
    assert [f.name for f in shown.functions] == [f.name for f in original.functions]
    assert [f.parameters for f in shown.functions] == [f.parameters for f in original.functions]
    assert all(f.empty for f in shown.functions if f.kind != "modifier")
    data = task.framework.encode()
    for member in shown.functions:
        head = data[: member.start].rstrip().splitlines()[-1].strip()
        assert head.startswith(b"///") or member.kind == "modifier"
        if member.body_start is not None:
            assert data[member.body_start : member.end] in (b"{}", b"{ _; }")
            assert (member.kind == "modifier") == (b"_" in data[member.body_start : member.end])


@pytest.mark.parametrize("task_id", TASKS)
def test_the_context_is_the_file_without_the_target(task_id: str) -> None:
    task = read_task(task_id)
    (source,) = task.sources.values()

    assert definition(task.context, task.target.contract) is None
    assert task.context.lstrip().startswith(("pragma", "// SPDX"))
    kept = [line for line in source.splitlines() if line.strip()]
    split = [line for line in (task.context + task.framework).splitlines() if line.strip()]
    bodies = set(kept) - set(split)
    assert all(line in task.reference for line in bodies)


@pytest.mark.parametrize("task_id", TASKS)
def test_the_reference_survives_extraction_and_splicing(task_id: str) -> None:
    task = read_task(task_id)
    reply = f"Here it is.\n\n```solidity\n{task.reference}\n```\n"
    extracted = extract_contract(reply, task.target.contract)

    assert extracted.code is not None
    assert splice(task, extracted.code) == task.sources


@pytest.mark.parametrize("task_id", TASKS)
def test_a_history_has_300_calls_in_order_within_one_hard_fork(task_id: str) -> None:
    program = _program(read_task(task_id))
    created = program.deployment
    moments = [
        (created.block_number, created.timestamp),
        *((call.block_number, call.timestamp) for call in program.calls),
    ]

    assert len(program.calls) == 300
    assert moments == sorted(moments)
    assert len({hardfork_at(number, time) for number, time in moments}) == 1
    assert len({call.block_number for call in program.calls}) > 150
    assert len({call.sender for call in program.calls}) >= 6
    share = sum(call.recorded.status for call in program.calls if call.recorded) / 300
    assert 0.65 <= share <= 0.85


def test_histories_play_in_seven_hard_forks() -> None:
    forks = {
        hardfork_at(program.deployment.block_number, program.deployment.timestamp)
        for program in map(_program, map(read_task, TASKS))
    }

    assert len(forks) >= 7


@pytest.mark.parametrize("task_id", TASKS)
def test_every_task_has_labelled_mutants_of_both_kinds(task_id: str) -> None:
    task, labels = read_task(task_id), mutant_labels(task_id)

    assert task.mutants.keys() == labels.keys()
    assert len(labels) >= 9
    assert sum(label.equivalent for label in labels.values()) >= 2
    for name, label in labels.items():
        assert task.mutants[name] != task.reference
        assert label.equivalent == (label.axis is None) == (label.input is None)
        assert label.equivalent == (label.fault is None) == (label.kind is not None)
        assert not (label.equivalent and label.shown)
        assert (label.axis == "storage") == (label.input == "storage_only")


@pytest.mark.parametrize("task_id", TASKS)
def test_mutants_keep_the_signatures_of_the_framework(task_id: str) -> None:
    task = read_task(task_id)
    original = definition(task.reference, task.target.contract)
    assert original is not None
    for code in task.mutants.values():
        mutant = definition(code, task.target.contract)
        assert mutant is not None
        assert [(f.name, f.parameters, f.visibility, f.mutability) for f in mutant.functions] == [
            (f.name, f.parameters, f.visibility, f.mutability) for f in original.functions
        ]


def test_every_axis_and_every_kind_of_input_is_labelled() -> None:
    labels = [label for task_id in TASKS for label in mutant_labels(task_id).values()]

    assert {label.axis for label in labels if label.shown} == {
        "status",
        "return",
        "events",
        "storage",
    }
    assert {label.input for label in labels if label.shown} == {
        "argument",
        "order_of_calls",
        "caller_role",
        "event_only",
        "storage_only",
    }
    assert any(not label.equivalent and not label.shown for label in labels)
    assert {label.fault for label in labels if not label.equivalent} == set(get_args(Fault))


def test_the_documented_counts_of_faults_are_those_of_the_labels() -> None:
    labels = [label for task_id in TASKS for label in mutant_labels(task_id).values()]
    faults = Counter(label.fault for label in labels if label.fault)
    hidden = Counter(label.fault for label in labels if label.fault and not label.shown)
    equivalent = sum(label.equivalent for label in labels)
    page = (Path(__file__).parents[2] / "docs/reference/benchmarks.md").read_text()

    assert f"| {len(labels)} mutants | {' | '.join(get_args(Fault))} | equivalent |" in page
    counts = " | ".join(str(faults[fault]) for fault in get_args(Fault))
    assert f"| all | {counts} | {equivalent} |" in page
    counts = " | ".join(str(hidden[fault]) for fault in get_args(Fault))
    assert f"| not shown by the 300 calls | {counts} | |" in page


def test_labels_in_the_form_without_fault_and_kind_still_load() -> None:
    old = b"{name: a, equivalent: false, axis: status, input: argument, why: because}"

    label = msgspec.yaml.decode(old, type=MutantLabel)

    assert (label.fault, label.kind) == (None, None)


def _program(task: Task) -> Program:
    assert task.program is not None
    return task.program


def test_the_newest_version_is_what_the_configuration_asks_for() -> None:
    assert compose(["benchmark=starter"]).benchmark.version == VERSION


@pytest.mark.parametrize("preset", ["oracle_calibration", "violations_starter"])
def test_presets_that_judge_every_mutant_draw_enough_samples(preset: str) -> None:
    composed = compose([f"experiments={preset}"])
    most = max(len(task.mutants) for task in Starter().every())

    assert composed.model.each
    # Sample 0 is the reference.
    assert composed.sampling.batches.greedy.n > most
