"""Replies that hold the function with its head."""

from __future__ import annotations

from solexp.core import NoCode
from tests.solidity.functions.replies import (
    HEADER,
    HELPER,
    LEAVE,
    LENGTH,
    OTHER_OVERLOAD,
    PLAIN,
    SOURCE,
    STUB,
    USES_HELPER,
    Case,
    contract,
    fenced,
)

WHOLE = (
    # Whole functions.
    Case("alone", LEAVE),
    Case("fenced", fenced(LEAVE)),
    Case("fenced without a language", fenced(LEAVE, "")),
    Case("fenced as javascript", fenced(LEAVE, "javascript")),
    Case("fenced by tildes", f"~~~solidity\n{LEAVE}\n~~~"),
    Case("prose around", f"Sure, here's the function:\n\n{fenced(LEAVE)}\nIt's safe, isn't it?"),
    Case("prose without fences", f"Here's what you need:\n\n{LEAVE}\n\nIt's safe; that's all."),
    Case("unclosed fence", f"Here:\n```solidity\n{LEAVE}\n"),
    Case("closing fence only", f"{LEAVE}\n```"),
    Case("inline code", f"Use `{LEAVE}` there."),
    Case("quoted fence", f"> ```solidity\n{LEAVE}\n> ```"),
    Case("windows line ends", fenced(LEAVE).replace("\n", "\r\n"), LEAVE.replace("\n", "\r\n")),
    Case(
        "documentation above", fenced(f"/// @notice Takes {{ether}} out.\n/** it's }} */\n{LEAVE}")
    ),
    Case("with a licence and a pragma", fenced(f"// SPDX\npragma solidity ^0.8.0;\n\n{LEAVE}")),
    Case("unicode", fenced(f"// ünïcode 🚀 }}\n{LEAVE}")),
    Case("indented", fenced("    " + LEAVE.replace("\n", "\n    ")), LEAVE.replace("\n", "\n    ")),
    Case("html around", f"<pre><code>\n{LEAVE}\n</code></pre>"),
    Case("xml tags around", f"<answer>{LEAVE}</answer>"),
    # Reasoning.
    Case("reasoning first", f"<think>Maybe {OTHER_OVERLOAD}?\n{STUB}</think>\n{fenced(LEAVE)}"),
    Case("reasoning without its opening tag", f"Let me see: {STUB}\n</think>\n{LEAVE}"),
    Case(
        "reasoning that never ends",
        f"<think>I need {LEAVE[:40]}",
        None,
        NoCode.TRUNCATED,
        finish=LENGTH,
    ),
    # Several fences.
    Case("usage first", f"{fenced('vault.leave(1, msg.sender);')}\nand\n{fenced(LEAVE)}"),
    Case("usage last", f"{fenced(LEAVE)}\nUse it:\n{fenced('vault.leave(1, msg.sender);')}"),
    Case("shell command first", f"{fenced('npm i && forge build', 'bash')}\n{fenced(LEAVE)}"),
    Case(
        "test contract last",
        fenced(LEAVE)
        + fenced(
            contract(
                "function testLeave() public { vault.leave(1, a); }",
                name="VaultTest",
                bases=" is Test",
            )
        ),
    ),
    Case(
        "draft, then better",
        f"First:\n{fenced(PLAIN)}\nBetter:\n{fenced(LEAVE)}",
        notes=("written 2 times",),
    ),
    Case("echoed outline first", f"You gave:\n{fenced(STUB)}\nFilled in:\n{fenced(LEAVE)}"),
    Case("echoed outline last", f"{fenced(LEAVE)}\nin the place of\n{fenced(STUB)}"),
    Case(
        "sketch after the function",
        f"{fenced(LEAVE)}In short:\n{fenced(HEADER + '{ ... return true; }')}",
    ),
    Case(
        "comment for code after it",
        fenced(LEAVE) + fenced(HEADER + "{\n    // ... existing code ...\n    return true;\n}"),
    ),
    Case(
        "stray fence within",
        fenced(LEAVE.replace("    _pay", "```\n    _pay")),
        notes=("stray fence",),
    ),
    Case(
        "fence in a comment within",
        fenced(LEAVE.replace("    _pay", "    /*\n```\n    */\n    _pay")),
        LEAVE.replace("    _pay", "    /*\n```\n    */\n    _pay"),
    ),
    Case("glob in prose", f"Put it in src/* as\n\n{LEAVE}"),
    Case("apostrophes", f"It's what you'd do, don't you?\n{LEAVE}\nThat's it."),
    # Changed heads.
    Case(
        "visibility changed",
        fenced(PLAIN),
        PLAIN,
        notes=("visibility external became public", "modifiers onlyOwner became none"),
    ),
    Case(
        "modifier added",
        fenced(LEAVE.replace("onlyOwner", "onlyOwner open(5)")),
        LEAVE.replace("onlyOwner", "onlyOwner open(5)"),
        notes=("modifiers onlyOwner became onlyOwner open(5)",),
    ),
    Case(
        "parameters renamed",
        fenced(LEAVE.replace("address to", "address _to")),
        LEAVE.replace("address to", "address _to"),
    ),
    Case(
        "types by alias", fenced(LEAVE.replace("uint256", "uint")), LEAVE.replace("uint256", "uint")
    ),
    Case(
        "payable address",
        fenced(LEAVE.replace("address to", "address payable to")),
        LEAVE.replace("address to", "address payable to"),
    ),
    Case(
        "other types, same names",
        fenced(LEAVE.replace("uint256 amount", "uint128 amount")),
        LEAVE.replace("uint256 amount", "uint128 amount"),
        notes=("parameters are (uint128,address)",),
    ),
    Case(
        "returns nothing",
        fenced(LEAVE.replace(" returns (bool)", "")),
        LEAVE.replace(" returns (bool)", ""),
        notes=("returns (bool) became ()",),
    ),
    Case(
        "virtual",
        fenced(LEAVE.replace("external", "external virtual")),
        LEAVE.replace("external", "external virtual"),
        notes=("virtual no became yes",),
    ),
    Case(
        "capitalised",
        fenced(LEAVE.replace("leave", "Leave")),
        LEAVE.replace("leave", "Leave"),
        notes=("named Leave",),
    ),
    # Overloads.
    Case("overload first", fenced(f"{OTHER_OVERLOAD}\n\n{LEAVE}")),
    Case("overload last", fenced(f"{LEAVE}\n\n{OTHER_OVERLOAD}")),
    Case(
        "overload without parameters",
        fenced(f"{LEAVE}\n\n{OTHER_OVERLOAD}"),
        OTHER_OVERLOAD,
        wanted="leave()",
    ),
    Case(
        "overload with a struct by its path",
        fenced(
            "function leave(Vault.Item memory item, bytes calldata) external { shares[msg.sender] = 1; }"
        )
        + fenced(LEAVE),
        "function leave(Vault.Item memory item, bytes calldata) external { shares[msg.sender] = 1; }",
        wanted="leave(Item,bytes)",
    ),
    Case(
        "another overload only",
        fenced(OTHER_OVERLOAD),
        None,
        NoCode.NOTHING_FOUND,
        notes=("defines leave()",),
    ),
    # Contracts around it.
    Case(
        "whole contract",
        fenced(contract("uint256 x;", LEAVE, OTHER_OVERLOAD)),
        notes=("taken out of Vault",),
    ),
    Case(
        "whole file",
        fenced(SOURCE),
        SOURCE[
            SOURCE.index("function leave(uint256") : SOURCE.index(
                "\n\n    /// @notice Takes everything"
            )
        ],
    ),
    Case(
        "contract of another name",
        fenced(contract(LEAVE, name="Solution", bases="")),
        notes=("taken out of Solution",),
    ),
    Case("contract without its end", fenced(contract(LEAVE)[:-2])),
    Case("end of the contract without its beginning", fenced(LEAVE + "\n}")),
    Case(
        "echo of the base only",
        fenced(contract(LEAVE, name="Ownable", bases="")),
        None,
        NoCode.NOTHING_FOUND,
    ),
    Case(
        "interface before it",
        fenced(
            f"interface IVault {{ function leave(uint256 amount, address to) external returns (bool); }}\n{LEAVE}"
        ),
    ),
    # Helpers.
    Case(
        "needed helper behind",
        fenced(f"{USES_HELPER}\n\n{HELPER}"),
        f"{USES_HELPER}\n\n{HELPER}",
        notes=("with _take(uint256)",),
    ),
    Case(
        "needed helper before", fenced(f"{HELPER}\n\n{USES_HELPER}"), f"{USES_HELPER}\n\n{HELPER}"
    ),
    Case(
        "helper that nothing needs",
        fenced(f"{LEAVE}\n\n{HELPER}"),
        notes=("without _take(uint256)",),
    ),
    Case(
        "helper that the contract has",
        fenced(
            "function check(address who) public view returns (uint256) { return 1; }\n"
            + LEAVE.replace("return true", "return check(to) > 0")
        ),
        LEAVE.replace("return true", "return check(to) > 0"),
    ),
    Case(
        "helper that a base has",
        fenced("function _pay(address to, uint256 amount) internal { }\n" + LEAVE),
    ),
    Case(
        "needed error",
        fenced(
            "error Short(uint256 has);\n\n"
            + LEAVE.replace("_pay(to, amount);", "if (amount == 0) revert Short(0);")
        ),
        LEAVE.replace("_pay(to, amount);", "if (amount == 0) revert Short(0);")
        + "\n\nerror Short(uint256 has);",
        notes=("with Short",),
    ),
    Case(
        "error that the file has",
        fenced(
            "error Late(uint256 when);\n\n"
            + LEAVE.replace("_pay(to, amount);", "if (amount == 0) revert Late(0);")
        ),
        LEAVE.replace("_pay(to, amount);", "if (amount == 0) revert Late(0);"),
    ),
    Case(
        "needed variable in a contract",
        fenced(
            contract(
                "mapping(address => uint256) public shares;",
                "uint256 private _left;",
                LEAVE.replace("return true", "_left += 1; return true"),
            )
        ),
        LEAVE.replace("return true", "_left += 1; return true") + "\n\nuint256 private _left;",
        notes=("with _left",),
    ),
)
