"""Setting a candidate's trace beside the reference's."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Literal

import msgspec

from solexp.core import (
    CallResult,
    Checkpoint,
    ContractBuild,
    Divergence,
    Log,
    Program,
    Trace,
    UserError,
)
from solexp.core.errors import nearest
from solexp.evm.abi import changing_functions, describe_output
from solexp.evm.receiving import described
from solexp.evm.storage import BALANCE

Axis = Literal["status", "return", "revert", "events", "storage", "gas"]
"""What can differ. A deployment that fails is an axis of its own, ``deployment``, which always decides."""

AXES: tuple[Axis, ...] = ("status", "return", "revert", "events", "storage", "gas")

AXIS_SETS: dict[str, tuple[Axis, ...]] = {
    "solcontracteval": ("status", "return", "events", "storage"),
    "strict": ("status", "return", "revert", "events", "storage"),
    "status": ("status",),
    "status_return": ("status", "return"),
    "status_events": ("status", "events"),
    "status_return_events": ("status", "return", "events"),
    "observable": ("status", "return", "revert", "events"),
    "all": AXES,
}
"""Named choices of deciding axes: ``solcontracteval`` is that paper's, ``status`` is SolBehave's."""

_CONSTRUCTOR = -1

GAS_TOLERANCE = 0.10
"""A successful call whose gas differs by more than this share of the reference's is flagged."""


def axis_set(choice: str | Collection[str]) -> tuple[Axis, ...]:
    """The axes that a name of `AXIS_SETS`, an axis, or a list of axes stands for. Raises UserError."""
    names = AXIS_SETS.get(choice, (choice,)) if isinstance(choice, str) else tuple(choice)
    for name in names:
        if name not in AXES:
            raise UserError(f"axes: unknown axis {name!r}; {nearest(name, [*AXES, *AXIS_SETS])}")
    if not names:
        raise UserError(f"axes: at least one must decide; choose from: {', '.join(AXES)}")
    return tuple(axis for axis in AXES if axis in names)


class Difference(msgspec.Struct, frozen=True, kw_only=True):
    """One place where two traces differ."""

    axis: str
    index: int | None
    """0-based call; None for the deployment and for state at the end, -1 for what the constructor emitted."""
    expected: str
    got: str
    what: str | None = None
    """Label of the slot or getter, for state."""


class Comparison(msgspec.Struct, frozen=True, kw_only=True):
    """How a candidate's trace differs from the reference's."""

    counts: dict[str, int]
    """Differing calls by axis (for ``storage``: labels at the checkpoints); ``deployment`` is 0 or 1."""
    first: dict[str, Difference]
    """The first difference on each axis that has one."""
    missing: tuple[str, ...] = ()
    """State variables that the candidate's storage lacks, and labels that it lacks of variables which it has, such as
    those of a renamed member; they are not compared."""
    gas_ratio: float | None = None
    """Gas of the candidate over gas of the reference, summed over the calls that succeed in both."""
    over_recorded_gas: int = 0
    """Calls that used more gas than the recorded limit, where the reference fits."""
    truncated: str | None = None
    """Which limit cut the candidate's run short; what came after was not compared."""

    def diverges(self, axes: Collection[str]) -> bool:
        """Whether the traces differ on any of the axes, or in that just one was deployed."""
        return any(self.counts.get(axis, 0) for axis in ("deployment", *axes))

    def earliest(self, axes: Collection[str]) -> Difference | None:
        """The first difference in program order on any of the axes."""
        found = [self.first[axis] for axis in ("deployment", *axes) if axis in self.first]
        return min(found, key=_order, default=None)


def _order(difference: Difference) -> tuple[int, int]:
    if difference.axis == "deployment":
        return (-1, 0)
    index = 1 << 62 if difference.index is None else difference.index
    return (index, AXES.index(difference.axis))


