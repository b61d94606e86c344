"""What a candidate made of witnesses: where it may be asked, what it rejects, and that told to a reader."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import msgspec

from solexp.core import Call, CallResult, Counterexample, Divergence, Program, Trace
from solexp.evm.compare import ended
from solexp.oracles.asking import reached, same_error
from solexp.violations.witnesses import Witness, Witnesses


class Asked(msgspec.Struct):
    """What a candidate made of the witnesses."""

    violating: list[tuple[Witness, CallResult, CallResult]] = []
    """With what the original and the candidate did."""
    satisfying: list[tuple[Witness, CallResult]] = []
    skipped: int = 0
    left: str | None = None
    """Where the candidate leaves the original's state."""
    gone: bool = False
    """Whether its code is gone in a state in which the original's stands."""


def ask(states: Sequence[Sequence[Witness]], reference: Trace, trace: Trace) -> Asked:
    """What the candidate made of the witnesses of each state, where it reached the state as the original did."""
    found = reached(states, reference, trace)
    asked = Asked(
        violating=[], satisfying=[], skipped=found.skipped, left=found.left, gone=found.gone
    )
    for witness, wanted, got in found.rows:
        if witness.violated:
            asked.violating.append((witness, wanted, got))
        else:
            asked.satisfying.append((witness, got))
    return asked


def together(states: Sequence[Sequence[Witness]], program: Program) -> Program:
    """``program`` with the calls of ``states`` that violate a guard among its own."""
    calls: list[Call] = []
    at = 0
    for rows in states:
        after = rows[0].after
        calls += program.calls[at:after]
        calls += [witness.call for witness in rows if witness.violated]
        at = after
    return msgspec.structs.replace(program, calls=tuple(calls))


def measures(asked: Asked, witnesses: Witnesses) -> dict[str, float | int | bool | str | None]:
    counts: Counter[str] = Counter()
    held: dict[tuple[str, int], bool] = {}
    for witness, expected, got in asked.violating:
        assert witness.first is not None
        key = (witness.function, witness.first)
        held[key] = held.get(key, True) and not got.status
        kind = witnesses.guard(*key).kind
        said = ["asked"]
        if not got.status:
            said.append("rejected")
            if same_error(expected, got):
                said.append("same_error")
        counts.update(name for what in said for name in (what, f"{what}.{kind}"))
    totals = ("asked", "rejected", "same_error")
    kinds = sorted(name for name in counts if "." in name)
    return {
        **{f"violation.{name}": counts[name] for name in (*totals, *kinds)},
        "violation.guards": len(held),
        "violation.guards_held": sum(held.values()),
        "violation.satisfying": len(asked.satisfying),
        "violation.accepted": sum(got.status for _, got in asked.satisfying),
        "violation.skipped": asked.skipped,
    }


def shown(
    witness: Witness, witnesses: Witnesses, expected: CallResult | None, got: CallResult
) -> dict[str, object]:
    """A witness for a reader, with all that is needed to make the call again."""
    call = witness.call
    return {
        "call": witness.shown,
        "guard": _guard(witness, witnesses),
        "after": witness.after,
        "sender": call.sender,
        "value": call.value,
        "block": call.block_number,
        "time": call.timestamp,
        "input": call.input,
        "expected": ended(expected) if expected is not None else "success",
        "got": ended(got),
    }


def divergence(
    axis: str,
    witness: Witness,
    witnesses: Witnesses,
    expected: CallResult | None,
    got: CallResult,
) -> Divergence:
    """The witness as the call that follows the program's first ``index``."""
    wanted = "success" if expected is None else f"{ended(expected)} by {_guard(witness, witnesses)}"
    return Divergence(
        axis=axis, index=witness.after, expected=wanted, got=ended(got), function=witness.shown
    )


def counterexample(
    axis: str,
    witness: Witness,
    witnesses: Witnesses,
    expected: CallResult | None,
    got: CallResult,
) -> Counterexample:
    """The calls that lead to the witness's state, and then its own."""
    return Counterexample.after(
        witnesses.kept[: witness.after],
        axis=axis,
        calls=(witness.call,),
        expected=CallResult(status=True) if expected is None else expected,
        got=got,
    )


def _guard(witness: Witness, witnesses: Witnesses) -> str | None:
    if witness.first is None:
        return None
    row = witnesses.guard(witness.function, witness.first)
    inside = f" in {row.inside[-1]}" if row.inside else ""
    return f"{row.kind} at line {row.line}{inside}: {row.text}"
