"""Who acts, and how they choose."""

from __future__ import annotations

from solexp.benchmarks.starter.history.stage import USERS, Draft, Move, Stage, address

NOBODY = "0x" + "00" * 20
DAY = 24 * 3600
ETHER = 10**18
HUGE = 2**256 - 1


def user(stage: Stage) -> str:
    """Returns the name of some user."""
    return stage.random.choice(USERS)


def account(stage: Stage) -> str:
    """Returns the address of some user."""
    return address(user(stage))


def share(stage: Stage, amount: int) -> int:
    """Returns some part of ``amount``, now and then all of it, or a little more."""
    return stage.random.choice(
        (amount, amount + 1, amount // 2, amount // 3, amount // 10, amount // 17 + 1, 1)
    )


def looks(*functions: str) -> list[tuple[int, Draft]]:
    """Returns drafts in which a user reads the functions without arguments."""

    def look(function: str) -> Draft:
        return lambda stage: Move(user(stage), function)

    return [(1, look(function)) for function in functions]
