"""What every test can ask for."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from solexp.toolchain.homes import data_home as configured_data_home

# A busy machine is no failure of the law under test.
settings.register_profile("solexp", deadline=None)
settings.load_profile("solexp")


if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # A shell starts background jobs so, and what the tests start would be deaf to Ctrl-C too.
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def data_home() -> Path:
    """The benchmark data home. Tests that need it skip where it is empty, but never in CI."""
    home = configured_data_home()
    if not (home / "solcontracteval" / "tasks.jsonl.gz").is_file():
        reason = f"no benchmark data in {home}; set SOLEXP_DATA or run: solexp data fetch"
        if os.environ.get("CI"):
            pytest.fail(reason)
        pytest.skip(reason)
    return home


@pytest.fixture(autouse=True)
def _ctrl_c_is_heard() -> Iterator[None]:
    """No test may leave this process, and so the next test's children, deaf to Ctrl-C."""
    yield
    assert signal.getsignal(signal.SIGINT) is not signal.SIG_IGN
