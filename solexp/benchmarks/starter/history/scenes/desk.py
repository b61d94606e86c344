"""The script of the desk."""

# ruff: noqa: PLR0915  (a script is a list of moves)

from __future__ import annotations

from solexp.benchmarks.starter.history.scenes.cast import (
    DAY,
    ETHER,
    looks,
    share,
    user,
)
from solexp.benchmarks.starter.history.stage import USERS, Draft, Move, Stage, address


def gazette_desk(stage: Stage) -> None:
    """Plans of two publishers; readers who pay, are late, rest, cancel and come back; collections and clearings."""
    press = ("press", "herald")
    states = {"Running": 1, "Late": 2, "Resting": 3, "Ended": 4}

    def number(s: Stage) -> int:
        return s.random.randrange(1, s.view("planCount") + 1)

    def pair(s: Stage, *wanted: str) -> tuple[int, str]:
        """A plan and a reader whose subscription is in one of these states, if there is such a pair."""
        every = [(plan, name) for plan in range(1, s.view("planCount") + 1) for name in USERS]
        good = [
            (plan, name)
            for plan, name in every
            if s.view("stateOf", plan, address(name)) in [states[state] for state in wanted]
        ]
        return s.random.choice(good or every)

    def publisher(s: Stage, plan: int) -> str:
        named: str = s.view("plans", plan)[0]
        return s.random.choice((named, named, named, s.random.choice(press)))

    def fill(s: Stage) -> Move:
        return Move(user(s), "fill", (), s.random.choice((0, ETHER // 20, ETHER // 5, ETHER // 3)))

    def empty(s: Stage) -> Move:
        who = user(s)
        return Move(who, "empty", (share(s, s.view("purses", address(who)) // 2),))

    def subscribe(s: Stage) -> Move:
        return Move(user(s), "subscribe", (number(s),), s.random.choice((0, 0, ETHER // 10, 7)))

    def collect(s: Stage) -> Move:
        plan, name = pair(s, "Late")
        for _ in range(4):
            if s.view("purses", address(name)) < s.view("subscriptions", plan, address(name))[2]:
                plan, name = pair(s, "Late")
        return Move(publisher(s, plan), "collect", (plan, address(name)))

    def renew(s: Stage) -> Move:
        plan, name = pair(s, "Running", "Late", "Resting")
        periods = s.random.choice((0, 1, 1, 2, 6, 7))
        return Move(name, "renew", (plan, periods), s.random.choice((0, ETHER // 10, ETHER // 4)))

    def cancel(s: Stage) -> Move:
        plan, name = pair(s, "Running")
        return Move(name, "cancel", (plan, s.random.random() < 0.6))

    def clear(s: Stage) -> Move:
        plan, name = pair(s, "Resting", "Ended")
        who = s.random.choice((name, publisher(s, plan), "owner", "mallory"))
        return Move(who, "clear", (plan, address(name)))

    def cash_up(s: Stage) -> Move:
        return Move(s.random.choice((*press, "owner", "mallory")), "cashUp")

    def asks(s: Stage) -> Move:
        plan, name = pair(s, s.random.choice(tuple(states)))
        function = s.random.choice(("stateOf", "owed", "owed", "subscriptions"))
        return Move(user(s), function, (plan, address(name)))

    def about(s: Stage) -> Move:
        return Move(user(s), s.random.choice(("plans", "readers", "readers")), (number(s),))

    def whose(s: Stage) -> Move:
        name = s.random.choice((*USERS, *press, "owner"))
        return Move(user(s), s.random.choice(("earned", "purses", "publishers")), (address(name),))

    daily: list[tuple[int, Draft]] = [
        (12, fill),
        (4, empty),
        (14, subscribe),
        (18, collect),
        (14, renew),
        (8, cancel),
        (9, clear),
        (5, cash_up),
        (8, asks),
        (4, about),
        (5, whose),
        *looks("planCount", "director", "SHORTEST", "LONGEST", "MOST", "CUT"),
    ]

    def at(moment: int) -> None:
        """Goes to a moment that lies ahead, exactly."""
        stage.chain.block_number += max((moment - stage.now) // 14, 1)
        stage.chain.timestamp = moment

    def paid(plan: int, name: str) -> int:
        return int(stage.view("subscriptions", plan, address(name))[0])

    price = ETHER // 50
    stage.do("press", "makePlan", price, 7 * DAY, 2 * DAY, "Weekly", ok=False)
    stage.do("mallory", "setPublisher", address("mallory"), True, ok=False)
    for name in press:
        stage.do("owner", "setPublisher", address(name), True)
    stage.do("press", "makePlan", 0, 7 * DAY, 2 * DAY, "Free", ok=False)
    stage.do("press", "makePlan", price, DAY - 1, DAY, "Hasty", ok=False)
    stage.do("press", "makePlan", price, 7 * DAY, 28 * DAY + 1, "Patient", ok=False)
    stage.do("press", "makePlan", price, 7 * DAY, 2 * DAY, "The weekly")
    stage.do("press", "makePlan", price // 7, DAY, 3 * DAY, "The daily paper of the whole harbour")
    stage.do("herald", "makePlan", 3 * price + 33, 30 * DAY, 0, "Herald")
    stage.do("alice", "subscribe", 1, ok=False)
    stage.do("alice", "subscribe", 4, value=ETHER, ok=False)
    stage.do("alice", "fill", ok=False)
    stage.do("alice", "fill", value=ETHER // 25)
    stage.do("alice", "subscribe", 1)
    stage.do("alice", "subscribe", 1, value=ETHER, ok=False)
    stage.do("bob", "subscribe", 2, value=ETHER // 50)
    stage.do("carol", "subscribe", 2, value=price // 7 * 2 + 1)
    stage.do("dave", "subscribe", 3, value=3 * price + 33)
    stage.do("dave", "purses", address("dave"))
    stage.do("alice", "earned", address("press"))
    stage.do("owner", "earned", address("owner"))
    stage.do("press", "collect", 2, address("bob"), ok=False)
    at(paid(2, "bob"))
    stage.do("press", "stateOf", 2, address("bob"), now=True)
    at(paid(2, "bob") + 1)
    stage.do("press", "owed", 2, address("bob"), now=True)
    stage.do("herald", "collect", 2, address("bob"), ok=False, now=True)
    stage.do("press", "collect", 2, address("bob"), now=True)
    at(paid(2, "carol") + 3 * DAY)
    stage.do("press", "stateOf", 2, address("carol"), now=True)
    stage.do("press", "owed", 2, address("carol"), now=True)
    stage.do("press", "collect", 2, address("carol"), now=True)
    stage.do("press", "collect", 2, address("carol"), ok=False)
    stage.do("carol", "clear", 2, address("carol"), ok=False)
    stage.do("bob", "collect", 2, address("bob"), ok=False)
    stage.do("press", "collect", 2, address("bob"))
    stage.do("bob", "renew", 2, 0, ok=False)
    stage.do("bob", "renew", 2, 7, value=ETHER, ok=False)
    stage.do("bob", "renew", 2, 2, value=ETHER // 100)
    stage.do("bob", "cancel", 2, True)
    stage.do("bob", "cancel", 2, True, ok=False)
    stage.do("bob", "renew", 2, 1, value=ETHER, ok=False)
    stage.do("bob", "cancel", 2, False)
    stage.do("alice", "cancel", 1, True)
    at(paid(1, "alice"))
    stage.do("alice", "stateOf", 1, address("alice"), now=True)
    stage.rest(28)
    stage.do("alice", "stateOf", 1, address("alice"))
    stage.do("alice", "cancel", 1, False, ok=False)
    stage.do("alice", "renew", 1, 1, value=ETHER, ok=False)
    stage.do("alice", "readers", 1)
    stage.do("alice", "subscribe", 1)
    stage.do("alice", "readers", 1)
    stage.do("mallory", "clear", 2, address("carol"), ok=False)
    stage.do("carol", "stateOf", 2, address("carol"))
    stage.do("carol", "owed", 2, address("carol"))
    stage.do("carol", "clear", 2, address("carol"), ok=False)
    stage.do("carol", "fill", value=ETHER // 5)
    stage.do("press", "collect", 2, address("carol"), ok=False)
    stage.do("carol", "renew", 2, 1)
    stage.do("carol", "purses", address("carol"))
    stage.do("carol", "subscriptions", 2, address("carol"))
    stage.do("press", "cashUp")
    stage.do("press", "cashUp", ok=False)
    stage.do("mallory", "closePlan", 3, ok=False)
    stage.until(120, daily)
    stage.rest(3 * DAY)
    stage.until(150, daily)
    stage.do("owner", "closePlan", 3)
    stage.do("herald", "closePlan", 3, ok=False)
    stage.do("erin", "subscribe", 3, value=ETHER, ok=False)
    stage.do("dave", "cancel", 3, False)
    stage.do("dave", "renew", 3, 1, value=ETHER // 10)
    stage.rest(20 * DAY)
    stage.do("owner", "setPublisher", address("herald"), False)
    stage.do("herald", "makePlan", price, DAY, DAY, "Late news", ok=False)
    stage.until(200, daily, 0.75)
    stage.rest(6 * DAY)
    stage.until(230, daily, 0.75)
    stage.rest(2 * DAY)
    stage.until(260, daily, 0.75)
    stage.rest(9 * DAY)
    stage.until(290, daily, 0.75)
    for name in ("CUT", "LONGEST", "MOST", "SHORTEST", "director"):
        stage.do("erin", name)
    stage.do("press", "earned", address("press"))
    stage.do("press", "earned", address("owner"))
    for plan in (1, 2, 3):
        stage.do("press", "readers", plan)
