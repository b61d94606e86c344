"""Pools read what people have: rows under their own keys, SolEval's examples, folders of Solidity."""

from __future__ import annotations

import gzip
from pathlib import Path

import msgspec
import pytest

from solexp.benchmarks.starter import Starter
from solexp.core import DataError, UserError
from solexp.strategies.examples.extracting import documentation, header, of_source
from solexp.strategies.examples.pools import of_file, of_folder, of_tasks
from solexp.strategies.function import function_tasks
from tests.strategies.examples.pool import write_rows

SOURCE = """pragma solidity ^0.8.0;

interface Payee { function pay() external; }

/**
 * @title A box
 * @notice Keeps one number.
 */
contract Box {
    uint256 public kept; // no NatSpec

    /// @notice Keeps a number.
    /// @param number what to keep
    function keep(uint256 number)
        external
        onlyOwner("{")
    {
        kept = number;
    }

    /// @notice Keeps two numbers' sum.
    function keep(uint256 a, uint256 b) external { kept = a + b; }

    function undocumented() external { kept = 0; }

    /// @notice Does nothing.
    function nothing() external {}

    /** @notice Sets up. */
    constructor() { kept = 1; }
}

library Plain { function f() internal pure returns (uint256) { return 1; } }
"""


def test_the_functions_of_a_source_come_with_documentation_and_header() -> None:
    found = {entry.example.id: entry.example for entry in of_source(SOURCE, "a.sol", "function")}

    assert list(found) == [
        "a.sol:Box.keep(uint256)",
        "a.sol:Box.keep(uint256,uint256)",
        "a.sol:Box.undocumented()",
        "a.sol:Box.constructor()",
        "a.sol:Plain.f()",
    ]
    keep = found["a.sol:Box.keep(uint256)"]
    assert keep.requirement == "@notice Keeps a number.\n@param number what to keep"
    assert keep.signature == 'function keep(uint256 number) external onlyOwner("{")'
    assert keep.code.splitlines()[0] == "function keep(uint256 number)"
    assert keep.code.splitlines()[-1] == "}"
    assert found["a.sol:Box.undocumented()"].requirement == ""
    assert found["a.sol:Box.constructor()"].requirement == "@notice Sets up."


def test_the_contracts_of_a_source_come_whole_and_interfaces_not_at_all() -> None:
    box, plain = of_source(SOURCE, "a.sol", "contract")

    assert box.example.requirement == "@title A box\n@notice Keeps one number."
    assert box.example.signature == "contract Box"
    assert box.example.code in SOURCE
    assert "function keep(uint256 a, uint256 b) external" in box.text
    assert plain.example.id == "a.sol:Plain"


def test_a_folder_holds_what_is_documented_below_it(tmp_path: Path) -> None:
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "Box.sol").write_text(SOURCE)
    (tmp_path / "node_modules").mkdir()
    (tmp_path / "node_modules" / "Else.sol").write_text(SOURCE)
    (tmp_path / "broken.sol").write_bytes(b"contract { \xff")

    assert [entry.example.id for entry in of_folder(tmp_path, "function")] == [
        "deep/Box.sol:Box.keep(uint256)",
        "deep/Box.sol:Box.keep(uint256,uint256)",
        "deep/Box.sol:Box.constructor()",
    ]


def test_rows_are_read_under_the_keys_that_are_named(tmp_path: Path) -> None:
    path = write_rows(
        tmp_path / "rows.jsonl",
        [
            {"id": 7, "requirement": "/// @notice One.", "code": "function f() public { x = 1; }"},
            {"text": "Two.", "solution": "function g() public { x = 2; }"},
            {"requirement": "No function.", "code": "error Wrong();"},
        ],
    )

    (one,) = of_file(path, "function", {})
    assert (one.example.id, one.example.requirement) == ("7", "@notice One.")
    assert one.example.signature == "function f() public"
    (two,) = of_file(path, "function", {"requirement": "text", "code": "solution"})
    assert (two.example.id, two.example.requirement) == ("rows.jsonl:2", "Two.")


