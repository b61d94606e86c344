"""Empty tools homes, and other processes that install into them."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from solexp.toolchain.node import node_environment, npm_command

Python = Callable[..., subprocess.Popen[str]]


@pytest.fixture
def tools_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty tools home."""
    home = tmp_path / "tools"
    monkeypatch.setenv("SOLEXP_TOOLS", str(home))
    return home


@pytest.fixture
def python() -> Python:
    """Starts another Python on some code, with some more environment."""

    def start(code: str, **environment: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, "-c", code],
            env={**os.environ, **environment},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    return start


@pytest.fixture(scope="session")
def registry() -> None:
    """Skips where npm can't reach its registry; fails there in CI."""
    command = [*npm_command(), "view", "solc", "version", "--fetch-retries=0"]
    asked = subprocess.run(
        [*command, "--fetch-timeout=10000"],
        env=node_environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    if asked.returncode:
        reason = f"npm can't reach its registry: {asked.stderr.strip()[:200]}"
        if os.environ.get("CI"):
            pytest.fail(reason)
        pytest.skip(reason)
