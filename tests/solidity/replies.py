"""Replies as models write them, each with what extraction must make of it. The target is called Vault."""

from __future__ import annotations

import json
from typing import NamedTuple

from solexp.core import FinishReason, NoCode

CODE = """contract Vault is Ownable {
    mapping(address => uint256) public shares;
    string public constant MOTTO = "all { for one }";

    // closes here: }
    function deposit() external payable {
        shares[msg.sender] += msg.value; /* } */
    }

    function leave(uint256 amount) external {
        require(shares[msg.sender] >= amount, 'it\\'s "too" much }');
        shares[msg.sender] -= amount;
        payable(msg.sender).transfer(amount);
    }
}"""

OUTLINE = """contract Vault is Ownable {
    mapping(address => uint256) public shares;
    /// @notice Puts ether in.
    function deposit() external payable {}
    /// @notice Takes ether out.
    function leave(uint256 amount) external {}
}"""

OTHER = """contract Ownable {
    address public owner = msg.sender;
}"""

OLD = """contract Vault is Ownable {
    function Vault() { owner = msg.sender; }
    function () payable { var x = 1; if (x == 2) throw; }
    function peek() constant returns (uint) { return 1; }
}"""

BROKEN = """contract Vault is Ownable {
    function deposit( external payable { shares[msg.sender] += ; }
    function leave(uint256 amount) external returns { ] }
}"""

ABSTRACT = CODE.replace("contract Vault", "abstract contract Vault")
LIBRARY = """library Vault {
    function half(uint256 x) internal pure returns (uint256) { return x / 2; }
}"""
INTERFACE = "interface Vault {\n    function deposit() external payable;\n}"
FILE = f"// SPDX-License-Identifier: MIT\npragma solidity ^0.8.0;\n\n{OTHER}\n\n{CODE}\n"


SKETCH = """contract Vault is Ownable {
    // ... state as before ...
    function deposit() external payable { shares[msg.sender] += msg.value; }
    function leave(uint256 amount) external { shares[msg.sender] -= amount; }
}"""
SPLIT = """contract Vault {
    uint256 x;
    function one() external { x = 1; }
|    function two() external { x = 2; }
}
"""


def added(code: str) -> str:
    """The code as a diff that adds it."""
    return "".join(f"+{line}" for line in code.splitlines(keepends=True)).rstrip("\n")


class Reply(NamedTuple):
    """A reply, and the code or the reason that must come of it."""

    what: str
    text: str
    code: str | None = None
    no_code: NoCode | None = None
    finish: FinishReason = FinishReason.STOP


def fenced(code: str, language: str = "solidity", fence: str = "```") -> str:
    return f"{fence}{language}\n{code}\n{fence}\n"


