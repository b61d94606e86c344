"""The script of the market."""

# ruff: noqa: PLR0915  (a script is a list of moves)

from __future__ import annotations

from solexp.benchmarks.starter.history.scenes.cast import (
    DAY,
    ETHER,
    NOBODY,
    account,
    looks,
    user,
)
from solexp.benchmarks.starter.history.stage import USERS, Draft, Move, Stage, address


def curio_market(stage: Stage) -> None:
    """Curios sold at falling prices, in auctions that are prolonged, and for offers; a halt; royalties collected."""
    none, falling, auction = 0, 1, 2

    def curio(s: Stage) -> int:
        return s.random.randrange(1, s.view("curioCount") + 2)

    def listed(s: Stage, kind: int) -> int:
        """Some curio that is listed so, if there is one."""
        every = range(1, s.view("curioCount") + 1)
        return s.random.choice([n for n in every if s.view("listings", n)[0] == kind] or [1])

    def holder(s: Stage, number: int) -> str:
        owner: str = s.view("curios", number)[0]
        return s.random.choice((owner, owner, owner, user(s))) if owner != NOBODY else user(s)

    def make(s: Stage) -> Move:
        return Move(user(s), "make", (s.random.choice((0, 300, 1000, 2000, 2001)),))

    def give(s: Stage) -> Move:
        number = listed(s, none)
        return Move(holder(s, number), "give", (number, s.random.choice((account(s), NOBODY))))

    def list_falling(s: Stage) -> Move:
        number = listed(s, none)
        first = s.random.choice((1000, ETHER, 3 * ETHER + 7))
        last = s.random.choice((0, first, first // 3 + 1, 1, first + 1))
        seconds = s.random.choice((0, 3600, 3600, DAY, 31 * DAY))
        return Move(holder(s, number), "listFalling", (number, first, last, seconds))

    def list_auction(s: Stage) -> Move:
        number = listed(s, none)
        seconds = s.random.choice((300, 3600, 2 * DAY))
        least = s.random.choice((0, 1, ETHER // 10, ETHER // 10))
        return Move(holder(s, number), "listAuction", (number, least, seconds))

    def cancel(s: Stage) -> Move:
        number = s.random.choice((listed(s, falling), listed(s, auction), curio(s)))
        return Move(holder(s, number), "cancel", (number,))

    def price(s: Stage) -> Move:
        return Move(user(s), "priceOf", (listed(s, falling),))

    def buy(s: Stage) -> Move:
        number = listed(s, falling)
        extra = s.random.choice((0, 0, ETHER // 50, -1))
        return Move(user(s), "buy", (number,), max((s.view("priceOf", number) or 0) + extra, 0))

    def bid(s: Stage) -> Move:
        number = listed(s, auction)
        _, _, _, least, last, _ = s.view("listings", number)
        enough = last + (last * 5 + 99) // 100 if last else least
        return Move(
            user(s), "bid", (number,), max(enough + s.random.choice((0, 0, 0, -1, ETHER // 9)), 0)
        )

    def settle(s: Stage) -> Move:
        return Move(user(s), "settle", (listed(s, auction),))

    def offer(s: Stage) -> Move:
        until = s.now + s.random.choice((0, 600, DAY, DAY, 9 * DAY))
        return Move(user(s), "offer", (curio(s), until), s.random.choice((0, 7, ETHER // 3, ETHER)))

    def retract(s: Stage) -> Move:
        number, who = curio(s), user(s)
        for n in range(1, s.view("curioCount") + 1):
            if s.view("offers", n, address(who))[0] > 0:
                number = n
        return Move(who, "retract", (number,))

    def accept(s: Stage) -> Move:
        every = [(n, address(name)) for n in range(1, s.view("curioCount") + 1) for name in USERS]
        open_ = [
            (n, name)
            for n, name in every
            if s.view("offers", n, name)[1] > s.now and s.view("listings", n)[0] == none
        ]
        number, name = s.random.choice(open_ or every)
        amount = s.view("offers", number, name)[0]
        least = s.random.choice((0, amount, amount, amount + 1))
        return Move(holder(s, number), "accept", (number, name, least))

    def collect(s: Stage) -> Move:
        return Move(s.random.choice((*USERS, "owner")), "collect")

    def asks(s: Stage) -> Move:
        return Move(user(s), s.random.choice(("curios", "listings")), (curio(s),))

    def about(s: Stage) -> Move:
        who = s.random.choice((account(s), address("owner")))
        if s.random.random() < 0.5:
            return Move(user(s), "due", (who,))
        return Move(user(s), "offers", (curio(s), who))

    daily: list[tuple[int, Draft]] = [
        (5, make),
        (4, give),
        (14, list_falling),
        (12, list_auction),
        (5, cancel),
        (5, price),
        (18, buy),
        (22, bid),
        (10, settle),
        (14, offer),
        (5, retract),
        (12, accept),
        (12, collect),
        (5, asks),
        (6, about),
        *looks("fee", "halted", "keeper", "curioCount", "STEP", "EXTENSION", "MOST_FEE"),
        *looks("MOST_ROYALTY"),
    ]

    def at(moment: int) -> None:
        """Goes to a moment that lies ahead, exactly."""
        stage.chain.block_number += max((moment - stage.now) // 12, 1)
        stage.chain.timestamp = moment

    stage.do("alice", "make", 2001, ok=False)
    stage.do("alice", "make", 2000)
    stage.do("bob", "make", 500)
    stage.do("carol", "make", 0)
    stage.do("bob", "listFalling", 1, ETHER, ETHER, DAY, ok=False)
    stage.do("alice", "listFalling", 1, ETHER, 0, DAY, ok=False)
    stage.do("alice", "listFalling", 1, ETHER, 2 * ETHER, DAY, ok=False)
    stage.do("alice", "listFalling", 1, ETHER, ETHER, 0, ok=False)
    stage.do("alice", "listFalling", 1, ETHER, ETHER, 30 * DAY)
    stage.do("alice", "listAuction", 1, ETHER, DAY, ok=False)
    stage.do("alice", "give", 1, address("bob"), ok=False)
    stage.do("bob", "cancel", 1, ok=False)
    stage.do("bob", "buy", 1, value=ETHER - 1, ok=False)
    stage.do("bob", "buy", 1, value=ETHER + 5)
    stage.do("bob", "due", address("bob"))
    stage.do("alice", "due", address("alice"))
    stage.do("alice", "collect")
    stage.do("alice", "collect", ok=False)
    stage.do("bob", "listFalling", 1, 3 * ETHER + 1, ETHER, 3600)
    begins = stage.view("listings", 1)[1]
    at(begins + 1801)
    stage.do("carol", "priceOf", 1, now=True)
    stage.do("carol", "buy", 1, value=3 * ETHER)
    stage.do("alice", "due", address("alice"))
    stage.do("owner", "due", address("owner"))
    stage.do("carol", "listFalling", 1, 1000, 10, 600)
    at(stage.view("listings", 1)[2])
    stage.do("dave", "priceOf", 1, now=True)
    stage.rest(12)
    stage.do("dave", "buy", 1, value=1000, ok=False)
    stage.do("carol", "cancel", 1)
    stage.do("carol", "cancel", 1, ok=False)
    stage.do("carol", "listFalling", 1, 500, 500, 60)
    stage.rest(120)
    stage.do("dave", "buy", 1, value=500, ok=False)
    stage.do("carol", "cancel", 1)
    stage.do("bob", "listAuction", 2, 0, DAY, ok=False)
    stage.do("bob", "listAuction", 2, ETHER // 2, 3600)
    stage.do("dave", "buy", 2, value=ETHER, ok=False)
    stage.do("dave", "bid", 2, value=ETHER // 2 - 1, ok=False)
    stage.do("dave", "bid", 2, value=ETHER // 2 + 7)
    stage.do("bob", "cancel", 2, ok=False)
    stage.do("erin", "bid", 2, value=ETHER // 2 + 8, ok=False)
    least = (ETHER // 2 + 7) + ((ETHER // 2 + 7) * 5 + 99) // 100
    stage.do("erin", "bid", 2, value=least - 1, ok=False)
    stage.do("erin", "bid", 2, value=least)
    stage.do("dave", "due", address("dave"))
    stage.do("dave", "collect")
    closes = stage.view("listings", 2)[2]
    at(closes - 100)
    stage.do("carol", "bid", 2, value=ETHER, now=True)
    at(closes)
    stage.do("alice", "settle", 2, now=True, ok=False)
    at(closes + 500)
    stage.do("dave", "bid", 2, value=2 * ETHER, now=True)
    stage.rest(601)
    stage.do("erin", "bid", 2, value=3 * ETHER, ok=False)
    stage.do("alice", "settle", 2)
    stage.do("alice", "settle", 2, ok=False)
    stage.do("alice", "curios", 2)
    stage.do("bob", "collect")
    stage.do("erin", "offer", 2, stage.now + DAY, value=ETHER)
    stage.do("erin", "offer", 9, stage.now + DAY, value=ETHER, ok=False)
    stage.do("erin", "offer", 2, stage.now, value=ETHER, ok=False)
    stage.do("erin", "offer", 2, stage.now + DAY, value=ETHER // 2)
    stage.do("erin", "due", address("erin"))
    stage.do("bob", "accept", 2, address("erin"), 0, ok=False)
    stage.do("dave", "accept", 2, address("erin"), ETHER, ok=False)
    stage.do("dave", "listFalling", 2, ETHER, ETHER, DAY)
    stage.do("dave", "accept", 2, address("erin"), 1, ok=False)
    stage.do("dave", "cancel", 2)
    at(stage.view("offers", 2, address("erin"))[1])
    stage.do("dave", "accept", 2, address("erin"), ETHER // 2, now=True)
    stage.do("erin", "retract", 2, ok=False)
    stage.do("bob", "offer", 3, stage.now + 300, value=99)
    stage.rest(600)
    stage.do("carol", "accept", 3, address("bob"), 1, ok=False)
    stage.do("bob", "retract", 3)
    stage.do("carol", "give", 3, NOBODY, ok=False)
    stage.do("carol", "give", 3, address("erin"))
    stage.do("mallory", "rule", 0, True, ok=False)
    stage.do("owner", "rule", 501, False, ok=False)
    stage.until(130, daily)
    stage.do("erin", "make", 100)
    mine = stage.view("curioCount")
    stage.do("erin", "listAuction", mine, 5, DAY)
    stage.do("alice", "bid", mine, value=1000)
    stage.do("owner", "rule", 500, True)
    stage.do("bob", "bid", mine, value=2000, ok=False)
    stage.do("bob", "make", 0)
    stage.do("bob", "listAuction", mine + 1, 5, DAY, ok=False)
    stage.do("bob", "offer", mine, stage.now + DAY, value=5, ok=False)
    stage.do("bob", "halted")
    stage.rest(DAY)
    stage.do("bob", "settle", mine)
    stage.do("erin", "collect")
    stage.do("owner", "collect")
    stage.do("owner", "rule", 37, False)
    stage.do("alice", "listAuction", mine, 10**18 + 1, DAY)
    stage.rest(DAY + 24)
    stage.do("bob", "settle", mine, ok=False)
    stage.do("alice", "cancel", mine)
    stage.until(210, daily, 0.78)
    stage.rest(3 * DAY)
    stage.until(290, daily, 0.78)
    for name in ("EXTENSION", "MOST_FEE", "MOST_ROYALTY", "STEP", "fee", "keeper"):
        stage.do("erin", name)
    stage.do("owner", "due", address("owner"))
    for name in ("alice", "bob", "carol"):
        stage.do(name, "due", address(name))
