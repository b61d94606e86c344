"""The script of the vault that has to be set up."""

# ruff: noqa: PLR0915  (a script is a list of moves)

from __future__ import annotations

from solexp.benchmarks.starter.history.scenes.cast import (
    DAY,
    ETHER,
    NOBODY,
    account,
    looks,
    share,
    user,
)
from solexp.benchmarks.starter.history.stage import USERS, Draft, Move, Stage, address


def init_vault(stage: Stage) -> None:
    """A vault before its set-up, in use over many days, under another keeper, and closed."""

    def other(s: Stage, who: str) -> str:
        """The address of some user but ``who``."""
        return address(s.random.choice([name for name in USERS if name != who]))

    def deposit(s: Stage) -> Move:
        value = s.random.choice((0, ETHER // 100 - 1, ETHER // 100, ETHER // 7, ETHER, 4 * ETHER))
        return Move(user(s), "deposit", (), value)

    def withdraw(s: Stage) -> Move:
        who = user(s)
        return Move(who, "withdraw", (share(s, s.view("drawable", address(who))),))

    def give(s: Stage) -> Move:
        who = user(s)
        held = s.view("balances", address(who))
        to = s.random.choice((other(s, who), other(s, who), other(s, who), NOBODY))
        return Move(who, "give", (to, share(s, held // 3)))

    def set_limit(s: Stage) -> Move:
        limit = s.random.choice((0, ETHER // 100 - 1, ETHER // 2, ETHER, 2 * ETHER))
        return Move(s.random.choice(("keeper", "mallory")), "setLimit", (limit,))

    def drawable(s: Stage) -> Move:
        return Move(user(s), s.random.choice(("drawable", "drawable", "balances")), (account(s),))

    daily: list[tuple[int, Draft]] = [
        (16, deposit),
        (26, withdraw),
        (8, give),
        (3, set_limit),
        (12, drawable),
        *looks("total", "dailyLimit", "smallest", "keeper", "heir", "closed", "initialized"),
    ]
    stage.do("alice", "initialized")
    stage.do("alice", "withdraw", 1, ok=False)
    stage.do("alice", "give", address("bob"), 1, ok=False)
    stage.do("alice", "drawable", address("alice"))
    stage.do("owner", "setLimit", ETHER, ok=False)
    stage.do("alice", "leave", ok=False)
    stage.do("owner", "close", ok=False)
    stage.do("mallory", "initialize", address("mallory"), 1, ETHER, ok=False)
    stage.do("owner", "initialize", NOBODY, 1, ETHER, ok=False)
    stage.do("owner", "initialize", address("keeper"), 0, ETHER, ok=False)
    stage.do("owner", "initialize", address("keeper"), 2, 1, ok=False)
    stage.do("owner", "initialize", address("keeper"), ETHER // 100, ETHER)
    stage.do("alice", "keeper")
    stage.do("alice", "deployer")
    stage.do("alice", "deposit", value=ETHER // 100 - 1, ok=False)
    stage.do("alice", "deposit", value=ETHER // 100)
    stage.do("bob", "deposit", value=5 * ETHER)
    stage.do("alice", "withdraw", ETHER // 50, ok=False)
    stage.do("alice", "withdraw", ETHER // 200)
    stage.do("dave", "withdraw", 1, ok=False)
    stage.do("alice", "withdraw", 0, ok=False)
    stage.do("bob", "withdraw", ETHER + 1, ok=False)
    stage.do("bob", "withdraw", ETHER)
    stage.do("bob", "drawable", address("bob"))
    stage.do("bob", "withdraw", 1, ok=False)
    stage.rest(DAY)
    stage.do("bob", "withdraw", ETHER)
    stage.do("bob", "give", address("carol"), 3 * ETHER + 1, ok=False)
    stage.do("bob", "give", NOBODY, 1, ok=False)
    stage.do("bob", "give", address("carol"), 0, ok=False)
    stage.do("bob", "give", address("carol"), ETHER)
    stage.do("carol", "withdraw", ETHER // 2)
    stage.do("keeper", "setLimit", ETHER // 4)
    stage.do("carol", "drawable", address("carol"))
    stage.do("carol", "withdraw", 1, ok=False)
    stage.do("keeper", "setLimit", ETHER // 100 - 1, ok=False)
    stage.do("keeper", "setLimit", ETHER // 100)
    stage.do("keeper", "setLimit", 2 * ETHER)
    stage.do("carol", "withdraw", ETHER // 4)
    for made in (85, 115, 145):
        stage.until(made, daily)
        stage.rest(DAY // 2)
    stage.do("mallory", "offer", address("mallory"), ok=False)
    stage.do("keeper", "offer", address("mallory"))
    stage.do("keeper", "offer", address("tenant"))
    stage.do("mallory", "accept", ok=False)
    stage.do("alice", "heir")
    stage.do("tenant", "setLimit", ETHER, ok=False)
    stage.do("tenant", "accept")
    stage.do("tenant", "accept", ok=False)
    stage.do("keeper", "close", ok=False)
    stage.do("tenant", "setLimit", 3 * ETHER // 2)
    # The last second of a day and the first of the next.
    stage.do("erin", "deposit", value=8 * ETHER)
    tomorrow = (stage.now // DAY + 1) * DAY
    stage.chain.block_number += (tomorrow - 1 - stage.now) // 12
    stage.chain.timestamp = tomorrow - 1
    stage.do("erin", "withdraw", 3 * ETHER // 2, now=True)
    stage.do("erin", "withdraw", 1, now=True, ok=False)
    stage.chain.block_number += 1
    stage.chain.timestamp = tomorrow
    stage.do("erin", "withdraw", 3 * ETHER // 2, now=True)
    stage.do("erin", "drawable", address("erin"), now=True)
    for made in (190, 215, 240):
        stage.until(made, daily)
        stage.rest(DAY // 2)
    stage.do("alice", "deposit", value=6 * ETHER)
    stage.do("alice", "leave", ok=False)
    stage.do("mallory", "close", ok=False)
    stage.do("tenant", "close")
    stage.do("tenant", "close", ok=False)
    stage.do("alice", "deposit", value=ETHER, ok=False)
    stage.do("alice", "drawable", address("alice"))
    stage.do("alice", "withdraw", 4 * ETHER)
    stage.do("alice", "withdraw", 100 * ETHER, ok=False)
    stage.until(275, [*daily[:2], *daily[3:]])
    stage.do("alice", "leave", ok=stage.view("balances", address("alice")) > 0)
    stage.do("alice", "leave", ok=False)
    stage.do("mallory", "leave", ok=False)
    for name in USERS:
        if stage.view("balances", address(name)) > 0:
            stage.do(name, "leave")
    stage.do("alice", "total")
    stage.until(300, daily[4:], 1.0)
