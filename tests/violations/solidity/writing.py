"""Random small contracts with guards, for every compiler series."""

from __future__ import annotations

import random

VERSIONS = ("0.4.26", "0.5.17", "0.6.12", "0.7.6", "0.8.19", "0.8.28")

WORDS = ("uint256", "uint8", "uint64", "int256", "int16", "address", "bool", "bytes4", "bytes32")
_BITS = {"uint256": 256, "uint8": 8, "uint64": 64, "int256": 256, "int16": 16}

STATE = """
    enum Phase {{ Shut, Open, Over }}
    struct Entry {{ uint64 count; address who; bool on; int16 level; }}
    uint256 a;
    uint8 b;
    int16 c;
    address owner;
    bool flag;
    bytes4 tag;
    Phase phase;
    uint64 d;
    mapping(address => uint256) held;
    mapping(uint8 => mapping(address => bool)) seen;
    mapping(address => Entry) entries;
    uint64[] list;
    uint8[3] few;
    Entry top;
    int256 e;
"""

LIBRARY = """
library Safe {{
    function add(uint256 x, uint256 y) internal pure returns (uint256) {{
        uint256 z = x + y;
        require(z >= x, "sum");
        return z;
    }}
    function mul(uint256 x, uint256 y) internal pure returns (uint256) {{
        if (x == 0) return 0;
        uint256 z = x * y;
        require(z / x == y, "product");
        return z;
    }}
}}
"""


