"""Scripts of the ERC721 tasks."""

# ruff: noqa: PLR0915  (a script is a list of moves)

from __future__ import annotations

from solexp.benchmarks.starter.history.scenes.cast import (
    ETHER,
    NOBODY,
    account,
    looks,
    user,
)
from solexp.benchmarks.starter.history.stage import Draft, Move, Stage, address
from solexp.evm.words import keccak

KINDS = tuple(kind.ljust(12, b"\0") for kind in (b"smith", b"baker", b"pilot"))
ERC721 = "80ac58cd"


def badge_collection(stage: Stage) -> None:
    """Badges issued, handed on and revoked, so that the lists are reordered time and again."""

    def some(s: Stage) -> int:
        """Some badge, mostly one that exists."""
        count = s.view("totalSupply")
        if count == 0 or s.random.random() < 0.1:
            return int(s.random.choice((0, s.view("nextId"), s.view("nextId") // 2)))
        return int(s.view("tokenByIndex", s.random.randrange(count)))

    def holder(s: Stage, badge: int) -> str:
        owner = s.view("ownerOf", badge)
        return owner if owner is not None and s.random.random() < 0.9 else account(s)

    def issue(s: Stage) -> Move:
        who = s.random.choice(("owner", "owner", "issuer", "mallory"))
        kind = s.random.choice((*KINDS, *KINDS, bytes(12)))
        return Move(who, "issue", (account(s), kind, s.random.random() < 0.2))

    def revoke(s: Stage) -> Move:
        return Move(s.random.choice(("owner", "issuer", "alice")), "revoke", (some(s),))

    def transfer(s: Stage) -> Move:
        badge = some(s)
        owner = holder(s, badge)
        who = s.random.choice((owner, owner, user(s)))
        return Move(who, "transferFrom", (owner, account(s), badge))

    def safe(s: Stage) -> Move:
        badge = some(s)
        owner = holder(s, badge)
        to = s.random.choice((account(s), account(s), account(s), s.contract))
        if s.random.random() < 0.5:
            name = "safeTransferFrom(address,address,uint256)"
            return Move(owner, name, (owner, to, badge))
        name = "safeTransferFrom(address,address,uint256,bytes)"
        return Move(owner, name, (owner, to, badge, b"with thanks"))

    def approve(s: Stage) -> Move:
        badge = some(s)
        return Move(holder(s, badge), "approve", (s.random.choice((account(s), NOBODY)), badge))

    def approve_all(s: Stage) -> Move:
        return Move(user(s), "setApprovalForAll", (account(s), s.random.random() < 0.6))

    def by_index(s: Stage) -> Move:
        return Move(user(s), "tokenByIndex", (s.random.randrange(s.view("totalSupply") + 2),))

    def of_owner(s: Stage) -> Move:
        owner = account(s)
        index = s.random.randrange(s.view("balanceOf", owner) + 2)
        return Move(user(s), "tokenOfOwnerByIndex", (owner, index))

    def asks(s: Stage) -> Move:
        return Move(user(s), s.random.choice(("ownerOf", "getApproved", "badges")), (some(s),))

    def balance(s: Stage) -> Move:
        return Move(user(s), "balanceOf", (s.random.choice((account(s), account(s), NOBODY)),))

    def count(s: Stage) -> Move:
        return Move(user(s), "countOf", (s.random.choice(KINDS),))

    def operator(s: Stage) -> Move:
        return Move(user(s), "isApprovedForAll", (account(s), account(s)))

    daily: list[tuple[int, Draft]] = [
        (12, issue),
        (8, revoke),
        (16, transfer),
        (7, safe),
        (8, approve),
        (6, approve_all),
        (8, by_index),
        (10, of_owner),
        (6, asks),
        (3, balance),
        (2, count),
        (1, operator),
        *looks("totalSupply", "nextId", "name", "symbol", "curator"),
    ]
    for index, name in enumerate(("alice", "alice", "alice", "bob", "bob", "carol")):
        stage.do("owner", "issue", address(name), KINDS[index % 3], False)
    stage.do("owner", "issue", address("dave"), KINDS[0], True)
    stage.do("owner", "issue", address("dave"), bytes(12), False, ok=False)
    stage.do("owner", "issue", NOBODY, KINDS[0], False, ok=False)
    stage.do("issuer", "issue", address("dave"), KINDS[0], False, ok=False)
    stage.do("mallory", "setIssuer", address("mallory"), True, ok=False)
    stage.do("owner", "setIssuer", address("issuer"), True)
    stage.do("issuer", "issue", address("erin"), KINDS[1], False)
    stage.do("issuer", "issuers", address("issuer"))
    stage.do("issuer", "curator")
    stage.do("issuer", "supportsInterface", bytes.fromhex(ERC721))
    stage.do("issuer", "supportsInterface", bytes.fromhex("780e9d63"))
    stage.do("issuer", "supportsInterface", bytes.fromhex("ffffffff"))
    stage.do("alice", "transferFrom", address("alice"), address("erin"), 1)
    stage.do("alice", "tokenOfOwnerByIndex", address("alice"), 0)
    stage.do("dave", "transferFrom", address("dave"), address("erin"), 7, ok=False)
    plain = "safeTransferFrom(address,address,uint256)"
    stage.do("bob", plain, address("bob"), stage.contract, 4, ok=False)
    stage.do("bob", "approve", address("carol"), 4)
    stage.do("bob", "getApproved", 4)
    stage.do("carol", "approve", address("dave"), 4, ok=False)
    stage.do("carol", "transferFrom", address("bob"), address("dave"), 4)
    stage.do("bob", "getApproved", 4)
    stage.do("carol", "transferFrom", address("dave"), address("carol"), 4, ok=False)
    stage.do("bob", "approve", address("bob"), 5, ok=False)
    stage.do("bob", "setApprovalForAll", address("erin"), True)
    stage.do("erin", "approve", address("alice"), 5)
    stage.do("erin", "transferFrom", address("bob"), address("bob"), 5)
    stage.do("bob", "setApprovalForAll", address("bob"), True, ok=False)
    stage.do("bob", "transferFrom", address("alice"), address("bob"), 2, ok=False)
    stage.do("alice", "transferFrom", address("alice"), NOBODY, 2, ok=False)
    stage.do("issuer", "revoke", 2, ok=False)
    stage.do("alice", "revoke", 2, ok=False)
    stage.do("owner", "revoke", 2)
    stage.do("owner", "badges", 2)
    stage.do("owner", "ownerOf", 2, ok=False)
    stage.do("owner", "tokenByIndex", 1)
    stage.do("owner", "countOf", KINDS[1])
    stage.until(110, daily)
    stage.do("owner", "setIssuer", address("issuer"), False)
    mine = next(
        badge
        for badge in range(1, stage.view("nextId"))
        if stage.view("badges", badge)[0] == address("issuer")
    )
    stage.do("issuer", "revoke", mine, ok=False)
    stage.do("owner", "revoke", mine)
    stage.do("owner", "setIssuer", address("issuer"), True)
    stage.until(200, daily)
    while stage.view("totalSupply") > 0 and len(stage.calls) < 230:
        stage.do("owner", "revoke", stage.view("tokenByIndex", 0))
    stage.do("owner", "totalSupply")
    stage.until(297, daily)
    stage.do("owner", "totalSupply")
    stage.do("owner", "nextId")
    stage.do("owner", "countOf", KINDS[0])


def pair(left: bytes, right: bytes) -> bytes:
    """Returns the node above two nodes of a gate pass's list."""
    return keccak(min(left, right) + max(left, right)).to_bytes(32, "big")


def gate_pass(stage: Stage) -> None:
    """A list of four, a listed sale, an open one that sells out, locks, burns and an ended sale."""
    listed = {"alice": 6, "bob": 2, "carol": 9, "dave": 1}
    leaves = {
        name: keccak(bytes.fromhex(address(name)[2:]) + granted.to_bytes(32, "big")).to_bytes(
            32, "big"
        )
        for name, granted in listed.items()
    }
    left = pair(leaves["alice"], leaves["bob"])
    right = pair(leaves["carol"], leaves["dave"])
    paths = {
        "alice": [leaves["bob"], right],
        "bob": [leaves["alice"], right],
        "carol": [leaves["dave"], left],
        "dave": [leaves["carol"], left],
    }
    root = pair(left, right)

    def some(s: Stage) -> int:
        return s.random.randrange(1, s.view("minted") + 2)

    def holder(s: Stage, number: int) -> str:
        return s.view("ownerOf", number) or account(s)

    def buy_listed(s: Stage) -> Move:
        who = s.random.choice(tuple(listed))
        count = s.random.choice((0, 1, 1, 2, 3))
        granted = listed[who] + (s.random.random() < 0.1)
        value = s.view("listedPrice") * count + (s.random.random() < 0.1)
        return Move(who, "buyListed", (count, granted, paths[who]), value)

    def buy(s: Stage) -> Move:
        count = s.random.choice((0, 1, 1, 2, 3, 4, 5))
        extra = s.random.choice((0, 0, 1, ETHER // 50, -1))
        return Move(user(s), "buy", (count,), max(s.view("price") * count + extra, 0))

    def transfer(s: Stage) -> Move:
        number = some(s)
        owner = holder(s, number)
        who = s.random.choice((owner, owner, user(s)))
        return Move(who, "transferFrom", (owner, account(s), number))

    def approve(s: Stage) -> Move:
        number = some(s)
        return Move(holder(s, number), "approve", (account(s), number))

    def approve_all(s: Stage) -> Move:
        return Move(user(s), "setApprovalForAll", (account(s), s.random.random() < 0.5))

    def lock(s: Stage) -> Move:
        number = some(s)
        return Move(holder(s, number), "lock", (number, s.random.choice((0, 60, 600, 4000))))

    def burn(s: Stage) -> Move:
        number = some(s)
        return Move(s.random.choice((holder(s, number), user(s))), "burn", (number,))

    def set_price(s: Stage) -> Move:
        value = s.view("price") + s.random.choice((-1000, 0, 7))
        return Move(s.random.choice(("owner", "owner", "mallory")), "setPrice", (value,))

    def asks(s: Stage) -> Move:
        names = ("ownerOf", "tokenURI", "getApproved", "lockedUntil")
        return Move(user(s), s.random.choice(names), (some(s),))

    def balance(s: Stage) -> Move:
        return Move(user(s), s.random.choice(("balanceOf", "listedBought")), (account(s),))

    def operator(s: Stage) -> Move:
        return Move(user(s), "isApprovedForAll", (account(s), account(s)))

    def collect(s: Stage) -> Move:
        return Move(user(s), "collect")

    glances = looks("totalSupply", "listedPrice", "available", "phase", "price", "minted", "burned")
    glances += looks("given", "listRoot", "name", "baseURI", "doorkeeper")
    glances += looks("LARGEST_SUPPLY", "PER_PURCHASE", "RESERVED")
    trade: list[tuple[int, Draft]] = [
        (14, transfer),
        (8, approve),
        (5, approve_all),
        (7, lock),
        (4, burn),
        (1, set_price),
        (9, asks),
        (4, balance),
        (1, operator),
        (2, collect),
        *glances,
    ]
    stage.do("alice", "buy", 1, value=ETHER, ok=False)
    stage.do("owner", "nextPhase", ok=False)
    stage.do("mallory", "setList", root, ok=False)
    stage.do("owner", "setList", root)
    stage.do("mallory", "listRoot")
    stage.do("mallory", "price")
    stage.do("owner", "setPrice", 60_000_000_000_000_001)
    stage.do("alice", "listedPrice")
    stage.do("owner", "give", [address("erin"), address("alice"), address("erin")])
    stage.do("owner", "give", [address("erin"), NOBODY], ok=False)
    stage.do("mallory", "give", [address("mallory")], ok=False)
    stage.do("alice", "buyListed", 1, 6, paths["alice"], value=stage.view("listedPrice"), ok=False)
    stage.do("mallory", "nextPhase", ok=False)
    stage.do("owner", "nextPhase")
    stage.do("owner", "setPrice", ETHER, ok=False)
    low = stage.view("listedPrice")
    stage.do("alice", "buyListed", 4, 6, paths["alice"], value=4 * low)
    stage.do("alice", "buyListed", 3, 6, paths["alice"], value=3 * low, ok=False)
    stage.do("alice", "buyListed", 2, 6, paths["alice"], value=2 * low)
    stage.do("alice", "buyListed", 1, 6, paths["alice"], value=low, ok=False)
    stage.do("mallory", "buyListed", 1, 6, paths["alice"], value=low, ok=False)
    stage.do("bob", "buyListed", 1, 3, paths["bob"], value=low, ok=False)
    stage.do("bob", "buyListed", 1, 2, paths["bob"], value=low + 1, ok=False)
    stage.do("bob", "buyListed", 0, 2, paths["bob"], ok=False)
    stage.do("bob", "buy", 1, value=ETHER, ok=False)
    stage.do("bob", "listedBought", address("alice"))
    stage.until(75, [(14, buy_listed), *trade])
    stage.do("owner", "nextPhase")
    stage.do("owner", "setList", bytes(32), ok=False)
    stage.do("bob", "buyListed", 1, 2, paths["bob"], value=low, ok=False)
    stage.do("erin", "buy", 4, value=5 * stage.view("price"))
    stage.do("erin", "buy", 5, value=6 * stage.view("price"), ok=False)
    stage.do("erin", "balanceOf", address("erin"))
    stage.do("erin", "tokenURI", stage.view("minted"))
    stage.do("erin", "lock", stage.view("minted"), 5000)
    mine = stage.view("minted")
    stage.do("erin", "transferFrom", address("erin"), address("bob"), mine, ok=False)
    stage.do("erin", "burn", mine, ok=False)
    stage.do("erin", "lock", mine, 100, ok=False)
    stage.do("bob", "lock", mine, 10**6, ok=False)
    stage.do("erin", "approve", address("carol"), mine)
    stage.rest(5000)
    stage.do("carol", "transferFrom", address("erin"), address("dave"), mine)
    stage.do("carol", "burn", mine, ok=False)
    stage.do("dave", "lock", mine, 24, now=True)
    stage.blocks(2)
    stage.do("dave", "burn", mine, now=True)
    stage.do("dave", "lockedUntil", mine)
    stage.do("dave", "totalSupply")
    stage.until(195, [(26, buy), *trade])
    while stage.view("available") > 4 and len(stage.calls) < 235:
        stage.do(user(stage), "buy", 4, value=4 * stage.view("price"))
    rest = stage.view("available")
    if rest > 0:
        stage.do("carol", "buy", rest, value=rest * stage.view("price"))
    stage.do("carol", "available")
    stage.do("carol", "buy", 1, value=ETHER, ok=False)
    stage.do("owner", "give", [address("bob")] * 8, ok=False)
    stage.do("owner", "give", [address("bob")] * 7)
    stage.do("owner", "give", [address("bob")], ok=False)
    stage.do("owner", "nextPhase")
    stage.do("owner", "nextPhase", ok=False)
    stage.do("carol", "buy", 1, value=ETHER, ok=False)
    stage.do("mallory", "collect")
    stage.until(297, trade)
    stage.do("carol", "isApprovedForAll", address("alice"), address("bob"))
    stage.do("carol", "minted")
    stage.do("carol", "totalSupply")
