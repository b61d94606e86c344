"""Hand-made run folders."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from made_runs import make_run

from solexp.store.runfolder import RunFolder


@pytest.fixture
def run_folder(tmp_path: Path) -> Callable[..., RunFolder]:
    """Makes run folders below the test's own folder."""

    def make(name: str = "run", **facts: Any) -> RunFolder:
        return make_run(tmp_path / name, **facts)

    return make
