from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import pytest

from solexp.benchmarks import taskset
from solexp.benchmarks.fetching import Problem, Report
from solexp.benchmarks.solcontracteval import SolContractEval
from solexp.benchmarks.solcontracteval.importing import import_release
from solexp.core import Task, UserError
from tests.benchmarks.release import (
    ADDRESS,
    HISTORY_FILE,
    ID,
    INFO_FILE,
    JAR,
    LIST_FILE,
    OWNER,
    PROMPT_FILE,
    SECOND,
    SOURCE_FILE,
    change,
    put,
    transaction,
    write_release,
)


@pytest.fixture
def release(tmp_path: Path) -> Path:
    return write_release(tmp_path / "release")


def imported(release: Path) -> tuple[Report, dict[str, Task]]:
    folder = release.parent / "data"
    report = import_release(release, folder)
    return report, {task.id: task for task in SolContractEval(path=str(folder)).tasks()}


def test_a_whole_release_gives_whole_tasks(release: Path) -> None:
    report, tasks = imported(release)
    assert (report.tasks, report.notes, report.problems) == (2, ("0 without history",), ())
    assert list(tasks) == [ID, SECOND]
    task = tasks[ID]
    assert task.reference == JAR
    assert task.sources == {"Jar.sol": f"pragma solidity ^0.4.18;\n\n{JAR}\n"}
    assert task.context == "library Sums { }"
    assert task.framework == "/// @title Jar\ncontract Jar { }"
    assert task.requirement.startswith("You task is to complete the smart contract Jar")
    assert (task.compiler.version, task.compiler.optimizer, task.compiler.runs) == (
        "0.4.24",
        False,
        200,
    )
    assert task.undecidable is None
    program = task.program
    assert program is not None
    assert program.chain_id == 1
    assert program.deployment.sender == OWNER
    assert program.deployment.contract == "Jar"
    first = program.calls[0]
    assert (first.to, first.block_number, first.timestamp, first.gas) == (
        None,
        5_000_001,
        1_520_000_015,
        300_000,
    )
    assert first.recorded is not None
    assert (first.recorded.status, first.recorded.gas_used) == (True, 50_000)
    assert len(program.calls) == 3


def test_importing_twice_gives_the_same_file(release: Path) -> None:
    first = import_release(release, release.parent / "a")
    second = import_release(release, release.parent / "b", origin=str(release))
    assert taskset.header(first.folder) == taskset.header(second.folder)


class Fault(NamedTuple):
    """Something done to a file of the release, and what the import must say of it."""

    what: str
    file: str
    edit: str | dict[str, object] | None
    """The file's new text, new values of its keys (None takes one out), or None to remove it."""
    words: str
    reported: str | None = None
    line: int | None = None

    def apply(self, release: Path) -> None:
        path = release / self.file
        if self.edit is None:
            path.unlink()
        elif isinstance(self.edit, str):
            path.write_text(self.edit, encoding="utf-8")
        else:
            row = {**json.loads(path.read_text(encoding="utf-8")), **self.edit}
            put(path, {key: value for key, value in row.items() if value is not None})


FAULTS = [
    Fault("no JSON", PROMPT_FILE, '{\n "prompt": "x",\n oops', "no JSON", line=3),
    Fault("an empty prompt file", PROMPT_FILE, "", "no JSON", line=1),
    Fault("an array", PROMPT_FILE, "[]", "Expected `object`"),
    Fault("no ground truth", PROMPT_FILE, {"ground_truth": ""}, "0 times"),
    Fault("another ground truth", PROMPT_FILE, {"ground_truth": "contract Jar { }"}, "0 times"),
    Fault("a repeated ground truth", PROMPT_FILE, {"ground_truth": "uint"}, "2 times"),
    Fault("no task line", PROMPT_FILE, {"prompt": "Hello"}, "task line"),
    Fault("a prompt that is a number", PROMPT_FILE, {"prompt": 1}, "$.prompt"),
    Fault("no contract's name", PROMPT_FILE, {"contract_name": None}, "contract_name"),
    Fault("no compiler", INFO_FILE, {"Compiler Version": None}, "Compiler Version"),
    Fault("another compiler", INFO_FILE, {"Compiler Version": "vyper:0.2"}, "vyper", PROMPT_FILE),
    Fault("a strange optimiser", INFO_FILE, {"Optimization Enabled": "so"}, "'so'", PROMPT_FILE),
    Fault("arguments that are no hex", INFO_FILE, {"constructor_argument": "xyz"}, "no hex"),
    Fault("another address", INFO_FILE, {"address": OWNER}, OWNER),
    Fault("no information", INFO_FILE, None, "is missing"),
    Fault("no source", SOURCE_FILE, None, "is missing"),
]


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.what)
def test_a_malformed_contract_is_reported_and_the_others_are_usable(
    release: Path, fault: Fault
) -> None:
    fault.apply(release)
    report, tasks = imported(release)
    assert list(tasks) == [SECOND]
    (problem,) = report.problems
    assert (problem.file, problem.line) == (fault.reported or fault.file, fault.line)
    assert fault.words in problem.message