@pytest.mark.parametrize("pack", [gzip.compress, bytes])
def test_an_object_of_lists_is_read_too_as_soleval_writes_it(tmp_path: Path, pack: type) -> None:
    row = {
        "identifier": "f",
        "id": [],
        "signature": "returns (bool) f",
        "body": "function f() public returns (bool) {\n        return g();\n    }",
        "context": "{'function h()  view', 'function g() returns (bool)'}",
        "human_labeled_comment": "/**\n * @notice Tells.\n */",
    }
    path = tmp_path / "example.json"
    path.write_bytes(pack(msgspec.json.encode({"/src/A.sol": [row]})))

    (entry,) = of_file(path, "function", {})

    assert entry.example.id == "/src/A.sol:1"
    assert entry.example.requirement == "@notice Tells."
    assert entry.example.signature == "function f() public returns (bool)"
    assert entry.example.code == "function f() public returns (bool) {\n    return g();\n}"
    assert entry.example.context == "function g() returns (bool);\nfunction h() view;"


def test_solevals_own_examples_are_read(data_home: Path) -> None:
    path = data_home / "soleval" / "data" / "example.json.gz"
    entries = of_file(path, "function", {})

    assert len(entries) > 500
    assert len({entry.example.id for entry in entries}) == len(entries)
    assert all(entry.example.requirement and entry.example.signature for entry in entries)


def test_functions_are_taken_out_of_tasks_that_are_contracts() -> None:
    tasks = Starter(version=1).tasks()
    functions = function_tasks(tasks[0])

    found = [entry.example for entry in of_tasks(tasks[:2], functions[:2], "function")]

    ids = {example.id for example in found}
    assert {task.id for task in functions[2:]} < ids
    assert not {task.id for task in functions[:2]} & ids
    one = next(example for example in found if example.id == functions[2].id)
    assert one.requirement == functions[2].requirement
    assert one.signature.startswith("function ")
    assert "{" not in one.signature


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b'{"code": "function f() public {}"}\n{', "rows.jsonl line 2"),
        (b"[1]", "rows.jsonl:1 must be an object, got int"),
        (b"3", "must hold rows, got int"),
        (b'{"x": 1}\n{"x": 2}', "none of 2 rows has a function under code or body"),
        (b"", "none of 0 rows"),
    ],
)
def test_a_malformed_file_is_refused_with_its_place(
    tmp_path: Path, content: bytes, said: str
) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_bytes(content)

    with pytest.raises(DataError, match=said):
        of_file(path, "function", {})


def test_a_place_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"strategy\.examples\.path: .*none\.jsonl: No such file"):
        of_file(tmp_path / "none.jsonl", "function", {})
    with pytest.raises(UserError, match=r"strategy\.examples\.path: .*none: no such folder"):
        of_folder(tmp_path / "none", "function")
    with pytest.raises(UserError, match=r"no documented contract in the \.sol files below"):
        of_folder(tmp_path, "contract")
    with pytest.raises(UserError, match="no part 'body'; there are id, requirement"):
        of_file(write_rows(tmp_path / "a.jsonl", [{}]), "function", {"body": "x"})


def test_documentation_is_the_natspec_that_ends_above() -> None:
    assert documentation("/** old */ uint256 x;\n  /// @notice New.\n  ") == "@notice New."
    assert documentation("/// @notice Of x.\nuint256 x;\n") == ""
    assert documentation("// plain\n") == ""
    assert documentation("") == ""


def test_headers_end_at_the_body_and_hold_no_comments() -> None:
    assert (
        header("function f(uint a /* { */)\n  public // {\n{ x; }") == "function f(uint a ) public"
    )
    assert header("function f(function() external g) external;") == (
        "function f(function() external g) external"
    )
    assert header("x = 1;") == ""
