"""Canonical types: what tells overloads apart."""

from __future__ import annotations

import re
from collections.abc import Sequence

import msgspec

_TOKEN = re.compile(r"[\w$]+|=>|\S")
_ALIASES = {
    "uint": "uint256",
    "int": "int256",
    "byte": "bytes1",
    "fixed": "fixed128x18",
    "ufixed": "ufixed128x18",
}
_LOCATIONS = frozenset({"memory", "storage", "calldata", "indexed", "payable"})
_OPEN, _CLOSE = frozenset("([{"), frozenset(")]}")


class Parameter(msgspec.Struct, frozen=True):
    """One parameter or result."""

    type: str
    """Canonical: ``uint256`` for ``uint``, user types by name, no names and no data locations."""
    name: str = ""
    """Empty where it has none."""


def parameters(text: str) -> tuple[Parameter, ...]:
    """The parameters in a masked list, its parentheses left out.

    >>> parameters("uint a, mapping(address owner => byte [2]) storage, function (int) external f")
    (Parameter(type='uint256', name='a'), Parameter(type='mapping(address=>bytes1[2])', name=''), \
Parameter(type='function(int256)external', name='f'))
    """
    return tuple(
        _parameter(tokens) for tokens in _split(_TOKEN.findall(text)) if tokens or "," in text
    )


def canonical(text: str) -> str:
    """The canonical form of one type.

    >>> canonical("mapping (uint => Lib . Item[ ])")
    'mapping(uint256=>Lib.Item[])'
    """
    return _parameter(_TOKEN.findall(text)).type


def loose(kind: str) -> str:
    """A canonical type with the qualifiers of user types left out: ``Item[]`` for ``Lib.Item[]``."""
    return re.sub(r"[\w$]+\.", "", kind)


def _split(tokens: Sequence[str]) -> list[list[str]]:
    """Token lists between the commas that no bracket holds."""
    parts: list[list[str]] = [[]]
    depth = 0
    for token in tokens:
        depth += (token in _OPEN) - (token in _CLOSE)
        if token == "," and depth == 0:
            parts.append([])
        else:
            parts[-1].append(token)
    return parts


def _parameter(tokens: Sequence[str]) -> Parameter:
    kind, position = _type(tokens, 0)
    words = [token for token in tokens[position:] if token not in _LOCATIONS]
    if len(words) > 1 or (words and not re.match(r"[A-Za-z_$]", words[0])):
        # Nothing that Solidity knows: told apart by its text.
        return Parameter(" ".join(tokens))
    return Parameter(kind, words[0] if words else "")


def _type(tokens: Sequence[str], position: int) -> tuple[str, int]:
    """The type that begins at a token, and the index behind it."""
    if position >= len(tokens):
        return "", position
    word = tokens[position]
    position += 1
    if word in ("mapping", "function") and position < len(tokens) and tokens[position] == "(":
        inside, position = _bracketed(tokens, position)
        if word == "mapping":
            arrow = _arrow(inside)
            kind = f"mapping({_parameter(inside[:arrow]).type}=>{_parameter(inside[arrow + 1 :]).type})"
        else:
            kind, position = _function_type(inside, tokens, position)
    else:
        while position + 1 < len(tokens) and tokens[position] == ".":
            word += "." + tokens[position + 1]
            position += 2
        kind = _ALIASES.get(word, word)
        if word == "address" and position < len(tokens) and tokens[position] == "payable":
            position += 1
    while position < len(tokens) and tokens[position] == "[":
        size, position = _bracketed(tokens, position)
        kind += f"[{_size(''.join(size))}]"
    return kind, position


def _function_type(given: Sequence[str], tokens: Sequence[str], position: int) -> tuple[str, int]:
    words = []
    kind = f"function({_types(given)})"
    while position < len(tokens) and tokens[position] in _SPECIFIERS:
        words.append(tokens[position])
        position += 1
    kind += " ".join(sorted(_CONSTANT.get(word, word) for word in words if word != "internal"))
    if position + 1 < len(tokens) and tokens[position] == "returns" and tokens[position + 1] == "(":
        inside, position = _bracketed(tokens, position + 1)
        kind += f" returns({_types(inside)})"
    return kind, position


_SPECIFIERS = frozenset({"internal", "external", "pure", "view", "payable", "constant"})
_CONSTANT = {"constant": "view"}


def _types(tokens: Sequence[str]) -> str:
    return ",".join(_parameter(part).type for part in _split(tokens) if part)


def _bracketed(tokens: Sequence[str], position: int) -> tuple[list[str], int]:
    """The tokens within the bracket that opens at ``position``, and the index behind it."""
    depth = 0
    for index in range(position, len(tokens)):
        depth += (tokens[index] in _OPEN) - (tokens[index] in _CLOSE)
        if depth == 0:
            return list(tokens[position + 1 : index]), index + 1
    return list(tokens[position + 1 :]), len(tokens)


def _arrow(tokens: Sequence[str]) -> int:
    return tokens.index("=>") if "=>" in tokens else len(tokens)


def _size(text: str) -> str:
    try:
        return str(int(text, 0))
    except ValueError:
        return text
