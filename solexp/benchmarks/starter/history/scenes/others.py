"""Scripts of the tasks that are neither tokens nor pools."""

# ruff: noqa: PLR0915  (a script is a list of moves)

from __future__ import annotations

from solexp.benchmarks.starter.history.scenes.cast import (
    DAY,
    ETHER,
    NOBODY,
    account,
    looks,
    user,
)
from solexp.benchmarks.starter.history.stage import USERS, Draft, Move, Stage, address


def refundable_sale(stage: Stage) -> None:
    """A sale through its two rates, an extension, the ceiling, and claims afterwards."""

    def contribute(s: Stage) -> Move:
        value = s.random.choice((1, ETHER // 200, ETHER // 100, ETHER // 9, ETHER // 3, ETHER // 2))
        return Move(user(s), s.random.choice(("contribute", "")), (), value)

    def contribute_for(s: Stage) -> Move:
        to = s.random.choice((account(s), account(s), account(s), NOBODY))
        return Move(user(s), "contributeFor", (to,), s.random.choice((5, ETHER // 40, ETHER // 4)))

    def tokens_for(s: Stage) -> Move:
        return Move(user(s), "tokensFor", (s.random.choice((0, 1, ETHER, 2**255)),))

    def bar(s: Stage) -> Move:
        who = s.random.choice(("owner", "mallory"))
        return Move(who, "setBarred", (account(s), s.random.random() < 0.3))

    def asks(s: Stage) -> Move:
        name = s.random.choice(("contributed", "bought", "barred"))
        return Move(user(s), name, (account(s),))

    def claim(s: Stage) -> Move:
        return Move(user(s), s.random.choice(("claimTokens", "claimRefund")))

    def ends(s: Stage) -> Move:
        return Move(user(s), s.random.choice(("finish", "callOff", "collect")))

    daily: list[tuple[int, Draft]] = [
        (40, contribute),
        (14, contribute_for),
        (8, tokens_for),
        (6, bar),
        (10, asks),
        (2, claim),
        (2, ends),
        *looks("isOpen", "isOpen", "raised", "contributors", "result", "extended", "token"),
        *looks("organiser", "opens", "closes", "goal", "ceiling", "SMALLEST", "EARLY_RATE", "RATE"),
    ]

    def to(moment: int) -> None:
        """Goes to a moment that lies ahead, exactly."""
        stage.chain.block_number += (moment - stage.now) // 14
        stage.chain.timestamp = moment

    stage.do("alice", "isOpen")
    stage.do("alice", "contribute", value=ETHER, ok=False)
    stage.do("alice", "tokensFor", ETHER)
    to(stage.view("opens"))
    stage.do("alice", "contribute", value=ETHER, now=True)
    stage.do("bob", "", value=ETHER // 100)
    stage.do("bob", "contribute", value=ETHER // 100 - 1, ok=False)
    stage.do("alice", "contribute", value=ETHER // 2)
    stage.do("alice", "contributors")
    stage.do("carol", "contributeFor", address("dave"), value=2 * ETHER)
    stage.do("carol", "bought", address("dave"))
    stage.do("carol", "contributed", address("carol"))
    stage.do("mallory", "setBarred", address("bob"), True, ok=False)
    stage.do("owner", "setBarred", address("erin"), True)
    stage.do("erin", "contribute", value=ETHER, ok=False)
    stage.do("erin", "contributeFor", address("bob"), value=ETHER, ok=False)
    stage.do("bob", "contributeFor", address("erin"), value=ETHER, ok=False)
    stage.do("owner", "setBarred", address("erin"), False)
    stage.do("alice", "claimTokens", ok=False)
    stage.do("alice", "claimRefund", ok=False)
    stage.do("owner", "collect", ok=False)
    stage.do("bob", "finish", ok=False)
    stage.do("bob", "callOff", ok=False)
    stage.until(60, daily)
    closes = stage.view("closes")
    stage.do("mallory", "extend", closes + DAY, ok=False)
    stage.do("owner", "extend", closes, ok=False)
    stage.do("owner", "extend", closes + 30 * DAY + 1, ok=False)
    stage.do("owner", "extend", closes + 30 * DAY)
    stage.do("owner", "extend", closes + 31 * DAY, ok=False)
    stage.do("alice", "tokensFor", ETHER)
    stage.do("owner", "reopen", closes + 60 * DAY, ok=False)
    stage.do("owner", "callOff")
    stage.do("owner", "callOff", ok=False)
    stage.do("bob", "contribute", value=ETHER, ok=False)
    stage.do("bob", "claimTokens", ok=False)
    stage.do("owner", "collect", ok=False)
    stage.do("owner", "reopen", closes + 60 * DAY, ok=False)
    for name in USERS:
        if stage.view("contributed", address(name)) > 0:
            stage.do(name, "claimRefund")
            stage.do(name, "claimRefund", ok=False)
            stage.do(name, "bought", address(name))
    stage.do("alice", "raised")
    stage.do("alice", "contributors")
    stage.do("mallory", "reopen", closes + 60 * DAY, ok=False)
    stage.rest(3 * DAY)
    stage.do("owner", "reopen", stage.now, ok=False)
    closes = stage.now + 12 * DAY
    stage.do("owner", "reopen", closes)
    opens = stage.view("opens")
    stage.do("alice", "extended")
    stage.until(135, daily)
    to(opens + (closes - opens) // 4)
    stage.do("alice", "tokensFor", ETHER, now=True)
    stage.do(
        "erin", "contribute", value=ETHER, ok=not stage.view("barred", address("erin")), now=True
    )
    stage.blocks(1)
    stage.do("alice", "tokensFor", ETHER, now=True)
    stage.until(190, daily)
    stage.rest(5 * DAY)
    stage.do("owner", "extend", closes + 4 * DAY)
    stage.do("alice", "tokensFor", ETHER)
    stage.rest(5 * DAY)
    stage.do("alice", "isOpen")
    stage.until(235, daily)
    for name in ("carol", "dave"):
        if stage.view("barred", address(name)):
            stage.do("owner", "setBarred", address(name), False)
    stage.do("dave", "contribute", value=50 * ETHER)
    room = stage.view("ceiling") - stage.view("raised")
    stage.do("carol", "contribute", value=room + 1, ok=False)
    stage.do("carol", "finish", ok=False)
    stage.do("carol", "contribute", value=room)
    stage.do("carol", "isOpen")
    stage.do("bob", "contribute", value=ETHER, ok=False)
    stage.do("bob", "claimTokens", ok=False)
    stage.do("bob", "finish")
    stage.do("bob", "finish", ok=False)
    stage.do("owner", "callOff", ok=False)
    stage.do("owner", "extend", closes + 5 * DAY, ok=False)
    stage.do("dave", "claimRefund", ok=False)
    stage.do("dave", "claimTokens")
    stage.do("dave", "claimTokens", ok=False)
    stage.do("dave", "contributed", address("dave"))
    stage.do("mallory", "claimTokens", ok=False)
    stage.do("mallory", "collect", ok=False)
    stage.do("owner", "collect")
    stage.do("owner", "collect")
    after = [*daily[2:3], *daily[4:5], (8, claim), *daily[7:]]
    stage.until(299, after, 0.9)
    stage.do("alice", "raised")


def household_wallet(stage: Stage) -> None:
    """Plans, confirmations, pocket money, a new member, a lost one, and plans that grow too old."""

    def send_in(s: Stage) -> Move:
        return Move(user(s), "", (), s.random.choice((0, 5, ETHER // 3, ETHER)))

    def submit(s: Stage) -> Move:
        value = s.random.choice((0, 12_345, ETHER // 8, ETHER, 1000 * ETHER))
        data = s.random.choice((b"", b"", b"rent"))
        return Move(user(s), "submit", (account(s), value, data))

    def number(s: Stage) -> int:
        return max(int(s.view("planCount")) - s.random.choice((0, 1, 1, 2, 3, 4, 6)), 0)

    def confirm(s: Stage) -> Move:
        return Move(user(s), "confirm", (number(s), s.random.random() < 0.8))

    def carry_out(s: Stage) -> Move:
        return Move(user(s), "carryOut", (number(s),))

    def draw(s: Stage) -> Move:
        who = user(s)
        free = s.view("drawable", address(who))
        return Move(who, "draw", (s.random.choice((free, free // 2, free + 1, 1, 10**16)),))

    def drawable(s: Stage) -> Move:
        return Move(user(s), s.random.choice(("drawable", "drawn", "isMember")), (account(s),))

    def count(s: Stage) -> Move:
        return Move(user(s), s.random.choice(("confirmations", "plans")), (number(s),))

    def confirmed(s: Stage) -> Move:
        return Move(user(s), "confirmed", (number(s), account(s)))

    daily: list[tuple[int, Draft]] = [
        (5, send_in),
        (14, submit),
        (22, confirm),
        (14, carry_out),
        (16, draw),
        (8, drawable),
        (6, count),
        (2, confirmed),
        *looks("memberList", "planCount", "needed", "pocketMoney", "LIFETIME"),
    ]

    def plan(to: str, value: int, data: bytes, *members: str, ok: bool = True) -> int:
        """Has the members agree on a plan and the last of them carry it out."""
        index = int(stage.view("planCount"))
        stage.do(members[0], "submit", to, value, data)
        for member in members[1:]:
            stage.do(member, "confirm", index, True)
        stage.do(members[-1], "carryOut", index, ok=ok)
        return index

    wallet = stage.contract
    stage.do("mallory", "submit", address("mallory"), ETHER, b"", ok=False)
    stage.do("alice", "submit", address("erin"), ETHER, b"")
    stage.do("alice", "carryOut", 0, ok=False)
    stage.do("alice", "confirm", 0, True, ok=False)
    stage.do("mallory", "confirm", 0, True, ok=False)
    stage.do("bob", "confirm", 0, True)
    stage.do("bob", "confirm", 0, False)
    stage.do("bob", "carryOut", 0, ok=False)
    stage.do("carol", "confirm", 0, True)
    stage.do("mallory", "carryOut", 0, ok=False)
    stage.do("carol", "carryOut", 0)
    stage.do("carol", "carryOut", 0, ok=False)
    stage.do("carol", "confirm", 0, False, ok=False)
    stage.do("carol", "confirm", 1, True, ok=False)
    stage.do("carol", "carryOut", 7, ok=False)
    stage.do("alice", "draw", ETHER // 4)
    stage.do("alice", "draw", ETHER // 4 + 1, ok=False)
    stage.do("alice", "draw", ETHER // 4)
    stage.do("alice", "drawable", address("alice"))
    stage.do("alice", "draw", 1, ok=False)
    stage.do("mallory", "draw", 0, ok=False)
    stage.rest(DAY)
    stage.do("alice", "drawable", address("alice"))
    stage.do("alice", "draw", ETHER // 5)
    stage.do("alice", "drawn", address("alice"))
    stage.do("alice", "setRules", 1, ETHER, ok=False)
    stage.do("alice", "setMember", address("mallory"), True, ok=False)
    plan(wallet, 0, stage.data("setRules", 4, 0), "alice", "bob", ok=False)
    plan(wallet, 0, stage.data("setRules", 0, 0), "bob", "carol", ok=False)
    plan(wallet, 0, stage.data("setMember", address("dave"), True), "alice", "bob")
    stage.do("dave", "memberList")
    stage.do("dave", "draw", ETHER // 10)
    plan(wallet, 0, stage.data("setMember", address("dave"), True), "dave", "bob", ok=False)
    plan(wallet, 0, stage.data("setMember", NOBODY, True), "dave", "bob", ok=False)
    plan(wallet, 0, stage.data("setRules", 3, ETHER // 4), "dave", "carol")
    plan(wallet, 0, stage.data("needed"), "alice", "bob", "dave")
    plan(address("erin"), 500 * ETHER, b"", "alice", "bob", "dave", ok=False)
    stage.until(130, daily, 0.8)
    index = stage.view("planCount")
    stage.do("bob", "submit", address("erin"), 99, b"")
    stage.do("dave", "confirm", index, True)
    stage.do("alice", "confirmations", index)
    plan(wallet, 0, stage.data("setMember", address("bob"), False), "alice", "carol", "dave")
    stage.do("alice", "confirmations", index)
    stage.do("alice", "confirm", index, True)
    stage.do("alice", "carryOut", index, ok=False)
    stage.do("bob", "draw", 1, ok=False)
    stage.do("bob", "confirm", index, False, ok=False)
    stage.do("alice", "memberList")
    plan(
        wallet,
        0,
        stage.data("setMember", address("dave"), False),
        "alice",
        "carol",
        "dave",
        ok=False,
    )
    stage.do("carol", "confirm", index, True)
    stage.do("carol", "carryOut", index)
    late = stage.view("planCount")
    stage.do("alice", "submit", address("erin"), 7, b"")
    stage.do("alice", "submit", address("erin"), 8, b"")
    stage.do("dave", "confirm", late, True)
    submitted = stage.view("plans", late)[4]
    stage.chain.block_number += 14 * DAY // 14
    stage.chain.timestamp = submitted + 14 * DAY
    stage.do("carol", "confirm", late, True, now=True)
    stage.do("carol", "carryOut", late, now=True)
    stage.rest(60)
    stage.do("carol", "confirm", late + 1, True, ok=False)
    stage.do("alice", "confirm", late + 1, False)
    stage.do("alice", "carryOut", late + 1, ok=False)
    stage.until(215, daily, 0.8)
    stage.rest(20 * 3600)
    stage.until(260, daily, 0.8)
    plan(wallet, 0, stage.data("setMember", address("erin"), True), "alice", "carol", "dave")
    stage.rest(DAY)
    stage.until(298, daily, 0.8)
    stage.do("erin", "planCount")
    stage.do("erin", "memberList")
