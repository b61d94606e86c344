"""What the tests of oracles share."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from solexp.solidity.compiler import Compiler
from solexp.solidity.foundry.files import kept


@pytest.fixture(scope="module")
def compiler() -> Iterator[Compiler]:
    with Compiler() as compiler:
        yield compiler


@pytest.fixture
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A cache home that holds nothing yet."""
    monkeypatch.setenv("SOLEXP_CACHE", str(tmp_path))
    kept.cache_clear()
    yield tmp_path
    kept.cache_clear()
