"""The script of the auction."""

# ruff: noqa: PLR0915  (a script is a list of moves)

from __future__ import annotations

from solexp.benchmarks.starter.history.scenes.cast import (
    ETHER,
    NOBODY,
    account,
    looks,
    user,
)
from solexp.benchmarks.starter.history.stage import USERS, Draft, Move, Stage, address


def tide_auction(stage: Stage) -> None:
    """A falling price, an auction that is closed with two shells left, rebates, and a market afterwards."""

    def buy(s: Stage) -> Move:
        who = s.random.choice((*USERS, "frank", "grace", "heidi", "ivan"))
        count = s.random.choice((0, 1, 1, 2, 3))
        extra = s.random.choice((0, 0, ETHER // 30, -1))
        return Move(who, "buy", (count,), max(s.view("price") * count + extra, 0))

    def rebate(s: Stage) -> Move:
        return Move(user(s), "rebateOf", (account(s),))

    def fetch(s: Stage) -> Move:
        return Move(s.random.choice((*USERS, "owner", "mallory")), "fetch")

    def owed(s: Stage) -> Move:
        return Move(user(s), "owed", (s.random.choice((account(s), address("owner"))),))

    def shell(s: Stage) -> int:
        return s.random.randrange(s.view("sold") + 1)

    def holder(s: Stage, number: int) -> str:
        return s.view("ownerOf", number) or account(s)

    def hand(s: Stage) -> Move:
        number = shell(s)
        who = s.random.choice((holder(s, number), holder(s, number), user(s)))
        return Move(who, "hand", (account(s), number))

    def offer(s: Stage) -> Move:
        number = shell(s)
        value = s.random.choice((0, 1, 39, ETHER, ETHER // 3 + 1))
        return Move(holder(s, number), "offer", (number, value))

    def take(s: Stage) -> Move:
        number = s.random.choice(
            [n for n in range(s.view("sold")) if int(s.view("offers", n)[0], 16)] or [0]
        )
        value = s.view("offers", number)[1] + (s.random.random() < 0.1)
        return Move(user(s), "take", (number,), value)

    def settle(s: Stage) -> Move:
        return Move(user(s), "settle", (account(s),))

    def asks(s: Stage) -> Move:
        return Move(user(s), s.random.choice(("ownerOf", "offers")), (shell(s),))

    def balance(s: Stage) -> Move:
        return Move(user(s), s.random.choice(("balanceOf", "accounts")), (account(s),))

    glances = looks("price", "price", "sold", "lastPrice", "over", "curve", "size", "auctioneer")
    glances += looks("PER_ACCOUNT", "ROYALTY")
    auction: list[tuple[int, Draft]] = [
        (16, buy),
        (6, rebate),
        (4, fetch),
        (4, owed),
        (5, hand),
        (1, settle),
        (1, offer),
        (4, asks),
        (5, balance),
        *glances,
    ]
    market: list[tuple[int, Draft]] = [
        (10, hand),
        (20, offer),
        (26, take),
        (6, settle),
        (10, fetch),
        (6, owed),
        (4, rebate),
        (4, asks),
        (3, balance),
        (1, buy),
        *glances,
    ]
    stage.do("alice", "buy", 1, value=3 * ETHER, ok=False)
    stage.do("alice", "price")
    begins = stage.view("curve")[2]
    stage.chain.block_number += (begins - stage.now) // 13
    stage.chain.timestamp = begins
    stage.do("alice", "buy", 2, value=5 * ETHER, now=True)
    stage.do("alice", "owed", address("alice"))
    stage.do("alice", "fetch")
    stage.do("alice", "fetch", ok=False)
    stage.chain.block_number += 40
    stage.chain.timestamp = begins + 600
    stage.do("bob", "price", now=True)
    stage.do("bob", "buy", 1, value=ETHER, now=True, ok=False)
    stage.do("bob", "buy", 1, value=stage.view("price"), now=True)
    stage.do("alice", "rebateOf", address("alice"))
    stage.do("alice", "settle", address("alice"), ok=False)
    stage.do("alice", "offer", 0, ETHER, ok=False)
    stage.rest(3000)
    stage.do("carol", "buy", 5, value=10 * ETHER)
    stage.do("carol", "buy", 1, value=2 * ETHER, ok=False)
    stage.do("carol", "buy", 0, ok=False)
    stage.do("carol", "balanceOf", address("carol"))
    stage.do("carol", "hand", address("bob"), 3)
    stage.do("carol", "hand", address("bob"), 3, ok=False)
    stage.do("bob", "hand", NOBODY, 3, ok=False)
    stage.do("mallory", "close", ok=False)
    while len(stage.calls) < 110 and not stage.view("over"):
        if stage.random.random() < 0.35:
            stage.rest(600)
        stage.act(auction, 0.72)
    stage.rest(6 * 3600)
    buyers = iter(("judy", "kim", "leo", "mia", "ned", "olga", "pete", "quinn"))
    while stage.view("sold") < 38:
        count = min(5, 38 - stage.view("sold"))
        stage.do(next(buyers), "buy", count, value=count * stage.view("price") + 3)
        stage.rest(600)
    stage.do("rob", "buy", 3, value=9 * ETHER, ok=False)
    stage.do("owner", "close")
    stage.do("alice", "over")
    stage.do("alice", "lastPrice")
    stage.do("alice", "price")
    stage.do("owner", "close", ok=False)
    stage.do("rob", "buy", 1, value=3 * ETHER, ok=False)
    stage.do("bob", "settle", address("carol"))
    stage.do("bob", "settle", address("carol"), ok=False)
    stage.do("bob", "accounts", address("carol"))
    stage.do("carol", "fetch")
    stage.do("owner", "owed", address("owner"))
    stage.do("owner", "fetch")
    mine = next(n for n in range(40) if stage.view("ownerOf", n) == address("alice"))
    stage.do("alice", "offer", mine, ETHER)
    stage.do("alice", "take", mine, value=ETHER, ok=False)
    stage.do("dave", "take", mine, value=ETHER + 1, ok=False)
    stage.do("dave", "take", mine, value=ETHER)
    stage.do("erin", "take", mine, value=ETHER, ok=False)
    stage.do("dave", "offer", mine, 0, ok=False)
    stage.do("dave", "offer", mine, 79)
    stage.do("dave", "hand", address("erin"), mine)
    stage.do("bob", "offers", mine)
    stage.do("bob", "take", mine, value=79, ok=False)
    stage.do("erin", "offer", mine, 79)
    stage.do("bob", "take", mine, value=79)
    stage.do("bob", "owed", address("erin"))
    stage.do("bob", "owed", address("owner"))
    stage.until(300, market)
