"""One compiler for all tests of guards."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from solexp.core import Build, CompilerSettings
from solexp.solidity.compiler import Compiler

Compiled = Callable[..., tuple[Build, dict[str, str]]]


@pytest.fixture(scope="session")
def compiler() -> Iterator[Compiler]:
    with Compiler() as found:
        yield found


@pytest.fixture(scope="session")
def compiled(compiler: Compiler) -> Compiled:
    """A build with ASTs and its sources: ``compiled(source, "0.8.28")``."""

    def make(source: str, version: str = "0.8.28") -> tuple[Build, dict[str, str]]:
        sources = {"box.sol": f"pragma solidity {version};\n{source}"}
        # Transient storage needs Cancun, which is not yet the default of all releases.
        fork = "cancun" if version == "0.8.28" else None
        build = compiler.compile(
            sources, CompilerSettings(version=version, evm_version=fork), ast=True
        )
        assert build.ok, build.errors
        return build, sources

    return make
