"""Real compilers, shared by the tests of this folder."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from solexp.solidity.compiler import Compiler


@pytest.fixture(scope="session")
def compiler(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Compiler]:
    """Compilers by soljson, whatever else is installed, with a cache of their own."""
    cache: Path = tmp_path_factory.mktemp("builds")
    with Compiler(
        providers=("soljson",), cache_dir=cache, max_workers=2, timeout_s=120
    ) as compiler:
        yield compiler
