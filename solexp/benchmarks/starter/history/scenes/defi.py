"""Scripts of the DeFi tasks."""

# ruff: noqa: PLR0915  (a script is a list of moves)

from __future__ import annotations

from solexp.benchmarks.starter.history.scenes.tokens import USERS, account, looks, share, user
from solexp.benchmarks.starter.history.stage import Draft, Move, Stage, address

ETHER = 10**18


def share_vault(stage: Stage) -> None:
    """Deposits, feedings and withdrawals; a full vault, a closed one, a surplus, and a run on the pot."""

    def deposit(s: Stage) -> Move:
        value = s.random.choice((0, 1, 999, ETHER // 7, ETHER, 3 * ETHER + 1, 11 * ETHER))
        return Move(user(s), "deposit", (), value)

    def withdraw(s: Stage) -> Move:
        who = user(s)
        return Move(who, "withdraw", (share(s, s.view("sharesOf", address(who))), account(s)))

    def feed(s: Stage) -> Move:
        return Move(user(s), "feed", (), s.random.choice((0, 7, ETHER // 13, ETHER // 3)))

    def move_shares(s: Stage) -> Move:
        who = user(s)
        return Move(
            who, "moveShares", (account(s), share(s, s.view("sharesOf", address(who)) // 5))
        )

    def set_rules(s: Stage) -> Move:
        who = s.random.choice(("owner", "owner", "mallory", "alice"))
        fee = s.random.choice((0, 1, 75, 250, 500, 501, 10_000))
        return Move(who, "setRules", (fee, s.random.choice((60, 400, 900)) * ETHER, False))

    def give(s: Stage) -> Move:
        return Move(user(s), "", (), s.random.choice((1, 500, ETHER // 50)))

    def sweep(s: Stage) -> Move:
        return Move(s.random.choice(("owner", "bob")), "sweep")

    def shares_for(s: Stage) -> Move:
        return Move(user(s), "sharesFor", (s.random.choice((0, 1, 12_345, ETHER, 10**24)),))

    def worth_of(s: Stage) -> Move:
        return Move(user(s), "worthOf", (s.random.choice((0, 1, 777, ETHER + 5, 10**20)),))

    def shares_of(s: Stage) -> Move:
        return Move(user(s), "sharesOf", (account(s),))

    daily: list[tuple[int, Draft]] = [
        (22, deposit),
        (22, withdraw),
        (8, feed),
        (6, move_shares),
        (4, set_rules),
        (3, give),
        (2, sweep),
        (3, shares_for),
        (3, worth_of),
        (2, shares_of),
        *looks("pot", "totalShares", "leavingFee", "depositLimit", "closed", "keeper"),
        *looks("HIGHEST_FEE", "DEAD_SHARES"),
    ]
    stage.do("alice", "feed", value=5, ok=False)
    stage.do("alice", "sharesFor", ETHER)
    stage.do("alice", "worthOf", ETHER)
    stage.do("alice", "deposit", value=1000, ok=False)
    stage.do("alice", "deposit", value=2 * ETHER)
    stage.do("alice", "withdraw", ETHER, address("alice"), ok=False, now=True)
    stage.do("alice", "sharesOf", "0x" + "00" * 20)
    stage.do("bob", "deposit", value=3 * ETHER)
    stage.do("carol", "feed", value=ETHER // 3)
    stage.do("carol", "deposit", value=ETHER)
    stage.do("dave", "deposit", value=1, ok=False)
    stage.do("bob", "withdraw", ETHER, address("erin"))
    stage.do("bob", "withdraw", 3 * ETHER, address("bob"), ok=False)
    stage.do("alice", "withdraw", 1, address("alice"), ok=False)
    stage.do("alice", "withdraw", 0, address("alice"), ok=False)
    stage.do("carol", "lastDepositBlock", address("carol"))
    stage.until(90, daily)
    stage.do("mallory", "setRules", 0, ETHER, True, ok=False)
    stage.do("owner", "setRules", 501, ETHER, True, ok=False)
    stage.do("owner", "setRules", 500, 100 * ETHER, True)
    stage.do("alice", "deposit", value=ETHER, ok=False)
    stage.do("alice", "feed", value=ETHER)
    stage.do("alice", "closed")
    stage.until(115, [(3, withdraw), (2, feed), (1, deposit), (1, worth_of)])
    pot = stage.view("pot")
    stage.do("owner", "setRules", 130, pot + 5 * ETHER, False)
    stage.do("erin", "deposit", value=5 * ETHER + 1, ok=False)
    stage.do("erin", "deposit", value=5 * ETHER)
    stage.do("erin", "feed", value=ETHER)
    stage.do("erin", "deposit", value=ETHER, ok=False)
    stage.do("owner", "setRules", 130, 500 * ETHER, False)
    stage.until(190, daily)
    stage.do("dave", "", value=12_345)
    stage.do("mallory", "sweep")
    stage.do("mallory", "sweep", ok=False)
    stage.do("dave", "deposit", value=ETHER)
    stage.do("dave", "withdraw", ETHER // 3, stage.contract)
    stage.do("dave", "withdraw", ETHER // 4, address("dave"))
    stage.until(255, daily)
    for name in USERS:
        held = stage.view("sharesOf", address(name))
        if held > 1000:
            stage.do(name, "withdraw", held, address(name))
    stage.do("alice", "totalShares")
    stage.do("alice", "pot")
    stage.until(300, daily)
