"""Scripts of the ERC20 tasks."""

# ruff: noqa: PLR0915  (a script is a list of moves)

from __future__ import annotations

from solexp.benchmarks.starter.history.stage import Draft, Move, Stage, address

NOBODY = "0x" + "00" * 20
USERS = ("alice", "bob", "carol", "dave", "erin")
HUGE = 2**256 - 1


def user(stage: Stage) -> str:
    """Returns the name of some user."""
    return stage.random.choice(USERS)


def account(stage: Stage) -> str:
    """Returns the address of some user."""
    return address(user(stage))


def share(stage: Stage, amount: int) -> int:
    """Returns some part of ``amount``, now and then all of it, or a little more."""
    return stage.random.choice(
        (amount, amount + 1, amount // 2, amount // 3, amount // 10, amount // 17 + 1, 1)
    )


def looks(*functions: str) -> list[tuple[int, Draft]]:
    """Returns drafts in which a user reads the functions without arguments."""

    def look(function: str) -> Draft:
        return lambda stage: Move(user(stage), function)

    return [(1, look(function)) for function in functions]


def harbor_token(stage: Stage) -> None:
    """A token year: minting, spending, a halt, frozen accounts, a change of owner, the cap reached."""
    unit = 10**6

    def transfer(s: Stage) -> Move:
        who = user(s)
        return Move(who, "transfer", (account(s), share(s, s.view("balanceOf", address(who)))))

    def approve(s: Stage) -> Move:
        return Move(user(s), "approve", (account(s), s.random.choice((0, 5, 900, 40_000)) * unit))

    def spend(s: Stage) -> Move:
        who, holder = user(s), account(s)
        allowed = s.view("allowance", holder, address(who))
        held = s.view("balanceOf", holder)
        return Move(who, "transferFrom", (holder, account(s), share(s, min(allowed, held))))

    def more(s: Stage) -> Move:
        extra = s.random.choice((10 * unit, 2500 * unit, HUGE))
        return Move(user(s), "increaseAllowance", (account(s), extra))

    def less(s: Stage) -> Move:
        return Move(
            user(s), "decreaseAllowance", (account(s), s.random.choice((7, 100, 10**5)) * unit)
        )

    def pay_many(s: Stage) -> Move:
        who = user(s)
        part = s.view("balanceOf", address(who)) // 4
        count = s.random.choice((0, 1, 2, 3, 5))
        values = [share(s, part) for _ in range(count)]
        recipients = [account(s) for _ in range(count)]
        if s.random.random() < 0.15:
            values.append(1)
        return Move(who, "payMany", (recipients, values))

    def mint(s: Stage) -> Move:
        who = s.random.choice(("owner", "owner", "owner", "mallory", "heir"))
        value = s.random.choice((1, 1000, 60_000, 10**7)) * unit
        return Move(who, "mint", (account(s), value))

    def burn(s: Stage) -> Move:
        who = user(s)
        return Move(who, "burn", (share(s, s.view("balanceOf", address(who)) // 3),))

    def freeze(s: Stage) -> Move:
        who = s.random.choice(("owner", "owner", "heir", "mallory"))
        return Move(who, "setFrozen", (account(s), s.random.random() < 0.35))

    def balance(s: Stage) -> Move:
        return Move(user(s), "balanceOf", (account(s),))

    def allowance(s: Stage) -> Move:
        return Move(user(s), "allowance", (account(s), account(s)))

    daily: list[tuple[int, Draft]] = [
        (20, transfer),
        (9, approve),
        (14, spend),
        (4, more),
        (4, less),
        (7, pay_many),
        (5, mint),
        (5, burn),
        (3, freeze),
        (2, balance),
        (2, allowance),
        *looks("totalSupply", "mintable", "name", "symbol", "decimals", "cap", "everMinted"),
    ]
    for name in USERS:
        stage.do("owner", "transfer", address(name), 200_000 * unit)
    stage.do("owner", "transfer", NOBODY, 1, ok=False)
    stage.do("alice", "approve", address("bob"), 1000 * unit)
    stage.do("bob", "transferFrom", address("alice"), address("carol"), 600 * unit)
    stage.do("bob", "transferFrom", address("alice"), address("carol"), 600 * unit, ok=False)
    stage.do("bob", "transferFrom", address("alice"), address("carol"), 400 * unit)
    stage.do("alice", "approve", address("dave"), HUGE)
    stage.do("dave", "transferFrom", address("alice"), address("dave"), 25 * unit)
    stage.do("erin", "allowance", address("alice"), address("dave"))
    stage.do("alice", "increaseAllowance", address("dave"), 100 * unit, ok=False)
    stage.do("alice", "decreaseAllowance", address("dave"), HUGE)
    stage.do("alice", "approve", NOBODY, 5, ok=False)
    stage.until(95, daily)
    stage.do("mallory", "setHalted", True, ok=False)
    stage.do("owner", "setHalted", False, ok=False)
    stage.do("owner", "setHalted", True)
    stage.do("alice", "approve", address("carol"), 3 * unit)
    stage.do("alice", "transfer", address("carol"), 3 * unit, ok=False)
    stage.do("alice", "burn", 1, ok=False)
    stage.do("alice", "payMany", [address("carol")], [1], ok=False)
    stage.do("carol", "transferFrom", address("alice"), address("carol"), 3 * unit, ok=False)
    stage.do("owner", "mint", address("alice"), unit, ok=False)
    stage.do("alice", "halted")
    stage.until(112, [(3, approve), (3, transfer), (1, balance)], 0.6)
    stage.do("owner", "setHalted", False)
    stage.do("carol", "transferFrom", address("alice"), address("carol"), 3 * unit)
    stage.until(160, daily)
    for name in USERS:
        if stage.view("frozen", address(name)):
            stage.do("owner", "setFrozen", address(name), False)
    stage.do("owner", "setFrozen", address("erin"), True)
    stage.do("erin", "transfer", address("bob"), 1, ok=False)
    stage.do("bob", "transfer", address("erin"), 1, ok=False)
    stage.do("erin", "burn", 1, ok=False)
    stage.do("owner", "mint", address("erin"), 1, ok=False)
    stage.do("owner", "setFrozen", address("owner"), True, ok=False)
    stage.do("bob", "frozen", address("erin"))
    stage.do("owner", "setFrozen", address("erin"), False)
    stage.do("owner", "transfer", address("mallory"), 10 * unit)
    stage.do("mallory", "transfer", address("mallory"), 4 * unit)
    stage.do("mallory", "burn", 4 * unit)
    stage.until(215, daily)
    stage.do("mallory", "offerOwnership", address("mallory"), ok=False)
    stage.do("owner", "offerOwnership", address("heir"))
    stage.do("mallory", "acceptOwnership", ok=False)
    stage.do("bob", "heir")
    stage.do("heir", "acceptOwnership")
    stage.do("bob", "owner")
    stage.do("owner", "mint", address("owner"), unit, ok=False)
    stage.do("heir", "setFrozen", address("owner"), True)
    stage.do("heir", "setFrozen", address("heir"), True, ok=False)
    stage.do("heir", "mint", NOBODY, 1, ok=False)
    stage.until(270, daily)
    room = stage.view("mintable")
    if stage.view("frozen", address("bob")):
        stage.do("heir", "setFrozen", address("bob"), False)
    stage.do("heir", "mint", address("bob"), room + 1, ok=False)
    stage.do("heir", "mint", address("bob"), room)
    stage.do("alice", "mintable")
    stage.do("heir", "mint", address("bob"), 1, ok=False)
    stage.do("bob", "burn", 500 * unit)
    stage.do("heir", "mint", address("bob"), 200 * unit)
    stage.until(298, daily)
    stage.do("carol", "everMinted")
    stage.do("carol", "totalSupply")


def toll_token(stage: Stage) -> None:
    """A token with a changing toll, exemptions, infinite allowances and a new steward."""
    unit = 10**18

    def transfer(s: Stage) -> Move:
        who = user(s)
        value = share(s, s.view("balanceOf", address(who))) + s.random.randrange(0, 3)
        return Move(who, "transfer", (s.random.choice((account(s), account(s), NOBODY)), value))

    def approve(s: Stage) -> Move:
        value = s.random.choice((0, 17, 250 * unit, 9000 * unit, HUGE))
        return Move(user(s), "approve", (account(s), value))

    def spend(s: Stage) -> Move:
        who, holder = user(s), account(s)
        allowed = s.view("allowance", holder, address(who))
        held = s.view("balanceOf", holder)
        return Move(who, "transferFrom", (holder, account(s), share(s, min(allowed, held))))

    def burn(s: Stage) -> Move:
        who = user(s)
        return Move(who, "burn", (share(s, s.view("balanceOf", address(who)) // 5),))

    def set_toll(s: Stage) -> Move:
        who = s.random.choice(("owner", "owner", "second", "collector", "mallory"))
        return Move(who, "setToll", (s.random.choice((0, 1, 33, 150, 999, 1000, 1001, 5000)),))

    def set_exempt(s: Stage) -> Move:
        who = s.random.choice(("owner", "owner", "second", "alice"))
        return Move(who, "setExempt", (account(s), s.random.random() < 0.4))

    def balance(s: Stage) -> Move:
        return Move(user(s), "balanceOf", (s.random.choice((account(s), address("collector"))),))

    def allowance(s: Stage) -> Move:
        return Move(user(s), "allowance", (account(s), account(s)))

    def toll_for(s: Stage) -> Move:
        value = s.random.choice((1, 66, 67, 6667, 123_456_789, 10**24, 2**250))
        return Move(user(s), "tollFor", (account(s), account(s), value))

    daily: list[tuple[int, Draft]] = [
        (26, transfer),
        (10, approve),
        (18, spend),
        (6, burn),
        (4, set_toll),
        (4, set_exempt),
        (4, balance),
        (2, allowance),
        (4, toll_for),
        *looks("totalSupply", "toll", "collector", "tollTaken", "steward", "name", "symbol"),
        *looks("decimals", "HIGHEST_TOLL"),
    ]
    for index, name in enumerate(USERS):
        stage.do("owner", "transfer", address(name), (30_000 + 777 * index) * unit)
    stage.do("alice", "transfer", address("bob"), 1000 * unit + 99)
    stage.do("alice", "transfer", address("bob"), 66)
    stage.do("alice", "transfer", address("bob"), 67)
    stage.do("alice", "transfer", address("alice"), 40 * unit)
    stage.do("carol", "transfer", NOBODY, 1, ok=False)
    stage.do("bob", "approve", address("carol"), 500 * unit)
    stage.do("carol", "transferFrom", address("bob"), address("dave"), 300 * unit)
    stage.do("carol", "allowance", address("bob"), address("carol"))
    stage.do("carol", "transferFrom", address("bob"), address("dave"), 201 * unit, ok=False)
    stage.do("carol", "transferFrom", address("bob"), address("dave"), 200 * unit)
    stage.do("carol", "transferFrom", address("bob"), address("dave"), 1, ok=False)
    stage.do("bob", "approve", address("erin"), HUGE)
    stage.do("erin", "transferFrom", address("bob"), address("erin"), 12 * unit)
    stage.do("erin", "allowance", address("bob"), address("erin"))
    stage.do("bob", "approve", NOBODY, 1, ok=False)
    stage.do("owner", "setExempt", address("owner"), True, ok=False)
    stage.until(85, daily)
    stage.do("mallory", "setCollector", address("mallory"), ok=False)
    stage.do("alice", "transfer", address("collector"), 20 * unit)
    stage.do("collector", "transfer", address("alice"), 10 * unit)
    stage.do("collector", "setCollector", NOBODY, ok=False)
    stage.do("collector", "setCollector", address("purse"))
    stage.do("collector", "setCollector", address("collector"), ok=False)
    stage.do("dave", "transfer", address("carol"), 10 * unit)
    stage.do("dave", "balanceOf", address("purse"))
    stage.do("owner", "setCollector", address("collector"))
    stage.do("owner", "setToll", 1000)
    stage.do("owner", "setToll", 1001, ok=False)
    stage.do("mallory", "setToll", 0, ok=False)
    stage.until(175, daily)
    if not stage.view("exempt", address("carol")):
        stage.do("owner", "setExempt", address("carol"), True)
    for name in ("alice", "dave"):
        if stage.view("exempt", address(name)):
            stage.do("owner", "setExempt", address(name), False)
    stage.do("owner", "setExempt", address("carol"), True, ok=False)
    stage.do("owner", "transfer", address("carol"), 500 * unit)
    stage.do("owner", "transfer", address("alice"), 500 * unit)
    stage.do("owner", "transfer", address("dave"), 500 * unit)
    stage.do("owner", "setToll", 300)
    stage.do("owner", "setToll", 300)
    stage.do("carol", "transfer", address("alice"), 50 * unit)
    stage.do("alice", "transfer", address("carol"), 50 * unit)
    stage.do("dave", "transfer", address("alice"), 50 * unit)
    stage.do("dave", "tollFor", address("dave"), address("carol"), 10**20)
    stage.do("dave", "exempt", address("carol"))
    stage.until(235, daily)
    stage.do("mallory", "passOn", address("mallory"), ok=False)
    stage.do("owner", "passOn", NOBODY, ok=False)
    stage.do("owner", "passOn", address("second"))
    stage.do("owner", "setToll", 10, ok=False)
    stage.do("second", "setToll", 10)
    stage.until(297, daily)
    stage.do("carol", "tollTaken")
    stage.do("carol", "totalSupply")
    stage.do("second", "setToll", 25)
