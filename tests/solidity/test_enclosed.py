"""forge in a workspace does what solexp says, whatever the workspace says."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from solexp.core import CompilerSettings
from solexp.sandbox.workspace import Limits
from solexp.solidity.compiler import Compiler
from solexp.solidity.foundry.enclosed import forge_build, forge_test
from tests.made_workspaces import STUB, source, test_file

SETTINGS = CompilerSettings(version="0.8.17")


@pytest.fixture(scope="module")
def compiler() -> Iterator[Compiler]:
    with Compiler() as made:
        yield made


def test_neither_settings_nor_tests_reach_programs_files_or_the_network(compiler: Compiler) -> None:
    code = """function testFfi() public {
        string[] memory words = new string[](1); words[0] = "id"; vm.ffi(words);
    }
    function testFork() public { vm.createSelectFork("http://192.0.2.1:8545"); }
    function testRead() public { vm.readFile("foundry.toml"); }
    function testWrite() public { vm.writeFile("x.txt", "1"); }
    function testGood() public { new A(); }"""
    files = {
        "src/A.sol": source("A"),
        "test/A.t.sol": test_file("A", code),
        "foundry.toml": '[profile.default]\nffi = true\nfs_permissions = [{access = "read-write", path = "/"}]\n',
    }
    report = forge_test(files, SETTINGS, compiler, Limits())
    assert not report.ok
    lines = report.text.splitlines()
    assert lines[0] == "test/A.t.sol:ATest"
    assert lines[-1] == "1 passed, 4 failed"
    for name, why in (
        ("testFfi", "FFI is disabled"),
        ("testRead", "not allowed to be accessed for read"),
        ("testWrite", "not allowed to be accessed for write"),
        ("testFork", "could not instantiate forked environment"),
    ):
        assert any(name in line and why in line for line in lines), name


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ('/// forge-config: default.fs_permissions = [{access="read", path="/"}]', "not followed"),
        ("/// forge-config: default.ffi = true", "not followed"),
        ('import "/etc/passwd";', "outside"),
        ('import "../../other/A.sol";', "outside"),
    ],
)
def test_what_would_change_settings_or_leads_out_is_refused_before_it_runs(
    compiler: Compiler, line: str, why: str
) -> None:
    report = forge_build({"src/A.sol": f"{line}\n{source('A')}"}, SETTINGS, compiler, Limits())
    assert not report.ok
    assert why in report.text


def test_errors_are_the_compilers_and_the_same_every_time(compiler: Compiler) -> None:
    files = {"src/A.sol": source("A", "missing();")}
    first, second = (forge_build(files, SETTINGS, compiler, Limits()) for _ in range(2))
    assert "Undeclared identifier" in first.text
    assert " --> src/A.sol:16:9:" in first.text
    assert first.text == second.text
    assert forge_build({"src/A.sol": source("A", STUB)}, SETTINGS, compiler, Limits()).ok