LOSES_A_ROW = {
    "a block that is no number": {"blockNumber": "x"},
    "no block": {"blockNumber": None},
    "a negative value": {"value": "-1"},
    "input that is no hex": {"input": "0xzz"},
    "input of half a byte": {"input": "0x123"},
    "a short hash": {"hash": "0x12"},
    "a short sender": {"from": "0x12"},
    "a recipient that is no address": {"to": "nobody"},
    "a status that is none": {"txreceipt_status": "2"},
    "another contract's creation": {"to": "", "contractAddress": OWNER},
}


@pytest.mark.parametrize("change_to", LOSES_A_ROW.values(), ids=LOSES_A_ROW)
def test_a_malformed_transaction_is_reported_by_its_line_and_left_out(
    release: Path, change_to: dict[str, Any]
) -> None:
    rows = [transaction(0), transaction(1), transaction(2, **change_to), transaction(3)]
    put(release / HISTORY_FILE, rows)
    report, tasks = imported(release)
    (problem,) = report.problems
    assert (problem.file, problem.line) == (HISTORY_FILE, 4)
    assert problem.message.startswith("transaction left out: ")
    program = tasks[ID].program
    assert program is not None
    assert [call.block_number for call in program.calls] == [5_000_001, 5_000_003]


def test_a_history_that_breaks_off_is_used_up_to_there(release: Path) -> None:
    text = json.dumps([transaction(index) for index in range(4)], indent=0)
    (release / HISTORY_FILE).write_text(text[: text.rindex('"input"')], encoding="utf-8")
    report, tasks = imported(release)
    (problem,) = report.problems
    assert problem.file == HISTORY_FILE
    assert problem.line is not None
    assert problem.message.startswith("no JSON from here on")
    program = tasks[ID].program
    assert program is not None
    assert len(program.calls) == 2


@pytest.mark.parametrize("text", ["", "null", "[]", "[ ]\n"])
def test_a_contract_without_history_is_kept_as_undecidable(release: Path, text: str) -> None:
    (release / HISTORY_FILE).write_text(text, encoding="utf-8")
    report, tasks = imported(release)
    assert (report.tasks, report.notes, report.problems) == (2, ("1 without history",), ())
    assert tasks[ID].program is None
    assert tasks[ID].undecidable == "no recorded transactions"


def test_the_longest_trace_stands_in_for_a_missing_history(release: Path) -> None:
    (release / HISTORY_FILE).unlink()
    traces = release / "results/transaction_replay/Transaction_Trace"
    put(traces / "test_case_100" / ID / "0.json", [transaction(0), transaction(1)])
    put(traces / "test_case_500" / ID / "0.json", [transaction(0), transaction(1), transaction(2)])
    (traces / "test_case_1000" / ID).mkdir(parents=True)
    (traces / "test_case_1000" / ID / "0.json").write_text("")
    _, tasks = imported(release)
    program = tasks[ID].program
    assert program is not None
    assert len(program.calls) == 2
    assert tasks[ID].facts["history"] == "500"


def test_transactions_are_put_into_the_order_of_the_chain(release: Path) -> None:
    rows = [
        transaction(2),
        transaction(0),
        transaction(1, blockNumber="5000002", transactionIndex="3"),
    ]
    put(release / HISTORY_FILE, rows)
    _, tasks = imported(release)
    program = tasks[ID].program
    assert program is not None
    assert [call.timestamp for call in program.calls] == [1_520_000_015, 1_520_000_030]


def test_the_receipt_says_whether_a_call_succeeded_and_else_is_error(release: Path) -> None:
    statuses = [("1", "0"), ("0", "0"), ("1", "1"), ("", "0"), ("", "1")]
    rows = [transaction(0)]
    rows += [
        transaction(index, txreceipt_status=receipt, isError=error)
        for index, (receipt, error) in enumerate(statuses, 1)
    ]
    put(release / HISTORY_FILE, rows)
    _, tasks = imported(release)
    program = tasks[ID].program
    assert program is not None
    recorded = [call.recorded.status for call in program.calls if call.recorded]
    assert recorded == [True, False, True, True, False]


