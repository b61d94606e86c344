"""No second try."""

from __future__ import annotations

from typing import Any

from solexp.strategies.base import Attempt, Dialogue


class NoRefine:
    """Leaves every answer as it is."""

    rounds = 0

    def fingerprint(self) -> dict[str, Any]:
        return {"refine": "none"}

    def wants(self, attempt: Attempt) -> bool:  # noqa: ARG002
        return False

    def dialogue(self, attempt: Attempt) -> Dialogue:  # noqa: ARG002
        """Never wanted."""
        yield from ()
