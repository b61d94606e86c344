from __future__ import annotations

from pathlib import Path

import pytest

from solexp.core import CompilerSettings, NoCode
from solexp.solidity.compiler import Compiler
from solexp.solidity.extract import extract_contract
from solexp.solidity.taxonomy import KINDS, classify

IN_F = "contract A {{ event E(uint a); {members} function f(uint a) public {{ {body} }} }}"


def within(body: str, members: str = "") -> str:
    return IN_F.format(body=body, members=members)


EIGHTEEN = ", ".join(f"uint a{i}" for i in range(18))
SUM = " + ".join(f"a{i}" for i in range(18))

# One error a line: kind, class, release, source.
ERRORS = [
    ("emit", "ParserError", "0.4.18", within("emit E(a);")),
    ("emit", "TypeError", "0.5.17", within("E(a);")),
    ("missing_token", "ParserError", "0.4.18", within("uint b = a }")),
    ("missing_token", "ParserError", "0.8.17", within("uint b = a\nuint c = a;")),
    ("missing_token", "ParserError", "0.8.17", within("require((a > 1);")),
    ("syntax_structure", "ParserError", "0.8.17", within("for (uint i : a) {}")),
    ("syntax_structure", "ParserError", "0.8.17", within("")[:-2]),
    ("syntax_structure", "SyntaxError", "0.8.17", "contract A { function f() {} }"),
    ("receive_function_version", "ParserError", "0.5.17", within("", "receive() external payable {}")),
    ("receive_function_version", "ParserError", "0.8.17", within("", "function () external payable {}")),
    ("override_conflict", "TypeError", "0.8.17", "contract B { function f() public virtual {} }"
     " contract A is B { function f() public {} }"),
    ("override_conflict", "TypeError", "0.6.12", within("", "function g() public override {}")),
    ("override_conflict", "TypeError", "0.8.17", "interface I { function g() external; } contract A is I {}"),
    ("member_unavailable", "TypeError", "0.8.17", within("a.add(1);")),
    ("type_conversion", "TypeError", "0.8.17", within("address b = a;")),
    ("type_conversion", "TypeError", "0.8.17", within("address(a);")),
    ("type_conversion", "TypeError", "0.5.17", within("require(a == msg.sender);")),
    ("argument_count", "TypeError", "0.8.17", within("g(a, a);", "function g(uint b) public {}")),
    ("argument_count", "TypeError", "0.8.17",
     within("(uint b, uint c) = g();", "function g() public returns (uint) {}")),
    ("argument_type", "TypeError", "0.8.17", within("g(msg.sender);", "function g(uint b) public {}")),
    ("mutability", "TypeError", "0.8.17", within("", "uint x; function g() public pure returns (uint) { return x; }")),
    ("mutability", "TypeError", "0.8.17", within("", "uint x; function g() public view { x = 1; }")),
    ("mutability", "TypeError", "0.8.17", within("require(msg.value > 0);")),
    ("storage_location", "TypeError", "0.8.17", within("", "function g(string s) public {}")),
    ("storage_location", "TypeError", "0.8.17",
     within("S memory s = S(a); S storage t = s;", "struct S { uint x; }")),
    ("member_access", "TypeError", "0.8.17", within("msg.sender.transfer(1);")),
    ("member_access", "TypeError", "0.8.17", within("C = 2;", "uint constant C = 1;")),
    ("member_access", "TypeError", "0.8.17", within("a[0];")),
    ("undefined_identifier", "DeclarationError", "0.8.17", within("b = 1;")),
    ("redefinition", "DeclarationError", "0.8.17", within("", "uint f;")),
    ("redefinition", "DeclarationError", "0.8.17", within("", "function f(uint b) public {}")),
    ("invisible_function", "DeclarationError", "0.8.17", within("g();", "function g() external {}")),
    ("invisible_function", "DeclarationError", "0.6.12", within("g();", "function h() internal {}"
     " function k() internal {} function g() external {}")),
    ("stack_depth", "CompilerError", "0.8.17",
     f"contract A {{ function f({EIGHTEEN}) public pure returns (uint) {{ return {SUM}; }} }}"),
    ("parameter_association", "DocstringParsingError", "0.8.17",
     "contract A { /** @param b what */ function f(uint a) public {} }"),
    ("parameter_association", "TypeError", "0.8.17", within("g({c: a});", "function g(uint b) public {}")),
    ("docstring", "DocstringParsingError", "0.8.17",
     "contract A { /// @return nothing\n function f(uint a) public {} }"),
    ("docstring", "DocstringParsingError", "0.8.17", "contract A { /// @param a what\n uint public x; }"),
    ("others", "UnimplementedFeatureError", "0.8.17", ""),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "error_type", "version", "source"), ERRORS[:-1])
def test_a_real_error_of_each_kind_is_known(
    compiler: Compiler, kind: str, error_type: str, version: str, source: str
) -> None:
    build = compiler.compile({"a.sol": source}, CompilerSettings(version=version))
    assert [(error.type, error.kind) for error in build.errors] == [(error_type, kind)]
    assert all(warning.kind is None for warning in build.warnings)


def test_every_kind_has_an_example() -> None:
    assert {kind for kind, *_ in ERRORS} == set(KINDS)


def test_what_no_rule_knows_is_others() -> None:
    assert classify("UnimplementedFeatureError", "Not implemented.") == "others"
    assert classify("InternalCompilerError", "") == "others"


MODELS = ["gemini-2.0-flash-exp", "qwen2.5-coder-32b-instruct"]


def test_few_errors_of_the_recorded_replies_are_others(compiler: Compiler, data_home: Path) -> None:
    from pyarrow import parquet  # noqa: PLC0415

    from solexp.benchmarks.solcontracteval import SolContractEval  # noqa: PLC0415
    from solexp.solidity.splice import splice  # noqa: PLC0415

    folder = data_home / "solcontracteval"
    tasks = {
        task.id: task
        for task in SolContractEval(calls=0, path=str(folder)).tasks()
        if task.compiler.version == "0.6.12"
    }
    rows = parquet.read_table(
        folder / "model_outputs.parquet",
        filters=[("sample", "=", 0), ("task_id", "in", list(tasks)), ("model", "in", MODELS)],
    ).to_pylist()
    kinds = []
    for row in rows:
        task = tasks[row["task_id"]]
        found = extract_contract(row["text"], task.target.contract)
        if found.code is None:
            assert isinstance(found.no_code, NoCode)
            continue
        build = compiler.compile(splice(task, found.code), task.compiler)
        kinds += [error.kind for error in build.errors]
    assert kinds
    assert kinds.count("others") <= 0.02 * len(kinds)
