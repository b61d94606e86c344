"""Projects: many files that belong to one another, of which a task wants one function written."""

from __future__ import annotations

import msgspec


class Project(msgspec.Struct, frozen=True, kw_only=True):
    """A Foundry project. Its files are kept once, under their hash; a task only refers to them."""

    name: str
    hash: str
    """SHA-256 over the paths and contents of all its files: where they are kept."""
    source_folder: str = "src"
    test_folder: str = "test"
    library_folders: tuple[str, ...] = ("lib",)
    readable: tuple[str, ...] = ()
    """Folders that tests may read from; nothing may be written."""
    gas_limit: int | None = None
    """Of a test; None leaves it to Foundry."""


class Suite(msgspec.Struct, frozen=True, kw_only=True):
    """The tests of a project that reach a target."""

    path: str
    """The file that holds them."""
    tests: tuple[str, ...]
    """Their signatures, such as ``testPack(bytes1,bytes1)``."""
