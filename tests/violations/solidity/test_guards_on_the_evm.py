"""Every guard of three contracts violated alone, and every call confirmed on the EVM."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.violations.solidity import cases
from tests.violations.solidity.conftest import Compiled
from tests.violations.solidity.witnessing import Tried

VERDICTS = Path(__file__).parent / "verdicts"


@pytest.mark.parametrize(
    ("name", "version"), [("old", "0.4.26"), ("middle", "0.7.6"), ("modern", "0.8.28")]
)
def test_calls_violate_their_guard_and_end_as_it_says(
    compiled: Compiled, name: str, version: str
) -> None:
    build, sources = compiled(getattr(cases, name.upper()), version)
    tried = Tried(build, sources, (7, b"one", b"open"))
    tried.solve()
    assert tried.lines == (VERDICTS / f"{name}.txt").read_text().splitlines()
    tried.run()
