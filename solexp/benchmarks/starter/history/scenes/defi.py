"""Scripts of the DeFi tasks."""

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
    stage.do("alice", "sharesOf", NOBODY)
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


def orchard_pool(stage: Stage) -> None:
    """Stakes that come and go, an idle pool, changing yields, locks, flights and a new farmer."""

    def stake(s: Stage) -> Move:
        return Move(user(s), "stake", (), s.random.choice((0, 3, ETHER // 9, 2 * ETHER, 7 * ETHER)))

    def unstake(s: Stage) -> Move:
        who = user(s)
        return Move(who, "unstake", (share(s, s.view("stakes", address(who))[0]),))

    def claim(s: Stage) -> Move:
        return Move(user(s), "claim")

    def leave(s: Stage) -> Move:
        return Move(user(s), "leave")

    def flee(s: Stage) -> Move:
        return Move(user(s), "flee")

    def set_yield(s: Stage) -> Move:
        who = s.random.choice(("owner", "tenant", "mallory"))
        return Move(who, "setYield", (s.random.choice((0, 1, 10**12, 10**15, 3 * 10**15)),))

    def claimable(s: Stage) -> Move:
        return Move(user(s), "claimable", (account(s),))

    def stakes(s: Stage) -> Move:
        return Move(user(s), "stakes", (account(s),))

    daily: list[tuple[int, Draft]] = [
        (20, stake),
        (14, unstake),
        (14, claim),
        (3, leave),
        (2, flee),
        (3, set_yield),
        (12, claimable),
        (3, stakes),
        *looks("yieldPerWei", "currentYieldPerWei", "totalStaked", "updatedAt", "lockTime"),
        *looks("farmer", "fruit", "yieldPerSecond", "largestStake", "season", "SCALE"),
    ]
    stage.do("alice", "claim")
    stage.rest(DAY)
    stage.do("alice", "currentYieldPerWei")
    stage.do("alice", "stake", value=3 * ETHER)
    stage.do("alice", "claimable", address("alice"))
    stage.rest(3600)
    stage.do("bob", "stake", value=ETHER + 1)
    stage.do("bob", "claimable", address("alice"))
    stage.do("bob", "flee")
    stage.do("bob", "stakes", address("bob"))
    stage.do("bob", "flee", ok=False)
    stage.do("bob", "leave", ok=False)
    stage.do("bob", "stake", value=4 * ETHER)
    stage.do("bob", "unstake", ETHER, ok=False)
    stage.do("bob", "stake", value=36 * ETHER + 1, ok=False)
    stage.do("bob", "largestStake")
    stage.do("bob", "stake", value=36 * ETHER)
    stage.do("alice", "claim")
    stage.do("alice", "claim", now=True)
    stage.do("alice", "stake", ok=False)
    stage.do("alice", "unstake", 0, ok=False)
    stage.rest(2 * DAY)
    stage.do("carol", "stake", value=2 * ETHER)
    stage.do("carol", "setYield", 1, ok=False)
    stage.do("owner", "setYield", 2 * 10**15)
    stage.do("alice", "claimable", address("alice"))
    stage.rest(DAY)
    stage.do("alice", "unstake", ETHER)
    stage.do("alice", "unstake", 3 * ETHER, ok=False)
    stage.do("bob", "leave")
    stage.do("bob", "stakes", address("bob"))
    stage.do("carol", "unstake", 1, ok=False)
    stage.do("carol", "flee")
    stage.do("alice", "leave")
    stage.do("alice", "totalStaked")
    stage.rest(DAY)
    stage.do("dave", "stake", value=5 * ETHER)
    stage.do("dave", "claimable", address("dave"))
    # An unlocked stake at its very second: blocks come every so often, so the last one is set by hand.
    stage.until(80, daily)
    stage.rest(4 * DAY)
    stage.until(120, daily)
    stage.do("erin", "stake", value=ETHER)
    unlocks = stage.view("stakes", address("erin"))[3]
    stage.chain.block_number += (unlocks - stage.now) // 14
    stage.chain.timestamp = unlocks
    stage.do("erin", "unstake", ETHER // 2, now=True)
    stage.until(150, daily)
    stage.do("mallory", "setFarmer", address("mallory"), ok=False)
    stage.do("owner", "setFarmer", NOBODY, ok=False)
    stage.do("owner", "setFarmer", address("tenant"))
    stage.do("owner", "setYield", 5, ok=False)
    stage.do("tenant", "setYield", 7 * 10**15)
    stage.rest(3 * DAY)
    stage.until(200, daily)
    stage.rest(5 * DAY)
    stage.until(250, daily)
    stage.do("alice", "stake", value=ETHER // 3)
    stage.rest(4 * DAY)
    stage.do("alice", "unstake", 1)
    stage.until(297, daily)
    stage.do("alice", "yieldPerWei")
    stage.do("alice", "claim")
    stage.do("alice", "claimable", address("alice"))


def lagoon_exchange(stage: Stage) -> None:
    """A pool from its first provision on: trades both ways, tight limits, deadlines, gifts absorbed."""
    pearl = 10**18

    def soon(s: Stage) -> int:
        return s.now + s.random.choice((600, 600, 600, -1, 0))

    def provide(s: Stage) -> Move:
        value = s.random.choice((0, 1, ETHER // 20, ETHER // 2, 2 * ETHER))
        reserve = max(s.view("etherReserve"), 1)
        most = value * s.view("pearlReserve") // reserve + s.random.choice((0, 1, pearl))
        return Move(user(s), "provide", (most, s.random.choice((0, 1)), soon(s)), value)

    def withdraw(s: Stage) -> Move:
        who = user(s)
        given = share(s, s.view("shares", address(who)) // 2)
        return Move(who, "withdraw", (given, 0, s.random.choice((0, pearl)), soon(s)))

    def buy(s: Stage) -> Move:
        value = s.random.choice((0, 9, ETHER // 100, ETHER // 9, 3 * ETHER))
        fair = 0
        if value:
            fair = s.view("quote", value, s.view("etherReserve"), s.view("pearlReserve")) or 0
        least = s.random.choice((0, fair, fair + 1, fair * 99 // 100))
        return Move(user(s), "buyPearls", (least, account(s), soon(s)), value)

    def sell(s: Stage) -> Move:
        who = user(s)
        paid = share(s, s.view("pearls", address(who)) // 20)
        fair = 0
        if paid:
            fair = s.view("quote", paid, s.view("pearlReserve"), s.view("etherReserve")) or 0
        least = s.random.choice((0, fair, fair + 1, fair * 99 // 100))
        return Move(who, "sellPearls", (paid, least, account(s), soon(s)))

    def send(s: Stage) -> Move:
        who = user(s)
        return Move(who, "sendPearls", (account(s), share(s, s.view("pearls", address(who)) // 30)))

    def quote(s: Stage) -> Move:
        numbers = s.random.sample((0, 1, 1000, 997_003, ETHER, 10**24), 3)
        return Move(user(s), "quote", tuple(numbers))

    def gift(s: Stage) -> Move:
        return Move(user(s), "", (), s.random.choice((1, ETHER // 40)))

    def absorb(s: Stage) -> Move:
        return Move(user(s), "absorb")

    def shares(s: Stage) -> Move:
        return Move(user(s), s.random.choice(("shares", "pearls")), (account(s),))

    daily: list[tuple[int, Draft]] = [
        (12, provide),
        (11, withdraw),
        (22, buy),
        (20, sell),
        (4, send),
        (4, quote),
        (2, gift),
        (2, absorb),
        (4, shares),
        *looks("etherReserve", "pearlReserve", "totalShares", "priceSum", "pricedAt", "swaps"),
        *looks("FEE", "STUCK"),
    ]
    for index, name in enumerate(USERS):
        stage.do("owner", "sendPearls", address(name), (20_000 + index) * pearl)
    later = stage.now + 10 * DAY
    stage.do("alice", "buyPearls", 0, address("alice"), later, value=ETHER, ok=False)
    stage.do("alice", "absorb", ok=False)
    stage.do("alice", "provide", 1000, 0, later, value=1000, ok=False)
    stage.do("alice", "provide", 3000 * pearl, 0, later, value=7 * ETHER)
    stage.do("alice", "shares", NOBODY)
    stage.do("alice", "shares", address("alice"))
    stage.do("bob", "provide", 400 * pearl, 0, later, value=ETHER, ok=False)
    stage.do("bob", "provide", 500 * pearl, 0, later, value=ETHER)
    stage.do("carol", "buyPearls", 1, address("dave"), later, value=ETHER // 10)
    stage.do("carol", "sellPearls", 50 * pearl, 1, address("erin"), later)
    stage.do("carol", "sellPearls", 10**6 * pearl, 1, address("erin"), later, ok=False)
    stage.do("carol", "priceSum")
    stage.do("carol", "provide", 500 * pearl, 0, stage.now, value=ETHER // 7, now=True)
    stage.do(
        "carol", "provide", 500 * pearl, 0, stage.now - 1, value=ETHER // 7, now=True, ok=False
    )
    stage.do("carol", "priceSum", now=True)
    fair = stage.view("quote", ETHER, stage.view("etherReserve"), stage.view("pearlReserve"))
    to = address("dave")
    stage.do("dave", "buyPearls", fair + 1, to, later, value=ETHER, ok=False, now=True)
    stage.do("dave", "buyPearls", fair, to, later, value=ETHER, now=True)
    stage.do("bob", "withdraw", 10**17, 10**18, 0, later, ok=False)
    stage.do("bob", "withdraw", 10**17, 1, 1, later)
    stage.do("dave", "withdraw", 1, 0, 0, later, ok=False)
    stage.do("erin", "", value=ETHER // 5)
    stage.do("erin", "etherReserve")
    stage.do("erin", "buyPearls", 0, address("erin"), later, value=ETHER // 3)
    stage.do("erin", "absorb")
    stage.do("erin", "absorb", ok=False)
    stage.do("erin", "sendPearls", stage.contract, 17 * pearl)
    stage.do("erin", "pearlReserve")
    stage.do("bob", "absorb")
    stage.until(140, daily)
    stage.rest(DAY)
    stage.until(220, daily, 0.75)
    for name in USERS:
        held = stage.view("shares", address(name))
        if held > 10**6:
            stage.do(name, "withdraw", held, 0, 0, stage.now + 10 * DAY)
    stage.do("alice", "totalShares")
    stage.do("bob", "provide", 10**4 * pearl, 0, stage.now + DAY, value=ETHER)
    stage.until(297, daily, 0.75)
    stage.do("alice", "swaps")
    stage.do("alice", "priceSum")
    stage.do("alice", "pricedAt")
