"""The script of the pool with epochs."""

# ruff: noqa: PLR0915  (a script is a list of moves)

from __future__ import annotations

from solexp.benchmarks.starter.history.scenes.cast import DAY, ETHER, account, looks, share, user
from solexp.benchmarks.starter.history.stage import USERS, Draft, Move, Stage, address

SMALLEST = 10**16


def mill_pool(stage: Stage) -> None:
    """Epochs with and without stakes, stakes that leave, wait and stay, a pause, and claims."""

    def waits(s: Stage, who: str) -> bool:
        """Whether something of an account waits to leave since an earlier epoch."""
        _, leaving, leaves_in, _, _ = s.view("stakers", address(who))
        return bool(leaving > 0 and leaves_in != s.view("epoch") + 1)

    def fill(s: Stage) -> Move:
        who = s.random.choice((*USERS, "mallory", "sponsor", "sponsor"))
        return Move(who, "fill", (), s.random.choice((0, 7, ETHER // 11, ETHER)))

    def turn(s: Stage) -> Move:
        return Move(user(s), "turn")

    def stake(s: Stage) -> Move:
        value = s.random.choice((0, 1, SMALLEST, ETHER // 7, 2 * ETHER))
        return Move(user(s), "stake", (), value)

    def leave(s: Stage) -> Move:
        # Nobody has more leave while something waits since an earlier epoch.
        who = user(s)
        if waits(s, who):
            return take_out(s)
        return Move(who, "leave", (share(s, s.view("stakers", address(who))[0]),))

    def stay(s: Stage) -> Move:
        return Move(user(s), "stay")

    def take_out(s: Stage) -> Move:
        return Move(user(s), "takeOut")

    def claim(s: Stage) -> Move:
        return Move(user(s), "claim")

    def asks(s: Stage) -> Move:
        return Move(user(s), s.random.choice(("claimable", "claimable", "stakers")), (account(s),))

    def shared(s: Stage) -> Move:
        return Move(user(s), "shared", (s.random.randint(0, int(s.view("epoch"))),))

    calm: list[tuple[int, Draft]] = [
        (10, asks),
        (3, shared),
        *looks("epoch", "turnsAt", "hopper", "totalStaked", "rate", "host", "paused", "EPOCH"),
        *looks("SMALLEST"),
    ]
    daily: list[tuple[int, Draft]] = [
        (9, fill),
        (2, turn),
        (16, stake),
        (14, leave),
        (4, stay),
        (7, take_out),
        (12, claim),
        *calm,
    ]

    def next_epoch(*, now: bool = True) -> None:
        """Goes to the second at which the mill can be turned, and turns it."""
        moment = stage.view("turnsAt")
        if moment > stage.now:
            stage.chain.block_number += (moment - stage.now) // 12
            stage.chain.timestamp = moment
        stage.do("bob", "turn", now=now)

    stage.do("alice", "epoch")
    stage.do("alice", "turn", ok=False)
    stage.do("sponsor", "fill", ok=False)
    stage.do("sponsor", "fill", value=ETHER)
    stage.do("sponsor", "fill", value=ETHER // 3)
    stage.do("alice", "claim", ok=False)
    stage.do("alice", "takeOut", ok=False)
    stage.do("alice", "stay", ok=False)
    next_epoch()
    stage.do("alice", "hopper")
    stage.do("alice", "shared", 1)
    stage.do("alice", "turn", ok=False)
    stage.do("alice", "stake", ok=False)
    stage.do("alice", "stake", value=SMALLEST - 1, ok=False)
    stage.do("alice", "stake", value=SMALLEST)
    stage.do("alice", "stake", value=3 * ETHER)
    stage.do("bob", "stake", value=ETHER)
    stage.do("bob", "claimable", address("alice"))
    next_epoch()
    stage.do("bob", "shared", 2)
    stage.do("bob", "shared", 3)
    stage.do("bob", "claimable", address("alice"))
    stage.do("bob", "claim")
    stage.do("bob", "claim", ok=False)
    stage.do("alice", "leave", 0, ok=False)
    stage.do("alice", "leave", 4 * ETHER, ok=False)
    stage.do("alice", "leave", 3 * ETHER + 1, ok=False)
    stage.do("alice", "leave", ETHER)
    stage.do("alice", "stakers", address("alice"))
    stage.do("alice", "takeOut", ok=False)
    stage.do("alice", "leave", ETHER // 2)
    stage.do("carol", "stake", value=2 * ETHER)
    stage.do("sponsor", "fill", value=ETHER)
    next_epoch()
    stage.do("alice", "takeOut")
    stage.do("alice", "takeOut", ok=False)
    stage.do("carol", "leave", 2 * ETHER)
    stage.do("carol", "stay")
    stage.do("carol", "stay", ok=False)
    stage.do("carol", "takeOut", ok=False)
    stage.do("carol", "leave", ETHER)
    stage.do("mallory", "setPaused", True, ok=False)
    stage.do("owner", "setPaused", False, ok=False)
    for made in (75, 105):
        stage.until(made, daily)
        next_epoch(now=False)
    stage.until(135, daily)
    stage.do("dave", "stake", value=ETHER)
    stage.do("owner", "setPaused", True)
    stage.do("owner", "setPaused", True, ok=False)
    stage.do("dave", "stake", value=ETHER, ok=False)
    stage.do("sponsor", "fill", value=ETHER, ok=False)
    stage.do("alice", "claim", ok=False)
    if waits(stage, "dave"):
        stage.do("dave", "takeOut")
    stage.do("dave", "leave", ETHER)
    next_epoch(now=False)
    stage.do("dave", "takeOut")
    stage.until(160, [(2, stake), (2, leave), (2, take_out), (1, claim), *calm])
    stage.do("owner", "setPaused", False)
    for made in (185, 210, 235, 260):
        stage.until(made, daily)
        next_epoch(now=False)
    stage.rest(10 * DAY)
    stage.until(280, daily)
    for name in USERS:
        staked = stage.view("stakers", address(name))[0]
        if waits(stage, name):
            stage.do(name, "takeOut")
        if staked > 0:
            stage.do(name, "leave", staked)
    stage.do("alice", "totalStaked")
    stage.until(299, [(2, fill), (1, turn), (3, take_out), (3, claim), *calm])
    stage.do("alice", "hopper")
