"""The script of the token with roles, a pause, freezes and an end of minting."""

# ruff: noqa: PLR0915  (a script is a list of moves)

from __future__ import annotations

from solexp.benchmarks.starter.history.scenes.cast import (
    DAY,
    NOBODY,
    account,
    looks,
    share,
    user,
)
from solexp.benchmarks.starter.history.stage import Draft, Move, Stage, address

UNIT = 10**8


def quarry_token(stage: Stage) -> None:
    """Roles given and taken, days of minting up to the last second of it, pauses, and freezes that run out."""
    roles = {name: name.encode().ljust(32, b"\0") for name in ("minter", "pauser", "warden")}
    quota = 1000 * UNIT

    def mint(s: Stage) -> Move:
        who = s.random.choice(("smith", "smith", "smith", "mallory", "owner"))
        left = s.view("mintable")
        to = s.random.choice((account(s), account(s), account(s), account(s), NOBODY))
        return Move(who, "mint", (to, s.random.choice((left // 9, left // 3, UNIT, left + 1))))

    def transfer(s: Stage) -> Move:
        who = user(s)
        to = s.random.choice((account(s),) * 6 + (NOBODY,))
        return Move(who, "transfer", (to, share(s, s.view("balanceOf", address(who)) // 4)))

    def approve(s: Stage) -> Move:
        return Move(user(s), "approve", (account(s), s.random.choice((0, 5, 40 * UNIT))))

    def transfer_from(s: Stage) -> Move:
        who, holder = user(s), account(s)
        allowed = s.view("allowance", holder, address(who))
        return Move(who, "transferFrom", (holder, account(s), share(s, allowed)))

    def burn(s: Stage) -> Move:
        who = user(s)
        return Move(who, "burn", (share(s, s.view("balanceOf", address(who)) // 20),))

    def freeze(s: Stage) -> Move:
        who = s.random.choice(("guard", "guard", "guard", "mallory"))
        until = s.random.choice((0, 0, s.now - 1, s.now + 600, s.now + 3 * 3600, s.now + 31 * DAY))
        return Move(who, "freeze", (account(s), until))

    def asks(s: Stage) -> Move:
        name = s.random.choice(("balanceOf", "balanceOf", "frozenUntil"))
        return Move(user(s), name, (account(s),))

    def allowed(s: Stage) -> Move:
        return Move(user(s), "allowance", (account(s), account(s)))

    quiet: list[tuple[int, Draft]] = [
        (6, asks),
        (3, allowed),
        *looks("totalSupply", "mintable", "mintEnds", "dailyQuota", "paused", "LONGEST_FREEZE"),
        *looks("name", "symbol", "decimals", "ADMIN", "MINTER", "PAUSER", "WARDEN"),
    ]
    daily: list[tuple[int, Draft]] = [
        (14, mint),
        (26, transfer),
        (10, approve),
        (14, transfer_from),
        (5, burn),
        (8, freeze),
        *quiet,
    ]

    stage.do("owner", "mint", address("alice"), UNIT, ok=False)
    stage.do("owner", "setPaused", True, ok=False)
    stage.do("mallory", "setRole", roles["minter"], address("mallory"), True, ok=False)
    stage.do("owner", "setRole", roles["minter"], address("smith"), True)
    stage.do("owner", "setRole", roles["minter"], address("smith"), True, ok=False)
    stage.do("owner", "setRole", roles["pauser"], address("guard"), True)
    stage.do("owner", "setRole", roles["warden"], address("guard"), True)
    stage.do("owner", "setRole", b"admin".ljust(32, b"\0"), address("owner"), False, ok=False)
    stage.do("owner", "hasRole", roles["minter"], address("smith"))
    stage.do("smith", "mint", address("alice"), 400 * UNIT)
    stage.do("smith", "mint", NOBODY, UNIT, ok=False)
    stage.do("smith", "mint", address("bob"), 600 * UNIT + 1, ok=False)
    stage.do("smith", "mint", address("bob"), 600 * UNIT)
    stage.do("smith", "mint", address("bob"), 1, ok=False)
    stage.do("alice", "mintable")
    stage.rest(DAY)
    stage.do("alice", "mintable")
    stage.do("smith", "mint", address("carol"), 500 * UNIT)
    stage.do("alice", "mintable")
    stage.do("smith", "mint", address("dave"), 300 * UNIT)
    stage.do("alice", "transfer", address("erin"), 50 * UNIT)
    stage.do("alice", "transfer", NOBODY, 1, ok=False)
    stage.do("alice", "transfer", address("erin"), 351 * UNIT, ok=False)
    stage.do("alice", "approve", address("bob"), 90 * UNIT)
    stage.do("bob", "transferFrom", address("alice"), address("carol"), 40 * UNIT)
    stage.do("bob", "transferFrom", address("alice"), address("carol"), 51 * UNIT, ok=False)
    stage.do("bob", "allowance", address("alice"), address("bob"))
    until = stage.now + 5 * DAY
    stage.do("mallory", "freeze", address("bob"), until, ok=False)
    stage.do("guard", "freeze", address("bob"), 0, ok=False)
    stage.do("guard", "freeze", address("bob"), stage.now - 9, ok=False)
    stage.do("guard", "freeze", address("bob"), until)
    stage.do("guard", "freeze", address("bob"), until - DAY, ok=False)
    stage.do("guard", "freeze", address("bob"), until, ok=False)
    stage.do("guard", "freeze", address("bob"), stage.now + 40 * DAY, ok=False)
    stage.do("bob", "frozenUntil", address("bob"))
    stage.do("bob", "transfer", address("erin"), 1, ok=False)
    stage.do("bob", "burn", 1, ok=False)
    stage.do("bob", "transferFrom", address("alice"), address("carol"), UNIT, ok=False)
    stage.do("bob", "approve", address("carol"), 30 * UNIT)
    stage.do("carol", "transferFrom", address("bob"), address("carol"), UNIT, ok=False)
    stage.do("alice", "transfer", address("bob"), 3)
    stage.chain.block_number += (until - stage.now) // 14
    stage.chain.timestamp = until
    stage.do("bob", "transfer", address("erin"), 7, now=True, ok=False)
    stage.blocks(1)
    stage.do("bob", "transfer", address("erin"), 7, now=True)
    stage.do("guard", "freeze", address("bob"), 0, ok=False)
    stage.do("guard", "freeze", address("bob"), stage.now + DAY)
    stage.do("guard", "freeze", address("bob"), stage.now + 2 * DAY)
    stage.do("guard", "freeze", address("bob"), 0)
    stage.do("bob", "burn", 2 * UNIT)
    stage.do("bob", "burn", 10**6 * UNIT, ok=False)
    stage.until(105, daily)
    stage.rest(DAY)
    stage.until(135, daily)
    stage.do("mallory", "setPaused", True, ok=False)
    stage.do("guard", "setPaused", False, ok=False)
    stage.do("guard", "setPaused", True)
    stage.do("guard", "setPaused", True, ok=False)
    stage.do("owner", "setPaused", False, ok=False)
    stage.do("alice", "transfer", address("bob"), 1, ok=False)
    stage.do("smith", "mint", address("bob"), 1, ok=False)
    stage.do("alice", "burn", 1, ok=False)
    stage.do("alice", "approve", address("dave"), 70 * UNIT)
    stage.do("guard", "freeze", address("erin"), stage.now + DAY)
    stage.until(155, [(3, approve), (1, transfer), *quiet])
    stage.do("guard", "setPaused", False)
    stage.do("erin", "transfer", address("bob"), 1, ok=False)
    stage.until(180, daily)
    stage.rest(DAY)
    stage.until(200, daily)
    stage.do("owner", "setRole", roles["minter"], address("smith"), False)
    stage.do("smith", "mint", address("bob"), 1, ok=False)
    stage.do("owner", "setRole", roles["minter"], address("smith"), True)
    ends = stage.view("mintEnds")
    stage.do("mallory", "shortenMinting", ends - DAY, ok=False)
    stage.do("owner", "shortenMinting", ends, ok=False)
    stage.do("owner", "shortenMinting", ends + DAY, ok=False)
    ends = stage.now + 6 * DAY
    stage.do("owner", "shortenMinting", ends)
    stage.rest(3 * DAY)
    stage.until(235, daily)
    stage.chain.block_number += (ends - stage.now) // 14
    stage.chain.timestamp = ends
    stage.do("smith", "mint", address("dave"), quota // 3, now=True)
    stage.do("alice", "mintable", now=True)
    stage.blocks(1)
    stage.do("smith", "mint", address("dave"), 1, now=True, ok=False)
    stage.do("smith", "mint", address("dave"), 0, now=True, ok=False)
    stage.do("alice", "mintable", now=True)
    stage.until(299, daily[1:], 0.85)
    stage.do("alice", "totalSupply")
