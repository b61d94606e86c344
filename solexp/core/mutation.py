"""One small change of a program's text, and a fair order of many."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Literal

import msgspec

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
    """A piece of a text, and what takes its place. Offsets are UTF-8 bytes of the text, end exclusive."""

    kind: Kind
    start: int
    end: int
    old: str
    new: str
    line: int
    """1-based, of the text."""

    @property
    def name(self) -> str:
        """Unlike that of any other mutation of the text, such as ``comparison@120: < -> <=``."""
        return f"{self.kind}@{self.start}: {_brief(self.old)} -> {_brief(self.new) or 'nothing'}"

    def applied(self, code: str) -> str:
        """The text ``code`` with the change made; every other byte stays as it is."""
        data = code.encode()
        return (data[: self.start] + self.new.encode() + data[self.end :]).decode()


def shuffled(found: tuple[Mutation, ...], seed: str) -> Iterator[Mutation]:
    """The mutations in an order drawn by ``seed``, in which every kind is as likely to come next as any other.

    A body is full of constants; drawn evenly, they would be most of what is seen.
    """
    draw = random.Random(seed)
    kinds: dict[str, list[Mutation]] = {}
    for mutation in found:
        kinds.setdefault(mutation.kind, []).append(mutation)
    left = [kinds[kind] for kind in sorted(kinds)]
    while left:
        kind = draw.choice(left)
        yield kind.pop(draw.randrange(len(kind)))
        if not kind:
            left = [each for each in left if each]


def _brief(code: str) -> str:
    return " ".join(code.split())
