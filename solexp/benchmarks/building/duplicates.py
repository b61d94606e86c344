"""Sources that are nearly the same: SimHash over runs of tokens (Charikar 2002; SolContractEval, §3.2)."""

from __future__ import annotations

from collections.abc import Sequence

from solexp.benchmarks.building.sources import Source
from solexp.solidity.similarity import tokens

BITS = 64
_SHINGLE = 4
"""Tokens of a run, comments and white space left out."""


def near_duplicates(sources: Sequence[Source], most: int) -> dict[str, str]:
    """For each source to drop, by id, the one before it in order that is nearly the same.

    Two are if their hashes differ in at most ``most`` of 64 bits; below 0 none are.
    """
    if most < 0:
        return {}
    from simhash import Simhash, SimhashIndex  # noqa: PLC0415  (few commands need it)

    index = SimhashIndex([], f=BITS, k=most)
    order = {source.id: place for place, source in enumerate(sources)}
    dropped: dict[str, str] = {}
    for source in sources:
        digest = Simhash(_features(source.text), f=BITS)
        near = sorted(index.get_near_dups(digest), key=order.__getitem__)
        if near:
            dropped[source.id] = near[0]
        else:
            index.add(source.id, digest)
    return dropped


def _features(text: str) -> list[str]:
    """Every run as often as it occurs: the library's own weights overflow from 256 on (numpy 2)."""
    stream = tokens(text)
    return [
        " ".join(stream[start : start + _SHINGLE])
        for start in range(max(1, len(stream) - _SHINGLE + 1))
    ]
