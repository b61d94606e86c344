"""Terms of random functions against the EVM: success or revert, which guard, what is returned, what is stored."""

from __future__ import annotations

import pytest

from solexp.core import CompilerSettings
from solexp.solidity.compiler import Compiler
from tests.violations.solidity.running import disagreements
from tests.violations.solidity.writing import VERSIONS, Writer


def _compared(compiler: Compiler, seed: int, version: str, calls: int) -> int:
    sources = {"box.sol": Writer(seed, version).contract()}
    settings = CompilerSettings(version=version, optimizer=seed % 2 == 0)
    build = compiler.compile(sources, settings, ast=True)
    assert build.ok, build.errors
    compared, found = disagreements(build, sources, seed, calls)
    assert not found, f"seed {seed}, solc {version}: {found}"
    return compared


@pytest.mark.parametrize("version", ["0.4.26", "0.6.12", "0.8.28"])
def test_terms_say_what_the_evm_does(compiler: Compiler, version: str) -> None:
    assert _compared(compiler, 1, version, calls=30) > 10


@pytest.mark.slow
@pytest.mark.parametrize("version", VERSIONS)
def test_terms_say_what_the_evm_does_in_many_contracts(compiler: Compiler, version: str) -> None:
    compared = sum(_compared(compiler, seed, version, calls=60) for seed in range(100, 150))
    assert compared > 1500
