"""What a contract's code asks about its surroundings, read off its instructions."""

from __future__ import annotations

from collections import Counter

from solexp.evm.machine import Subject

_ASKED = {
    0x31: "balance",
    0x3A: "gasprice",
    0x40: "blockhash",
    0x41: "coinbase",
    0x42: "timestamp",
    0x43: "number",
    0x44: "randomness",
    0x45: "gaslimit",
    0x47: "selfbalance",
    0x48: "basefee",
    0x5A: "gas",
    0xF0: "create",
    0xF5: "create2",
}
_CALLS = (0xF1, 0xF2, 0xF4, 0xFA)
_PUSH1, _PUSH32 = 0x60, 0x7F


def asked(subject: Subject) -> Counter[str]:
    """How often the code asks for what, such as ``gasprice`` and ``timestamp``; ``gas`` only where it is not passed on
    to a call at once, as compilers have it. ``create`` stands among them, since what is created can ask in its place.

    Read as the EVM itself reads code to find its jump destinations: from the start, past the data of pushes.
    """
    runtime = subject.contract.runtime
    creation = subject.creation
    constructor = creation
    if len(runtime) > 2 and runtime[2:] in creation:
        constructor = creation[: creation.index(runtime[2:])]
    return _counts(_bytes(constructor)) + _counts(_without_metadata(_bytes(runtime)))


def _bytes(code: str) -> bytes:
    # Where a library's address is still missing, there are other signs.
    digits = "".join(each if each in "0123456789abcdefABCDEF" else "0" for each in code[2:])
    return bytes.fromhex(digits[: len(digits) // 2 * 2])


def _without_metadata(code: bytes) -> bytes:
    """Code without the CBOR that compilers append: its last two bytes are its length."""
    size = int.from_bytes(code[-2:], "big") + 2
    metadata = 16 <= size < len(code) and code[-size] & 0xF0 == 0xA0
    return code[:-size] if metadata else code


def _counts(code: bytes) -> Counter[str]:
    found: Counter[str] = Counter()
    at = 0
    while at < len(code):
        instruction = code[at]
        name = _ASKED.get(instruction)
        passed_on = instruction == 0x5A and code[at + 1 : at + 2] and code[at + 1] in _CALLS
        if name is not None and not passed_on:
            found[name] += 1
        at += instruction - _PUSH1 + 2 if _PUSH1 <= instruction <= _PUSH32 else 1
    return found
