"""The script of the guild."""

# ruff: noqa: PLR0912, PLR0915  (a script is a list of moves)

from __future__ import annotations

from solexp.benchmarks.starter.history.scenes.cast import (
    DAY,
    ETHER,
    NOBODY,
    looks,
)
from solexp.benchmarks.starter.history.stage import USERS, Draft, Move, Stage, address


def guild_hall(stage: Stage) -> None:
    """A guild of six: proposals that pass, fail, are vetoed or withdrawn; delegates; unpaid dues."""
    dues = ETHER // 10
    six = (*USERS, "frank")
    states = {"Voting": 1, "Waiting": 3, "Ready": 4}

    def one(s: Stage) -> str:
        return s.random.choice(six)

    def other(s: Stage) -> str:
        return address(one(s))

    def number(s: Stage) -> int:
        return max(int(s.view("proposalCount")) - s.random.choice((0, 0, 1, 1, 2, 3)), 0)

    def join(s: Stage) -> Move:
        who = s.random.choice((*six, "grace", "heidi"))
        return Move(who, "apply_", (), s.random.choice((dues, dues - 1)))

    def admit(s: Stage) -> Move:
        name = s.random.choice((*six, "grace", "heidi"))
        return Move(one(s), "admit", (address(name),))

    def pay_dues(s: Stage) -> Move:
        return Move(one(s), "payDues", (), s.random.choice((0, dues, dues, 2 * dues, dues + 1)))

    def propose(s: Stage) -> Move:
        amount = s.random.choice((0, 7, ETHER // 50, ETHER // 50, 90 * ETHER))
        reason = s.random.choice((b"roof", b"feast", b"tools")).ljust(32, b"\0")
        return Move(one(s), "propose", (s.random.choice((other(s), NOBODY)), amount, reason))

    def vote(s: Stage) -> Move:
        return Move(one(s), "vote", (number(s), s.random.choice((0, 1, 1, 1, 2, 3))))

    def delegate(s: Stage) -> Move:
        return Move(one(s), "delegate", (s.random.choice((other(s), NOBODY)),))

    def object_(s: Stage) -> Move:
        return Move(one(s), "object", (number(s),))

    def execute(s: Stage) -> Move:
        return Move(one(s), "execute", (number(s),))

    def withdraw(s: Stage) -> Move:
        return Move(one(s), "withdraw", (number(s),))

    def give(s: Stage) -> Move:
        return Move(one(s), "", (), s.random.choice((9, ETHER // 10)))

    def asks(s: Stage) -> Move:
        return Move(one(s), s.random.choice(("stateOf", "tallies", "proposals")), (number(s),))

    def about(s: Stage) -> Move:
        names = ("isActive", "members", "delegateOf", "delegatorsOf")
        return Move(one(s), s.random.choice(names), (other(s),))

    def did(s: Stage) -> Move:
        return Move(one(s), s.random.choice(("hasVoted", "objects")), (number(s), other(s)))

    daily: list[tuple[int, Draft]] = [
        (2, join),
        (2, admit),
        (6, pay_dues),
        (9, propose),
        (26, vote),
        (8, delegate),
        (8, object_),
        (8, execute),
        (3, withdraw),
        (3, give),
        (8, asks),
        (6, about),
        (3, did),
        *looks("quorum", "memberCount", "proposalCount", "dues", "SEASON", "QUORUM"),
        *looks("VOTING_TIME", "PAUSE"),
    ]

    def proposal(who: str, to: str, amount: int) -> int:
        stage.do(who, "propose", to, amount, b"repairs".ljust(32, b"\0"))
        return int(stage.view("proposalCount"))

    def at(moment: int) -> None:
        """Goes to a moment that lies ahead, exactly."""
        stage.chain.block_number += (moment - stage.now) // 12
        stage.chain.timestamp = moment

    stage.do("alice", "propose", address("bob"), 1, bytes(32), ok=False)
    stage.do("alice", "apply_", value=dues - 1, ok=False)
    for name in six:
        stage.do(name, "apply_", value=dues)
    stage.do("alice", "apply_", value=dues, ok=False)
    stage.do("alice", "admit", address("bob"), ok=False)
    stage.do("owner", "admit", address("alice"))
    stage.do("owner", "admit", address("alice"), ok=False)
    stage.do("owner", "admit", address("mallory"), ok=False)
    for name in six[1:]:
        stage.do("alice", "admit", address(name))
    stage.do("alice", "quorum")
    stage.do("mallory", "", value=2 * ETHER)
    stage.do("alice", "propose", NOBODY, 1, bytes(32), ok=False)
    stage.do("alice", "propose", address("bob"), 0, bytes(32), ok=False)
    first = proposal("alice", address("bob"), ETHER // 5)
    stage.do("bob", "delegate", address("bob"), ok=False)
    stage.do("bob", "delegate", address("carol"))
    stage.do("bob", "delegate", address("carol"), ok=False)
    stage.do("dave", "delegate", address("bob"), ok=False)
    stage.do("dave", "delegate", address("carol"))
    stage.do("carol", "delegate", address("alice"), ok=False)
    stage.do("carol", "delegatorsOf", address("carol"))
    stage.do("dave", "delegate", address("mallory"), ok=False)
    stage.do("bob", "vote", first, 1, ok=False)
    stage.do("alice", "vote", first, 3, ok=False)
    stage.do("alice", "vote", first, 0)
    stage.do("alice", "vote", first, 1, ok=False)
    stage.do("carol", "vote", first, 1)
    stage.do("carol", "hasVoted", first, address("bob"))
    stage.do("bob", "delegate", NOBODY)
    stage.do("bob", "vote", first, 0, ok=False)
    stage.do("carol", "delegatorsOf", address("carol"))
    stage.do("erin", "vote", first, 2)
    stage.do("mallory", "vote", first, 0, ok=False)
    stage.do("alice", "tallies", first)
    stage.do("alice", "execute", first, ok=False)
    stage.do("alice", "object", first, ok=False)
    ends = stage.view("proposals", first)[1]
    second = proposal("erin", address("erin"), ETHER // 3)
    at(ends)
    stage.do("frank", "stateOf", first, now=True)
    stage.do("frank", "vote", first, 1, now=True)
    stage.rest(12)
    stage.do("frank", "stateOf", first)
    stage.do("owner", "vote", first, 1, ok=False)
    stage.do("frank", "object", first)
    stage.do("frank", "object", first, ok=False)
    at(ends + 2 * DAY)
    stage.do("alice", "execute", first, now=True, ok=False)
    stage.rest(12)
    stage.do("mallory", "execute", first)
    stage.do("mallory", "execute", first, ok=False)
    stage.do("alice", "stateOf", second)
    stage.do("erin", "withdraw", second, ok=False)
    stage.until(120, daily)
    third = proposal("carol", address("erin"), ETHER // 9)
    stage.do("frank", "withdraw", third, ok=False)
    stage.do("carol", "withdraw", third)
    stage.do("carol", "stateOf", third)
    fourth = proposal("owner", address("erin"), ETHER // 9)
    stage.do("owner", "vote", fourth, 1)
    for name in six:
        free = stage.view("delegateOf", address(name)) == NOBODY
        if free and not stage.view("hasVoted", fourth, address(name)):
            stage.do(name, "vote", fourth, 1)
    stage.rest(5 * DAY + 24)
    stage.do("owner", "stateOf", fourth)
    for name in six:
        if stage.view("stateOf", fourth) == states["Waiting"]:
            stage.do(name, "object", fourth)
    stage.do("owner", "stateOf", fourth)
    stage.rest(2 * DAY)
    stage.do("owner", "execute", fourth, ok=False)
    stage.until(170, daily)
    poor = proposal("owner", address("erin"), 80 * ETHER)
    stage.do("owner", "vote", poor, 1)
    for name in six:
        free = stage.view("delegateOf", address(name)) == NOBODY
        if free and not stage.view("hasVoted", poor, address(name)):
            stage.do(name, "vote", poor, 1)
    stage.rest(7 * DAY + 24)
    stage.do("owner", "stateOf", poor)
    stage.do("owner", "execute", poor, ok=False)
    stage.rest(25 * DAY)
    stage.do("alice", "isActive", address("erin"))
    active = stage.view("isActive", address("erin"))
    stage.do("erin", "propose", address("erin"), 1, bytes(32), ok=active)
    for name in six[:5]:
        stage.do(name, "payDues", value=2 * dues)
    stage.do("frank", "payDues", value=dues + 1, ok=False)
    stage.do("mallory", "payDues", value=dues, ok=False)
    for name in six:
        if stage.view("delegateOf", address(name)) != NOBODY:
            stage.do(name, "delegate", NOBODY)
    tie = proposal("alice", address("bob"), 5)
    stage.do("owner", "vote", tie, 0)
    stage.do("alice", "vote", tie, 1)
    stage.do("dave", "vote", tie, 2)
    stage.rest(5 * DAY + 24)
    stage.do("alice", "stateOf", tie)
    stage.rest(2 * DAY)
    stage.do("alice", "execute", tie, ok=False)

    def paid(name: str) -> int:
        return int(stage.view("members", address(name))[1])

    late = min(("alice", "bob", "dave", "erin"), key=paid)
    stage.do(
        "carol", "payDues", value=max(1, (paid(late) - paid("carol")) // (30 * DAY) + 2) * dues
    )
    stage.do(late, "delegate", address("carol"))
    at(paid(late) + 12)
    stage.do("owner", "isActive", address(late))
    lone = proposal("carol", address("bob"), 5)
    stage.do("carol", "vote", lone, 1)
    stage.do("carol", "hasVoted", lone, address(late))
    for name in six:
        if not stage.view("isActive", address(name)):
            stage.do(name, "payDues", value=2 * dues)
    stage.until(245, daily)
    stage.rest(5 * DAY)
    stage.until(270, daily)
    stage.rest(2 * DAY)
    stage.until(298, daily)
    stage.do("alice", "proposalCount")
    stage.do("alice", "memberCount")
