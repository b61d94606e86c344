"""One compiler for all tests of the machine."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from solexp.core import CompilerSettings
from solexp.evm.machine import Subject
from solexp.solidity.compiler import Compiler

Make = Callable[..., Subject]


@pytest.fixture(scope="session")
def compiler() -> Iterator[Compiler]:
    with Compiler() as found:
        yield found


@pytest.fixture(scope="session")
def subject(compiler: Compiler) -> Make:
    """Compiles one contract to a subject: ``subject(source, name="Box", version="0.8.17")``."""

    def make(source: str, name: str = "Box", version: str = "0.8.17") -> Subject:
        build = compiler.compile(
            {"box.sol": f"pragma solidity {version};\n{source}"}, CompilerSettings(version=version)
        )
        assert build.ok, build.errors
        contract = build.contract(name)
        assert contract is not None
        return Subject(contract.creation, contract)

    return make
