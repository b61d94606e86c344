"""The script of the registry of names."""

# ruff: noqa: PLR0915  (a script is a list of moves)

from __future__ import annotations

from solexp.benchmarks.starter.history.scenes.cast import DAY, ETHER, NOBODY, account, looks, user
from solexp.benchmarks.starter.history.stage import USERS, Draft, Move, Stage, address

TERM = 30 * DAY
GRACE = 7 * DAY
RENT = ETHER // 100 + 7
POOL = ("anna", "bell", "clio", "dora", "echo", "fram", "gull", "hero", "isis", "juno")


def name(text: str) -> bytes:
    """A name as the registry wants it."""
    return text.encode().ljust(32, b"\0")


def berth_registry(stage: Stage) -> None:
    """Names taken, renewed, lost and taken by others, at the edges of expiry and grace; offers, and a new rent."""

    def some(s: Stage) -> bytes:
        return name(s.random.choice((*POOL, *POOL, *POOL, "ab", "Loud", "d-sh", "gap\0gap")))

    def holder(s: Stage, of: bytes) -> str:
        """Whoever holds a name, now and then somebody else."""
        known = str(s.view("holderOf", of))
        return known if known != NOBODY and s.random.random() < 0.8 else user(s)

    def rent(s: Stage, terms: int) -> int:
        return max(0, int(s.view("rent")) * terms + s.random.choice((0, 0, 0, 0, 1, -1)))

    def take(s: Stage) -> Move:
        terms = s.random.choice((0, 1, 1, 2, 25))
        return Move(user(s), "take", (some(s), terms), rent(s, terms))

    def renew(s: Stage) -> Move:
        terms = s.random.choice((0, 1, 1, 1, 24))
        return Move(user(s), "renew", (some(s), terms), rent(s, terms))

    def point(s: Stage) -> Move:
        which = some(s)
        to = s.random.choice((account(s), account(s), NOBODY))
        return Move(holder(s, which), "point", (which, to))

    def offer(s: Stage) -> Move:
        which = some(s)
        to = s.random.choice((account(s), account(s), NOBODY))
        return Move(holder(s, which), "offer", (which, to))

    def accept(s: Stage) -> Move:
        # Nobody accepts a name that has expired.
        which = some(s)
        _, heir, _, expires = s.view("berths", which)
        if 0 < expires < s.now:
            return renew(s)
        return Move(heir if heir != NOBODY else user(s), "accept", (which,))

    def give_up(s: Stage) -> Move:
        which = some(s)
        return Move(holder(s, which), "giveUp", (which,))

    def set_rent(s: Stage) -> Move:
        return Move(
            s.random.choice(("owner", "mallory")),
            "setRent",
            (s.random.choice((0, RENT, 2 * RENT)),),
        )

    def collect(s: Stage) -> Move:
        return Move(s.random.choice(("owner", "owner", "mallory")), "collect", (address("owner"),))

    def asks(s: Stage) -> Move:
        question = s.random.choice(
            ("holderOf", "resolve", "resolve", "isFree", "graceEnds", "berths")
        )
        return Move(user(s), question, (some(s),))

    def holdings(s: Stage) -> Move:
        return Move(user(s), "holdings", (account(s),))

    daily: list[tuple[int, Draft]] = [
        (16, take),
        (12, renew),
        (14, point),
        (10, offer),
        (10, accept),
        (4, give_up),
        (1, set_rent),
        (2, collect),
        (18, asks),
        (4, holdings),
        *looks("rent", "given", "earnings", "master", "TERM", "GRACE", "MOST_TERMS", "SHORTEST"),
    ]

    def to(moment: int) -> None:
        """Goes to a moment that lies ahead, exactly."""
        stage.chain.block_number += (moment - stage.now) // 14
        stage.chain.timestamp = moment

    def expires(which: bytes) -> int:
        return int(stage.view("berths", which)[3])

    ship, tug = name("ship"), name("tug7")
    stage.do("alice", "isFree", ship)
    stage.do("alice", "graceEnds", ship)
    stage.do("alice", "resolve", ship)
    stage.do("alice", "collect", address("alice"), ok=False)
    stage.do("owner", "collect", address("owner"), ok=False)
    stage.do("alice", "take", name("ab"), 1, value=RENT, ok=False)
    stage.do("alice", "take", name("Ship"), 1, value=RENT, ok=False)
    stage.do("alice", "take", name("sh p"), 1, value=RENT, ok=False)
    stage.do("alice", "take", name("sh\0p"), 1, value=RENT, ok=False)
    stage.do("alice", "isFree", name("ab"))
    stage.do("alice", "take", name("abc"), 1, value=RENT)
    stage.do("alice", "take", ship, 0, ok=False)
    stage.do("alice", "take", ship, 25, value=25 * RENT, ok=False)
    stage.do("alice", "take", ship, 2, value=2 * RENT + 1, ok=False)
    stage.do("alice", "take", ship, 2, value=RENT, ok=False)
    stage.do("alice", "take", ship, 1, value=RENT)
    stage.do("bob", "take", ship, 1, value=RENT, ok=False)
    stage.do("bob", "take", tug, 24, value=24 * RENT)
    stage.do("bob", "renew", tug, 1, value=RENT, ok=False)
    stage.do("bob", "point", ship, address("bob"), ok=False)
    stage.do("alice", "point", ship, address("erin"))
    stage.do("carol", "resolve", ship)
    stage.do("carol", "renew", ship, 1, value=RENT - 1, ok=False)
    stage.do("carol", "renew", ship, 1, value=RENT)
    stage.do("carol", "renew", name("none"), 1, value=RENT, ok=False)
    stage.do("alice", "offer", ship, address("alice"), ok=False)
    stage.do("bob", "offer", ship, address("bob"), ok=False)
    stage.do("alice", "offer", ship, address("carol"))
    stage.do("alice", "offer", ship, address("dave"))
    stage.do("carol", "accept", ship, ok=False)
    stage.do("dave", "accept", ship)
    stage.do("dave", "resolve", ship)
    stage.do("dave", "holderOf", ship)
    stage.do("dave", "accept", ship, ok=False)
    stage.do("dave", "holdings", address("alice"))
    stage.do("dave", "holdings", address("dave"))
    stage.do("dave", "point", ship, address("bob"))
    # The edges of expiry and grace.
    to(expires(ship))
    stage.do("dave", "resolve", ship, now=True)
    stage.do("dave", "holderOf", ship, now=True)
    to(expires(ship) + 1)
    stage.do("dave", "resolve", ship, now=True)
    stage.do("dave", "point", ship, address("dave"), now=True, ok=False)
    stage.do("dave", "giveUp", ship, now=True, ok=False)
    stage.do("erin", "renew", ship, 1, value=RENT, ok=False)
    stage.do("erin", "take", ship, 1, value=RENT, ok=False)
    stage.do("dave", "renew", ship, 1, value=RENT)
    to(expires(ship) + GRACE)
    stage.do("erin", "isFree", ship, now=True)
    stage.do("erin", "take", ship, 1, value=RENT, now=True, ok=False)
    to(expires(ship) + GRACE + 1)
    stage.do("dave", "renew", ship, 1, value=RENT, now=True, ok=False)
    stage.do("erin", "isFree", ship, now=True)
    stage.do("erin", "take", ship, 1, value=RENT, now=True)
    stage.do("erin", "resolve", ship)
    stage.do("erin", "holdings", address("dave"))
    stage.do("mallory", "setRent", 1, ok=False)
    stage.do("owner", "setRent", 0, ok=False)
    stage.do("owner", "setRent", RENT + 3)
    stage.do("erin", "renew", ship, 2, value=2 * RENT, ok=False)
    stage.do("erin", "renew", ship, 2, value=2 * RENT + 6)
    stage.do("owner", "collect", NOBODY, ok=False)
    stage.do("owner", "collect", address("owner"))
    stage.do("erin", "giveUp", ship)
    stage.do("erin", "giveUp", ship, ok=False)
    stage.do("bob", "take", ship, 1, value=RENT + 3)
    for made in (105, 140, 175, 210, 245):
        stage.until(made, daily)
        stage.rest(9 * DAY)
    for who in USERS:
        stage.do(who, "holdings", address(who))
    stage.rest(20 * DAY)
    stage.until(299, daily)
    stage.do("owner", "earnings")
