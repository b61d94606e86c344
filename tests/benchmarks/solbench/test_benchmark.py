"""SolBench's rows, read and built."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest

from solexp.benchmarks.building.choosing import Chosen, eligible
from solexp.benchmarks.building.settings import Settings
from solexp.benchmarks.building.solbench_rows import make_rows
from solexp.benchmarks.building.sources import Source
from solexp.benchmarks.rowfiles import write_parquet
from solexp.benchmarks.solbench import SolBench
from solexp.benchmarks.solbench.rows import Row, pose, read_row
from solexp.core import CompilerSettings, DataError
from solexp.solidity.splice import splice
from tests.benchmarks.solidity_eval.made import BODY, ORIGIN

INSTALLED = ("0.4.26", "0.8.20", "0.8.28")
DOC = "    /// @notice Takes out an amount.\r\n"
UNIT = f"{DOC}    function take(uint256 amount) external {BODY}"
BEFORE = ORIGIN[: ORIGIN.index("    /// @notice Takes")].removesuffix("\n")


def row(**fields: Any) -> dict[str, Any]:
    return {
        "idx": "7",
        "sol": "some/where/Till.sol",
        "funit": UNIT,
        "sc": msgspec.json.encode([BEFORE, "}\n"]).decode(),
        "retrieve_sc": "uint256 public total;",
        **fields,
    }


def test_a_row_is_a_function_in_its_file() -> None:
    task = pose(read_row(row(), "here"), "here", INSTALLED)
    assert task.id == "7/Till.take(uint256)"
    assert task.reference == f"function take(uint256 amount) external {BODY}"
    assert task.sources["Till.sol"] == f"{BEFORE}\r\n{UNIT}\r\n}}\n"
    assert task.compiler.version == "0.8.28"
    assert task.requirement == "@notice Takes out an amount."
    assert task.context == "uint256 public total;"
    assert task.program is not None
    assert task.program.deployment.contract == "Till"
    assert splice(task, task.reference) == task.sources


def test_columns_may_be_as_in_the_releases_sets_for_repair() -> None:
    pieces = msgspec.json.encode([" a;", "b; "]).decode()
    values = row(idx=7, sc_ba=[BEFORE, "}\n"], retrieve_sc=pieces)
    del values["sc"]
    task = pose(read_row(values, "here"), "here", INSTALLED)
    assert (task.id, task.context) == ("7/Till.take(uint256)", "a;\n\nb;")


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"funit": None}, "here: funit is missing"),
        ({"sol": 1}, "here: sol must be a text"),
        ({"sc": "[]"}, "here: sc_ba is no list of the texts"),
        ({"funit": "uint a;"}, "here: funit is not one whole function"),
        ({"funit": UNIT[:-1]}, "here: funit is not one whole function"),
        (
            {"sc": msgspec.json.encode(["pragma solidity ^0.9.0; contract Till {", "}"]).decode()},
            "here: Till.sol asks",
        ),
    ],
)
def test_what_is_wrong_with_a_row_is_told_by_column(fields: dict[str, Any], said: str) -> None:
    with pytest.raises(DataError) as error:
        pose(read_row(row(**fields), "here"), "here", INSTALLED)
    assert str(error.value).startswith(said)


@pytest.mark.parametrize("ends", ["\n", "\r\n"])
def test_what_is_built_is_read_back(tmp_path: Path, ends: str) -> None:
    text = ORIGIN.replace("\n", ends)
    settings = Settings(min_lines=4, context_tokens=60)
    chosen = [
        Chosen(
            source=Source(id="a", text=text, documentation={"put(uint256)": "Puts in."}),
            contract="Till",
            member=member,
            name=name,
            compiler=CompilerSettings(version="0.8.28", runs=7),
        )
        for member, name in eligible(text, "Till", settings)
    ]
    write_parquet(tmp_path / "SolBench.parquet", make_rows(chosen, settings), Row)
    put, take = SolBench(path=str(tmp_path)).tasks()
    assert (put.id, take.id) == ("0/Till.put(uint256)", "1/Till.take(uint256)")
    assert put.requirement == "Puts in."
    assert put.compiler.runs == 7
    assert (
        take.reference.splitlines() == f"function take(uint256 amount) external {BODY}".splitlines()
    )
    assert take.sources["Till.sol"].splitlines() == ORIGIN.splitlines()
    assert take.context.strip()
    assert "remainder" not in take.context
