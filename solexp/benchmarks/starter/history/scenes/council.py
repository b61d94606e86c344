"""The script of the council."""

# ruff: noqa: PLR0915  (a script is a list of moves)

from __future__ import annotations

from solexp.benchmarks.starter.history.scenes.cast import DAY, ETHER, NOBODY, account, looks, user
from solexp.benchmarks.starter.history.stage import USERS, Draft, Move, Stage, address


def river_council(stage: Stage) -> None:
    """Shares change hands while proposals are voted on, queued, executed, vetoed, cancelled, or grow stale."""
    pending, active, _, passed, queued = range(5)
    reasons = (
        "",
        "yes, please",
        "a longer reason, which does not fit into one word of thirty-two bytes",
    )

    def number(s: Stage, *wanted: int) -> int:
        """A proposal in one of these states, if there is one."""
        last = s.view("proposalCount")
        every = range(max(last - 5, 1), last + 1)
        good = [n for n in every if s.view("stateOf", n) in wanted]
        return int(s.random.choice(good or [last, last + 1, 0]))

    def give(s: Stage) -> Move:
        who = user(s)
        amount = s.view("sharesOf", address(who)) // s.random.choice((2, 5, 9))
        return Move(who, "giveShares", (s.random.choice((account(s), NOBODY)), amount))

    def propose(s: Stage) -> Move:
        target, value, data = s.random.choice(
            (
                (account(s), ETHER // 9, b""),
                (account(s), 0, b"\x12\x34\x56\x78" * 9),
                (s.contract, 0, s.data("giveShares", account(s), 1000)),
                (s.contract, 0, s.data("giveShares", account(s), 10**7)),
                (NOBODY, 0, b""),
            )
        )
        return Move(user(s), "propose", (target, value, data, s.random.choice(reasons)))

    def vote(s: Stage) -> Move:
        choice = s.random.choice((0, 1, 1, 1, 2, 3))
        return Move(user(s), "vote", (number(s, active), choice, s.random.choice(reasons)))

    def queue(s: Stage) -> Move:
        return Move(user(s), "queue", (number(s, passed),))

    def execute(s: Stage) -> Move:
        return Move(user(s), "execute", (number(s, queued),), s.random.choice((0, 0, 9)))

    def cancel(s: Stage) -> Move:
        one = number(s, pending, active, queued)
        proposals = s.view("proposals", one)
        who = s.random.choice((proposals[0], user(s))) if proposals[0] != NOBODY else user(s)
        return Move(who, "cancel", (one,))

    def veto(s: Stage) -> Move:
        who = s.random.choice((s.view("guardian"), s.view("guardian"), user(s)))
        return Move(who if who != NOBODY else user(s), "veto", (number(s, active, passed, queued),))

    def fund(s: Stage) -> Move:
        return Move(user(s), "", (), s.random.choice((5, ETHER // 3)))

    def asks(s: Stage) -> Move:
        name = s.random.choice(("stateOf", "stateOf", "proposals"))
        return Move(user(s), name, (number(s, pending, active, passed, queued),))

    def about(s: Stage) -> Move:
        name = s.random.choice(("sharesOf", "mayPropose", "latestOf"))
        return Move(user(s), name, (account(s),))

    def did(s: Stage) -> Move:
        return Move(user(s), "ballots", (number(s, active), account(s)))

    def past(s: Stage) -> Move:
        block = s.chain.block_number - s.random.choice((-1, 0, 1, 30, 200, 900))
        return Move(user(s), "sharesAt", (account(s), block))

    daily: list[tuple[int, Draft]] = [
        (10, give),
        (16, propose),
        (40, vote),
        (12, queue),
        (14, execute),
        (3, cancel),
        (3, veto),
        (3, fund),
        (8, asks),
        (5, about),
        (3, did),
        (4, past),
        *looks("proposalCount", "guardian", "heir", "totalShares", "WAIT", "PERIOD", "DELAY"),
        *looks("GRACE", "THRESHOLD", "QUORUM"),
    ]

    def to_block(block: int) -> None:
        """Goes to a block that lies ahead, exactly."""
        ahead = block - stage.chain.block_number
        assert ahead >= 0, ahead
        stage.chain.block_number = block
        stage.chain.timestamp += ahead * 13

    def at(moment: int) -> None:
        """Goes to a moment that lies ahead, exactly."""
        stage.chain.block_number += max((moment - stage.now) // 13, 1)
        stage.chain.timestamp = moment

    def proposal(who: str, target: str, value: int, data: bytes = b"") -> int:
        stage.do(who, "propose", target, value, data, reasons[1])
        return int(stage.view("proposalCount"))

    def ends(one: int) -> int:
        return int(stage.view("proposals", one)[2])

    stage.do("alice", "giveShares", address("bob"), 1, ok=False)
    for name, amount in zip(USERS, (210_000, 150_000, 100_000, 60_000, 9_000), strict=True):
        stage.do("owner", "giveShares", address(name), amount)
    stage.do("owner", "giveShares", stage.contract, 50_000)
    stage.do("owner", "giveShares", address("bob"), 0, ok=False)
    stage.do("owner", "giveShares", address("bob"), 10**6, ok=False)
    stage.do("alice", "", value=3 * ETHER)
    stage.do("erin", "propose", address("bob"), 1, b"", "", ok=False)
    stage.do("alice", "propose", NOBODY, 1, b"", "", ok=False)
    first = proposal("alice", address("dave"), ETHER // 2)
    stage.do("alice", "propose", address("bob"), 1, b"", "", ok=False)
    stage.do("alice", "vote", first, 1, "", ok=False)
    starts = int(stage.view("proposals", first)[1])
    stage.do("carol", "giveShares", address("erin"), 10_000, now=True)
    to_block(starts)
    stage.do("alice", "vote", first, 1, "too soon", now=True, ok=False)
    stage.do("dave", "giveShares", address("carol"), 20_000, now=True)
    to_block(starts + 1)
    stage.do("carol", "giveShares", address("frank"), 50_000, now=True)
    stage.do("alice", "vote", first, 3, "", ok=False)
    stage.do("alice", "vote", first, 1, reasons[2])
    stage.do("alice", "vote", first, 0, "", ok=False)
    stage.do("carol", "vote", first, 0, "")
    stage.do("frank", "vote", first, 1, "", ok=False)
    stage.do("dave", "vote", first, 2, "neither")
    stage.do("carol", "ballots", first, address("dave"))
    stage.do("erin", "proposals", first)
    stage.do("alice", "queue", first, ok=False)
    to_block(ends(first))
    stage.do("erin", "vote", first, 1, "at last", now=True)
    stage.do("erin", "sharesAt", address("erin"), stage.chain.block_number - 1, now=True)
    stage.do("erin", "sharesAt", address("erin"), stage.chain.block_number, now=True, ok=False)
    stage.do("bob", "vote", first, 0, "", ok=False)
    stage.do("bob", "stateOf", first)
    stage.do("bob", "execute", first, ok=False)
    stage.do("mallory", "queue", first)
    stage.do("mallory", "queue", first, ok=False)
    ready = int(stage.view("proposals", first)[3])
    at(ready - 1)
    stage.do("mallory", "execute", first, now=True, ok=False)
    at(ready)
    stage.do("mallory", "execute", first, value=5, now=True)
    stage.do("mallory", "execute", first, ok=False)
    stage.do("mallory", "stateOf", first)
    stage.do("mallory", "stateOf", 99, ok=False)
    stage.do("mallory", "veto", first, ok=False)
    stage.do("owner", "veto", first, ok=False)
    stage.do("alice", "cancel", first, ok=False)
    # A call of the council itself, then one that is vetoed, one whose proposer has sold out, and a stale one.
    second = proposal("bob", stage.contract, 0, stage.data("giveShares", address("erin"), 20_000))
    third = proposal("alice", address("mallory"), ETHER)
    fourth = proposal("dave", address("mallory"), 1)
    stage.blocks(30)
    stage.do("alice", "vote", second, 1, "")
    stage.do("bob", "vote", second, 0, "")
    stage.do("owner", "vote", second, 1, "")
    stage.do("owner", "vote", third, 1, "")
    stage.do("owner", "vote", fourth, 1, "")
    stage.do("mallory", "cancel", fourth, ok=False)
    stage.do("dave", "giveShares", address("alice"), 31_000)
    stage.do("mallory", "cancel", fourth)
    stage.do("mallory", "cancel", fourth, ok=False)
    stage.do("dave", "giveShares", address("alice"), 9_000)
    to_block(max(ends(second), ends(third)) + 1)
    stage.do("alice", "queue", second)
    stage.do("alice", "queue", third)
    stage.do("alice", "veto", third, ok=False)
    stage.do("owner", "nameHeir", address("carol"))
    stage.do("alice", "nameHeir", address("alice"), ok=False)
    stage.do("alice", "takeOver", ok=False)
    stage.do("owner", "veto", third)
    stage.rest(2 * DAY)
    stage.do("alice", "execute", second)
    stage.do("alice", "sharesOf", address("erin"))
    stage.do("alice", "execute", third, ok=False)
    stage.do("carol", "takeOver")
    stage.do("carol", "heir")
    stage.do("carol", "takeOver", ok=False)
    stage.do("owner", "veto", third, ok=False)
    fifth = proposal("owner", address("bob"), 77)
    stage.blocks(25)
    stage.do("owner", "vote", fifth, 1, "")
    to_block(ends(fifth) + 1)
    stage.do("bob", "queue", fifth)
    at(int(stage.view("proposals", fifth)[3]) + 5 * DAY)
    stage.do("bob", "stateOf", fifth, now=True)
    stage.rest(26)
    stage.do("bob", "stateOf", fifth)
    stage.do("bob", "execute", fifth, ok=False)
    stage.do("carol", "veto", fifth, ok=False)
    stage.do("owner", "cancel", fifth)
    # Too few shares in favour: as many as against, and below the quorum.
    sixth = proposal("owner", address("bob"), 78)
    seventh = proposal("bob", address("bob"), 79)
    stage.blocks(25)
    stage.do("erin", "vote", sixth, 1, "")
    stage.do("bob", "vote", seventh, 1, "")
    to_block(max(ends(sixth), ends(seventh)) + 1)
    stage.do("erin", "stateOf", sixth)
    stage.do("bob", "stateOf", seventh)
    stage.do("carol", "veto", sixth, ok=False)
    while len(stage.calls) < 180:
        stage.act(daily, 0.75)
        if stage.random.random() < 0.2:
            stage.blocks(90)
    stage.do("bob", "layDown", ok=False)
    stage.do("carol", "nameHeir", address("dave"))
    stage.do("carol", "layDown")
    stage.do("dave", "takeOver", ok=False)
    stage.do("carol", "nameHeir", address("carol"), ok=False)
    stage.do("owner", "propose", address("bob"), 80, b"", reasons[0])
    stage.do("alice", "veto", stage.view("proposalCount"), ok=False)
    for name in ("DELAY", "GRACE", "PERIOD", "QUORUM", "THRESHOLD", "WAIT", "proposalCount"):
        stage.do("erin", name)
    while len(stage.calls) < 298:
        stage.act(daily, 0.75)
        chance = stage.random.random()
        if chance < 0.12:
            stage.blocks(110)
        elif chance < 0.22 and stage.left > 4:
            stage.rest(2 * DAY)
            stage.act([(1, execute)], 1.0)
    stage.do("alice", "sharesOf", stage.contract)
    stage.do("alice", "guardian")
