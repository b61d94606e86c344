"""The script of the bank."""

# ruff: noqa: PLR0915  (a script is a list of moves)

from __future__ import annotations

from solexp.benchmarks.starter.history.scenes.cast import (
    DAY,
    ETHER,
    account,
    looks,
    share,
    user,
)
from solexp.benchmarks.starter.history.stage import USERS, Draft, Move, Stage, address


def kiln_bank(stage: Stage) -> None:
    """Lenders and borrowers over many blocks of interest; falling prices and debts called in; a freeze; the reserve."""
    tile = 10**18

    def lend(s: Stage) -> Move:
        who = user(s)
        return Move(who, "lend", (share(s, s.view("tiles", address(who)) // 8),))

    def withdraw(s: Stage) -> Move:
        who = user(s)
        return Move(who, "withdraw", (share(s, s.view("sharesOf", address(who)) // 2),))

    def pledge(s: Stage) -> Move:
        return Move(user(s), "pledge", (), s.random.choice((0, 1, ETHER // 7, ETHER, 2 * ETHER)))

    def redeem(s: Stage) -> Move:
        who = user(s)
        return Move(who, "redeem", (share(s, s.view("loans", address(who))[0] // 3),))

    def borrow(s: Stage) -> Move:
        who = user(s)
        room = max(s.view("worth", address(who), 70) - s.view("debtOf", address(who)), 0)
        return Move(
            who, "borrow", (max(s.random.choice((room, room // 2, room // 3, room + tile)), 1),)
        )

    def repay(s: Stage) -> Move:
        name = s.random.choice(USERS)
        who = s.random.choice((name, name, user(s)))
        debt = s.view("debtOf", address(name))
        return Move(who, "repay", (address(name), share(s, debt)))

    def call_in(s: Stage) -> Move:
        every = [address(name) for name in USERS]
        high = [n for n in every if s.view("debtOf", n) > s.view("worth", n, 80)]
        name = s.random.choice(high or every)
        debt = s.view("debtOf", name)
        half = (debt + 1) // 2
        return Move(
            user(s), "callIn", (name, s.random.choice((half, half // 2, half // 5, half + 1)))
        )

    def set_price(s: Stage) -> Move:
        before = s.view("price")
        after = before * s.random.choice((49, 75, 85, 92, 105, 115, 201)) // 100
        return Move(s.random.choice(("assessor",) * 4 + ("owner",)), "setPrice", (after,))

    def rule(s: Stage) -> Move:
        rate = s.random.choice((0, 2 * 10**6, 10**7, 10**8, 10**8 + 1))
        return Move(s.random.choice(("owner", "owner", "assessor")), "rule", (rate, False))

    def take(s: Stage) -> Move:
        who = s.random.choice(("owner", "owner", "mallory"))
        return Move(who, "takeReserve", (account(s), share(s, s.view("reserve") // 2)))

    def send(s: Stage) -> Move:
        who = user(s)
        to = s.random.choice((account(s), account(s), s.contract))
        return Move(who, "sendTiles", (to, share(s, s.view("tiles", address(who)) // 20)))

    def book(s: Stage) -> Move:
        return Move(user(s), "book")

    def about(s: Stage) -> Move:
        name = s.random.choice(("loans", "debtOf", "debtOf", "sharesOf", "tiles"))
        return Move(user(s), name, (account(s),))

    def worth(s: Stage) -> Move:
        return Move(user(s), "worth", (account(s), s.random.choice((70, 80, 100, 33))))

    daily: list[tuple[int, Draft]] = [
        (10, lend),
        (9, withdraw),
        (9, pledge),
        (7, redeem),
        (18, borrow),
        (14, repay),
        (20, call_in),
        (7, set_price),
        (2, rule),
        (2, take),
        (2, send),
        (4, book),
        (8, about),
        (3, worth),
        *looks("stock", "totalDebt", "totalParts", "totalShares", "reserve", "price", "rate"),
        *looks("bookedAt", "frozen", "warden", "assessor", "SCALE", "LOAN", "LIMIT", "REWARD"),
        *looks("KEPT", "MOST_RATE"),
    ]
    for index, name in enumerate(USERS):
        stage.do("owner", "sendTiles", address(name), (50_000 + 7 * index) * tile)
    stage.do("owner", "sendTiles", stage.contract, tile, ok=False)
    stage.do("alice", "pledge", value=10 * ETHER)
    stage.do("alice", "borrow", tile, ok=False)
    stage.do("alice", "lend", 0, ok=False)
    stage.do("bob", "lend", 20_000 * tile)
    stage.do("alice", "borrow", tile, ok=False)
    stage.do("owner", "setPrice", 1000 * tile, ok=False)
    stage.do("assessor", "setPrice", 0, ok=False)
    stage.do("assessor", "setPrice", 1000 * tile)
    stage.do("assessor", "setPrice", 499 * tile, ok=False)
    stage.do("alice", "borrow", 7000 * tile + 1, ok=False)
    stage.do("alice", "borrow", 6000 * tile)
    stage.do("alice", "worth", address("alice"), 70)
    stage.rest(DAY)
    stage.do("alice", "debtOf", address("alice"))
    stage.do("alice", "book")
    stage.do("alice", "debtOf", address("alice"))
    stage.do("alice", "reserve")
    stage.do("carol", "lend", 10_000 * tile)
    stage.do("carol", "sharesOf", address("carol"))
    stage.do("carol", "withdraw", 11_000 * tile, ok=False)
    stage.do("bob", "withdraw", 5000 * tile)
    stage.do("alice", "redeem", 2 * ETHER, ok=False)
    stage.do("alice", "redeem", ETHER)
    stage.do("bob", "callIn", address("alice"), tile, ok=False)
    stage.do("dave", "pledge", value=3 * ETHER)
    stage.do("dave", "borrow", 2100 * tile, ok=False)
    stage.do("dave", "borrow", 2099 * tile)
    stage.do("assessor", "setPrice", 830 * tile)
    stage.do("bob", "callIn", address("dave"), 1051 * tile, ok=False)
    stage.do("bob", "callIn", address("dave"), 0, ok=False)
    stage.do("bob", "callIn", address("dave"), 1000 * tile)
    stage.do("dave", "loans", address("dave"))
    stage.do("bob", "callIn", address("dave"), 10 * tile, ok=False)
    stage.do("dave", "debtOf", address("dave"))
    stage.do("mallory", "rule", 0, True, ok=False)
    stage.do("owner", "rule", 10**8 + 1, False, ok=False)
    stage.do("owner", "rule", 10**7, True)
    stage.do("carol", "borrow", 1, ok=False)
    stage.do("carol", "pledge", value=20 * ETHER)
    stage.do("carol", "borrow", 1, ok=False)
    stage.do("alice", "repay", address("alice"), 1000 * tile)
    stage.rest(DAY)
    stage.do("owner", "rule", 10**7, False)
    stage.do("carol", "borrow", 3, now=True)
    stage.do("carol", "repay", address("carol"), 10 * tile)
    stage.do("carol", "repay", address("carol"), 1, ok=False)
    stage.do("bob", "repay", address("dave"), 10**6 * tile)
    stage.do("dave", "loans", address("dave"))
    stage.do("dave", "redeem", stage.view("loans", address("dave"))[0])
    stage.do("erin", "redeem", 1, ok=False)
    stage.do("mallory", "takeReserve", address("mallory"), 1, ok=False)
    stage.do("owner", "takeReserve", address("erin"), 10**30, ok=False)
    stage.do("owner", "takeReserve", address("erin"), stage.view("reserve") // 3)
    stage.until(130, daily, 0.75)
    # Nearly all tiles lent out, so that lenders cannot get theirs back.
    rest = stage.view("tiles", stage.contract) - stage.view("reserve")
    stage.do("erin", "pledge", value=2 * rest * ETHER // stage.view("price"))
    rest = stage.view("tiles", stage.contract) - stage.view("reserve")
    stage.do("erin", "borrow", rest - tile)
    stage.do("erin", "borrow", 2 * tile, ok=False)
    stage.do("carol", "withdraw", stage.view("sharesOf", address("carol")) // 2 + tile, ok=False)
    stage.rest(DAY)
    stage.do("erin", "repay", address("erin"), rest)
    stage.until(220, daily, 0.75)
    stage.rest(2 * DAY)
    stage.do("assessor", "setPrice", stage.view("price") * 6 // 10)
    stage.until(255, daily, 0.75)
    stage.do("assessor", "setPrice", stage.view("price") * 7 // 10)
    stage.do("owner", "frozen")
    stage.until(278, daily, 0.75)
    for name in ("KEPT", "LIMIT", "LOAN", "MOST_RATE", "REWARD", "SCALE"):
        stage.do("erin", name)
    for name in USERS:
        if stage.view("debtOf", address(name)) > 0:
            stage.do("owner", "repay", address(name), 10**7 * tile)
    stage.do("owner", "totalDebt")
    stage.do("owner", "totalParts")
    for name in ("assessor", "bookedAt", "price", "rate", "warden"):
        stage.do("erin", name)
    stage.until(297, daily, 0.9)
    stage.do("alice", "reserve")
    stage.do("alice", "stock")
    stage.do("alice", "totalShares")