REPLIES = [
    Reply("the bare code", CODE, CODE),
    Reply("one fence", fenced(CODE), CODE),
    Reply("a fence without a language", fenced(CODE, ""), CODE),
    Reply("a fence of tildes", fenced(CODE, "solidity", "~~~"), CODE),
    Reply("a longer fence", fenced(CODE, "solidity", "`````"), CODE),
    Reply("an indented fence", f"1. Here:\n   ```solidity\n{CODE}\n   ```", CODE),
    Reply(
        "prose on both sides", f"Here's the code:\n\n{fenced(CODE)}\nIt doesn't need more.", CODE
    ),
    Reply("prose but no fence", f"Here's the code you've asked for:\n\n{CODE}\n\nThat's it.", CODE),
    Reply("an unclosed fence", f"```solidity\n{CODE}\n", CODE),
    Reply("only a closing fence", f"{CODE}\n```\nDone.", CODE),
    Reply("a fence on the line of the last brace", f"```solidity\n{CODE}```", CODE),
    Reply("a fence opened behind prose", f"The code: ```solidity\n{CODE}\n```", CODE),
    Reply("two fences opened, one closed", f"```\n```solidity\n{CODE}\n```", CODE),
    Reply("the right fence second", fenced("npm install", "sh") + fenced(CODE), CODE),
    Reply("the right fence third", fenced(OTHER) + fenced("{}", "json") + fenced(CODE), CODE),
    Reply("a stray fence before", f"```\nWell.\n{CODE}\n", CODE),
    Reply(
        "a stray fence inside the contract",
        fenced(CODE.replace("\n\n    // closes", "\n```\n\n    // closes")),
        CODE.replace("\n\n    // closes", "\n\n    // closes"),
    ),
    Reply(
        "a fence in the contract's own documentation",
        fenced(CODE.replace("    // closes here: }", "    /*\n```\nvault.deposit()\n```\n    */")),
        CODE.replace("    // closes here: }", "    /*\n```\nvault.deposit()\n```\n    */"),
    ),
    Reply("a whole file", fenced(FILE), CODE),
    Reply("a whole file without fences", FILE, CODE),
    Reply("another contract after it", fenced(f"{CODE}\n\n{OTHER}"), CODE),
    Reply("a contract whose name begins alike", fenced(f"contract VaultV2 {{}}\n{CODE}"), CODE),
    Reply("a contract whose name ends alike", fenced(f"contract OldVault {{}}\n{CODE}"), CODE),
    Reply(
        "documentation above it",
        fenced(f"/// @title Vault\n/** contract Vault {{ */\n{CODE}"),
        CODE,
    ),
    Reply(
        "the name in a comment before",
        fenced(f"// complete the contract Vault {{ }}\n{CODE}"),
        CODE,
    ),
    Reply(
        "the prompt's comment echoed",
        f"// Complete the smart contract Vault strictly.\n{CODE}",
        CODE,
    ),
    Reply(
        "the name in a string",
        fenced(f'contract A {{ string s = "contract Vault {{}}"; }}\n{CODE}'),
        CODE,
    ),
    Reply("the name in prose", f"The contract Vault is done. Here's contract Vault:\n{CODE}", CODE),
    Reply(
        "the name in prose with a clause", f"contract Vault is a vault, as follows.\n\n{CODE}", CODE
    ),
    Reply("the name in inline code", f"I wrote `contract Vault` for you.\n{fenced(CODE)}", CODE),
    Reply(
        "reasoning before",
        f"<think>\nShould contract Vault {{ hold }} ether?\n</think>\n{fenced(CODE)}",
        CODE,
    ),
    Reply(
        "reasoning with a draft",
        f"<think>\n{fenced(OUTLINE)}{LIBRARY}\n</think>\n\n{fenced(CODE)}",
        CODE,
    ),
    Reply(
        "reasoning whose opening tag is lost", f"First {OUTLINE}\n</think>\n{fenced(CODE)}", CODE
    ),
    Reply("reasoning that never ends, around the code", f"<think>\nSo:\n{fenced(CODE)}", CODE),
    Reply(
        "the outline echoed first", f"You gave:\n{fenced(OUTLINE)}Completed:\n{fenced(CODE)}", CODE
    ),
    Reply(
        "the outline echoed last",
        f"{fenced(CODE)}It follows your outline:\n{fenced(OUTLINE)}",
        CODE,
    ),
    Reply("the outline echoed, no fences", f"{OUTLINE}\n\n{CODE}", CODE),
    Reply(
        "a draft and its correction",
        fenced(CODE.replace("-=", "+=")) + "Corrected:\n" + fenced(CODE),
        CODE,
    ),
    Reply("a sketch after it", fenced(CODE) + "In short: `contract Vault { ... }`", CODE),
    Reply(
        "an elided copy before",
        fenced("contract Vault is Ownable {\n    ...\n}") + fenced(CODE),
        CODE,
    ),
    Reply("an interface of the same name before", fenced(INTERFACE) + fenced(CODE), CODE),
    Reply(
        "another case of the name",
        fenced(CODE.replace("Vault", "VAULT")),
        CODE.replace("Vault", "VAULT"),
    ),
    Reply("both cases of the name", fenced(CODE.replace("Vault", "vault")) + fenced(CODE), CODE),
    Reply("an abstract contract", fenced(ABSTRACT), ABSTRACT),
    Reply("a library", fenced(LIBRARY), LIBRARY),
    Reply("an interface", fenced(INTERFACE), INTERFACE),
    Reply("Solidity of 2016", fenced(OLD), OLD),
    Reply("code that no parser takes", fenced(BROKEN), BROKEN),
    Reply(
        "bases with arguments",
        fenced('contract Vault is ERC20("V {", "V"), Owned.By(f(1)) /* is */ {\n}'),
        'contract Vault is ERC20("V {", "V"), Owned.By(f(1)) /* is */ {\n}',
    ),
    Reply(
        "a header over lines",
        "contract\n  Vault // the vault\n  is Ownable\n{\n}",
        "contract\n  Vault // the vault\n  is Ownable\n{\n}",
    ),
    Reply(
        "a trailing comma among the bases",
        "contract Vault is Ownable, {\n}",
        "contract Vault is Ownable, {\n}",
    ),
    Reply(
        "an apostrophe in prose on the code's line",
        "Here's contract Vault { uint x; }",
        "contract Vault { uint x; }",
    ),
    Reply("a glob in prose", f"It goes to contracts/*.sol, see:\n{fenced(CODE)}", CODE),
    Reply(
        "a web address in prose", f"See https://example.org/vault for more.\n{fenced(CODE)}", CODE
    ),
    Reply("Windows line ends", fenced(CODE).replace("\n", "\r\n"), CODE.replace("\n", "\r\n")),
    Reply("text that is not Latin", f"这是完整的合约：\n{fenced(CODE)}希望对你有帮助。", CODE),
    Reply(
        "letters outside ASCII in the code",
        fenced(CODE.replace("closes", "schließt ✓")),
        CODE.replace("closes", "schließt ✓"),
    ),
    Reply(
        "JSON around the code",
        '{"code": "contract Vault {\\n  uint x;\\n}"}',
        "contract Vault {\n  uint x;\n}",
    ),
    Reply(
        "JSON in a fence",
        "Here it is:\n" + fenced(json.dumps({"code": CODE, "language": "Solidity"}), "json"),
        CODE,
    ),
    Reply(
        "JSON in a fence, over lines", fenced(json.dumps({"code": CODE}, indent=2), "json"), CODE
    ),
    Reply("a fence in JSON", json.dumps({"answer": f"Here:\n{fenced(CODE)}"}), CODE),
    Reply(
        "a lone surrogate in JSON",
        '{"code": "contract Vault { // \\ud800\\n}"}',
        "contract Vault { // \ufffd\n}",
    ),
    Reply("a lone surrogate", "contract Vault { // \udc00\n}", "contract Vault { // \ufffd\n}"),
    Reply(
        "a glob in prose, no fence, and comments in the code",
        f"Files in src/* are compiled.\n\n{FILE}",
        CODE,
    ),
    Reply(
        "a glob in prose, and comments in the fenced code",
        f"Files in src/* are compiled.\n{fenced(FILE)}",
        CODE,
    ),
    Reply(
        "a sketch of a revision after it",
        fenced(CODE) + "To change the motto:\n" + fenced(SKETCH),
        CODE,
    ),
    Reply("a sketch of a revision before it", fenced(SKETCH) + fenced(CODE), CODE),
    *(
        Reply(
            f"a sketch that says: {comment}",
            fenced(CODE) + fenced(SKETCH.replace("// ... state as before ...", comment)),
            CODE,
        )
        for comment in (
            "// ... rest ...",
            "/* … */",
            "// existing code",
            "// Rest of the contract",
            "// all other functions remain unchanged",
        )
    ),
    Reply("nothing but a sketch", fenced(SKETCH), SKETCH),
    Reply(
        "an outline after a contract whose comments hold dots",
        fenced(CODE.replace("closes here: }", "... and so on")) + fenced(OUTLINE),
        CODE.replace("closes here: }", "... and so on"),
    ),
    Reply(
        "a struct among the bases' arguments",
        "contract Vault is Base(P({a: 1, b: f(g(2))})), Ownable {\n    uint x;\n}\n",
        "contract Vault is Base(P({a: 1, b: f(g(2))})), Ownable {\n    uint x;\n}",
    ),
    Reply(
        "a place for its storage in the header",
        "contract Vault layout at 0x10 + 1 is Ownable {\n}\n",
        "contract Vault layout at 0x10 + 1 is Ownable {\n}",
    ),
    *(
        Reply(
            f"no fence, and prose that starts with {prose.split()[0]}", f"{CODE}\n\n{prose}\n", CODE
        )
        for prose in (
            "constructor sets the owner.",
            "constructor (inherited) sets the owner; the rest follows.",
            "mapping shares is public. It holds wei.",
            "mapping(address => uint256) is what holds shares; no list is kept.",
            "receive and fallback are left out.",
            "receive() is left out; send ether to deposit().",
            "fallback is left out.",
            "modifier onlyOwner comes from Ownable.",
            "function deposit is public, as is leave.",
            "function deposit() is external; leave() too.",
        )
    ),
    *(
        Reply(
            f"members after the contract's end: {member}",
            f"contract Vault {{\n}}\n{member}",
            f"contract Vault {{\n}}\n{member}",
        )
        for member in (
            "constructor(uint x) Ownable() { }",
            "receive() external payable { }",
            "modifier only() { _; }",
            "mapping(address => mapping(uint => uint)) public x;",
            "function f(uint a) public returns (uint) { return a; }",
        )
    ),
    Reply(
        "split over two fences",
        "```solidity\n" + SPLIT.replace("|", "```\n```solidity\n") + "```",
        SPLIT.replace("|", "").rstrip(),
    ),
    Reply(
        "split over two fences, in a syntax that no parser takes",
        "```\n" + SPLIT.replace("{ x", "{ var x; throw; ] x").replace("|", "```\n\n```\n") + "```",
        SPLIT.replace("{ x", "{ var x; throw; ] x").replace("|", "\n").rstrip(),
    ),
    Reply(
        "split over two fences, the last brace left out",
        "```\n" + SPLIT.replace("|", "```\n```\n").rstrip().removesuffix("}") + "```\nDone.",
        SPLIT.replace("|", "").rstrip().removesuffix("}").rstrip(),
    ),
    Reply(
        "split over two fences and cut off",
        "```\n" + SPLIT.replace("|", "```\n```\n").rstrip().removesuffix("}"),
        no_code=NoCode.TRUNCATED,
    ),
    Reply(
        "a contract left open, and the whole one in the next fence",
        f"```\n{CODE[:300]}\n```\n{fenced(CODE)}",
        CODE,
    ),
    Reply("a diff that adds every line", fenced(added(FILE), "diff"), CODE),
    Reply(
        "a diff with its head",
        fenced(f"--- /dev/null\n+++ b/Vault.sol\n@@ -0,0 +1,30 @@\n{added(FILE)}", "diff"),
        CODE,
    ),
    Reply(
        "stopped at the limit after the code",
        f"```solidity\n{CODE}\n```\nThis contr",
        CODE,
        finish=FinishReason.LENGTH,
    ),
    Reply("one closing brace too many at the end", fenced(CODE + "\n}"), CODE),
    Reply(
        "a brace that closes the contract too early",
        fenced(CODE.replace("/* } */", "}")),
        CODE.replace("/* } */", "}"),
    ),
    Reply(
        "members after the contract's end",
        fenced("contract Vault {\n}\nfunction deposit() external payable { }\n"),
        "contract Vault {\n}\nfunction deposit() external payable { }",
    ),
    Reply(
        "a closing brace left out, the fence closed",
        fenced(CODE.removesuffix("}").rstrip()) + "I hope this helps.",
        CODE.removesuffix("}").rstrip(),
    ),
    Reply("the code cut off", f"```solidity\n{CODE[:300]}", no_code=NoCode.TRUNCATED),
    Reply("the code cut off, no fence", CODE[:300], no_code=NoCode.TRUNCATED),
    Reply(
        "cut off at the limit, the fence closed",
        fenced(CODE[:300]),
        no_code=NoCode.TRUNCATED,
        finish=FinishReason.LENGTH,
    ),
    Reply(
        "the outline echoed, the code cut off",
        f"{OUTLINE}\n\n{CODE[:400]}",
        no_code=NoCode.TRUNCATED,
    ),
    Reply("the code, and a copy cut off", f"{fenced(CODE)}Again:\n```\n{CODE[:200]}", CODE),
    Reply("cut off before the target", f"```solidity\n{OTHER[:40]}", no_code=NoCode.TRUNCATED),
    Reply(
        "cut off in a comment before the target",
        f"```solidity\n{OTHER}\n/** The vault",
        no_code=NoCode.TRUNCATED,
    ),
    Reply("reasoning cut off", "<think>\nLet me see what the vault", no_code=NoCode.TRUNCATED),
    Reply(
        "stopped at the limit in prose",
        "Let me explain what",
        no_code=NoCode.TRUNCATED,
        finish=FinishReason.LENGTH,
    ),
    Reply("nothing", "", no_code=NoCode.EMPTY),
    Reply("white space", " \n\t\n", no_code=NoCode.EMPTY),
    Reply("only reasoning", f"<think>{CODE}</think>\n", no_code=NoCode.EMPTY),
    Reply("a refusal", "I'm sorry, but I can't help with that.", no_code=NoCode.REFUSED),
    Reply(
        "a refusal with a curly apostrophe",
        "I’m unable to write this contract.",
        no_code=NoCode.REFUSED,
    ),
    Reply("a refusal by the service", "", no_code=NoCode.REFUSED, finish=FinishReason.REFUSED),
    Reply(
        "a prompt that was too long",
        "",
        no_code=NoCode.PROMPT_TOO_LONG,
        finish=FinishReason.CONTEXT,
    ),
    Reply(
        "a question back", "What do you need with the contract Vault?", no_code=NoCode.NOTHING_FOUND
    ),
    Reply(
        "a description",
        "The contract Vault keeps shares; see `deposit`.",
        no_code=NoCode.NOTHING_FOUND,
    ),
    Reply("another contract only", fenced(OTHER), no_code=NoCode.NOTHING_FOUND),
    Reply(
        "the contract renamed",
        fenced(CODE.replace("Vault", "Vaults")),
        no_code=NoCode.NOTHING_FOUND,
    ),
    Reply(
        "functions only",
        fenced("function deposit() external payable {}"),
        no_code=NoCode.NOTHING_FOUND,
    ),
    Reply(
        "the contract in a comment only",
        fenced(f"/*\n{OUTLINE}\n".replace("*/", "") + "*/"),
        no_code=NoCode.NOTHING_FOUND,
    ),
    Reply("an import only", fenced('import "./Vault.sol";'), no_code=NoCode.NOTHING_FOUND),
]
