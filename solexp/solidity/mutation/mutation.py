"""What a rule would change of a function."""

from __future__ import annotations

import msgspec
from tree_sitter import Node

from solexp.core.mutation import Kind


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
