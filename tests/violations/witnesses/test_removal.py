"""Guards that a call takes out of a contract."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec
import pytest

from solexp.core import CompilerSettings
from solexp.evm.anvil import AnvilMachine
from solexp.evm.machine import Branch, Observation, Subject
from solexp.solidity.compiler import Compiler
from solexp.violations.solidity import Contract
from solexp.violations.witnesses.removal import switches
from tests.evm.boxes import call, program

SOURCE = """contract Box {
    uint256 public last; // é: offsets are bytes
    modifier small(uint256 a) { require(a < 100); _; }
    function set(uint256 a, uint256 b) public small(a) {
        if (a == b) { revert(); }
        if (b > 50) revert();
        assert(a != 7);
        if (b != 9) { last = a; } else { revert(); }
        inner(b);
        last = a + b;
    }
    function inner(uint256 b) internal pure { require(b != 11, "eleven"); }
}"""

FAILING = {
    "require(a < 100)": (200, 1),
    "if (a == b) { revert(); }": (3, 3),
    "if (b > 50) revert();": (3, 60),
    "assert(a != 7)": (7, 3),
    "if (b != 9)": (3, 9),
    'require(b != 11, "eleven")': (3, 11),
}
"""By the guard, in order of execution, arguments that violate it alone."""


@pytest.fixture(scope="module")
def compiler() -> Iterator[Compiler]:
    with Compiler() as found:
        yield found


@pytest.mark.parametrize("version", ["0.4.26", "0.5.17", "0.8.17"])
def test_a_call_fails_unless_it_takes_out_just_what_it_violates(
    compiler: Compiler, version: str
) -> None:
    sources = {"box.sol": f"pragma solidity ^{version};\n{SOURCE}"}
    settings = CompilerSettings(version=version)
    build = compiler.compile(sources, settings, ast=True)
    assert build.ok, build.errors
    [function] = Contract(build, "Box", sources).functions()
    made = switches(build, sources, [function])
    assert made is not None
    changed = compiler.compile(made.sources, settings)
    contract = changed.contract("Box")
    assert contract is not None, changed.errors
    stated = [guard for guard in function.guards if guard.kind.stated]
    assert made.has(stated)
    assert len(stated) == len(FAILING)
    tries, wanted = [], []
    for row, arguments in enumerate(FAILING.values()):
        plain = msgspec.structs.replace(
            call("set(uint256,uint256)", *arguments, at=1), gas=30_000_000
        )
        for column, guard in enumerate(stated):
            data = made.without(plain.input, [guard])
            tries.append(msgspec.structs.replace(plain, input=data))
            wanted.append(row == column)
    plan = Observation(storage=False, branches=(Branch(0, tuple(tries)),))
    [trace] = AnvilMachine().run(program(tries[0]), [Subject(contract.creation, contract)], plan)
    assert [result.status for result in trace.branches[0].calls] == wanted