def compare(
    reference: Trace, candidate: Trace, program: Program, *, getters: bool = True
) -> Comparison:
    """All differences between two traces of ``program``, on every axis.

    ``getters=False`` leaves answers of getters aside as long as storage alone can be compared: where the compiler gave
    a layout, and the candidate has every variable of the reference.

    Return data and events are compared on calls that succeed in both, revert data on calls that fail in both. The
    addresses of the two deployments count as the same. State is compared by label, at every checkpoint.
    """
    counts = dict.fromkeys(("deployment", *AXES), 0)
    first: dict[str, Difference] = {}

    def differ(
        axis: str, index: int | None, expected: str, got: str, what: str | None = None
    ) -> None:
        counts[axis] += 1
        if axis not in first:
            first[axis] = Difference(axis=axis, index=index, expected=expected, got=got, what=what)

    if (reference.address is None) != (candidate.address is None):
        if not (candidate.stopped and candidate.address is None):
            differ("deployment", None, _deployed(reference), _deployed(candidate))
        return Comparison(counts=counts, first=first, truncated=candidate.stopped)
    renamed = _Renaming(reference.address, candidate.address)
    if renamed.logs(candidate.deployment.logs) != reference.deployment.logs:
        differ(
            "events",
            _CONSTRUCTOR,
            _events(reference.deployment.logs),
            _events(candidate.deployment.logs),
            "the constructor",
        )
    ours = theirs = over = 0
    for index, (expected, got) in enumerate(zip(reference.calls, candidate.calls, strict=False)):
        used, before = got.gas_used, expected.gas_used
        if expected.status and got.status:
            ours += used
            theirs += before
        # Nearly all calls of nearly all candidates are alike, so that this line is where the time goes.
        if not (
            expected.status is got.status
            and expected.output == got.output
            and expected.logs == got.logs
            and used == before
        ):
            for axis, wanted, found in _call_differences(expected, got, renamed):
                differ(axis, index, wanted, found)
            limit = program.calls[index].gas
            over += limit is not None and used > limit >= before
    missing: dict[str, None] = {}
    for point, other in _matched(reference, candidate):
        end = point.after >= len(program.calls)
        for label, wanted, found in _state_differences(point, other, renamed, missing, getters):
            differ("storage", None if end else point.after - 1, wanted, found, label)
    return Comparison(
        counts=counts,
        first=first,
        missing=tuple(missing),
        gas_ratio=ours / theirs if theirs else None,
        over_recorded_gas=over,
        truncated=candidate.stopped,
    )


def _call_differences(
    expected: CallResult, got: CallResult, renamed: _Renaming
) -> Iterator[tuple[str, str, str]]:
    if expected.status != got.status:
        yield "status", ended(expected), ended(got)
        return
    if expected.output != got.output and renamed.data(got.output) != expected.output:
        axis = "return" if expected.status else "revert"
        yield axis, describe_output(expected.output), describe_output(got.output)
    if not expected.status:
        return
    if expected.logs != got.logs and renamed.logs(got.logs) != expected.logs:
        yield "events", *_unlike(expected.logs, renamed.logs(got.logs))
    if abs(got.gas_used - expected.gas_used) > GAS_TOLERANCE * expected.gas_used:
        yield "gas", str(expected.gas_used), str(got.gas_used)


class _Renaming:
    """Reads the candidate's own address as the reference's."""

    def __init__(self, reference: str | None, candidate: str | None) -> None:
        same = reference is None or candidate is None or reference == candidate
        self._names = None if same else (candidate[2:], reference[2:])  # type: ignore[index]

    def data(self, text: str) -> str:
        return text if self._names is None else text.replace(*self._names)

    def logs(self, logs: tuple[Log, ...]) -> tuple[Log, ...]:
        if self._names is None:
            return logs
        return tuple(
            Log(self.data(log.address), tuple(map(self.data, log.topics)), self.data(log.data))
            for log in logs
        )

    def labels(self, words: dict[str, str]) -> dict[str, str]:
        if self._names is None:
            return words
        return {self.data(label): self.data(value) for label, value in words.items()}


def _matched(reference: Trace, candidate: Trace) -> Iterator[tuple[Checkpoint, Checkpoint]]:
    others = {point.after: point for point in candidate.checkpoints}
    for point in reference.checkpoints:
        if point.after in others:
            yield point, others[point.after]


