"""What the tests of builders share."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.benchmarks.building.captures import KEY
from tests.kept_builds import share_builds


@pytest.fixture
def capturing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A cache of the test's own, a key, and no waiting."""
    share_builds(tmp_path / "cache")
    monkeypatch.setenv("SOLEXP_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("SOLEXP_EXPLORER_KEY", KEY)
    monkeypatch.setattr("time.sleep", lambda _: None)
