"""The script of the escrow."""

# ruff: noqa: PLR0915  (a script is a list of moves)

from __future__ import annotations

from solexp.benchmarks.starter.history.scenes.cast import DAY, ETHER, NOBODY, looks
from solexp.benchmarks.starter.history.stage import Draft, Move, Stage, address

BUYERS = ("alice", "bob")
SELLERS = ("carol", "dave")
ARBITERS = ("erin", "judge")
CREATED, FUNDED, DELIVERED, DISPUTED = 1, 2, 3, 6
BILL = b"waybill".ljust(32, b"\0")


def freight_escrow(stage: Stage) -> None:
    """Deals that go well, fail at each deadline, are cancelled, disputed, decided or left undecided."""

    def number(s: Stage, wanted: int) -> int:
        """A deal at the wanted stage if there is one, now and then any."""
        count = int(s.view("dealCount"))
        found = [one for one in range(1, count + 1) if s.view("deals", one)[3] == wanted]
        return (
            s.random.choice(found)
            if found and s.random.random() < 0.8
            else s.random.randint(1, count)
        )

    def party(s: Stage, deal: int, *places: int) -> str:
        """The address of a party of a deal, now and then of somebody else."""
        everybody = [address(name) for name in (*BUYERS, *SELLERS, *ARBITERS, "mallory")]
        known = s.view("deals", deal)
        return str(
            s.random.choice([known[place] for place in places] * 3 + [s.random.choice(everybody)])
        )

    def open_(s: Stage) -> Move:
        price = s.random.choice((0, 1, 777, ETHER // 9, ETHER, 3 * ETHER))
        time = s.random.choice((0, 600, DAY, 4 * DAY, 366 * DAY))
        seller = s.random.choice((*SELLERS, *SELLERS, "alice"))
        return Move(
            s.random.choice(BUYERS),
            "open",
            (address(seller), address(s.random.choice(ARBITERS)), price, time),
        )

    def fund(s: Stage) -> Move:
        deal = number(s, CREATED)
        price = s.view("deals", deal)[4]
        return Move(
            party(s, deal, 0), "fund", (deal,), s.random.choice((price, price, price, price + 1))
        )

    def cancel(s: Stage) -> Move:
        deal = number(s, CREATED)
        return Move(party(s, deal, 0, 1), "cancel", (deal,))

    def deliver(s: Stage) -> Move:
        deal = number(s, FUNDED)
        bill = s.random.choice((BILL, BILL, b"crate".ljust(32, b"\0"), bytes(32)))
        return Move(party(s, deal, 1), "deliver", (deal, bill))

    def release(s: Stage) -> Move:
        # Never a deal that is disputed.
        deal = number(s, DELIVERED)
        while s.view("deals", deal)[3] == DISPUTED:
            deal = s.random.randint(1, int(s.view("dealCount")))
        return Move(party(s, deal, 0, 1), "release", (deal,))

    def refund(s: Stage) -> Move:
        deal = number(s, FUNDED)
        return Move(party(s, deal, 0, 1), "refund", (deal,))

    def dispute(s: Stage) -> Move:
        deal = number(s, DELIVERED)
        return Move(party(s, deal, 0, 0, 1), "dispute", (deal,))

    def rule(s: Stage) -> Move:
        deal = number(s, DISPUTED)
        return Move(party(s, deal, 2), "rule", (deal, s.random.random() < 0.5))

    def lapse(s: Stage) -> Move:
        return Move(s.random.choice((*BUYERS, "mallory")), "lapse", (number(s, DISPUTED),))

    def fetch(s: Stage) -> Move:
        return Move(s.random.choice((*BUYERS, *SELLERS, *ARBITERS)), "fetch")

    def asks(s: Stage) -> Move:
        return Move(
            s.random.choice(BUYERS), "deals", (s.random.randint(0, int(s.view("dealCount"))),)
        )

    def owed(s: Stage) -> Move:
        whose = s.random.choice((*BUYERS, *SELLERS, *ARBITERS))
        return Move(s.random.choice(SELLERS), "owed", (address(whose),))

    daily: list[tuple[int, Draft]] = [
        (12, open_),
        (16, fund),
        (4, cancel),
        (14, deliver),
        (8, release),
        (4, refund),
        (7, dispute),
        (6, rule),
        (2, lapse),
        (8, fetch),
        (6, asks),
        (5, owed),
        *looks("dealCount", "held", "FUNDING_TIME", "INSPECTION_TIME", "RULING_TIME", "FEE"),
    ]

    def opened(buyer: str, seller: str, arbiter: str, price: int, time: int) -> int:
        stage.do(buyer, "open", address(seller), address(arbiter), price, time)
        return int(stage.view("dealCount"))

    def delivered(buyer: str, seller: str, arbiter: str, price: int) -> int:
        deal = opened(buyer, seller, arbiter, price, 3 * DAY)
        stage.do(buyer, "fund", deal, value=price)
        stage.do(seller, "deliver", deal, BILL)
        return deal

    def at(deal: int, *, late: int = 0) -> None:
        """Goes to the last second of a deal's stage, or ``late`` seconds later."""
        moment = stage.view("deals", deal)[5] + late
        stage.chain.block_number += (moment - stage.now) // 14
        stage.chain.timestamp = moment

    stage.do("alice", "open", NOBODY, address("erin"), ETHER, DAY, ok=False)
    stage.do("alice", "open", address("carol"), NOBODY, ETHER, DAY, ok=False)
    stage.do("alice", "open", address("alice"), address("erin"), ETHER, DAY, ok=False)
    stage.do("alice", "open", address("carol"), address("alice"), ETHER, DAY, ok=False)
    stage.do("alice", "open", address("carol"), address("carol"), ETHER, DAY, ok=False)
    stage.do("alice", "open", address("carol"), address("erin"), 0, DAY, ok=False)
    stage.do("alice", "open", address("carol"), address("erin"), ETHER, 0, ok=False)
    stage.do("alice", "open", address("carol"), address("erin"), ETHER, 365 * DAY + 1, ok=False)
    stage.do("alice", "fetch", ok=False)
    first = opened("alice", "carol", "erin", ETHER + 49, 2 * DAY)
    second = opened("bob", "dave", "judge", 5 * ETHER, DAY)
    stage.do("bob", "fund", first, value=ETHER + 49, ok=False)
    stage.do("alice", "fund", first, value=ETHER + 48, ok=False)
    stage.do("alice", "fund", first, value=ETHER + 50, ok=False)
    stage.do("alice", "fund", first, value=ETHER + 49)
    stage.do("alice", "deals", first)
    stage.do("alice", "fund", first, value=ETHER + 49, ok=False)
    stage.do("alice", "cancel", first, ok=False)
    stage.do("alice", "refund", first, ok=False)
    stage.do("mallory", "deliver", first, BILL, ok=False)
    stage.do("carol", "deliver", first, bytes(32), ok=False)
    stage.do("carol", "deliver", first, BILL)
    stage.do("carol", "release", first, ok=False)
    stage.do("mallory", "release", first, ok=False)
    stage.do("alice", "rule", first, True, ok=False)
    stage.do("mallory", "dispute", first, ok=False)
    stage.do("alice", "dispute", first)
    stage.do("alice", "dispute", first, ok=False)
    stage.do("carol", "rule", first, True, ok=False)
    stage.do("judge", "rule", first, True, ok=False)
    stage.do("alice", "lapse", first, ok=False)
    stage.do("erin", "rule", first, True)
    stage.do("carol", "owed", address("carol"))
    stage.do("erin", "owed", address("erin"))
    stage.do("carol", "fetch")
    stage.do("erin", "fetch")
    stage.do("mallory", "cancel", second, ok=False)
    at(second)
    stage.do("mallory", "cancel", second, now=True, ok=False)
    stage.do("bob", "fund", second, value=5 * ETHER, now=True)
    stage.do("bob", "held", now=True)
    at(second)
    stage.do("bob", "refund", second, now=True, ok=False)
    stage.do("mallory", "refund", second, now=True, ok=False)
    at(second, late=1)
    stage.do("dave", "deliver", second, BILL, now=True, ok=False)
    stage.do("bob", "refund", second, now=True)
    stage.do("bob", "fetch")
    third = opened("alice", "dave", "erin", 31, DAY)
    at(third, late=1)
    stage.do("alice", "fund", third, value=31, now=True, ok=False)
    stage.do("mallory", "cancel", third, now=True)
    stage.do("alice", "fund", third, value=31, ok=False)
    fourth = delivered("bob", "carol", "judge", 2 * ETHER)
    at(fourth)
    stage.do("carol", "release", fourth, now=True, ok=False)
    at(fourth, late=1)
    stage.do("bob", "dispute", fourth, now=True, ok=False)
    stage.do("carol", "release", fourth, now=True)
    fifth = delivered("alice", "dave", "judge", ETHER // 3)
    at(fifth)
    stage.do("dave", "dispute", fifth, now=True)
    at(fifth)
    stage.do("alice", "lapse", fifth, now=True, ok=False)
    at(fifth, late=1)
    stage.do("judge", "rule", fifth, False, now=True, ok=False)
    stage.do("mallory", "lapse", fifth, now=True)
    stage.do("alice", "owed", address("alice"))
    for made in (110, 140, 170, 200):
        stage.until(made, daily)
        stage.rest(DAY // 2)
    sixth = delivered("bob", "dave", "erin", 12_345)
    stage.do("bob", "dispute", sixth)
    at(sixth)
    stage.do("erin", "rule", sixth, False, now=True)
    stage.do("bob", "owed", address("bob"))
    seventh = opened("alice", "carol", "judge", ETHER, DAY)
    stage.do("carol", "cancel", seventh)
    stage.do("alice", "fund", seventh, value=ETHER, ok=False)
    for made in (240, 265, 290):
        stage.until(made, daily)
        stage.rest(DAY)
    stage.until(299, daily[5:])
    stage.do("alice", "dealCount")
