"""Where a labelled value stands in a contract's storage."""

from __future__ import annotations

from typing import NamedTuple

from solexp.evm.storage import SlotPlan
from solexp.evm.words import keccak, word


class Slot(NamedTuple):
    """Where a value stands in storage."""

    slot: int
    offset: int
    """Bytes of the slot that are behind it."""
    size: int
    """Its own bytes."""
    signed: bool

    def value(self, content: int) -> int:
        """The value in the slot's ``content``, widened to 32 bytes."""
        bits = 8 * self.size
        found = (content >> 8 * self.offset) & ((1 << bits) - 1)
        if self.signed and found >> (bits - 1):
            found += (1 << 256) - (1 << bits)
        return found


def slot_of(plan: SlotPlan, label: str) -> Slot | None:
    """Where the value with a label stands; None where the plan does not read it from one slot."""
    field = next((field for field in plan.fields if field.label == label), None)
    digits = plan.calldata[2:]
    words = [int(digits[at : at + 64], 16) for at in range(0, len(digits), 64)]
    at = first = 0
    while field is not None and at < len(words):
        kind, base, count, offset = words[at : at + 4]
        width = 2 if kind == 2 else 1
        if field.word < first + count:
            keys = words[at + 4 + width * (field.word - first) :][:width]
            if kind == 3:
                return None
            slot = base + keys[0] if kind == 0 else base
            for key in keys if kind else ():
                slot = keccak(bytes.fromhex(word(key) + word(slot)))
            return Slot(
                (slot + offset) % (1 << 256),
                (64 - field.end) // 2,
                (field.end - field.start) // 2,
                field.signed,
            )
        first += count
        at += 4 + width * count
    return None
