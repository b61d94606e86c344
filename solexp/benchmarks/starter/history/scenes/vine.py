"""The script of the wallet whose grants ripen."""

# ruff: noqa: PLR0915  (a script is a list of moves)

from __future__ import annotations

from solexp.benchmarks.starter.history.scenes.cast import DAY, ETHER, NOBODY, account, looks, user
from solexp.benchmarks.starter.history.stage import USERS, Draft, Move, Stage, address

YEARS = 3650 * DAY


def vine_wallet(stage: Stage) -> None:
    """Grants with and without a cliff, one that starts later; releases, suspensions, revocations, a new grantor."""
    office = "owner"

    def number(s: Stage) -> int:
        count = int(s.view("count"))
        return int(s.random.choice((*range(count), *range(count), count)))

    def beneficiary(s: Stage, grant: int) -> str:
        known = s.view("grants", grant)
        return str(known[0]) if known else "alice"

    def fill(s: Stage) -> Move:
        return Move(user(s), "", (), s.random.choice((1, ETHER // 30, ETHER)))

    def plant(s: Stage) -> Move:
        free, all_ = s.view("unreserved"), s.chain.balance(s.contract)
        value = s.random.choice((0, ETHER // 5, ETHER))
        most = free + value
        amount = s.random.choice((0, 1, most // 2, most // 3 + 1, most, all_ + value + 1))
        if most < amount <= all_ + value:
            amount = most
        start = s.now + s.random.choice((-DAY, 0, 3600, DAY, 2 * YEARS))
        cliff = s.random.choice((0, 0, 3600, DAY, 20 * DAY))
        who = s.random.choice((office, office, office, office, "mallory"))
        length = s.random.choice((DAY, 5 * DAY, 10 * DAY, 0))
        to = s.random.choice((account(s), account(s), account(s), NOBODY))
        return Move(
            who, "plant", (to, amount, start, cliff, length, s.random.random() < 0.7), value
        )

    def release(s: Stage) -> Move:
        return Move(user(s), "release", (number(s),))

    def revoke(s: Stage) -> Move:
        # Never a grant that is suspended.
        grant = number(s)
        known = s.view("grants", grant)
        if known and known[4]:
            return release(s)
        return Move(s.random.choice((office, office, "bob")), "revoke", (grant,))

    def suspend(s: Stage) -> Move:
        who = s.random.choice((office, office, office, "mallory"))
        return Move(who, "suspend", (number(s), s.random.random() < 0.4))

    def offer(s: Stage) -> Move:
        grant = number(s)
        who = s.random.choice((beneficiary(s, grant), beneficiary(s, grant), "mallory"))
        return Move(who, "offer", (grant, s.random.choice((account(s), account(s), NOBODY))))

    def accept(s: Stage) -> Move:
        grant = number(s)
        offered = s.view("offers", grant)
        to = offered if offered != NOBODY and s.random.random() < 0.8 else user(s)
        return Move(to, "accept", (grant,))

    def asks(s: Stage) -> Move:
        name = s.random.choice(
            ("grants", "grants", "ripe", "ripe", "releasable", "releasable", "offers")
        )
        return Move(user(s), name, (number(s),))

    def received(s: Stage) -> Move:
        return Move(user(s), "received", (account(s),))

    daily: list[tuple[int, Draft]] = [
        (4, fill),
        (12, plant),
        (26, release),
        (3, revoke),
        (5, suspend),
        (8, offer),
        (8, accept),
        (16, asks),
        (3, received),
        *looks("count", "reserved", "unreserved", "grantor", "LONGEST"),
    ]

    def to(moment: int) -> None:
        """Goes to a moment that lies ahead, exactly."""
        stage.chain.block_number += (moment - stage.now) // 14
        stage.chain.timestamp = moment

    def planted(name: str, amount: int, start: int, *terms: int) -> int:
        """Makes a grant for somebody; ``terms`` are its cliff, its length, and whether it can be revoked."""
        stage.do("owner", "plant", address(name), amount, start, *terms)
        return int(stage.view("count")) - 1

    now = stage.now
    alice = address("alice")
    stage.do("alice", "release", 0, ok=False)
    stage.do("owner", "plant", alice, 1, now, 0, DAY, True, ok=False)
    stage.do("mallory", "", value=10 * ETHER)
    stage.do("alice", "plant", alice, ETHER, now, 0, DAY, True, ok=False)
    stage.do("owner", "plant", NOBODY, ETHER, now, 0, DAY, True, ok=False)
    stage.do("owner", "plant", stage.contract, ETHER, now, 0, DAY, True, ok=False)
    stage.do("owner", "plant", alice, ETHER, now, 0, 0, True, ok=False)
    stage.do("owner", "plant", alice, ETHER, now, 0, YEARS + 1, True, ok=False)
    stage.do("owner", "plant", alice, ETHER, now, DAY + 1, DAY, True, ok=False)
    stage.do("owner", "plant", alice, ETHER, now + 2 * YEARS, 0, DAY, True, ok=False)
    stage.do("owner", "plant", alice, ETHER, now - 2 * YEARS, 0, DAY, True, ok=False)
    stage.do("owner", "plant", alice, 0, now, 0, DAY, True, ok=False)
    stage.do("owner", "plant", alice, 12 * ETHER, now, 0, DAY, True, value=ETHER, ok=False)
    start = stage.now + 3600
    first = planted("alice", 3 * ETHER, start, 2 * DAY, 10 * DAY, True)
    stage.do("alice", "ripe", first)
    stage.do("alice", "releasable", first)
    stage.do("alice", "release", first, ok=False)
    second = planted("bob", 2 * ETHER + 1, stage.now, 0, 7 * DAY, False)
    stage.do("bob", "release", second)
    stage.do("bob", "release", second, ok=False, now=True)
    stage.do("bob", "received", address("bob"))
    to(start + 2 * DAY - 1)
    stage.do("alice", "release", first, ok=False, now=True)
    to(start + 2 * DAY)
    stage.do("alice", "ripe", first, now=True)
    stage.do("carol", "release", first, now=True)
    stage.do("alice", "grants", first)
    stage.do("owner", "revoke", second, ok=False)
    stage.do("owner", "suspend", second, True, ok=False)
    stage.do("alice", "suspend", first, True, ok=False)
    stage.do("owner", "suspend", first, False, ok=False)
    stage.do("owner", "suspend", first, True)
    stage.do("owner", "suspend", first, True, ok=False)
    stage.do("alice", "release", first, ok=False)
    stage.do("alice", "releasable", first)
    stage.do("alice", "ripe", first)
    stage.do("owner", "suspend", first, False)
    stage.do("alice", "revoke", first, ok=False)
    stage.do("mallory", "revoke", first, ok=False)
    stage.do("bob", "offer", first, address("bob"), ok=False)
    stage.do("alice", "offer", first, address("dave"))
    stage.do("erin", "accept", first, ok=False)
    stage.do("dave", "accept", first)
    stage.do("dave", "accept", first, ok=False)
    stage.do("alice", "offer", first, alice, ok=False)
    stage.do("dave", "release", first)
    stage.do("owner", "revoke", first)
    stage.do("owner", "revoke", first, ok=False)
    stage.do("dave", "ripe", first)
    stage.do("dave", "release", first, ok=False)
    stage.do("dave", "grants", first)
    stage.do("owner", "revoke", 99, ok=False)
    stage.do("owner", "suspend", 99, True, ok=False)
    stage.do("alice", "ripe", 99, ok=False)
    third = planted("erin", ETHER, stage.now - 2 * DAY, 0, DAY, True)
    stage.do("owner", "revoke", third, ok=False)
    stage.do("erin", "release", third)
    for made in (110, 150, 190):
        stage.until(made, daily)
        stage.rest(DAY)
    stage.do("mallory", "passOn", address("mallory"), ok=False)
    stage.do("owner", "passOn", NOBODY, ok=False)
    stage.do("owner", "passOn", address("owner"), ok=False)
    stage.do("owner", "passOn", address("tenant"))
    office = "tenant"
    stage.do("owner", "plant", alice, 1, stage.now, 0, DAY, True, value=1, ok=False)
    stage.do("alice", "grantor")
    for made in (230, 265):
        stage.until(made, daily)
        stage.rest(3 * DAY)
    for name in USERS:
        stage.do(name, "received", address(name))
    stage.until(299, daily)
    stage.do("alice", "reserved")
