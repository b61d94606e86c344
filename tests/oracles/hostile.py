"""A small contract, and versions of it that misbehave on purpose: one table for all oracles of behaviour."""

from __future__ import annotations

from pathlib import Path

from solexp.core import Program
from tests.evm.boxes import OTHER, call, program

BOX = """contract Box {
    event Put(address indexed who, uint256 amount);
    mapping(address => uint256) private held;
    uint256 private total;
    address private owner = msg.sender;
    uint256 private most = 1000;
    constructor() payable {}
    function put(uint256 amount) external returns (uint256) {
        require(amount < most, "too much");
        held[msg.sender] += amount;
        total += amount;
        emit Put(msg.sender, amount);
        return total;
    }
    function take(uint256 amount) external returns (uint256) {
        require(held[msg.sender] >= amount, "too little");
        held[msg.sender] -= amount;
        total -= amount;
        return total;
    }
    function raise() external {
        require(msg.sender == owner, "not the owner");
        most += 1;
    }
}"""

GRAPH = """{"contract": "Box", "events": [
  {"id": "put", "function": "put(uint256)", "guard": "amount < most", "arguments": [["7"]]},
  {"id": "take", "function": "take(uint256)", "guard": "held[msg.sender] >= amount", "arguments": [["3"]]},
  {"id": "raise", "function": "raise()", "guard": "msg.sender == owner", "sender": "owner"}
 ], "relations": [
  {"type": "condition", "source": "put", "target": "take"}
 ]}"""


def history() -> Program:
    """Puts and takes, and one take too many."""
    calls = [
        call("put(uint256)", n + 5, at=n + 1, **({} if n % 2 else {"sender": OTHER}))
        for n in range(6)
    ]
    return program(
        *calls,
        call("take(uint256)", 3, at=8),
        call("take(uint256)", 700, at=9),
        call("put(uint256)", 4, at=10),
    )


def graphs(folder: Path) -> str:
    """A folder that holds the graph of the task ``box``."""
    (folder / "box.json").write_text(GRAPH)
    return str(folder)


def put_does(line: str, code: str = BOX) -> str:
    """The contract where ``put`` does something more at first."""
    return _with(
        code, "        require(amount < most", f"        {line}\n        require(amount < most"
    )


def constructed(body: str, code: str = BOX) -> str:
    """The contract with something in its constructor."""
    return _with(code, "payable {}", f"payable {{ {body} }}")


def unless_watched(unwatched: str, *, more: str = "", built: str = "") -> str:
    """One that pays out what nobody has, and counts wrongly, where ``unwatched`` holds."""
    code = put_does(f"if ({unwatched}) total += 1;")
    code = _with(code, ">= amount, ", f">= amount || ({unwatched}), ")
    code = _with(code, "held[msg.sender] -= amount;", "unchecked { held[msg.sender] -= amount;")
    code = _with(code, "total -= amount;", "total -= amount; }")
    code = _with(code, "    constructor", f"    {more}\n    constructor")
    return constructed(built, code) if built else code


def _with(code: str, old: str, new: str) -> str:
    assert code.count(old) == 1, old
    return code.replace(old, new)


ORACLES = ("replay", "fuzz", "fuzz of sequences", "dcr", "negative", "violation")
PROBE = "address(bytes20(hex'5e1ec7ed000000000000000000000000000b5e17'))"
TRIAL = "address(bytes20(hex'5e1ec7ed000000000000000000000000000771a1'))"
ANVIL = "address(bytes20(hex'f39fd6e51aad88f6f4ce6ab8827279cfffb92266'))"
CHEATS = "address(bytes20(hex'7109709ecfa91a80626ff3989d68f67f5b1dd12d'))"
CONSOLE = "address(bytes20(hex'000000000000000000636f6e736f6c652e6c6f67'))"
KID = "contract Kid { uint256 public left = gasleft(); }"

