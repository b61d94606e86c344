"""Reading rows, and the tasks they make."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest

from solexp.benchmarks.rowfiles import write_parquet
from solexp.benchmarks.solidity_eval import SolidityEval
from solexp.benchmarks.solidity_eval.posing import pose
from solexp.benchmarks.solidity_eval.rows import Row, read_row
from solexp.core import DataError, Program, UserError, Workspace
from solexp.solidity.splice import splice
from tests.benchmarks.solidity_eval.made import BODY, ORIGIN, STUBBED, jsonl, row


def test_a_row_is_a_task_of_one_function_with_a_workspace() -> None:
    task = pose(read_row(row(), "here"), "here")
    assert task.sources == {"src/Till.sol": ORIGIN}
    assert task.reference == f"function take(uint256 amount) external {BODY}"
    assert task.requirement == "@notice Takes out an amount."
    assert (task.compiler.version, task.compiler.optimizer) == ("0.8.28", True)
    assert isinstance(task.workspace, Workspace)
    assert task.workspace.files["src/Till.sol"] == STUBBED
    assert task.workspace.canaries == ("remainder", "not that much")
    head = 'function take(uint256 amount) external { revert("TODO"); }'
    assert splice(task, head) == {"src/Till.sol": STUBBED}


def test_a_constructor_of_which_nothing_is_known_gets_arguments_that_are_not_zero() -> None:
    program = pose(read_row(row(), "here"), "here").program
    assert isinstance(program, Program)
    first, amount = (
        program.deployment.constructor_args[2:66],
        program.deployment.constructor_args[66:],
    )
    assert int(first, 16) > 0
    assert int(amount, 16) > 0


def test_a_manifest_may_say_how_the_contract_was_deployed() -> None:
    told = {"contract": "Till", "sender": "0x" + "11" * 20, "block_number": 1, "timestamp": 2}
    manifest = msgspec.json.encode({"solexp": {"deployment": told}, "more": 1}).decode()
    task = pose(read_row(row(scoring={"manifest.json": manifest}), "here"), "here")
    assert task.program is not None
    assert task.program.deployment.sender == told["sender"]


@pytest.mark.parametrize(
    "signature",
    ["take(uint256)", "take(uint)", "take", "function take(uint amount) external returns (bool)"],
)
def test_a_signature_may_be_a_functions_head(signature: str) -> None:
    task = pose(read_row(row(target_function_signature=signature), "here"), "here")
    assert task.target.member == "take(uint256)"


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"pragma": 8}, "here: pragma must be a text, got 8"),
        ({"task_id": " "}, "here: task_id must be filled"),
        ({"contract_name": "../Till"}, "here: contract_name must be a contract's name"),
        ({"contract_address": "0x12"}, "here: contract_address must be an address"),
        ({"resolved_solc_version": "^0.8"}, "here: resolved_solc_version must be a release"),
        ({"canary_substrings": "text"}, "here: canary_substrings must be a list of texts"),
        ({"workspace_tar": "?"}, "here: workspace_tar: the archive is no base64 text"),
        (
            {"workspace": {"src/Till.sol": ORIGIN}},
            "here: workspace_tar: no body in src/Till.sol is",
        ),
        ({"scoring": {"manifest.json": "["}}, "here: scoring_tar: manifest.json: "),
        ({"contract_name": "Other"}, "here: workspace_tar has no src/Other.sol"),
        (
            {"target_function_signature": "put(uint256)"},
            "here: target_function_signature: no function",
        ),
    ],
)
def test_what_is_wrong_with_a_row_is_told_by_field(fields: dict[str, Any], said: str) -> None:
    with pytest.raises(DataError) as error:
        pose(read_row(row(**fields), "here"), "here")
    assert str(error.value).startswith(said)


def test_a_missing_field_is_named() -> None:
    values = row()
    del values["domain"]
    with pytest.raises(DataError, match="here: domain is missing"):
        read_row(values, "here")


def test_rows_are_read_from_parquet_jsonl_and_copies_of_the_data_set(tmp_path: Path) -> None:
    rows = [read_row(row(task_id=name), "made") for name in "ab"]
    for name in (
        "one/full.parquet",
        "two/full/train-00000-of-00001.parquet",
        "three/full-0.parquet",
    ):
        write_parquet(tmp_path / name, rows, Row)
    (tmp_path / "four").mkdir()
    (tmp_path / "four" / "full.jsonl").write_bytes(jsonl(row(task_id="a"), row(task_id="b")))
    tasks = [
        SolidityEval(config="full", path=str(tmp_path / name)).tasks()
        for name in ("one", "two", "three", "four")
    ]
    assert [task.id for task in tasks[0]] == ["a", "b"]
    assert all(each == tasks[0] for each in tasks)
    with pytest.raises(UserError, match="holds no rows of 'lite'"):
        SolidityEval(config="lite", path=str(tmp_path / "one")).tasks()


def test_the_same_rows_are_the_same_bytes(tmp_path: Path) -> None:
    rows = [read_row(row(), "made")]
    for name in "ab":
        write_parquet(tmp_path / name, rows, Row)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_malformed_rows_are_told_and_left_out(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_bytes(jsonl(row(), row(), row(task_id="c", pragma=None)))
    benchmark = SolidityEval(path=str(path))
    said: list[str] = []
    benchmark.malformed = said.append
    assert len(benchmark.tasks()) == 1
    assert said == [
        f"{path} line 2: task_id: there is a 'Till/take(uint256)' already; left out",
        f"{path} line 3: pragma must be a text, got None; left out",
    ]
