"""Keys never leave the process but in the request itself: every text about an error passes here first."""

from __future__ import annotations

import re

_SECRETS: set[str] = set()
_SHORTEST = 6
"""Shorter values are no keys, and would blacken ordinary words."""
_USERINFO = re.compile(r"(?<=://)[^/\s@]+@")
_BEARER = re.compile(r"(?i)\b(bearer\s+|(?:api[-_]?)?key[=:]\s*)(?!\*)[\w.~+/=-]{8,}")


def register(secret: str) -> None:
    """Remember a value that no text may hold."""
    if len(secret) >= _SHORTEST:
        _SECRETS.add(secret)


def redact(text: str) -> str:
    """``text`` with every registered secret, bearer token and user part of an address taken out."""
    for secret in sorted(_SECRETS, key=len, reverse=True):
        text = text.replace(secret, "***")
    return _BEARER.sub(r"\1***", _USERINFO.sub("***@", text))
