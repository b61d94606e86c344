"""How much of one text another gives away, whatever it did to names, layout and comments.

The measure is Broder's containment ("On the resemblance and containment of documents", 1997): the share of a text's
shingles (runs of tokens) that another text holds. Unlike resemblance, SimHash and MinHash it does not fall when the
copy stands in a larger file. It is estimated on a sample of the text's shingles, the smallest of their hashes, as
there. Shingles are compared twice: as written, and with names replaced by how far back they occurred last
(parameterised matching: Baker, "A theory of parameterized pattern matching", 1993), which no consistent
renaming changes.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from hashlib import blake2b

import msgspec
import numpy as np
from numpy.typing import NDArray

Hashes = NDArray[np.uint64]
Indices = NDArray[np.int64]

WRITTEN = 5
"""Tokens of a shingle that is compared as written."""
RENAMED = 12
"""Tokens of a shingle that is compared with its names taken away; it needs more of them to say as much."""
SHORT = 30
"""Texts of fewer tokens are compared as written only: without their names all getters are one."""
SAMPLE = 256
"""Shingles of a text that stand for all of them; the share's standard error is at most 3 points."""

# Comments match outside the group, and come back empty.
_TOKEN = re.compile(
    r"""
      //[^\n\r]*+ | /\*.*?(?:\*/|\Z)
    | ( "(?:[^"\\\n\r]|\\.)*+"? | '(?:[^'\\\n\r]|\\.)*+'?
      | [^\W\d][\w$]*+ | \$[\w$]*+ | \d[\w.]*+
      | >>>=? | >>=? | <<=? | => | -> | := | \*\* | && | \|\| | \+\+ | -- | [-+*/%&|^<>=!]= | \S )
    """,
    re.DOTALL | re.VERBOSE,
)
_NAME = re.compile(r"[^\W\d]|[$\"']")
"""How what may be chosen freely begins: names, and messages in quotes."""
LANGUAGE_WORDS = frozenset(
    word
    for line in (
        "abi abstract address anonymous as assembly assert block bool break byte bytes calldata",
        "case catch chainid constant constructor continue contract coinbase data default",
        "delegatecall delete difficulty do ecrecover else emit encode encodepacked",
        "encodewithselector encodewithsignature enum error event external fallback false finney",
        "fixed for from function gas gasleft gasprice hex if immutable import indexed interface",
        "internal is keccak256 length let library mapping memory modifier msg new now number",
        "origin override payable pop pragma private public pure push receive require return",
        "returns revert selector selfdestruct send sender sha3 sig solidity storage string struct",
        "super switch this throw timestamp transfer true try tx type ufixed unchecked using value",
        "var view virtual while int uint",
    )
    for word in line.split()
)
"""Names that are nobody's choice, in lower case: keywords, and members of what the language brings."""
_ELEMENTARY = re.compile(r"u?int\d+|bytes\d+")
_PRIME = np.uint64(0x9E3779B97F4A7C15)
_PAD = 0
_CELLS = 4_000_000
"""Pairs of texts that are counted at a time; bounds memory."""


def tokens(source: str) -> list[str]:
    """The tokens of Solidity (or anything like it), comments and white space left out.

    >>> tokens("x += 1; // more")
    ['x', '+=', '1', ';']
    """
    return [token for token in _TOKEN.findall(source) if token]


