"""What makes one example fit a task better than another."""

from __future__ import annotations

import logging
import re
from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from solexp.core.hashing import content_hash
from solexp.strategies.examples.extracting import Entry

Scores = NDArray[np.float64]

_WORD = re.compile(r"[^\W\d_]+[\w$]*")
_PIECE = re.compile(r"[A-Z]{2,}(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+")
_STOP = frozenset(
    word
    for line in (
        "a an and are as at be by can each for from has have if in is it its may must not of on only or",
        "so such than that the their then there this to was were when where which will with",
        "notice dev param return returns function public external internal private memory calldata",
    )
    for word in line.split()
)
"""Words that every requirement or signature has."""


class Ranking(Protocol):
    """Says how well each example of a pool fits a task."""

    def fingerprint(self) -> dict[str, Any]: ...

    def index(self, entries: Sequence[Entry], wanted: Sequence[str]) -> None:
        """Told once: the pool, and everything that will be looked for."""
        ...

    def scores(self, task_id: str, wanted: str) -> Scores:
        """How well each example fits, in the pool's order; higher is better."""
        ...


class Drawn:
    """By lot. What is drawn for a task depends on no other task, nor on how many there are."""

    def __init__(self, seed: int = 42) -> None:
        self.seed = seed
        self._lots = np.empty(0, dtype=np.uint64)

    def fingerprint(self) -> dict[str, Any]:
        return {"by": "random", "seed": self.seed}

    def index(self, entries: Sequence[Entry], wanted: Sequence[str]) -> None:  # noqa: ARG002
        ids = [entry.example.id for entry in entries]
        self._lots = np.array([_number(name) for name in ids], dtype=np.uint64)

    def scores(self, task_id: str, wanted: str) -> Scores:  # noqa: ARG002
        """A lot for each pair of task and example (splitmix64's finaliser over their hashes)."""
        mixed = self._lots ^ np.uint64(_number(f"{self.seed}/{task_id}"))
        mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return (mixed ^ (mixed >> np.uint64(31))).astype(np.float64)


def _number(text: str) -> int:
    return int(content_hash(text)[:16], 16)


class Bm25:
    """By the words that requirement and signature share (BM25: Robertson and Zaragoza 2009, with Lucene's idf)."""

    def __init__(self, k1: float = 1.5, b: float = 0.75) -> None:
        self.k1 = k1
        self.b = b
        self._index: Any = None
        self._count = 0

    def fingerprint(self) -> dict[str, Any]:
        return {"by": "bm25", "k1": self.k1, "b": self.b, "words": 1}

    def index(self, entries: Sequence[Entry], wanted: Sequence[str]) -> None:  # noqa: ARG002
        import bm25s  # noqa: PLC0415  (costs start-up)

        logging.getLogger("bm25s").setLevel(logging.WARNING)
        self._count = len(entries)
        self._index = bm25s.BM25(k1=self.k1, b=self.b, method="lucene")
        if entries:
            self._index.index([words(entry.text) for entry in entries], show_progress=False)

    def scores(self, task_id: str, wanted: str) -> Scores:  # noqa: ARG002
        vocabulary = self._index.vocab_dict if self._count else {}
        known = [word for word in words(wanted) if word in vocabulary]
        if not known:
            return np.zeros(self._count)
        return np.asarray(self._index.get_scores(known), dtype=np.float64)


def words(text: str) -> list[str]:
    """The words of prose and code in small letters; a compound name counts whole and by its parts.

    >>> words("Pays the safeTransferFrom fee")
    ['pays', 'safetransferfrom', 'safe', 'transfer', 'fee']
    """
    found = []
    for word in _WORD.findall(text):
        whole = word.lower()
        parts = [part.lower() for part in _PIECE.findall(word)]
        kept = [whole, *parts] if len(parts) > 1 else [whole]
        found += [each for each in kept if len(each) > 1 and each not in _STOP]
    return found
