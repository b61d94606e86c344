"""What a starter task shows of its target: derived from the source, so that it cannot disagree with it."""

from __future__ import annotations

import re

from solexp.solidity.contracts import Definition
from solexp.solidity.parsing import definition

_DOCUMENTATION = re.compile(rb"(?:^[ \t]*///[^\n]*\n)+\Z", re.MULTILINE)


def locate(source: str, name: str) -> Definition:
    """The definition of ``name``. Raises ValueError when the source has none or it does not parse."""
    found = definition(source, name)
    if found is None or not found.parsed:
        raise ValueError(f"{name} is not in the source, or does not parse")
    return found


def context(source: str, name: str) -> str:
    """All of the source but the target and the target's documentation."""
    data = source.encode()
    target = locate(source, name)
    before = data[: _documented(data, target)].decode().rstrip()
    after = data[target.end :].decode().strip()
    return "\n\n".join(part for part in (before, after) if part) + "\n"


def _documented(data: bytes, target: Definition) -> int:
    """Where the comment that stands right above the target starts, or the target itself."""
    line = data.rfind(b"\n", 0, target.start) + 1
    comment = _DOCUMENTATION.search(data[:line])
    return comment.start() if comment else target.start
