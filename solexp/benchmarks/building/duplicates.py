"""Sources that are nearly the same: SimHash over runs of tokens (Charikar 2002; SolContractEval, §3.2)."""

from __future__ import annotations

from collections.abc import Mapping

from solexp.solidity.similarity import tokens

BITS = 64
_SHINGLE = 4
"""Tokens of a run, comments and white space left out."""


def near_duplicates(texts: Mapping[str, str], most: int) -> dict[str, str]:
    """For each text to drop, by id, the one before it in order that is nearly the same.

    Two are if their hashes differ in at most ``most`` of 64 bits; below 0 none are.
    """
    if most < 0:
        return {}
    from simhash import Simhash, SimhashIndex  # noqa: PLC0415  (few commands need it)

    index = SimhashIndex([], f=BITS, k=most)
    order = {name: place for place, name in enumerate(texts)}
    dropped: dict[str, str] = {}
    for name, text in texts.items():
        digest = Simhash(_features(text), f=BITS)
        near = sorted(index.get_near_dups(digest), key=order.__getitem__)
        if near:
            dropped[name] = near[0]
        else:
            index.add(name, digest)
    return dropped


def _features(text: str) -> list[str]:
    """Every run as often as it occurs: the library's own weights overflow from 256 on (numpy 2)."""
    stream = tokens(text)
    return [
        " ".join(stream[start : start + _SHINGLE])
        for start in range(max(1, len(stream) - _SHINGLE + 1))
    ]
