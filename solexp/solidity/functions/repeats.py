"""Declarations that stand twice, since several functions brought the same helper along."""

from __future__ import annotations

from solexp.solidity.functions.heads import heads_in, parentheses
from solexp.solidity.functions.scope import declarations
from solexp.solidity.lexing import brace_pairs, headers, mask


def without_repeats(source: str, contract: str) -> str:
    """``source`` with only the first of those members of ``contract`` that are the same but for white space.

    Members that only share a name stay, for the compiler to refuse; so does everything when the contract is not there.
    """
    masked = mask(source)
    braces, closing = brace_pairs(masked), parentheses(masked)
    header = next((h for h in headers(masked) if h.name == contract and h.brace in braces), None)
    if header is None:
        return source
    start, end = header.brace + 1, braces[header.brace] - 1
    spans = [
        (head.start, braces[head.brace])
        for head, _ in heads_in(masked, start, end, braces, closing)
        if head.brace in braces
    ]
    spans += [(found.start, found.end) for found in declarations(masked, start, end)]
    seen: set[str] = set()
    parts, position = [], 0
    for first, last in sorted(spans):
        text = "".join(source[first:last].split())
        if first < position or text not in seen:
            seen.add(text)
            continue
        parts.append(source[position:first].rstrip(" \t"))
        position = last
    return "".join((*parts, source[position:]))