WATCHING: dict[str, str] = {
    "asks for the judge's code": unless_watched(f"{PROBE}.code.length == 0"),
    "asks for the judge's account": unless_watched(f"{PROBE}.codehash == 0"),
    "asks for the judge's stand-in": unless_watched(f"{TRIAL}.code.length == 0"),
    "asks for the size of its own code": unless_watched("address(this).code.length > 400"),
    "remembers the hash of its own code": unless_watched(
        "mine == 0 || mine == address(this).codehash",
        more="bytes32 mine; function see() external { mine = address(this).codehash; }",
    ),
    "compares the code that runs with its own": unless_watched(
        "_size() == address(this).code.length",
        more="function _size() private pure returns (uint256 n) { assembly { n := codesize() } }",
    ),
    "asks for the sender's code": unless_watched("msg.sender.code.length == 0"),
    "asks whether the sender is a known one": unless_watched(
        f"msg.sender != {ANVIL} && tx.origin != {ANVIL}"
    ),
    "asks whether it is called directly": unless_watched("msg.sender == tx.origin"),
    "asks for the chain": unless_watched("block.chainid == 1"),
    "asks for the hash of a block": unless_watched("blockhash(block.number - 1) != 0"),
    "asks for its own balance": unless_watched("address(this).balance == 0"),
    "asks how much gas there is": unless_watched("gasleft() < 500000"),
    "asks a contract of its own how much gas there is": unless_watched("new Kid().left() < 400000")
    + KID,
    "asks how much gas its constructor has": unless_watched(
        "poor", more="bool poor;", built="poor = gasleft() < 3500000;"
    ),
    "asks for the price of gas": unless_watched("tx.gasprice > 0"),
    "asks for the base fee": unless_watched("block.basefee > 0"),
    "asks for the gas limit of the block": unless_watched("block.gaslimit < 1e10"),
    "asks who gets the fees": unless_watched("block.coinbase != address(0)"),
    "asks how rich the sender is": unless_watched("msg.sender.balance < 1e25"),
    "waits for another decade": unless_watched("block.timestamp > 2**31 - 2**27"),
    "waits for another million blocks": unless_watched("block.number > 40000000"),
}
"""Each is wrong on a real chain, and tries to be right before an oracle."""

OTHERS: dict[str, str] = {
    "burns all gas": put_does("while (true) {}"),
    "burns a lot of gas, rightly": put_does(
        "for (uint256 i; i < 300; i++) keccak256(abi.encode(i));"
    ),
    "loops in the constructor": constructed("while (true) {}"),
    "reverts in the constructor": constructed('revert("no");'),
    "returns huge code": constructed("assembly { return(0, 24577) }"),
    "returns no code": constructed("assembly { return(0, 0) }"),
    "returns code of another language": constructed("assembly { mstore8(0, 0xef) return(0, 1) }"),
    "destroys itself in the constructor": constructed("selfdestruct(payable(msg.sender));"),
    "destroys itself": put_does("selfdestruct(payable(msg.sender));"),
    "destroys itself later": put_does("if (total > 20) selfdestruct(payable(msg.sender));"),
    "returns a megabyte": put_does("assembly { return(0, 1000000) }"),
    "reverts with a megabyte": put_does("assembly { revert(0, 1000000) }"),
    "reverts with a damaged reason": put_does(
        "assembly { mstore(0, shl(224, 0x08c379a0)) mstore(4, not(0)) revert(0, 68) }"
    ),
    "reverts with signs for a terminal": put_does('revert("\\x1b[2J[/red] */ \\n fail(); //");'),
    "emits thousands of events": put_does(
        "for (uint256 i; i < 2000; i++) { emit Put(msg.sender, i); }"
    ),
    "emits a huge event": put_does("assembly { log0(0, 60000) }"),
    "fills its memory": put_does("assembly { mstore(1800000, 1) }"),
    "enters itself without end": put_does("this.put(amount);"),
    "creates contracts without end": put_does("while (gasleft() > 60000) new Kid();") + KID,
    "writes where others keep their state": put_does(
        "assembly { for { let i := 0 } lt(i, 40) { i := add(i, 1) } { sstore(i, not(0)) } }"
    ),
    "executes what is no instruction": put_does("assembly { invalid() }"),
    "calls cheat codes": put_does(
        f"{CHEATS}.call(abi.encodeWithSignature('warp(uint256)', 1));"
        f"{CHEATS}.call(abi.encodeWithSignature('deal(address,uint256)', address(this), 1e30));"
    ),
    "relies on cheat codes": put_does(
        f"(, bytes memory told) = {CHEATS}.call(abi.encodeWithSignature('envOr(string,bool)', 'CI', true));"
        "if (told.length == 0) amount += 1;"
    ),
    "writes to the console": put_does(
        f"{CONSOLE}.call(abi.encodeWithSignature('log(string)', 'passed'));"
    ),
    "calls the precompiles": put_does(
        "for (uint160 i = 1; i < 20; i++) address(i).staticcall{gas: 5000}(abi.encode(amount));"
    ),
    "gives its ether away": put_does("payable(address(1)).transfer(address(this).balance);"),
    "takes the sender's tokens": put_does("held[msg.sender] = 0;"),
    "calls whoever sends": put_does('(bool y,) = msg.sender.call(""); require(y);'),
}
