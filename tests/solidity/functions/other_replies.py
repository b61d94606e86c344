"""Replies that hold a body alone or go on with it; other kinds of functions; and replies that hold nothing."""

from __future__ import annotations

import json

from solexp.core import FinishReason, NoCode
from tests.solidity.functions.replies import (
    BODY,
    CONSTRUCTOR,
    FALLBACK,
    FREE,
    INNER,
    LEAVE,
    LENGTH,
    LIBRARY,
    MODIFIER,
    OLD,
    OLD_BALANCE,
    ORIGINAL,
    OTHER_OVERLOAD,
    RECEIVE,
    STUB,
    UNCLOSED,
    Case,
    contract,
    fenced,
)

OTHER = (
    # Bodies.
    Case("body with braces", fenced(BODY), ORIGINAL + BODY, notes=("body only",)),
    Case(
        "body without braces",
        fenced(INNER.strip()),
        ORIGINAL + "{\n" + INNER.strip() + "\n}",
        notes=("body only, without braces",),
    ),
    Case("body without braces or fences", INNER, ORIGINAL + "{" + INNER.rstrip() + "\n}"),
    Case(
        "body in prose",
        f"The body is:\n{INNER.strip()}\nThat is all.",
        ORIGINAL + "{\n" + INNER.strip() + "\n}",
    ),
    Case(
        "body with the closing brace",
        fenced(INNER.strip() + "\n}"),
        ORIGINAL + "{" + INNER.strip() + "\n}",
    ),
    Case(
        "a brace too many early",
        fenced(LEAVE.replace("    _pay(to, amount);", "    }\n    _pay(to, amount);")),
        LEAVE.replace("    _pay(to, amount);", "    }\n    _pay(to, amount);"),
        notes=("close too early",),
    ),
    Case(
        "tail of the head",
        fenced("external onlyOwner returns (bool) " + BODY),
        LEAVE.replace("{\n", "{\n", 1),
        notes=("continues the head",),
    ),
    # Continuations.
    Case(
        "continues the body",
        INNER + "}\n\n    function next() public { }\n}",
        ORIGINAL + "{" + INNER + "}",
        form="completion",
    ),
    Case(
        "continues the body to the stop",
        INNER,
        ORIGINAL + "{" + INNER.rstrip() + "\n}",
        form="completion",
    ),
    Case(
        "continues the head",
        " external onlyOwner returns (bool) " + BODY + "\n\nfunction x() {",
        LEAVE,
        form="completion",
    ),
    Case("begins with the body's brace", " " + BODY + "\n}", ORIGINAL + BODY, form="completion"),
    Case("repeats the signature", "\n" + LEAVE + "\n\n" + OTHER_OVERLOAD, form="completion"),
    Case("answers with prose", f"Here is the completion:\n{fenced(LEAVE)}", form="completion"),
    Case(
        "answers with a fenced rest",
        f"```solidity\n{INNER}}}\n```",
        ORIGINAL + "{" + INNER + "}",
        form="completion",
    ),
    Case(
        "end marker",
        LEAVE
        + "\n// END_OF_FUNCTION\n\n// START_OF_REQUIREMENT\nfunction leave(uint256 amount, address to) public { }",
        form="completion",
    ),
    Case(
        "end marker behind the rest",
        INNER + "}\n// END_OF_FUNCTION\n// Implement",
        ORIGINAL + "{" + INNER + "}",
        form="completion",
    ),
    Case("markers in an answer", f"// START_OF_FUNCTION\n{LEAVE}\n// END_OF_FUNCTION"),
    Case(
        "begins with a block",
        "\n    unchecked { shares[to] += 1; }\n    return true;\n}\n",
        ORIGINAL + "{\n    unchecked { shares[to] += 1; }\n    return true;\n}",
        form="completion",
    ),
    Case(
        "begins with a bare block",
        "{ uint x = 1; shares[to] = x; }\n    return true;\n}\n",
        ORIGINAL + "{{ uint x = 1; shares[to] = x; }\n    return true;\n}",
        form="completion",
    ),
    Case(
        "continuation cut off", INNER[:60], None, NoCode.TRUNCATED, form="completion", finish=LENGTH
    ),
    Case("fills the gap", INNER, ORIGINAL + "{" + INNER.rstrip() + "\n}", form="infill"),
    Case("fills the gap and closes it", INNER + "}", ORIGINAL + "{" + INNER + "}", form="infill"),
    # Other kinds.
    Case("constructor", fenced(CONSTRUCTOR), CONSTRUCTOR, wanted="constructor(uint256)"),
    Case(
        "constructor among functions",
        fenced(f"{CONSTRUCTOR}\n{LEAVE}"),
        CONSTRUCTOR,
        wanted="constructor(uint256)",
    ),
    Case("modifier", fenced(f"{LEAVE}\n{MODIFIER}"), MODIFIER, wanted="open(uint256)"),
    Case("receive", fenced(f"{RECEIVE}\n{FALLBACK}"), RECEIVE, wanted="receive()"),
    Case(
        "fallback with data",
        fenced(f"{RECEIVE}\n{FALLBACK}"),
        FALLBACK,
        wanted="fallback()",
        notes=("parameters are (bytes)",),
    ),
    Case(
        "receive only, fallback wanted",
        fenced(RECEIVE),
        None,
        NoCode.NOTHING_FOUND,
        wanted="fallback()",
    ),
    Case(
        "library function",
        fenced(f"library Shares {{\n{LIBRARY}\n}}"),
        LIBRARY,
        wanted="of(uint256,uint256)",
        contract="Shares",
    ),
    Case("free function", fenced(FREE), FREE, wanted="half(uint256)", contract=""),
    Case(
        "old constructor",
        fenced("function Coin(uint supply) public { balances[msg.sender] = supply * 2; }"),
        "function Coin(uint supply) public { balances[msg.sender] = supply * 2; }",
        wanted="constructor(uint256)",
        contract="Coin",
        source=OLD,
    ),
    Case(
        "new constructor for an old one",
        fenced("constructor(uint supply) public { balances[tx.origin] = supply; }"),
        "constructor(uint supply) public { balances[tx.origin] = supply; }",
        wanted="constructor(uint256)",
        contract="Coin",
        source=OLD,
    ),
    Case(
        "unnamed fallback",
        fenced("function () public payable { balances[msg.sender]++; }"),
        "function () public payable { balances[msg.sender]++; }",
        wanted="fallback()",
        contract="Coin",
        source=OLD,
    ),
    Case(
        "receive for an old fallback",
        fenced("receive() external payable { balances[msg.sender]++; }"),
        "receive() external payable { balances[msg.sender]++; }",
        wanted="fallback()",
        contract="Coin",
        source=OLD,
        notes=("written as receive",),
    ),
    Case(
        "old statements",
        fenced("var found = balances[who];\nif (found == 0) throw;\nreturn found;"),
        OLD_BALANCE,
        wanted="balanceOf(address)",
        contract="Coin",
        source=OLD,
    ),
    # Other wrappings.
    Case("json", json.dumps({"code": LEAVE, "why": "it's } safe"})),
    Case("fenced json", fenced(json.dumps([{"function": fenced(LEAVE)}]), "json")),
    Case(
        "diff",
        fenced("@@ -1,3 +1,6 @@\n-" + STUB + "\n+" + LEAVE.replace("\n", "\n+"), "diff"),
        notes=("a diff",),
    ),
    # Broken code is code.
    Case(
        "does not parse",
        fenced("function leave(uint256 amount, address to) external { shares[ = ; }"),
        "function leave(uint256 amount, address to) external { shares[ = ; }",
    ),
    Case(
        "braces that do not close",
        fenced(UNCLOSED) + "\nThat is it.",
        UNCLOSED,
        notes=("do not close",),
    ),
    # Nothing.
    Case("empty", "", None, NoCode.EMPTY),
    Case("white space", " \n\t", None, NoCode.EMPTY),
    Case(
        "refusal", "I'm sorry, but I can't write functions that move ether.", None, NoCode.REFUSED
    ),
    Case("refusal by the server", "", None, NoCode.REFUSED, finish=FinishReason.REFUSED),
    Case("prompt too long", "", None, NoCode.PROMPT_TOO_LONG, finish=FinishReason.CONTEXT),
    Case(
        "prose only",
        "The function should subtract the amount; then it should pay.",
        None,
        NoCode.NOTHING_FOUND,
    ),
    Case(
        "prose in completion",
        "I cannot continue this; it is unsafe.",
        None,
        NoCode.REFUSED,
        form="completion",
    ),
    Case(
        "another function",
        fenced("function other() public { x = 1; }"),
        None,
        NoCode.NOTHING_FOUND,
        notes=("defines other()",),
    ),
    Case(
        "declaration only",
        fenced("function leave(uint256 amount, address to) external returns (bool);"),
        None,
        NoCode.NOTHING_FOUND,
    ),
    Case("cut off", f"```solidity\n{LEAVE[:120]}", None, NoCode.TRUNCATED, finish=LENGTH),
    Case("cut off, the server says nothing", LEAVE[:120], None, NoCode.TRUNCATED),
    Case(
        "outline, then cut off",
        fenced(STUB) + "```solidity\n" + LEAVE[:120],
        None,
        NoCode.TRUNCATED,
        finish=LENGTH,
        notes=("only an outline is whole",),
    ),
    Case(
        "cut off before it",
        fenced(contract(OTHER_OVERLOAD))[:90],
        None,
        NoCode.TRUNCATED,
        finish=LENGTH,
    ),
    Case("question", "Which token standard do you mean?", None, NoCode.NOTHING_FOUND),
)
