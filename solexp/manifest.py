"""What a run notes about its surroundings, so that its result can be explained later."""

from __future__ import annotations

import importlib.metadata
import os
import platform
import subprocess
import sys
from datetime import datetime
from pathlib import Path
from typing import Any

import joblib

from solexp import __version__
from solexp.core import secrets
from solexp.core.hashing import content_hash

_PACKAGES = (
    "hydra-core",
    "joblib",
    "mlflow",
    "msgspec",
    "py-solc-x",
    "slither-analyzer",
    "tree-sitter-solidity",
    "web3",
    "z3-solver",
)


def describe(config: dict[str, Any], facts: dict[str, Any]) -> dict[str, Any]:
    """The manifest as it stands when a run of ``config`` starts; ``facts`` are added.

    Secrets are masked in the words that were given, and not part of the configuration's hash.
    """
    overrides = facts.get("overrides")
    return {
        "solexp": __version__,
        "status": "running",
        "name": config.get("name"),
        "started": datetime.now().astimezone().isoformat(timespec="seconds"),
        "git": _git(),
        "seeds": {"run": config.get("seed")},
        "versions": {
            "solexp": __version__,
            "python": platform.python_version(),
            **{name: _version(name) for name in _PACKAGES},
        },
        "host": {
            "name": platform.node(),
            "system": platform.platform(),
            "machine": platform.machine(),
            "cores": joblib.cpu_count(),
            "pid": os.getpid(),
        },
        "command": secrets.words([Path(sys.argv[0]).name, *sys.argv[1:]]),
        "config_hash": content_hash(secrets.stored(config)),
        **facts,
        **({"overrides": secrets.words(overrides)} if overrides is not None else {}),
    }


def _version(package: str) -> str | None:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None


def _git() -> dict[str, Any] | None:
    """Commit and dirty flag of the repository that solexp or, failing that, the user stands in."""
    for folder in (Path(__file__).parent, Path.cwd()):
        commit = _ask_git(folder, "rev-parse", "HEAD")
        if commit:
            return {"commit": commit, "dirty": bool(_ask_git(folder, "status", "--porcelain"))}
    return None


def _ask_git(folder: Path, *words: str) -> str | None:
    try:
        answer = subprocess.run(
            ["git", *words], cwd=folder, capture_output=True, text=True, timeout=10, check=False
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return answer.stdout.strip() if answer.returncode == 0 else None
