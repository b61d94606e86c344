"""Tests that the translator and Z3 make of a contract, found once and kept."""

from __future__ import annotations

import atexit
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
from solexp.violations.cvts import Asked, Cvt, CvtSet, combinations
from solexp.violations.forking import Server

if TYPE_CHECKING:
    from solexp.violations.python import Generated, Settings

SCHEMA = 1

SECONDS = 60.0
"""CPU seconds that one contract may take, whatever its settings."""
MEMORY_MB = 4096


class Kept(msgspec.Struct, frozen=True, kw_only=True):
    """What is kept of a contract's tests."""

    tests: CvtSet
    cpu_s: float
    """CPU seconds that it took to find them."""
    lasts: bool = True
    """Whether it would be the same another time: not where the translator itself ran into a limit."""


def generated(pre: Preconditions, settings: Settings, *, cached: bool = True) -> Kept:
    """What `solexp.violations.python.generate` makes of a contract: tests, and its word on each combination.

    It is made in a process of its own: a contract on which the translator hangs or crashes has no tests, and says why.
    """
    store = Store(cache_home() / "violations", SCHEMA)
    key = content_hash("python", pre, fingerprint(settings))
    known = store.get(key, Kept) if cached else None
    if known is None:
        known = _made(pre, settings)
        if cached and known.lasts:
            store.put(key, known)
    return known


def _made(pre: Preconditions, settings: Settings) -> Kept:
    # z3 costs a quarter of a second to import.
    from solexp.violations.python import Generated  # noqa: PLC0415

    task = {"preconditions": pre, "settings": settings}
    done = _translator_process().ask(task, seconds=SECONDS, memory_mb=MEMORY_MB)
    if done.lines:
        found = msgspec.json.decode(done.lines[0], type=Generated)
        return Kept(tests=as_tests(found), cpu_s=found.cpu_s)
    slow = done.ended == "timeout"
    status, reason = ("timeout", f"{SECONDS:g} s of CPU time") if slow else ("unknown", done.ended)
    said = f"the translator ended {done.ended}" if not slow else f"the translator took {reason}"
    numbers = pre.violable
    asked = tuple(
        Asked(violated=tuple(numbers[n] for n in each), status=status, reason=said)
        for each in combinations(len(numbers), settings.exhaustive_to)
    )
    tests = CvtSet(asked=asked, unsupported=dict.fromkeys(numbers, said))
    return Kept(tests=tests, cpu_s=SECONDS if slow else 0.0, lasts=False)


@functools.cache
def _translator_process() -> Server:
    """This process's translator, kept from one contract to the next. Raises HarnessError when it cannot be started."""
    server = Server("solexp.violations.translating")
    atexit.register(server.close)
    return server


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
