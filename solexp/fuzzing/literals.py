"""Constants that a contract's source states, as the compiler's syntax trees have them."""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

from solexp.core import Build
from solexp.evm.words import keccak, word
from solexp.fuzzing.settings import Constants
from solexp.solidity.syntax import nodes

MOST = 256
"""Constants of each kind that are kept, the most used first."""

_NUMBER = re.compile(r"^int_const (-?\d+)$")
_ADDRESS = re.compile(r"^0x[0-9a-fA-F]{40}$")


def constants(build: Build) -> Constants:
    """Numbers (also of constant expressions such as ``10 ** 18``), addresses and texts of a build with ASTs.

    Of a text that is hashed the hash is a text too, since roles and type hashes are written so.
    """
    numbers: Counter[int] = Counter()
    addresses: Counter[str] = Counter()
    texts: Counter[bytes] = Counter()
    for path in sorted(build.asts or {}):
        for node in nodes(build.asts[path]):  # type: ignore[index]
            stated = str((node.get("typeDescriptions") or {}).get("typeString") or "")
            number = _NUMBER.match(stated)
            if number:
                numbers[int(number[1])] += 1
            if node.get("nodeType") == "Literal":
                value = node.get("value")
                if isinstance(value, str) and _ADDRESS.match(value):
                    addresses[value.lower()] += 1
                text = _text(node)
                if text is not None:
                    texts[text] += 1
            elif node.get("nodeType") == "FunctionCall":
                hashed = _hashed(node)
                if hashed is not None:
                    texts[hashed] += 1
    return Constants(_most(numbers), _most(addresses), _most(texts))


def _most(counted: Counter[Any]) -> tuple[Any, ...]:
    # In an order of its own: that of a tree's nodes is nobody's promise.
    return tuple(sorted(counted, key=lambda each: (-counted[each], each))[:MOST])


def _text(node: dict[str, Any]) -> bytes | None:
    if node.get("kind") not in ("string", "hexString", "unicodeString"):
        return None
    try:
        return bytes.fromhex(node.get("hexValue") or "")
    except ValueError:
        return None


def _hashed(node: dict[str, Any]) -> bytes | None:
    called = node.get("expression") or {}
    given: list[dict[str, Any]] = node.get("arguments") or []
    if called.get("name") not in ("keccak256", "sha3") or len(given) != 1:
        return None
    text = _text(given[0]) if given[0].get("nodeType") == "Literal" else None
    return bytes.fromhex(word(keccak(text))) if text is not None else None
