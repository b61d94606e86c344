"""Which anvil runs which rules.

anvil 1.6.0 to 1.7.1 misprice storage writes before London: a changed slot costs 2,900 gas instead of 5,000 before
Istanbul, Istanbul's writes cost what Berlin's do, and Berlin refunds 4,800 gas for a cleared slot instead of 15,000.
1.5.1 prices every fork right (recorded gas of mainnet histories, and py-evm, agree with it).
"""

from __future__ import annotations

import logging
from functools import cache
from pathlib import Path

from solexp.core import ToolError
from solexp.evm.hardforks import at_least
from solexp.toolchain.install import ensure_anvil, ensure_old_anvil, foundry_platform
from solexp.toolchain.node import version_of
from solexp.toolchain.tables import foundry

log = logging.getLogger(__name__)

OLD_FORKS_VERSION = foundry().old_forks.version
"""Release of anvil for forks before London."""


def anvil_for(hardfork: str) -> Path:
    """Path of an anvil that prices this fork right, installed when first needed.

    Where there is no package of that release for this platform, or it cannot be had, the usual anvil stands in:
    statuses, return data, events and storage are the same, gas before London is not.
    """
    return ensure_anvil() if at_least(hardfork, "london") else _old_anvil()


def versions() -> tuple[str, ...]:
    """Versions of the anvils that run forks before London and from it on; none where none can be had."""
    forks = ("berlin", "london") if old_forks_exact() else ("london",)
    try:
        return tuple(version_of(anvil_for(fork)) for fork in forks)
    except ToolError as error:
        log.warning("the version of anvil is not known: %s", error)
        return ()


def old_forks_exact() -> bool:
    """Whether this platform has an anvil that prices forks before London right."""
    return foundry_platform() in foundry().old_forks.anvil


@cache
def _old_anvil() -> Path:
    try:
        found = ensure_old_anvil()
    except ToolError as error:
        log.warning("gas before London is not exact: %s", error)
        return ensure_anvil()
    if found is None:
        log.warning("gas before London is not exact: no anvil %s here", OLD_FORKS_VERSION)
        return ensure_anvil()
    return found
