"""The script of the satchel."""

# ruff: noqa: PLR0915  (a script is a list of moves)

from __future__ import annotations

from solexp.benchmarks.starter.history.scenes.cast import DAY, NOBODY, account, looks, user
from solexp.benchmarks.starter.history.stage import USERS, Draft, Move, Stage, address


def relic_satchel(stage: Stage) -> None:
    """Kinds defined, relics forged in batches, handed on alone and together, smashed, and combined by recipes."""
    smiths = ("smith", "wayland")
    labels = ("axe", "lantern of the seventh gate, which shines on nobody", "rope")

    def kind(s: Stage) -> int:
        return s.random.randrange(1, s.view("kindCount") + 1 + (s.random.random() < 0.1))

    def has(s: Stage) -> tuple[str, int, int]:
        """Somebody, a kind of which they mostly have some, and how many."""
        every = [(name, n) for name in USERS for n in range(1, s.view("kindCount") + 1)]
        for _ in range(6):
            name, n = s.random.choice(every)
            found = s.view("balanceOf", address(name), n)
            if found:
                break
        return name, n, found

    def some(s: Stage, found: int) -> int:
        return s.random.choice((1, found, found // 2, found // 3 + 1, found + 1))

    def mover(s: Stage, name: str) -> str:
        friends = [n for n in USERS if s.view("isApprovedForAll", address(name), address(n))]
        return s.random.choice((name, name, *friends, user(s)))

    def define(s: Stage) -> Move:
        who = s.random.choice((*smiths, *smiths, "mallory"))
        cap = s.random.choice((0, 7, 1000, 2**127))
        return Move(
            who, "defineKind", (s.random.choice((*labels, "")), cap, s.random.random() < 0.3)
        )

    def forge(s: Stage) -> Move:
        gifts = [
            (
                s.random.choice((account(s),) * 9 + (NOBODY,)),
                kind(s),
                s.random.choice((0, 1, 5, 40)),
            )
            for _ in range(s.random.choice((0, 1, 2, 3, 3)))
        ]
        who = s.random.choice((*smiths, *smiths, user(s)))
        return Move(who, "forge", (gifts, s.random.choice((b"", b"spark", b"\0" * 40))))

    def approve(s: Stage) -> Move:
        return Move(user(s), "setApprovalForAll", (account(s), s.random.random() < 0.7))

    def hand(s: Stage) -> Move:
        name, n, found = has(s)
        to = s.random.choice((account(s),) * 7 + (NOBODY,))
        data = s.random.choice((b"", b"take it"))
        return Move(
            mover(s, name), "safeTransferFrom", (address(name), to, n, some(s, found), data)
        )

    def batch(s: Stage) -> Move:
        name, n, found = has(s)
        ids = [n, *(kind(s) for _ in range(s.random.choice((0, 1, 2, 2))))]
        amounts = [
            max(some(s, s.view("balanceOf", address(name), one)) // len(ids), 0) for one in ids
        ]
        if s.random.random() < 0.1:
            amounts.append(found)
        args = (address(name), account(s), ids, amounts, s.random.choice((b"", b"all of it")))
        return Move(mover(s, name), "safeBatchTransferFrom", args)

    def smash(s: Stage) -> Move:
        name, n, found = has(s)
        return Move(mover(s, name), "smash", (address(name), n, some(s, found // 4)))

    def teach(s: Stage) -> Move:
        ids = [kind(s) for _ in range(s.random.choice((0, 1, 2)))]
        amounts = [s.random.choice((1, 2)) for _ in ids]
        args = (ids, amounts, kind(s), s.random.choice((0, 1, 3)), s.random.choice((0, 3600)))
        return Move(s.random.choice(("owner", "owner", "smith")), "teach", args)

    def combine(s: Stage) -> Move:
        mark = s.random.choice((b"", b"by the fire")).ljust(32, b"\0")
        which = s.random.choice((0, 0, 1, 1, 1, 2, 9))
        return Move(user(s), "combine", (which, s.random.choice((0, 1, 1, 2, 9)), mark))

    def sleep(s: Stage) -> Move:
        return Move(s.random.choice((*smiths, "mallory")), "sleep", (True,))

    def balances(s: Stage) -> Move:
        count = s.random.choice((1, 2, 3))
        ids = [kind(s) for _ in range(count)]
        names = [account(s) for _ in range(count + (s.random.random() < 0.1))]
        return Move(user(s), "balanceOfBatch", (names, ids))

    def balance(s: Stage) -> Move:
        return Move(user(s), "balanceOf", (account(s), kind(s)))

    def asks(s: Stage) -> Move:
        return Move(user(s), s.random.choice(("uri", "kinds")), (kind(s),))

    def about(s: Stage) -> Move:
        name = s.random.choice(("restsUntil", "recipe"))
        which = s.random.choice((0, 1, 7))
        return Move(user(s), name, (which, account(s)) if name == "restsUntil" else (which,))

    def trusted(s: Stage) -> Move:
        if s.random.random() < 0.3:
            return Move(user(s), "smiths", (account(s),))
        return Move(user(s), "isApprovedForAll", (account(s), account(s)))

    daily: list[tuple[int, Draft]] = [
        (2, define),
        (14, forge),
        (7, approve),
        (22, hand),
        (18, batch),
        (10, smash),
        (2, teach),
        (20, combine),
        (1, sleep),
        (6, balances),
        (6, balance),
        (5, asks),
        (3, about),
        (3, trusted),
        *looks("kindCount", "base", "leader", "asleep", "LONGEST"),
    ]
    mark = b"first".ljust(32, b"\0")
    alice, bob, carol, dave, erin = map(address, USERS)
    stage.do("smith", "defineKind", "iron", 1000, False, ok=False)
    stage.do("mallory", "setSmith", address("mallory"), True, ok=False)
    for name in smiths:
        stage.do("owner", "setSmith", address(name), True)
    stage.do("smith", "defineKind", "iron", 0, False, ok=False)
    stage.do("smith", "defineKind", "", 5, False, ok=False)
    stage.do("smith", "defineKind", "iron", 1000, False)
    stage.do("smith", "defineKind", "coal", 500, False)
    stage.do(
        "wayland", "defineKind", "a sword that is bound to the hand that held it first", 12, True
    )
    stage.do("alice", "kinds", 3)
    stage.do("alice", "uri", 3)
    stage.do("alice", "uri", 4, ok=False)
    stage.do("alice", "uri", 0, ok=False)
    stage.do("alice", "forge", [(alice, 1, 5)], b"", ok=False)
    stage.do("smith", "forge", [], b"", ok=False)
    stage.do("smith", "forge", [(alice, 1, 1)] * 17, b"", ok=False)
    stage.do("smith", "forge", [(alice, 1, 1)] * 16, b"sixteen")
    stage.do("smith", "forge", [(alice, 1, 100), (bob, 2, 60), (carol, 3, 2)], b"\x01\x02")
    stage.do("smith", "forge", [(alice, 4, 1)], b"", ok=False)
    stage.do("smith", "forge", [(NOBODY, 1, 1)], b"", ok=False)
    stage.do("smith", "forge", [(dave, 3, 11)], b"", ok=False)
    stage.do("smith", "forge", [(dave, 3, 10)], b"")
    stage.do("smith", "kinds", 3)
    stage.do("alice", "balanceOfBatch", [alice, bob, carol, alice], [1, 2, 3, 2])
    stage.do("alice", "balanceOfBatch", [alice], [1, 2], ok=False)
    stage.do("alice", "safeTransferFrom", alice, bob, 1, 30, b"here")
    stage.do("alice", "safeTransferFrom", alice, bob, 1, 87, b"", ok=False)
    stage.do("alice", "safeTransferFrom", alice, NOBODY, 1, 1, b"", ok=False)
    stage.do("alice", "safeTransferFrom", alice, alice, 1, 86, b"")
    stage.do("carol", "safeTransferFrom", carol, bob, 3, 1, b"", ok=False)
    stage.do("carol", "safeTransferFrom", bob, carol, 1, 1, b"", ok=False)
    stage.do("bob", "setApprovalForAll", bob, True, ok=False)
    stage.do("bob", "setApprovalForAll", carol, True)
    stage.do("carol", "safeTransferFrom", bob, erin, 1, 4, b"")
    stage.do("carol", "smash", bob, 1, 1)
    stage.do("carol", "smash", alice, 1, 1, ok=False)
    stage.do("carol", "smash", carol, 3, 1)
    stage.do("carol", "smash", carol, 3, 2, ok=False)
    stage.do("carol", "safeBatchTransferFrom", bob, dave, [1, 2, 1], [2, 10, 3], b"batch")
    stage.do("bob", "safeBatchTransferFrom", bob, dave, [1, 1], [12, 12], b"", ok=False)
    stage.do("bob", "safeBatchTransferFrom", bob, dave, [1, 2], [1], b"", ok=False)
    stage.do("bob", "safeBatchTransferFrom", bob, dave, [], [], b"")
    stage.do("bob", "safeBatchTransferFrom", bob, dave, [1] * 17, [0] * 17, b"", ok=False)
    stage.do("bob", "setApprovalForAll", carol, False)
    stage.do("carol", "safeTransferFrom", bob, erin, 1, 4, b"", ok=False)
    stage.do("smith", "teach", [1, 2], [2, 1], 3, 1, DAY, ok=False)
    stage.do("owner", "teach", [1, 2], [2], 3, 1, DAY, ok=False)
    stage.do("owner", "teach", [], [], 3, 1, DAY, ok=False)
    stage.do("owner", "teach", [1, 2], [2, 1], 4, 1, DAY, ok=False)
    stage.do("owner", "teach", [1, 5], [2, 1], 3, 1, DAY, ok=False)
    stage.do("owner", "teach", [1, 2], [2, 1], 3, 1, DAY)
    stage.do("owner", "teach", [2], [1], 1, 3, 0)
    stage.do("owner", "recipe", 0)
    stage.do("owner", "recipe", 2, ok=False)
    stage.do("dave", "combine", 0, 2, mark, ok=False)
    stage.do("carol", "smash", carol, 3, 1)
    stage.do("dave", "combine", 0, 2, mark)
    stage.do("dave", "restsUntil", 0, dave)
    stage.do("dave", "combine", 0, 1, mark, ok=False)
    stage.do("dave", "balanceOfBatch", [dave, dave, dave], [1, 2, 3])
    stage.do("bob", "combine", 1, 4, mark)
    stage.do("bob", "combine", 1, 1, mark, now=True)
    stage.do("bob", "combine", 1, 0, mark, ok=False)
    stage.do("bob", "combine", 2, 1, mark, ok=False)
    stage.do("bob", "combine", 1, 400, mark, ok=False)
    stage.do("dave", "smash", dave, 3, 2)
    stage.do("smith", "forge", [(erin, 1, 50), (erin, 2, 50)], b"")
    until = int(stage.view("restsUntil", 0, dave))
    stage.chain.block_number += (until - 1 - stage.now) // 13
    stage.chain.timestamp = until - 1
    stage.do("dave", "combine", 0, 1, mark, now=True, ok=False)
    stage.chain.block_number += 1
    stage.chain.timestamp = until
    stage.do("erin", "safeBatchTransferFrom", erin, dave, [1, 2], [9, 9], b"", now=True)
    stage.do("dave", "combine", 0, 1, mark, now=True)
    stage.do("mallory", "sleep", True, ok=False)
    stage.do("owner", "sleep", True)
    stage.do("erin", "safeTransferFrom", erin, bob, 1, 1, b"", ok=False)
    stage.do("erin", "safeBatchTransferFrom", erin, bob, [], [], b"")
    stage.do("erin", "combine", 1, 1, mark, ok=False)
    stage.do("smith", "forge", [(erin, 1, 1)], b"", ok=False)
    stage.do("erin", "smash", erin, 1, 3)
    stage.do("owner", "sleep", False)
    stage.do("smith", "setBase", "https://example.org/", ok=False)
    stage.until(150, daily)
    stage.do("owner", "setBase", "https://example.org/relics/of/the/long/winter/")
    stage.do("alice", "uri", 1)
    stage.do("owner", "setSmith", address("wayland"), False)
    stage.do("wayland", "forge", [(erin, 1, 1)], b"", ok=False)
    for _ in range(8):
        stage.do("smith", "defineKind", "shard", 3, False)
    stage.do("alice", "uri", stage.view("kindCount"))
    stage.until(200, daily, 0.78)
    stage.rest(DAY)
    for name in ("LONGEST", "asleep", "base", "kindCount", "leader"):
        stage.do("erin", name)
    stage.until(260, daily, 0.78)
    stage.rest(DAY)
    stage.until(297, daily, 0.78)
    for name in ("alice", "bob", "carol"):
        names = [address(name)] * 3
        stage.do(name, "balanceOfBatch", names, [1, 2, 3])
