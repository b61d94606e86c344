"""Workspaces: a project in which an agent writes the body that is missing."""

from __future__ import annotations

import msgspec

STUB = 'revert("TODO");'
"""The statement that stands in the place of the body that is to be written."""


class Workspace(msgspec.Struct, frozen=True, kw_only=True):
    """What an agent is given, and by what a leak of the original shows (Solidity Eval, 2026)."""

    files: dict[str, str]
    """Text of each file by its path, ``foundry.toml`` and the stubbed source among them."""
    canaries: tuple[str, ...] = ()
    """Texts that occur in the deleted body and nowhere in ``files``; none where there is no such text."""
    stub: str = STUB
    """What a body that nobody has written holds."""
