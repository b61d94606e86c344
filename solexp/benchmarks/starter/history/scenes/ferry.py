"""The script of the ferry."""

# ruff: noqa: PLR0915  (a script is a list of moves)

from __future__ import annotations

from typing import NamedTuple

from solexp.benchmarks.starter.history.scenes.cast import DAY, ETHER, account, looks, user
from solexp.benchmarks.starter.history.stage import USERS, Draft, Move, Stage, address
from solexp.evm.words import keccak


class Payment(NamedTuple):
    """What a list of payments says of one of them, and the hashes that prove it."""

    number: int
    to: str
    amount: int
    path: list[bytes]


def hashed(data: bytes) -> bytes:
    """The Keccak-256 hash, 32 bytes."""
    return keccak(data).to_bytes(32, "big")


def listed(payments: list[tuple[int, str, int]]) -> tuple[bytes, list[Payment]]:
    """The root of the tree of (index, receiver, wei), and each payment with its path; an odd hash goes up alone."""
    level = [
        hashed(
            index.to_bytes(32, "big") + bytes.fromhex(address(to)[2:]) + amount.to_bytes(32, "big")
        )
        for index, to, amount in payments
    ]
    places = list(range(len(level)))
    paths: list[list[bytes]] = [[] for _ in level]
    while len(level) > 1:
        for number, place in enumerate(places):
            if place ^ 1 < len(level):
                paths[number].append(level[place ^ 1])
        level = [
            hashed(b"".join(sorted(level[i : i + 2]))) if i + 1 < len(level) else level[i]
            for i in range(0, len(level), 2)
        ]
        places = [place // 2 for place in places]
    return level[0], [
        Payment(index, address(to), amount, path)
        for (index, to, amount), path in zip(payments, paths, strict=True)
    ]


def ferry_bridge(stage: Stage) -> None:
    """Departures, sailings that land or are sunk, payments in order; the limit of a day, a stop, and the salvage."""
    pilots = ("pilot", "helm")
    known: list[list[Payment]] = []

    def sailing(s: Stage) -> tuple[bytes, int, list[Payment]]:
        """A new list of payments: its root, their sum, and each of them."""
        indices = s.random.sample((0, 1, 2, 3, 255, 256, 257, 600), s.random.choice((1, 3, 4)))
        amounts = (ETHER // 9, ETHER // 7, ETHER // 2 + 1)
        root, payments = listed([(i, user(s), s.random.choice(amounts)) for i in indices])
        return root, sum(payment.amount for payment in payments), payments

    def sight(s: Stage) -> Move:
        root, total, payments = sailing(s)
        who = s.random.choice((*pilots, *pilots, "mallory"))
        if who in pilots and s.view("stoppedAt") == 0 and total <= s.view("unbound"):
            drafted[root] = payments
        return Move(who, "sight", (root, total))

    drafted: dict[bytes, list[Payment]] = {}

    def noticed(s: Stage) -> None:
        """Notes the payments of the sailings that have come since."""
        new = range(len(known), s.view("sailingCount"))
        known.extend(drafted[s.view("sailings", number)[0]] for number in new)

    def payment(s: Stage) -> tuple[int, Payment]:
        """A sailing and one of its payments, mostly one that can be made."""
        noticed(s)
        every = [(number, one) for number, ones in enumerate(known) for one in ones]
        good = [
            (number, one)
            for number, one in every
            if not s.view("isMade", number, one.number)
            and not s.view("sailings", number)[5]
            and s.now >= s.view("sailings", number)[3]
        ]
        return s.random.choice(good if good and s.random.random() < 0.8 else every)

    def land(s: Stage) -> Move:
        number, one = payment(s)
        amount = one.amount + s.random.choice((0, 0, 0, 0, 0, 1))
        return Move(user(s), "land", (number, one.number, one.to, amount, one.path))

    def sink(s: Stage) -> Move:
        noticed(s)
        number = max(len(known) - s.random.choice((1, 1, 2)), 0)
        return Move(s.random.choice(("watch", "pilot", "helm", "mallory")), "sink", (number,))

    def depart(s: Stage) -> Move:
        to = s.random.choice(
            (bytes(32), b"far".rjust(32, b"\0"), bytes.fromhex(account(s)[2:]) * 2)
        )
        value = s.random.choice((0, 10**15, 10**15 + 1, ETHER, 6 * ETHER))
        return Move(user(s), "depart", (to[:32],), value)

    def bring(s: Stage) -> Move:
        number = s.view("nonce") + s.random.choice((0, 0, 0, 0, 1, -1))
        amount = s.random.choice((0, 77, ETHER // 5, ETHER // 2, s.view("left") + 1))
        note = s.random.choice(
            (b"", b"salt", b"for the widow of the man who went down with the mail")
        )
        who = s.random.choice((*pilots, *pilots, "mallory"))
        return Move(who, "bring", (max(number, 0), account(s), amount, note))

    def set_limit(s: Stage) -> Move:
        amount = s.random.choice((9, 12, 20, 30)) * ETHER
        return Move(s.random.choice(("owner", "owner", "watch")), "setLimit", (amount,))

    def fares(s: Stage) -> Move:
        return Move(s.random.choice(("owner", "owner", "mallory")), "takeFares")

    def invite(s: Stage) -> Move:
        names = [address(name) for name in s.random.sample(USERS, s.random.choice((0, 1, 3)))]
        who = s.random.choice(("owner", "owner", "owner", "alice"))
        return Move(who, "invite", (names, s.random.random() < 0.7))

    def asks(s: Stage) -> Move:
        number, one = payment(s)
        if s.random.random() < 0.5:
            return Move(user(s), "isMade", (number, one.number))
        return Move(user(s), "sailings", (number + (s.random.random() < 0.2),))

    def about(s: Stage) -> Move:
        name = s.random.choice(("departures", "invited", "admitted", "pilots", "lookouts"))
        return Move(user(s), name, (account(s),))

    def paid(s: Stage) -> Move:
        return Move(user(s), "paidOn", (s.now // DAY - s.random.choice((0, 0, 1)),))

    daily: list[tuple[int, Draft]] = [
        (18, depart),
        (5, sight),
        (24, land),
        (4, sink),
        (20, bring),
        (3, set_limit),
        (2, fares),
        (3, invite),
        (8, asks),
        (4, about),
        (4, paid),
        *looks("left", "left", "unbound", "unbound", "promised", "fares", "limit", "nonce"),
        *looks("nextLimit", "changeDay", "stoppedAt", "byInvitation", "sailingCount"),
        *looks("harbourmaster", "FARE", "WATCH", "SALVAGE"),
    ]

    def at(moment: int) -> None:
        """Goes to a moment that lies ahead, exactly."""
        stage.chain.block_number += max((moment - stage.now) // 14, 1)
        stage.chain.timestamp = moment

    def new_day() -> None:
        at((stage.now // DAY + 1) * DAY)

    far = b"alice in the far land".ljust(32, b"\0")
    stage.do("pilot", "sight", far, 1, ok=False)
    stage.do("mallory", "setPilot", address("mallory"), True, ok=False)
    stage.do("mallory", "setLookout", address("mallory"), True, ok=False)
    for name in pilots:
        stage.do("owner", "setPilot", address(name), True)
    stage.do("owner", "setLookout", address("watch"), True)
    stage.do("alice", "depart", far, value=10**15, ok=False)
    stage.do("alice", "depart", bytes(32), value=ETHER, ok=False)
    stage.do("alice", "depart", far, value=ETHER)
    stage.do("alice", "depart", far, value=2 * ETHER)
    stage.do("alice", "departures", address("alice"))
    stage.do("alice", "unbound")
    root, ones = listed(
        [
            (0, "alice", 3 * ETHER),
            (1, "bob", ETHER),
            (256, "carol", 9 * ETHER),
            (7, "bob", 8 * ETHER),
        ]
    )
    drafted[root] = ones
    stage.do("pilot", "sight", bytes(32), 1, ok=False)
    stage.do("pilot", "sight", root, 53 * ETHER, ok=False)
    stage.do("pilot", "sight", root, 21 * ETHER)
    stage.do("alice", "promised")
    opens = int(stage.view("sailings", 0)[3])
    at(opens - 1)
    stage.do("alice", "land", 0, *ones[0], now=True, ok=False)
    at(opens)
    stage.do("watch", "sink", 0, now=True, ok=False)
    stage.do("alice", "land", 0, *ones[0], now=True)
    stage.do("alice", "land", 0, *ones[0], ok=False)
    stage.do("alice", "isMade", 0, 0)
    stage.do("alice", "isMade", 0, 256)
    stage.do("bob", "land", 0, 1, address("bob"), ETHER + 1, ones[1].path, ok=False)
    stage.do("bob", "land", 0, 1, address("dave"), ETHER, ones[1].path, ok=False)
    stage.do("bob", "land", 0, 2, address("bob"), ETHER, ones[1].path, ok=False)
    stage.do("bob", "land", 0, 1, address("bob"), ETHER, ones[1].path[:1], ok=False)
    stage.do("dave", "land", 0, *ones[1])
    stage.do("dave", "land", 1, *ones[1], ok=False)
    new_day()
    stage.do("carol", "land", 0, *ones[2], now=True)
    stage.do("carol", "isMade", 0, 256)
    stage.do("carol", "isMade", 0, 0)
    stage.do("mallory", "bring", 0, address("mallory"), ETHER, b"", ok=False)
    stage.do("pilot", "bring", 1, address("bob"), ETHER, b"", ok=False)
    stage.do("pilot", "bring", 0, address("bob"), 4 * ETHER, b"mail")
    stage.do("pilot", "bring", 0, address("bob"), 1, b"mail", ok=False)
    stage.do("helm", "bring", 1, address("bob"), 0, b"", ok=False)
    stage.do("carol", "left")
    stage.do("bob", "land", 0, *ones[3], ok=False)
    stage.do("helm", "bring", 1, address("dave"), 7 * ETHER + 1, b"", ok=False)
    stage.do("helm", "bring", 1, address("dave"), 7 * ETHER, b"")
    stage.do("helm", "bring", 2, address("dave"), 1, b"", ok=False)
    stage.do("watch", "setLimit", 30 * ETHER, ok=False)
    stage.do("owner", "setLimit", 30 * ETHER)
    stage.do("carol", "left")
    new_day()
    stage.do("carol", "left", now=True)
    stage.do("bob", "land", 0, *ones[3])
    stage.do("owner", "setLimit", 25 * ETHER)
    stage.do("owner", "limit")
    stage.do("carol", "left")
    stage.do("owner", "setLimit", 26 * ETHER)
    stage.do("owner", "changeDay")
    stage.do("owner", "nextLimit")
    stage.do("carol", "depart", far, value=30 * ETHER)
    # A false sailing, sunk by its pilot; another by a lookout.
    for who, others in (("pilot", "helm"), ("watch", "mallory")):
        root, total, ones = sailing(stage)
        drafted[root] = ones
        stage.do("pilot", "sight", root, total)
        last = int(stage.view("sailingCount")) - 1
        stage.do(others, "sink", last, ok=False)
        stage.do(who, "sink", last)
        stage.do("alice", "sailings", last)
        stage.do(who, "sink", last, ok=False)
        stage.do("alice", "promised")
    stage.rest(DAY // 4 + 14)
    stage.do("bob", "land", last, *ones[0], ok=False)
    stage.do("bob", "unbound")
    stage.until(120, daily, 0.78)
    stage.rest(DAY // 2)
    stage.until(150, daily, 0.78)
    new_day()
    stage.do("owner", "invite", [address("carol"), address("dave"), address("erin")], False)
    stage.do("owner", "invite", [address("alice"), address("bob")], True)
    stage.do("mallory", "invite", [address("mallory")], True, ok=False)
    stage.do("mallory", "setByInvitation", True, ok=False)
    stage.do("owner", "setByInvitation", True)
    stage.do("carol", "depart", far, value=ETHER, ok=False)
    stage.do("pilot", "bring", stage.view("nonce"), address("carol"), 5, b"", ok=False)
    stage.do("pilot", "bring", stage.view("nonce"), address("bob"), 5, b"")
    stage.do("bob", "depart", far, value=20 * ETHER)
    stage.do("carol", "admitted", address("carol"))
    stage.do("carol", "invited", address("bob"))
    for name in ("FARE", "SALVAGE", "WATCH", "byInvitation", "harbourmaster", "sailingCount"):
        stage.do("erin", name)
    stage.until(185, daily, 0.7)
    stage.do("owner", "setByInvitation", False)
    stage.rest(DAY // 3)
    stage.until(215, daily, 0.78)
    stage.do("mallory", "stop", ok=False)
    root, total, ones = sailing(stage)
    drafted[root] = ones
    stage.do("bob", "depart", far, value=20 * ETHER)
    stage.do("helm", "sight", root, total)
    stage.do("owner", "resume", ok=False)
    stage.do("watch", "stop")
    stage.do("watch", "stop", ok=False)
    stage.do("bob", "depart", far, value=ETHER, ok=False)
    stage.do("helm", "bring", stage.view("nonce"), address("bob"), 5, b"", ok=False)
    stage.do("watch", "sink", int(stage.view("sailingCount")) - 1)
    stage.do("owner", "salvage", address("owner"), ok=False)
    stage.do("mallory", "resume", ok=False)
    stage.do("owner", "resume")
    new_day()
    stage.until(270, daily, 0.78)
    stage.do("watch", "stop")
    stopped = int(stage.view("stoppedAt"))
    at(stopped + 20 * DAY - 1)
    stage.do("owner", "salvage", address("erin"), now=True, ok=False)
    at(stopped + 20 * DAY)
    stage.do("mallory", "salvage", address("mallory"), now=True, ok=False)
    stage.do("owner", "fares")
    stage.do("owner", "salvage", address("erin"))
    stage.do("owner", "promised")
    stage.do("owner", "fares")
    stage.do("owner", "takeFares", ok=False)
    stage.do("owner", "resume")
    stage.do("alice", "depart", far, value=5 * ETHER)
    stage.until(298, daily, 0.78)
    stage.do("alice", "unbound")
    stage.do("alice", "left")
