"""Scripts of the ERC20 tasks."""

# ruff: noqa: PLR0915, PLR0917  (a script is a list of moves)

from __future__ import annotations

from solexp.benchmarks.starter.history.scenes.cast import (
    DAY,
    HUGE,
    NOBODY,
    account,
    looks,
    share,
    user,
)
from solexp.benchmarks.starter.history.stage import USERS, Draft, Move, Stage, address


def _spend(free: str) -> Draft:
    """Spend from somebody's allowance some of what the view ``free`` says they can give."""

    def spend(s: Stage) -> Move:
        who, holder = user(s), account(s)
        allowed = s.view("allowance", holder, address(who))
        held = s.view(free, holder)
        return Move(who, "transferFrom", (holder, account(s), share(s, min(allowed, held))))

    return spend


def _burn(free: str, part: int) -> Draft:
    """Burn some of a ``part``-th of what the view ``free`` says is there."""

    def burn(s: Stage) -> Move:
        who = user(s)
        return Move(who, "burn", (share(s, s.view(free, address(who)) // part),))

    return burn


def _balance(s: Stage) -> Move:
    return Move(user(s), "balanceOf", (account(s),))


def _allowance(s: Stage) -> Move:
    return Move(user(s), "allowance", (account(s), account(s)))


def harbor_token(stage: Stage) -> None:
    """A token year: minting, spending, a halt, frozen accounts, a change of owner, the cap reached."""
    unit = 10**6

    def transfer(s: Stage) -> Move:
        who = user(s)
        return Move(who, "transfer", (account(s), share(s, s.view("balanceOf", address(who)))))

    def approve(s: Stage) -> Move:
        return Move(user(s), "approve", (account(s), s.random.choice((0, 5, 900, 40_000)) * unit))

    def more(s: Stage) -> Move:
        extra = s.random.choice((10 * unit, 2500 * unit, HUGE))
        return Move(user(s), "increaseAllowance", (account(s), extra))

    def less(s: Stage) -> Move:
        return Move(
            user(s), "decreaseAllowance", (account(s), s.random.choice((7, 100, 10**5)) * unit)
        )

    def pay_many(s: Stage) -> Move:
        who = user(s)
        part = s.view("balanceOf", address(who)) // 4
        count = s.random.choice((0, 1, 2, 3, 5))
        values = [share(s, part) for _ in range(count)]
        recipients = [account(s) for _ in range(count)]
        if s.random.random() < 0.15:
            values.append(1)
        return Move(who, "payMany", (recipients, values))

    def mint(s: Stage) -> Move:
        who = s.random.choice(("owner", "owner", "owner", "mallory", "heir"))
        value = s.random.choice((1, 1000, 60_000, 10**7)) * unit
        return Move(who, "mint", (account(s), value))

    def freeze(s: Stage) -> Move:
        who = s.random.choice(("owner", "owner", "heir", "mallory"))
        return Move(who, "setFrozen", (account(s), s.random.random() < 0.35))

    daily: list[tuple[int, Draft]] = [
        (20, transfer),
        (9, approve),
        (14, _spend("balanceOf")),
        (4, more),
        (4, less),
        (7, pay_many),
        (5, mint),
        (5, _burn("balanceOf", 3)),
        (3, freeze),
        (2, _balance),
        (2, _allowance),
        *looks("totalSupply", "mintable", "name", "symbol", "decimals", "cap", "everMinted"),
    ]
    for name in USERS:
        stage.do("owner", "transfer", address(name), 200_000 * unit)
    stage.do("owner", "transfer", NOBODY, 1, ok=False)
    stage.do("alice", "approve", address("bob"), 1000 * unit)
    stage.do("bob", "transferFrom", address("alice"), address("carol"), 600 * unit)
    stage.do("bob", "transferFrom", address("alice"), address("carol"), 600 * unit, ok=False)
    stage.do("bob", "transferFrom", address("alice"), address("carol"), 400 * unit)
    stage.do("alice", "approve", address("dave"), HUGE)
    stage.do("dave", "transferFrom", address("alice"), address("dave"), 25 * unit)
    stage.do("erin", "allowance", address("alice"), address("dave"))
    stage.do("alice", "increaseAllowance", address("dave"), 100 * unit, ok=False)
    stage.do("alice", "decreaseAllowance", address("dave"), HUGE)
    stage.do("alice", "approve", NOBODY, 5, ok=False)
    stage.until(95, daily)
    stage.do("mallory", "setHalted", True, ok=False)
    stage.do("owner", "setHalted", False, ok=False)
    stage.do("owner", "setHalted", True)
    stage.do("alice", "approve", address("carol"), 3 * unit)
    stage.do("alice", "transfer", address("carol"), 3 * unit, ok=False)
    stage.do("alice", "burn", 1, ok=False)
    stage.do("alice", "payMany", [address("carol")], [1], ok=False)
    stage.do("carol", "transferFrom", address("alice"), address("carol"), 3 * unit, ok=False)
    stage.do("owner", "mint", address("alice"), unit, ok=False)
    stage.do("alice", "halted")
    stage.until(112, [(3, approve), (3, transfer), (1, _balance)], 0.6)
    stage.do("owner", "setHalted", False)
    stage.do("carol", "transferFrom", address("alice"), address("carol"), 3 * unit)
    stage.until(160, daily)
    for name in USERS:
        if stage.view("frozen", address(name)):
            stage.do("owner", "setFrozen", address(name), False)
    stage.do("owner", "setFrozen", address("erin"), True)
    stage.do("erin", "transfer", address("bob"), 1, ok=False)
    stage.do("bob", "transfer", address("erin"), 1, ok=False)
    stage.do("erin", "burn", 1, ok=False)
    stage.do("owner", "mint", address("erin"), 1, ok=False)
    stage.do("owner", "setFrozen", address("owner"), True, ok=False)
    stage.do("bob", "frozen", address("erin"))
    stage.do("owner", "setFrozen", address("erin"), False)
    stage.do("owner", "transfer", address("mallory"), 10 * unit)
    stage.do("mallory", "transfer", address("mallory"), 4 * unit)
    stage.do("mallory", "burn", 4 * unit)
    stage.until(215, daily)
    stage.do("mallory", "offerOwnership", address("mallory"), ok=False)
    stage.do("owner", "offerOwnership", address("heir"))
    stage.do("mallory", "acceptOwnership", ok=False)
    stage.do("bob", "heir")
    stage.do("heir", "acceptOwnership")
    stage.do("bob", "owner")
    stage.do("owner", "mint", address("owner"), unit, ok=False)
    stage.do("heir", "setFrozen", address("owner"), True)
    stage.do("heir", "setFrozen", address("heir"), True, ok=False)
    stage.do("heir", "mint", NOBODY, 1, ok=False)
    stage.until(270, daily)
    room = stage.view("mintable")
    if stage.view("frozen", address("bob")):
        stage.do("heir", "setFrozen", address("bob"), False)
    stage.do("heir", "mint", address("bob"), room + 1, ok=False)
    stage.do("heir", "mint", address("bob"), room)
    stage.do("alice", "mintable")
    stage.do("heir", "mint", address("bob"), 1, ok=False)
    stage.do("bob", "burn", 500 * unit)
    stage.do("heir", "mint", address("bob"), 200 * unit)
    stage.until(298, daily)
    stage.do("carol", "everMinted")
    stage.do("carol", "totalSupply")


def toll_token(stage: Stage) -> None:
    """A token with a changing toll, exemptions, infinite allowances and a new steward."""
    unit = 10**18

    def transfer(s: Stage) -> Move:
        who = user(s)
        value = share(s, s.view("balanceOf", address(who))) + s.random.randrange(0, 3)
        return Move(who, "transfer", (s.random.choice((account(s), account(s), NOBODY)), value))

    def approve(s: Stage) -> Move:
        value = s.random.choice((0, 17, 250 * unit, 9000 * unit, HUGE))
        return Move(user(s), "approve", (account(s), value))

    def set_toll(s: Stage) -> Move:
        who = s.random.choice(("owner", "owner", "second", "collector", "mallory"))
        return Move(who, "setToll", (s.random.choice((0, 1, 33, 150, 999, 1000, 1001, 5000)),))

    def set_exempt(s: Stage) -> Move:
        who = s.random.choice(("owner", "owner", "second", "alice"))
        return Move(who, "setExempt", (account(s), s.random.random() < 0.4))

    def balance(s: Stage) -> Move:
        return Move(user(s), "balanceOf", (s.random.choice((account(s), address("collector"))),))

    def toll_for(s: Stage) -> Move:
        value = s.random.choice((1, 66, 67, 6667, 123_456_789, 10**24, 2**250))
        return Move(user(s), "tollFor", (account(s), account(s), value))

    daily: list[tuple[int, Draft]] = [
        (26, transfer),
        (10, approve),
        (18, _spend("balanceOf")),
        (6, _burn("balanceOf", 5)),
        (4, set_toll),
        (4, set_exempt),
        (4, balance),
        (2, _allowance),
        (4, toll_for),
        *looks("totalSupply", "toll", "collector", "tollTaken", "steward", "name", "symbol"),
        *looks("decimals", "HIGHEST_TOLL"),
    ]
    for index, name in enumerate(USERS):
        stage.do("owner", "transfer", address(name), (30_000 + 777 * index) * unit)
    stage.do("alice", "transfer", address("bob"), 1000 * unit + 99)
    stage.do("alice", "transfer", address("bob"), 66)
    stage.do("alice", "transfer", address("bob"), 67)
    stage.do("alice", "transfer", address("alice"), 40 * unit)
    stage.do("carol", "transfer", NOBODY, 1, ok=False)
    stage.do("bob", "approve", address("carol"), 500 * unit)
    stage.do("carol", "transferFrom", address("bob"), address("dave"), 300 * unit)
    stage.do("carol", "allowance", address("bob"), address("carol"))
    stage.do("carol", "transferFrom", address("bob"), address("dave"), 201 * unit, ok=False)
    stage.do("carol", "transferFrom", address("bob"), address("dave"), 200 * unit)
    stage.do("carol", "transferFrom", address("bob"), address("dave"), 1, ok=False)
    stage.do("bob", "approve", address("erin"), HUGE)
    stage.do("erin", "transferFrom", address("bob"), address("erin"), 12 * unit)
    stage.do("erin", "allowance", address("bob"), address("erin"))
    stage.do("bob", "approve", NOBODY, 1, ok=False)
    stage.do("owner", "setExempt", address("owner"), True, ok=False)
    stage.until(85, daily)
    stage.do("mallory", "setCollector", address("mallory"), ok=False)
    stage.do("alice", "transfer", address("collector"), 20 * unit)
    stage.do("collector", "transfer", address("alice"), 10 * unit)
    stage.do("collector", "setCollector", NOBODY, ok=False)
    stage.do("collector", "setCollector", address("purse"))
    stage.do("collector", "setCollector", address("collector"), ok=False)
    stage.do("dave", "transfer", address("carol"), 10 * unit)
    stage.do("dave", "balanceOf", address("purse"))
    stage.do("owner", "setCollector", address("collector"))
    stage.do("owner", "setToll", 1000)
    stage.do("owner", "setToll", 1001, ok=False)
    stage.do("mallory", "setToll", 0, ok=False)
    stage.until(175, daily)
    if not stage.view("exempt", address("carol")):
        stage.do("owner", "setExempt", address("carol"), True)
    for name in ("alice", "dave"):
        if stage.view("exempt", address(name)):
            stage.do("owner", "setExempt", address(name), False)
    stage.do("owner", "setExempt", address("carol"), True, ok=False)
    stage.do("owner", "transfer", address("carol"), 500 * unit)
    stage.do("owner", "transfer", address("alice"), 500 * unit)
    stage.do("owner", "transfer", address("dave"), 500 * unit)
    stage.do("owner", "setToll", 300)
    stage.do("owner", "setToll", 300)
    stage.do("carol", "transfer", address("alice"), 50 * unit)
    stage.do("alice", "transfer", address("carol"), 50 * unit)
    stage.do("dave", "transfer", address("alice"), 50 * unit)
    stage.do("dave", "tollFor", address("dave"), address("carol"), 10**20)
    stage.do("dave", "exempt", address("carol"))
    stage.until(235, daily)
    stage.do("mallory", "passOn", address("mallory"), ok=False)
    stage.do("owner", "passOn", NOBODY, ok=False)
    stage.do("owner", "passOn", address("second"))
    stage.do("owner", "setToll", 10, ok=False)
    stage.do("second", "setToll", 10)
    stage.until(297, daily)
    stage.do("carol", "tollTaken")
    stage.do("carol", "totalSupply")
    stage.do("second", "setToll", 25)


def crew_token(stage: Stage) -> None:
    """Four years of grants: cliffs, vesting, revocations, a second grant, a new captain."""
    unit = 10**18

    def transfer(s: Stage) -> Move:
        who = user(s)
        value = share(s, s.view("spendableOf", address(who)))
        return Move(who, "transfer", (account(s), value))

    def approve(s: Stage) -> Move:
        return Move(
            user(s), "approve", (account(s), s.random.choice((0, 0, 40, 900, 10**5)) * unit)
        )

    def other(s: Stage) -> str:
        """Some user but alice, whose grants the script needs for itself."""
        return address(s.random.choice(USERS[1:]))

    def grant(s: Stage) -> Move:
        who = s.random.choice((CAPTAIN[0], CAPTAIN[0], "mallory"))
        length = s.random.choice((0, 90 * DAY, 400 * DAY, 4 * 365 * DAY, 4 * 365 * DAY + 1))
        start = s.now + s.random.choice((-30, 0, 20)) * DAY
        terms = (s.random.choice((0, 1500, 77_777)) * unit, start, length // 4, length)
        return Move(who, "grant", (other(s), *terms, s.random.random() < 0.7))

    def revoke(s: Stage) -> Move:
        return Move(s.random.choice((CAPTAIN[0], "bob")), "revoke", (other(s),))

    def locked(s: Stage) -> Move:
        return Move(user(s), s.random.choice(("lockedOf", "spendableOf")), (account(s),))

    def seen(s: Stage) -> Move:
        return Move(user(s), "grants", (account(s),))

    CAPTAIN = ["owner"]  # noqa: N806  (changes hands below)
    daily: list[tuple[int, Draft]] = [
        (24, transfer),
        (10, approve),
        (14, _spend("spendableOf")),
        (6, _burn("spendableOf", 9)),
        (5, grant),
        (3, revoke),
        (10, locked),
        (4, _balance),
        (2, seen),
        (2, _allowance),
        *looks("totalSupply", "captain", "name", "symbol", "decimals", "LONGEST"),
    ]

    def grant_to(
        name: str, amount: int, cliff: int, length: int, ok: bool, revocable: bool
    ) -> None:
        args = (address(name), amount, stage.now, cliff, length, revocable)
        stage.do(CAPTAIN[0], "grant", *args, ok=ok)

    grant_to("alice", 100_000 * unit, 10 * DAY, 40 * DAY, True, True)
    grant_to("bob", 100_000 * unit + 7, 20 * DAY, 30 * DAY, True, False)
    stage.do("owner", "grantCrew", [address("carol"), address("dave")], 9000 * unit, 0, 20 * DAY)
    stage.do("owner", "transfer", address("erin"), 5000 * unit)
    stage.do("owner", "grantCrew", [], unit, 0, DAY)
    stage.do("owner", "grantCrew", [address("erin"), NOBODY], unit, 0, DAY, ok=False)
    stage.do("owner", "grantCrew", [address("erin")], unit, 2 * DAY, DAY, ok=False)
    stage.do("mallory", "grantCrew", [address("erin")], unit, 0, DAY, ok=False)
    grant_to("alice", unit, 0, 20 * DAY, False, True)
    grant_to("erin", unit, 2 * DAY, DAY, False, True)
    grant_to("erin", unit, DAY, 4 * 365 * DAY + 1, False, True)
    stage.do("alice", "lockedOf", address("alice"))
    stage.do("alice", "transfer", address("erin"), unit, ok=False)
    stage.do("alice", "burn", 1, ok=False)
    stage.rest(9 * DAY)
    stage.do("alice", "spendableOf", address("alice"))
    stage.do("alice", "transfer", address("erin"), 1, ok=False)
    stage.do("carol", "spendableOf", address("carol"))
    stage.do("carol", "transfer", address("erin"), 3000 * unit)
    stage.rest(DAY)
    stage.do("alice", "lockedOf", address("alice"))
    stage.do("alice", "transfer", address("dave"), 24_000 * unit)
    stage.do("alice", "transfer", address("dave"), 2000 * unit, ok=False)
    stage.do("alice", "approve", address("bob"), 500 * unit)
    stage.do("alice", "approve", address("bob"), 600 * unit, ok=False)
    stage.do("bob", "transferFrom", address("alice"), address("erin"), 300 * unit)
    stage.do("bob", "transferFrom", address("alice"), address("erin"), 300 * unit, ok=False)
    stage.do("bob", "allowance", address("alice"), address("bob"))
    stage.do("alice", "approve", address("bob"), 0)
    stage.do("bob", "transferFrom", address("alice"), address("erin"), 1, ok=False)
    stage.do("erin", "transfer", address("erin"), 40 * unit)
    stage.do("erin", "balanceOf", address("erin"))
    stage.until(100, daily)
    stage.do("owner", "revoke", address("bob"), ok=False)
    stage.do("owner", "revoke", address("mallory"), ok=False)
    stage.do("mallory", "revoke", address("alice"), ok=False)
    stage.rest(7 * DAY)
    if stage.view("grants", address("alice"))[4]:
        stage.do("owner", "revoke", address("alice"))
    stage.do("alice", "lockedOf", address("alice"))
    stage.do("alice", "balanceOf", address("owner"))
    stage.do("owner", "grantCrew", [address("alice")], 2500 * unit, 5 * DAY, 10 * DAY)
    stage.until(170, daily)
    stage.rest(12 * DAY)
    stage.do("alice", "grants", address("alice"))
    stage.do("owner", "revoke", address("alice"))
    grant_to("alice", 400 * unit, 0, 8 * DAY, True, True)
    stage.do("mallory", "setCaptain", address("mallory"), ok=False)
    stage.do("owner", "setCaptain", NOBODY, ok=False)
    stage.do("owner", "setCaptain", address("mate"))
    grant_to("alice", unit, 0, DAY, False, True)
    CAPTAIN[0] = "mate"
    stage.do("owner", "transfer", address("mate"), 10**6 * unit)
    stage.do("mate", "revoke", address("alice"))
    stage.do("alice", "balanceOf", address("mate"))
    stage.until(240, daily)
    stage.rest(25 * DAY)
    grant_to(
        "erin", 33 * unit, 5 * DAY, 5 * DAY, stage.view("lockedOf", address("erin")) == 0, True
    )
    stage.until(300, daily)
