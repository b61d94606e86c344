"""What the replies of this folder are made of: a source, and functions as models write them.

Unless a case says otherwise, ``leave(uint256,address)`` of Vault is wanted.
"""

from __future__ import annotations

from typing import NamedTuple

from solexp.core import FinishReason, NoCode, PromptForm

SOURCE = """// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

error Late(uint256 when);

function half(uint256 x) pure returns (uint256) {
    return x / 2;
}

library Shares {
    function of(uint256 a, uint256 b) internal pure returns (uint256) {
        return a * b;
    }
}

contract Ownable {
    address public owner = msg.sender;

    modifier onlyOwner() {
        require(msg.sender == owner, "not the owner");
        _;
    }

    function _pay(address to, uint256 amount) internal {
        payable(to).transfer(amount);
    }
}

contract Vault is Ownable {
    mapping(address => uint256) public shares;
    struct Item { uint256 id; }

    event Left(address indexed who, uint256 amount);

    constructor(uint256 first) {
        shares[msg.sender] = first;
    }

    modifier open(uint256 until) {
        require(block.timestamp < until, "closed");
        _;
    }

    /// @notice Takes ether out.
    function leave(uint256 amount, address to) external onlyOwner returns (bool) {
        require(shares[msg.sender] >= amount, 'it\\'s "too" much }'); // closes: }
        shares[msg.sender] -= amount; /* } */
        _pay(to, amount);
        emit Left(to, amount);
        return true;
    }

    /// @notice Takes everything out.
    function leave() external returns (bool) {
        shares[msg.sender] = 0;
        return true;
    }

    function leave(Item memory item, bytes calldata) external {
        shares[msg.sender] = item.id;
    }

    function check(address who) public view returns (uint256) {
        return shares[who];
    }

    receive() external payable {
        shares[msg.sender] += msg.value;
    }

    fallback() external payable {
        revert("no such function");
    }
}
"""

OLD = """pragma solidity ^0.4.11;
contract Coin {
    mapping (address => uint) balances;
    function Coin(uint supply) {
        balances[msg.sender] = supply;
    }
    function() payable {
        if (msg.value == 0) throw;
        balances[msg.sender] += msg.value;
    }
    function balanceOf(address who) constant returns (uint) {
        var found = balances[who];
        return found;
    }
}
"""

LEAVE = """function leave(uint256 amount, address to) external onlyOwner returns (bool) {
    require(shares[msg.sender] >= amount, "it's too much }");
    shares[msg.sender] -= amount; // done: }
    _pay(to, amount);
    return true;
}"""
HEADER, _, _INNER = LEAVE.partition("{")
BODY = "{" + _INNER
INNER = _INNER[:-1]
ORIGINAL = """function leave(uint256 amount, address to) external onlyOwner returns (bool) """
"""The wanted head as the source has it."""
STUB = HEADER + "{ }"
HELPER = """function _take(uint256 amount) private {
    shares[msg.sender] -= amount;
}"""
USES_HELPER = LEAVE.replace("shares[msg.sender] -= amount;", "_take(amount);")
OTHER_OVERLOAD = """function leave() external returns (bool) {
    shares[msg.sender] = 0;
    return true;
}"""
UNCLOSED = LEAVE[:-2]
PLAIN = LEAVE.replace(" external onlyOwner", " public")

OLD_BALANCE = """function balanceOf(address who) constant returns (uint) {
var found = balances[who];
if (found == 0) throw;
return found;
}"""


def fenced(code: str, language: str = "solidity") -> str:
    return f"```{language}\n{code}\n```\n"


def contract(*members: str, name: str = "Vault", bases: str = " is Ownable") -> str:
    return f"contract {name}{bases} {{\n" + "\n\n".join(members) + "\n}"


class Case(NamedTuple):
    name: str
    reply: str
    code: str | None = LEAVE
    no_code: NoCode | None = None
    wanted: str = "leave(uint256,address)"
    contract: str = "Vault"
    form: PromptForm = "chat"
    finish: FinishReason = FinishReason.STOP
    notes: tuple[str, ...] = ()
    """Parts of notes that must be there."""
    source: str = SOURCE


STOP, LENGTH = FinishReason.STOP, FinishReason.LENGTH
CONSTRUCTOR = "constructor(uint256 first) {\n    shares[msg.sender] = first * 2;\n}"
MODIFIER = (
    'modifier open(uint256 until) {\n    if (block.timestamp >= until) revert("closed");\n    _;\n}'
)
RECEIVE = "receive() external payable {\n    shares[tx.origin] += msg.value;\n}"
FALLBACK = (
    'fallback(bytes calldata) external payable returns (bytes memory) {\n    revert("no");\n}'
)
LIBRARY = "function of(uint a, uint b) internal pure returns (uint) { return b * a; }"
FREE = "function half(uint256 x) pure returns (uint256) { return x >> 1; }"
