"""The contract-violating tests that candidates are scored by: each is refused by the contract-aware reference."""

from __future__ import annotations

import functools
import platform
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

import msgspec

from solexp.core import Preconditions, Task, UserError
from solexp.core.hashing import content_hash, file_hash
from solexp.python.contracts import with_contract
from solexp.python.expected import is_refusal, preconditions_of
from solexp.python.series import call_series
from solexp.sandbox import Limits
from solexp.store import Store
from solexp.toolchain.homes import cache_home, data_home
from solexp.violations import released
from solexp.violations.cvts import Cvt
from solexp.violations.generated import fingerprint as generating
from solexp.violations.generated import generated
from solexp.violations.released import read_rows

Source = Literal["z3", "released"]
"""Where tests come from: found by the solver, or those that the authors of ContractEval released."""

SCHEMA = 1
_RELEASED = Path("contracteval") / released.VERIFIED


class Known(msgspec.Struct, frozen=True, kw_only=True):
    """The tests that count, and how many do not."""

    cvts: tuple[Cvt, ...]
    dropped: int = 0
    """Tests that the contract-aware reference does not refuse with AssertionError."""
    unsupported: dict[int, str] = {}
    """By number: assertions for which the solver may have missed tests, and why."""
    lasts: bool = True
    """Whether they would be the same another time: not where the translator ran into a limit."""


def known(task: Task, source: Source, *, cached: bool = True) -> Known:
    """The tests of ``task``, in the order in which they were found; executed once and kept.

    Raises UserError when there are no released tests here, HarnessError when the sandbox fails.
    """
    given = preconditions_of(task)
    program = task.sources[task.target.path]
    store = Store(cache_home() / "cvts", SCHEMA)
    key = content_hash(program, given, fingerprint(source), platform.python_version())
    found = store.get(key, Known) if cached else None
    if found is None:
        found = _checked(program, given, _solved(given) if source == "z3" else _released(task))
        if cached and found.lasts:
            store.put(key, found)
    return found


def fingerprint(source: Source) -> dict[str, Any]:
    """What the tests of a source depend on, besides the task."""
    if source == "released":
        path = data_home() / _RELEASED
        return {"cvts": source, "hash": file_hash(path) if path.is_file() else None}
    from solexp.violations.python import Settings  # noqa: PLC0415  (Z3 costs start-up)

    return {"cvts": source, **msgspec.to_builtins(generating(Settings()))}


def _checked(program: str, given: Preconditions, found: Known) -> Known:
    aware = with_contract(program, given.entry_point, given.statements)
    calls = call_series(aware, given.entry_point, [cvt.args for cvt in found.cvts], Limits())
    verified = tuple(cvt for cvt, call in zip(found.cvts, calls, strict=True) if is_refusal(call))
    return msgspec.structs.replace(found, cvts=verified, dropped=len(found.cvts) - len(verified))


def _solved(given: Preconditions) -> Known:
    from solexp.violations.python import Settings  # noqa: PLC0415  (Z3 costs start-up)

    kept = generated(given, Settings())
    violating = tuple(cvt for cvt in kept.tests.cvts if cvt.violated)
    return Known(cvts=violating, unsupported=kept.tests.unsupported, lasts=kept.lasts)


def _released(task: Task) -> Known:
    given = preconditions_of(task)
    path = data_home() / _RELEASED
    rows = _rows(path).get(task.id, [])
    tests = read_rows(released.verified, rows, given, path, task.id).cvts
    return Known(
        cvts=tuple(
            Cvt(violated=cvt.violated, args=cvt.args)
            for cvt in tests
            if set(cvt.violated) <= set(given.violable)
        )
    )


@functools.lru_cache(maxsize=2)
def _rows(path: Path) -> Mapping[str, released.Rows]:
    try:
        return released.rows_by_task(path)
    except FileNotFoundError:
        raise UserError(f"{path}: no such file; released tests need it, cvts=z3 does not") from None