def _state_differences(
    expected: Checkpoint,
    got: Checkpoint,
    renamed: _Renaming,
    missing: dict[str, None],
    getters: bool,
) -> Iterator[tuple[str, str, str]]:
    if expected.balance != got.balance:
        yield "balance", str(expected.balance), str(got.balance)
    storage = renamed.labels(got.storage)
    if expected.storage is not storage and expected.storage != storage:
        roots = {_root(label) for label in storage}
        for label, value in expected.storage.items():
            other = storage.get(label)
            if other is None:
                root = _root(label)
                missing.setdefault(label if root in roots else root)
            elif other != value:
                yield label, describe_output(value), describe_output(other)
    if not (getters or missing) and any(map(_is_variable, expected.storage)):
        return
    for label, result in expected.getters.items():
        answer = got.getters.get(label)
        if answer is None:
            continue
        if result.status != answer.status:
            yield label, ended(result), ended(answer)
        elif result.status and renamed.data(answer.output) != result.output:
            yield label, describe_output(result.output), describe_output(answer.output)


def _is_variable(label: str) -> bool:
    return not label.startswith(BALANCE)


def _root(label: str) -> str:
    return label.partition("[")[0].partition(".")[0]


def _deployed(trace: Trace) -> str:
    if trace.address is not None:
        return "deployed"
    reason = trace.deployment.error or describe_output(trace.deployment.output)
    return f"not deployed: {reason}"


def ended(result: CallResult) -> str:
    """How a call ended, for a reader."""
    if result.status:
        return "success"
    said = describe_output(result.output) if result.output != "0x" else result.error
    return f"failure ({said})" if said else "failure"


def _events(logs: tuple[Log, ...]) -> str:
    return "; ".join(map(_event, logs[:3])) + (f"; … {len(logs)} in all" if len(logs) > 3 else "")


def _event(log: Log) -> str:
    data = log.data if len(log.data) <= 140 else log.data[:140] + "…"
    return f"[{', '.join(log.topics)}] {data} from {log.address}"


def _unlike(expected: tuple[Log, ...], got: tuple[Log, ...]) -> tuple[str, str]:
    for index, (one, other) in enumerate(zip(expected, got, strict=False)):
        if one != other:
            return f"event {index}: {_event(one)}", f"event {index}: {_event(other)}"
    more = f"{len(expected)} events", f"{len(got)} events"
    longer = expected[len(got) :] or got[len(expected) :]
    return (
        (f"{more[0]}, the next {_event(longer[0])}", more[1])
        if len(expected) > len(got)
        else (
            more[0],
            f"{more[1]}, the next {_event(longer[0])}",
        )
    )


def divergence(
    difference: Difference, program: Program, contract: ContractBuild | None
) -> Divergence:
    """A difference with its transaction, and the function named and decoded by the reference's ABI."""
    index = None if difference.index == _CONSTRUCTOR else difference.index
    call = program.calls[index] if index is not None and index < len(program.calls) else None
    function = described(contract, call) if call is not None else None
    if difference.what is not None:
        function = difference.what if function is None else f"{difference.what} after {function}"
    return Divergence(
        axis=difference.axis,
        index=index,
        expected=difference.expected,
        got=difference.got,
        function=function,
        tx_hash=call.recorded.tx_hash if call is not None and call.recorded else None,
    )


class Exercise(msgspec.Struct, frozen=True, kw_only=True):
    """How much of a contract a program tries, as the reference's trace shows."""

    calls: int
    successful_calls: int
    selectors: int
    """Distinct functions among the successful calls."""
    events: int
    functions: int
    """Functions in the ABI that may change state."""
    functions_called: int
    """... of which there is some call."""
    functions_exercised: int
    """... of which some call succeeds."""

    @property
    def share(self) -> float | None:
        """Share of the state-changing functions that are exercised; None where there are none."""
        return self.functions_exercised / self.functions if self.functions else None


def exercise(program: Program, reference: Trace, contract: ContractBuild) -> Exercise:
    """How much of the reference ``program`` tries."""
    functions = changing_functions(contract)
    reached: set[str] = set()
    called: set[str] = set()
    succeeded = events = 0
    for call, result in zip(program.calls, reference.calls, strict=False):
        if call.to in (None, reference.address):
            called.add(call.input[2:10])
        if result.status:
            succeeded += 1
            events += len(result.logs)
            if call.to in (None, reference.address):
                reached.add(call.input[2:10])
    return Exercise(
        calls=len(program.calls),
        successful_calls=succeeded,
        selectors=len(reached),
        events=events,
        functions=len(functions),
        functions_called=len(functions & called),
        functions_exercised=len(functions & reached),
    )