class Writer:
    """Writes one contract from a seed."""

    def __init__(self, seed: int, version: str) -> None:
        self.random = random.Random(f"{seed} {version}")
        self.version = tuple(map(int, version.split(".")))
        self.text = version
        self.locals: list[tuple[str, str]] = []
        self.assignable: list[tuple[str, str]] = []
        self.names = 0
        self.payable = False
        self.depth = 0

    def contract(self) -> str:
        """A contract ``Box`` with the functions f0, f1 and f2."""
        functions = "\n".join(self.function(n) for n in range(3))
        errors = "error Bad(uint256 x);\nerror Poor();" if self.version >= (0, 8, 4) else ""
        constructor = "constructor() public" if self.version < (0, 7, 0) else "constructor()"
        if self.version < (0, 4, 22):
            constructor = "function Box() public"
        return f"""pragma solidity {self.text};
{LIBRARY.format()}
contract Base {{
    {STATE.format()}
    {errors}
    modifier tight(uint256 x) {{ require(x < 250 || a > x, "tight"); _; c = c | 1; }}
    modifier quiet() {{ if (!flag) {{ _; }} }}
    function touch(uint256 x) internal returns (uint256) {{ a = x; return x; }}
    function half(uint256 x) internal pure returns (uint256) {{ require(x % 2 == 0); return x / 2; }}
    function pick(uint8 x) internal view returns (Phase) {{ if (x > 100) return phase; return Phase(x); }}
}}
contract Box is Base {{
    using Safe for uint256;
    {constructor} {{
        owner = msg.sender; a = 7; b = 200; c = -5; tag = 0x01020304; d = 3; e = -1;
        held[msg.sender] = 100; list.push(4); list.push(9); few[1] = 17; phase = Phase.Open;
        entries[msg.sender].count = 5; seen[3][msg.sender] = true; top.who = msg.sender; top.level = -3;
    }}
{functions}
}}
"""

    def function(self, number: int) -> str:
        kinds = [self.random.choice(WORDS) for _ in range(self.random.randint(1, 3))]
        self.locals = [(f"p{n}", kind) for n, kind in enumerate(kinds)]
        self.assignable = list(self.locals)
        declared = ", ".join(f"{kind} {name}" for name, kind in self.locals)
        self.payable = self.random.random() < 0.3
        payable = " payable" if self.payable else ""
        modifier = ""
        if self.random.random() < 0.3:
            modifier = f" tight({self.expression('uint256', 1)})"
        elif self.random.random() < 0.15:
            modifier = " quiet"
        statements = [self.statement(3) for _ in range(self.random.randint(2, 5))]
        result = self.expression("uint256", 2)
        body = "\n        ".join(statements)
        return f"""    function f{number}({declared}) public{payable}{modifier} returns (uint256) {{
        {body}
        return {result};
    }}"""

    # Statements

    def statement(self, depth: int) -> str:  # noqa: PLR0911
        choice = self.random.random()
        if choice < 0.3:
            return self.guard()
        if choice < 0.5:
            return self.assignment()
        if choice < 0.65:
            return self.declaration()
        if choice < 0.78 and depth > 0:
            return self.branch(depth)
        if choice < 0.86 and depth > 0:
            return self.loop(depth)
        if choice < 0.92:
            return self.push()
        if self.version >= (0, 8, 0) and depth > 0:
            kept = list(self.locals), list(self.assignable)
            inner = " ".join(self.statement(0) for _ in range(2))
            self.locals, self.assignable = kept
            return f"unchecked {{ {inner} }}"
        return self.assignment()

    def guard(self) -> str:
        condition = self.expression("bool", 3)
        ways = [
            f"require({condition});",
            f'require({condition}, "no {self.random.randint(0, 9)}");',
            f"assert({condition});",
            f'if ({condition}) revert("why");',
            f"if ({condition}) {{ revert(); }}",
        ]
        if self.version >= (0, 8, 4):
            ways += [f"if ({condition}) revert Bad(a);", f"if ({condition}) revert Poor();"]
        if self.version < (0, 5, 0):
            ways.append(f"if ({condition}) throw;")
        return self.random.choice(ways)

    def targets(self) -> list[tuple[str, str]]:
        address = self.expression("address", 1)
        index = self.expression("uint256", 1)
        small = self.expression("uint8", 1)
        return [
            ("a", "uint256"),
            ("b", "uint8"),
            ("c", "int16"),
            ("d", "uint64"),
            ("e", "int256"),
            ("owner", "address"),
            ("flag", "bool"),
            ("tag", "bytes4"),
            (f"held[{address}]", "uint256"),
            (f"seen[{small}][{address}]", "bool"),
            (f"entries[{address}].count", "uint64"),
            (f"entries[{address}].level", "int16"),
            (f"list[{index}]", "uint64"),
            (f"few[{index}]", "uint8"),
            ("top.count", "uint64"),
            ("top.level", "int16"),
            *self.assignable,
        ]

    def assignment(self) -> str:
        target, kind = self.random.choice(self.targets())
        if kind in _BITS and self.random.random() < 0.4:
            if self.random.random() < 0.4:
                return f"{target}{self.random.choice(('++', '--'))};"
            operator = self.random.choice(("+", "-", "*", "|", "&", "/", "%"))
            return f"{target} {operator}= {self.expression(kind, 2)};"
        if self.random.random() < 0.1:
            return self.random.choice(
                (
                    f"delete {target};",
                    f"delete entries[{self.expression('address', 1)}];",
                    "delete top;",
                )
            )
        return f"{target} = {self.expression(kind, 2)};"

    def declaration(self) -> str:
        self.names += 1
        name = f"v{self.names}"
        if self.random.random() < 0.15:
            place = self.random.choice(("storage", "memory"))
            said = f"Entry {place} {name} = entries[{self.expression('address', 1)}];"
            self.locals += [(f"{name}.count", "uint64"), (f"{name}.who", "address")]
            self.assignable += [(f"{name}.count", "uint64"), (f"{name}.level", "int16")]
            return said
        kind = self.random.choice(WORDS)
        said = f"{kind} {name} = {self.expression(kind, 2)};"
        self.locals.append((name, kind))
        self.assignable.append((name, kind))
        return said

    def block(self, depth: int) -> str:
        kept = list(self.locals), list(self.assignable)
        inner = " ".join(self.statement(depth - 1) for _ in range(self.random.randint(1, 2)))
        self.locals, self.assignable = kept
        return f"{{ {inner} }}"

    def branch(self, depth: int) -> str:
        said = f"if ({self.expression('bool', 2)}) {self.block(depth)}"
        if self.random.random() < 0.5:
            said += f" else {self.block(depth)}"
        if self.random.random() < 0.2:
            said = f"if ({self.expression('bool', 2)}) return {self.expression('uint256', 1)};"
        return said

    def loop(self, depth: int) -> str:
        self.names += 1
        name = f"i{self.names}"
        bound = self.random.choice(("list.length", "3", "few.length"))
        self.locals.append((name, "uint256"))
        inner = self.block(depth)
        if self.random.random() < 0.3:
            word = self.random.choice(("break", "continue"))
            inner = f"{{ if ({self.expression('bool', 1)}) {word}; {inner} }}"
        self.locals.pop()
        return f"for (uint256 {name} = 0; {name} < {bound}; {name}++) {inner}"

    def push(self) -> str:
        if self.random.random() < 0.5:
            if self.version < (0, 5, 0):
                return "if (list.length > 0) list.length--;"
            return "list.pop();"
        return f"if (list.length < 4) list.push({self.expression('uint64', 1)});"

    # Expressions

    def expression(self, kind: str, depth: int) -> str:  # noqa: PLR0911
        if depth <= 0 or self.random.random() < 0.2:
            return self.leaf(kind)
        if kind == "bool":
            return self.boolean(depth)
        if kind in _BITS:
            return self.number(kind, depth)
        if self.random.random() < 0.5:
            x, y = self.expression(kind, depth - 1), self.expression(kind, depth - 1)
            return f"({self.expression('bool', depth - 1)} ? {x} : {y})"
        if kind == "bytes32" and self.random.random() < 0.3:
            one, two = self.expression("address", depth - 1), self.expression("uint64", depth - 1)
            return f"keccak256(abi.encodePacked({one}, {two}))"
        if kind == "bytes4":
            return f"bytes4({self.expression('bytes32', depth - 1)})"
        return self.leaf(kind)

    def leaf(self, kind: str) -> str:
        known = [name for name, each in self.locals if each == kind]
        known += {
            "uint256": ["a", "list.length", "held[msg.sender]", "uint256(d)"],
            "uint8": ["b", "few[1]", "uint8(phase)"],
            "uint64": ["d", "top.count", "entries[owner].count"],
            "int256": ["e"],
            "int16": ["c", "top.level"],
            "address": ["owner", "msg.sender", "top.who"],
            "bool": ["flag", "seen[3][owner]"],
            "bytes4": ["tag"],
            "bytes32": ["bytes32(a)", "keccak256(abi.encodePacked(a))"],
        }[kind]
        if kind == "uint256" and self.payable:
            known.append("msg.value")
        if known and self.random.random() < 0.75:
            return self.random.choice(known)
        return self.literal(kind)

    def literal(self, kind: str) -> str:
        number = self.random.choice((0, 1, 2, 3, 5, 10, 100, 127))
        match kind:
            case "bool":
                return self.random.choice(("true", "false"))
            case "address":
                return f"address({number})" if number else "address(0)"
            case "bytes4":
                return self.random.choice(("bytes4(0x01020304)", "bytes4(0xff000000)"))
            case "bytes32":
                return f"bytes32(uint256({number}))"
            case "int256" | "int16" if self.random.random() < 0.4:
                return f"{kind}(-{number})" if number else f"{kind}(0)"
        return f"{kind}({number})"

    def number(self, kind: str, depth: int) -> str:  # noqa: PLR0911
        x = self.expression(kind, depth - 1)
        choice = self.random.random()
        if choice < 0.5:
            operator = self.random.choice(("+", "-", "*", "/", "%", "&", "|", "^", "+", "-"))
            return f"({x} {operator} {self.expression(kind, depth - 1)})"
        if choice < 0.58:
            if self.version < (0, 5, 0) and kind.startswith("int"):
                return f"({x} << {self.random.randint(0, 9)})"
            operator = self.random.choice(("<<", ">>"))
            if self.random.random() < 0.5:
                return f"({x} {operator} {self.random.randint(0, 9)})"
            return f"({x} {operator} {self.expression('uint8', depth - 1)})"
        if choice < 0.62:
            if self.version < (0, 7, 0) and kind[0] == "i":
                return x
            return f"({x} ** {self.random.randint(0, 3)})"
        if choice < 0.7:
            return f"(~{x})" if self.random.random() < 0.5 or kind[0] == "u" else f"(-{x})"
        if choice < 0.8:
            other = self.random.choice([each for each in _BITS if each != kind])
            inner = self.expression(other, depth - 1)
            if other[0] != kind[0]:
                # From 0.8 on, a conversion changes the sign or the width, not both.
                inner = f"{(other[0] == 'u' and 'uint256') or 'int256'}({inner})"
                wide = "int256" if kind[0] == "i" else "uint256"
                return f"{kind}({wide}({inner}))"
            return f"{kind}({inner})"
        if choice < 0.86:
            y = self.expression(kind, depth - 1)
            return f"({self.expression('bool', depth - 1)} ? {x} : {y})"
        if kind == "uint256":
            other = self.expression("uint256", depth - 1)
            return self.random.choice(
                (
                    f"{x}.add({other})" if x.isidentifier() else f"Safe.add({x}, {other})",
                    f"Safe.mul({x}, {other})",
                    f"half({x})",
                    f"touch({x})",
                    f"held[{self.expression('address', depth - 1)}]",
                    f"uint256(list[{other}])",
                    f"uint256(keccak256(abi.encodePacked({x})))",
                    "block.timestamp",
                    "block.number",
                    f"addmod({x}, {other}, 7)",
                    f"mulmod({x}, 3, {other})",
                )
            )
        if kind == "uint8":
            return self.random.choice(
                (
                    f"uint8(pick({x}))",
                    f"few[{self.expression('uint256', depth - 1)}]",
                    f"uint8(Phase({x}))",
                )
            )
        return x

    def boolean(self, depth: int) -> str:
        choice = self.random.random()
        if choice < 0.45:
            kind = self.random.choice(tuple(_BITS))
            operator = self.random.choice(("<", ">", "<=", ">=", "==", "!="))
            return f"({self.expression(kind, depth - 1)} {operator} {self.expression(kind, depth - 1)})"
        if choice < 0.6:
            kind = self.random.choice(("address", "bytes4", "bytes32"))
            operator = self.random.choice(("==", "!="))
            return f"({self.expression(kind, depth - 1)} {operator} {self.expression(kind, depth - 1)})"
        if choice < 0.85:
            operator = self.random.choice(("&&", "||"))
            return f"({self.expression('bool', depth - 1)} {operator} {self.expression('bool', depth - 1)})"
        if choice < 0.93:
            return f"(!{self.expression('bool', depth - 1)})"
        who = self.expression("address", depth - 1)
        return f"seen[{self.expression('uint8', depth - 1)}][{who}]"
