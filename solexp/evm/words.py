"""32-byte words, hashes and addresses."""

from __future__ import annotations

from Crypto.Hash import keccak as _keccak


def word(value: int) -> str:
    """64 hex digits without ``0x``."""
    return format(value, "064x")


def keccak(data: bytes) -> int:
    """Keccak-256 as an integer."""
    return int.from_bytes(_keccak.new(data=data, digest_bits=256).digest(), "big")


def created_address(sender: str, nonce: int) -> str:
    """Address of the contract that ``sender``'s transaction with this nonce creates (yellow paper, equation 87)."""
    raw = b"" if nonce == 0 else nonce.to_bytes((nonce.bit_length() + 7) // 8, "big")
    number = raw if len(raw) == 1 and raw[0] < 0x80 else bytes([0x80 + len(raw)]) + raw
    payload = b"\x94" + bytes.fromhex(sender[2:]) + number
    return "0x" + word(keccak(bytes([0xC0 + len(payload)]) + payload))[24:]
