"""Tests that the translator and Z3 make of a contract, found once and kept."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from solexp.core.hashing import content_hash, file_hash
from solexp.core.preconditions import Preconditions
from solexp.store import Store
from solexp.toolchain.homes import cache_home
from solexp.violations.cvts import Asked, Cvt, CvtSet

if TYPE_CHECKING:
    from solexp.violations.python import Generated, Settings

SCHEMA = 1


class Kept(msgspec.Struct, frozen=True, kw_only=True):
    """What is kept of a contract's tests."""

    tests: CvtSet
    cpu_s: float
    """CPU seconds that it took to find them."""


def generated(pre: Preconditions, settings: Settings, *, cached: bool = True) -> Kept:
    """What `solexp.violations.python.generate` makes of a contract: tests, and its word on each combination."""
    # z3 costs a quarter of a second to import.
    from solexp.violations.python import generate  # noqa: PLC0415

    store = Store(cache_home() / "violations", SCHEMA)
    key = content_hash("python", pre, fingerprint(settings))
    known = store.get(key, Kept) if cached else None
    if known is None:
        found = generate(pre, settings)
        known = Kept(tests=as_tests(found), cpu_s=found.cpu_s)
        if cached:
            store.put(key, known)
    return known


def fingerprint(settings: Settings) -> dict[str, Any]:
    """Everything besides the contract that generated tests depend on."""
    return {
        "translator": _translator(),
        "z3": metadata.version("z3-solver"),
        "settings": msgspec.to_builtins(settings),
    }


@functools.cache
def _translator() -> str:
    """Hash of the translator itself: whatever changes in it may change what it finds."""
    folder = Path(__file__).parent / "python"
    return content_hash([file_hash(path) for path in sorted(folder.rglob("*.py"))])


def as_tests(found: Generated) -> CvtSet:
    """The same as a candidate holds it."""
    return CvtSet(
        cvts=tuple(
            Cvt(violated=combination.violated, args=args)
            for combination in found.combinations
            for args in combination.models
        ),
        asked=tuple(
            Asked(violated=each.violated, status=str(each.status), reason=each.reason)
            for each in found.combinations
        ),
        unsupported=dict(found.unsupported),
    )


def satisfiable(asked: Sequence[Asked]) -> frozenset[tuple[int, ...]]:
    """The combinations that have an input."""
    return frozenset(each.violated for each in asked if each.status == "sat" and each.violated)
