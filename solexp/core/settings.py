"""Settings that are numbers, checked where they are given. None, for a limit that there is not, is always right."""

from __future__ import annotations

from solexp.core.errors import UserError


def above(name: str, value: float | None, bound: float = 0) -> None:
    """Raises UserError, which names the setting, where ``value`` is not above ``bound``."""
    if value is not None and not value > bound:
        raise UserError(f"{name}: must be above {bound:g}, got {value:g}")


def at_least(name: str, value: float | None, least: float = 1) -> None:
    """Raises UserError, which names the setting, where ``value`` is below ``least``."""
    if value is not None and not value >= least:
        raise UserError(f"{name}: must be at least {least:g}, got {value:g}")