def test_constructor_arguments_must_end_the_recorded_creation(release: Path) -> None:
    change(release / INFO_FILE, lambda row: {**row, "constructor_argument": "0001"})
    _, tasks = imported(release)
    assert (
        tasks[ID].undecidable
        == "the constructor's arguments are not those of the recorded creation"
    )
    put(release / HISTORY_FILE, [transaction(0, input="0x60010001"), transaction(1)])
    _, tasks = imported(release)
    assert tasks[ID].undecidable is None
    program = tasks[ID].program
    assert program is not None
    assert program.deployment.constructor_args == "0x0001"


def test_a_history_that_starts_later_is_undecidable(release: Path) -> None:
    put(release / HISTORY_FILE, [transaction(1), transaction(2)])
    report, tasks = imported(release)
    assert tasks[ID].undecidable == "the record does not start with the contract's creation"
    assert [problem.file for problem in report.problems] == [HISTORY_FILE]


def test_only_the_first_thousand_transactions_are_taken(release: Path) -> None:
    put(release / HISTORY_FILE, [transaction(index) for index in range(1005)])
    _, tasks = imported(release)
    program = tasks[ID].program
    assert program is not None
    assert len(program.calls) == 999


def test_a_nightly_compiler_stands_for_its_release(release: Path) -> None:
    nightly = "v0.4.22-nightly.2018.3.13+commit.f2614be9"
    change(
        release / INFO_FILE,
        lambda row: {
            **row,
            "Compiler Version": nightly,
            "Optimization Enabled": "Yes with 1000 runs",
        },
    )
    _, tasks = imported(release)
    compiler = tasks[ID].compiler
    assert (compiler.version, compiler.optimizer, compiler.runs) == ("0.4.22", True, 1000)
    assert tasks[ID].facts["compiler_full"] == nightly


def test_the_list_of_contracts_may_be_missing_or_name_too_many(release: Path) -> None:
    change(release / LIST_FILE, lambda rows: [*rows, {"name": "Ghost", "address": OWNER}, 1, {}])
    report, tasks = imported(release)
    assert list(tasks) == [ID, SECOND]
    assert sorted(
        (problem.line, problem.message) for problem in report.problems if problem.line
    ) == [
        (5, "the row is no JSON object"),
        (6, "the row has no name and address"),
    ]
    assert f"lists Ghost_{OWNER}" in str(report.problems[-1])
    (release / LIST_FILE).unlink()
    report, tasks = imported(release)
    assert list(tasks) == [ID, SECOND]
    assert "is missing" in str(report.problems[0])


def test_a_problem_reads_as_file_line_and_message() -> None:
    assert str(Problem("a/b.json", 3, "oops")) == "a/b.json line 3: oops"
    assert str(Problem("a/b.json", None, "oops")) == "a/b.json: oops"


def test_what_is_no_release_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="no SolContractEval release"):
        import_release(tmp_path, tmp_path / "data")


def test_a_release_of_which_nothing_is_usable_leaves_the_data_as_they_were(release: Path) -> None:
    folder = import_release(release, release.parent / "data").folder
    before = taskset.header(folder)
    for name in (ID, SECOND):
        (release / f"dataset/source_code/{name}.sol").unlink()
    with pytest.raises(UserError, match="no usable task; the first problem: dataset/source_code"):
        import_release(release, folder)
    assert taskset.header(folder) == before


def test_the_authors_layout_gives_the_tasks_of_the_bundle(data_home: Path, tmp_path: Path) -> None:
    folder = data_home / "solcontracteval"
    report = import_release(folder / "release_layout", tmp_path)
    assert (report.tasks, report.notes, report.problems) == (9, ("0 without history",), ())
    made = SolContractEval(path=str(tmp_path))
    ids = [task.id for task in made.tasks()]
    bundled = SolContractEval(path=str(folder), ids=ids)
    expected = {task.id: task for task in bundled.tasks()}
    assert len(expected) == 9
    for task in made.tasks():
        # The layout's histories are cut to 120 transactions.
        wanted = expected[task.id]
        assert wanted.program is not None
        wanted = msgspec.structs.replace(
            wanted,
            program=msgspec.structs.replace(wanted.program, calls=wanted.program.calls[:119]),
            facts={**wanted.facts, "recorded_transactions": 120},
        )
        assert task == wanted
    creations = bundled.creation_inputs()
    assert made.creation_inputs() == {
        task_id: creations[task_id] for task_id in made.creation_inputs()
    }
    assert ADDRESS not in creations
