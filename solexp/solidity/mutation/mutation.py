"""One small change of a function's text."""

from __future__ import annotations

from typing import Literal

import msgspec
from tree_sitter import Node

Kind = Literal[
    "arithmetic",
    "comparison",
    "logical",
    "bitwise",
    "constant",
    "condition",
    "returned",
    "swapped",
    "check",
    "statement",
]
"""What is changed: an operator (the first four); a literal; a condition, which is negated; what is returned; two
arguments or operands, which change places; a check or another statement, which is taken out."""


class Mutation(msgspec.Struct, frozen=True, kw_only=True):
    """A piece of a function's text, and what takes its place. Offsets are UTF-8 bytes of the text, end exclusive."""

    kind: Kind
    start: int
    end: int
    old: str
    new: str
    line: int
    """1-based, of the function's text."""

    @property
    def name(self) -> str:
        """Unlike that of any other mutation of the function, such as ``comparison@120: < -> <=``."""
        return f"{self.kind}@{self.start}: {_brief(self.old)} -> {_brief(self.new) or 'nothing'}"

    def applied(self, code: str) -> str:
        """The function's text ``code`` with the change made; every other byte stays as it is."""
        data = code.encode()
        return (data[: self.start] + self.new.encode() + data[self.end :]).decode()


class Change(msgspec.Struct, frozen=True):
    """What a rule would put in a node's place."""

    kind: Kind
    node: Node
    new: str


def text(node: Node | None) -> str:
    """The source text of a node; empty for none."""
    return node.text.decode(errors="replace") if node is not None and node.text is not None else ""


def exchanged(around: Node, left: Node, right: Node) -> str:
    """The text of ``around`` with two of the nodes in it in each other's place."""
    whole, shift = around.text or b"", around.start_byte
    pieces = (
        whole[: left.start_byte - shift],
        right.text or b"",
        whole[left.end_byte - shift : right.start_byte - shift],
        left.text or b"",
        whole[right.end_byte - shift :],
    )
    return b"".join(pieces).decode(errors="replace")


def _brief(code: str) -> str:
    return " ".join(code.split())