class Originals:
    """Texts that nothing may give away."""

    def __init__(self, texts: Sequence[str]) -> None:
        streams = [_stream(text) for text in texts]
        self._count = len(texts)
        lengths = np.array([len(stream) for stream in streams], dtype=np.int64)
        everyone = np.ones(self._count, dtype=bool)
        self._tables = (
            _Table.of(streams, everyone, blind=False),
            _Table.of(streams, lengths >= SHORT, blind=True),
        )

    def shown_by(self, texts: Sequence[str]) -> NDArray[np.float64]:
        """For each text, the most that it gives away of any original: a share in [0, 1]."""
        most = np.zeros(len(texts))
        if not self._count:
            return most
        step = max(1, _CELLS // self._count)
        for start in range(0, len(texts), step):
            streams = [_stream(text) for text in texts[start : start + step]]
            for table in self._tables:
                shares = table.shares(streams, self._count)
                part = most[start : start + step]
                np.maximum(part, shares.max(axis=1), out=part)
        return most


def shown(original: str, text: str) -> float:
    """How much of ``original`` is given away by ``text``: a share in [0, 1]."""
    return float(Originals([original]).shown_by([text])[0])


class _Table(msgspec.Struct, frozen=True):
    """A sample of each original's shingles, to be looked up by hash."""

    blind: bool
    hashes: Hashes
    """Sorted, each once."""
    starts: Indices
    """Where the owners of each hash begin in ``owners``; one more than there are hashes."""
    owners: Indices
    sizes: NDArray[np.float64]
    """Shingles in each original's sample."""

    @classmethod
    def of(cls, streams: Sequence[Sequence[int]], wanted: NDArray[np.bool_], blind: bool) -> _Table:
        hashes, owners = _shingles(streams, blind=blind)
        # By owner and hash: the first SAMPLE of each owner are its smallest.
        firsts = np.searchsorted(owners, owners, side="left")
        keep = (np.arange(len(owners)) - firsts < SAMPLE) & wanted[owners]
        hashes, owners = hashes[keep], owners[keep]
        order = np.argsort(hashes, kind="stable")
        hashes, owners = hashes[order], owners[order]
        unique, starts = np.unique(hashes, return_index=True)
        return cls(
            blind=blind,
            hashes=unique,
            starts=np.append(starts, len(hashes)).astype(np.int64),
            owners=owners,
            sizes=np.bincount(owners, minlength=len(streams)).astype(np.float64),
        )

    def shares(self, streams: Sequence[Sequence[int]], count: int) -> NDArray[np.float64]:
        """The share of each original (columns) that each text (rows) gives away."""
        held = np.zeros(len(streams) * count, dtype=np.float64)
        hashes, texts = _shingles(streams, blind=self.blind)
        if len(self.hashes) and len(hashes):
            places = np.minimum(np.searchsorted(self.hashes, hashes), len(self.hashes) - 1)
            hit = self.hashes[places] == hashes
            places, texts = places[hit], texts[hit]
            many = self.starts[places + 1] - self.starts[places]
            ends = np.cumsum(many)
            first = 0
            while first < len(places):
                done = ends[first - 1] if first else 0
                last = max(first + 1, int(np.searchsorted(ends, done + _CELLS)))
                held += self._pairs(places[first:last], texts[first:last], count, len(held))
                first = last
        sizes = np.where(self.sizes > 0, self.sizes, np.inf)
        return held.reshape(len(streams), count) / sizes

    def _pairs(self, places: Indices, texts: Indices, count: int, size: int) -> NDArray[np.float64]:
        """How many of these hits fall on each pair of text and original."""
        many = self.starts[places + 1] - self.starts[places]
        begins = np.repeat(self.starts[places] - (np.cumsum(many) - many), many)
        owners = self.owners[begins + np.arange(int(many.sum()))]
        return np.bincount(np.repeat(texts, many) * count + owners, minlength=size).astype(
            np.float64
        )


def _shingles(streams: Sequence[Sequence[int]], *, blind: bool) -> tuple[Hashes, Indices]:
    """The distinct shingles of each text with the text's index, by index and hash.

    A text of fewer tokens than a shingle has one, filled up.
    """
    k = RENAMED if blind else WRITTEN
    filled = [[*stream, *[_PAD] * (k - len(stream))] for stream in streams]
    lengths = np.array([len(stream) for stream in filled], dtype=np.int64)
    if not len(lengths):
        return np.empty(0, dtype=np.uint64), np.empty(0, dtype=np.int64)
    codes = np.array([code for stream in filled for code in stream], dtype=np.uint64)
    owners = np.repeat(np.arange(len(filled)), lengths)
    back = _back(codes, owners) if blind else None
    size = len(codes) - k + 1
    hashes = np.zeros(size, dtype=np.uint64)
    for offset in range(k):
        part = codes[offset : offset + size]
        if back is not None:
            far = back[offset : offset + size]
            # A name is how far back it occurred last within the shingle; 0 where it is new to it.
            name = np.where(far <= offset, far, 0).astype(np.uint64)
            part = np.where(far >= 0, name, part)
        hashes = _mixed(hashes ^ part) * _PRIME
    whole = owners[:size] == owners[k - 1 :]
    pairs = np.empty(int(whole.sum()), dtype=[("owner", np.int64), ("hash", np.uint64)])
    pairs["owner"], pairs["hash"] = owners[:size][whole], _mixed(hashes[whole])
    order = np.lexsort((pairs["hash"], pairs["owner"]))
    pairs = pairs[order]
    new = np.ones(len(pairs), dtype=bool)
    new[1:] = pairs[1:] != pairs[:-1]
    return pairs["hash"][new], pairs["owner"][new]


def _back(codes: Hashes, owners: Indices) -> Indices:
    """For each name how many tokens ago it occurred last in its text (a large number for never); -1 for no name."""
    order = np.lexsort((np.arange(len(codes)), codes, owners))
    same = (codes[order][1:] == codes[order][:-1]) & (owners[order][1:] == owners[order][:-1])
    back = np.full(len(codes), np.iinfo(np.int64).max)
    back[order[1:][same]] = (order[1:] - order[:-1])[same]
    back[(codes & np.uint64(1)) == 0] = -1
    return back


def _mixed(values: Hashes) -> Hashes:
    """splitmix64's finaliser (Steele, Lea, Flood 2014), so that the smallest hashes are a fair sample."""
    values = (values ^ (values >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    values = (values ^ (values >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return values ^ (values >> np.uint64(31))


def _stream(text: str) -> list[int]:
    return [_code(token) for token in tokens(text)]


@lru_cache(maxsize=1 << 18)
def _code(token: str) -> int:
    """A 64-bit code of a token's lower case, odd for names that may be chosen freely."""
    word = token.lower()
    code = int.from_bytes(blake2b(word.encode(errors="replace"), digest_size=8).digest(), "little")
    free = (
        bool(_NAME.match(word)) and word not in LANGUAGE_WORDS and not _ELEMENTARY.fullmatch(word)
    )
    return (code & ~1) | free or 2
