"""Where solexp keeps benchmark data, tools and caches. Each place can be moved by an environment variable."""

from __future__ import annotations

import os
from pathlib import Path

from platformdirs import PlatformDirs

_DIRS = PlatformDirs("solexp", appauthor=False)


def _home(variable: str, default: Path) -> Path:
    value = os.environ.get(variable)
    return Path(value).expanduser().absolute() if value else default


def data_home() -> Path:
    """Benchmark data: ``SOLEXP_DATA``, by default in the user's data folder."""
    return _home("SOLEXP_DATA", _DIRS.user_data_path / "data")


def tools_home() -> Path:
    """Compilers, Node and Foundry: ``SOLEXP_TOOLS``, by default in the user's data folder."""
    return _home("SOLEXP_TOOLS", _DIRS.user_data_path / "tools")


def cache_home() -> Path:
    """Answers kept under the hash of their question: ``SOLEXP_CACHE``, by default in the user's cache folder."""
    return _home("SOLEXP_CACHE", _DIRS.user_cache_path)
