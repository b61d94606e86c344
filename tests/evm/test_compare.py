"""Laws of trace comparison."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from solexp.core import (
    Call,
    CallResult,
    Checkpoint,
    ContractBuild,
    Deployment,
    Log,
    Program,
    Recorded,
    Trace,
    UserError,
)
from solexp.evm.compare import AXES, AXIS_SETS, axis_set, compare, divergence, exercise

SENDER = "0x" + "aa" * 20
HERE = "0x" + "c1" * 20
THERE = "0x" + "d2" * 20

words = st.integers(0, 3).map(lambda n: f"0x{n:064x}")
own_words = st.sampled_from([f"0x{'0' * 24}{HERE[2:]}", f"0x{0:064x}"])
logs = st.builds(
    Log, address=st.just(HERE), topics=st.tuples(words | own_words), data=words | own_words
)
results = st.builds(
    CallResult,
    status=st.booleans(),
    output=words | own_words | st.just("0x"),
    gas_used=st.integers(21_000, 60_000),
    logs=st.lists(logs, max_size=2).map(tuple),
)
states = st.builds(
    Checkpoint,
    after=st.just(3),
    balance=st.integers(0, 2),
    storage=st.dictionaries(st.sampled_from(["total", "owner", f"of[{HERE}]"]), words | own_words),
    getters=st.dictionaries(st.sampled_from(["a()", "b()"]), results),
)
traces = st.builds(
    Trace,
    address=st.just(HERE),
    deployment=st.just(CallResult(status=True)),
    calls=st.lists(results, min_size=3, max_size=3).map(tuple),
    checkpoints=states.map(lambda state: (state,)),
) | st.just(Trace(address=None, deployment=CallResult(status=False)))
axis_choices = st.lists(st.sampled_from(AXES), min_size=1, unique=True).map(axis_set)

PROGRAM = Program(
    deployment=Deployment(contract="C", sender=SENDER, block_number=1, timestamp=1),
    calls=tuple(
        Call(
            sender=SENDER,
            block_number=n,
            timestamp=n,
            gas=50_000,
            recorded=Recorded(True, 1, f"0x{n:064x}"),
        )
        for n in range(3)
    ),
)


@given(traces)
def test_a_trace_never_differs_from_itself(trace: Trace) -> None:
    comparison = compare(trace, trace, PROGRAM)
    assert not any(comparison.counts.values())
    assert comparison.earliest(AXES) is None


@given(traces, traces, axis_choices)
def test_the_verdict_does_not_depend_on_which_trace_comes_first(
    one: Trace, other: Trace, axes: tuple[str, ...]
) -> None:
    # Labels that one side lacks are reported, not compared, and gas is relative to the reference.
    axes = tuple(axis for axis in axes if axis != "gas") or ("status",)
    forth, back = compare(one, other, PROGRAM), compare(other, one, PROGRAM)
    assert forth.diverges(axes) == back.diverges(axes)
    assert forth.counts["status"] == back.counts["status"]


@given(traces)
def test_a_deployment_elsewhere_counts_as_the_same(trace: Trace) -> None:
    text = msgspec.json.encode(trace).replace(HERE[2:].encode(), THERE[2:].encode())
    moved = msgspec.json.decode(text, type=Trace)
    assert not any(compare(trace, moved, PROGRAM).counts.values())
    assert not any(compare(moved, trace, PROGRAM).counts.values())


@given(traces, traces, axis_choices, axis_choices)
def test_more_axes_never_turn_a_failure_into_a_pass(
    one: Trace, other: Trace, few: tuple[str, ...], more: tuple[str, ...]
) -> None:
    comparison = compare(one, other, PROGRAM)
    if comparison.diverges(few):
        assert comparison.diverges((*few, *more))


@given(traces, traces, axis_choices)
def test_a_failure_always_has_a_first_place(
    one: Trace, other: Trace, axes: tuple[str, ...]
) -> None:
    comparison = compare(one, other, PROGRAM)
    earliest = comparison.earliest(axes)
    assert (earliest is not None) == comparison.diverges(axes)
    if earliest is not None:
        assert divergence(earliest, PROGRAM, None).axis == earliest.axis


def _trace(*calls: CallResult, storage: dict[str, str] | None = None) -> Trace:
    return Trace(
        address=HERE,
        deployment=CallResult(status=True),
        calls=calls,
        checkpoints=(Checkpoint(after=3, storage=storage or {}),),
    )


GOOD = CallResult(status=True, output=f"0x{1:064x}", gas_used=30_000)


def test_revert_data_are_an_axis_of_their_own() -> None:
    one = CallResult(status=False, output="0x08c379a0")
    other = CallResult(status=False, output="0x")
    comparison = compare(_trace(one, one, one), _trace(other, one, one), PROGRAM)
    assert comparison.counts["revert"] == 1
    assert not comparison.diverges(axis_set("solcontracteval"))
    assert comparison.diverges(axis_set("strict"))


def test_gas_is_flagged_beyond_a_tenth_and_decides_nothing_by_default() -> None:
    dear = msgspec.structs.replace(GOOD, gas_used=33_001)
    fair = msgspec.structs.replace(GOOD, gas_used=33_000)
    comparison = compare(_trace(GOOD, GOOD, GOOD), _trace(dear, fair, GOOD), PROGRAM)
    assert comparison.counts["gas"] == 1
    assert comparison.gas_ratio == pytest.approx(96_001 / 90_000)
    assert not comparison.diverges(axis_set("solcontracteval"))


def test_calls_that_would_run_out_at_the_recorded_limit_are_counted() -> None:
    burns = msgspec.structs.replace(GOOD, gas_used=50_001)
    comparison = compare(_trace(GOOD, GOOD, GOOD), _trace(GOOD, burns, burns), PROGRAM)
    assert comparison.over_recorded_gas == 2


def test_a_variable_that_the_candidate_lacks_is_reported_not_compared() -> None:
    one = _trace(GOOD, GOOD, GOOD, storage={"total": f"0x{5:064x}", "owner": f"0x{1:064x}"})
    other = _trace(GOOD, GOOD, GOOD, storage={"owner": f"0x{1:064x}"})
    comparison = compare(one, other, PROGRAM)
    assert comparison.missing == ("total",)
    assert comparison.counts["storage"] == 0


def test_a_label_that_the_candidate_lacks_of_a_variable_it_has_is_reported() -> None:
    one = _trace(
        GOOD, GOOD, GOOD, storage={"config.fee": f"0x{5:064x}", "config.on": f"0x{1:064x}"}
    )
    other = _trace(
        GOOD, GOOD, GOOD, storage={"config.tax": f"0x{5:064x}", "config.on": f"0x{1:064x}"}
    )
    comparison = compare(one, other, PROGRAM)
    assert comparison.missing == ("config.fee",)
    assert comparison.counts["storage"] == 0


def test_the_first_divergence_names_transaction_axis_and_both_sides() -> None:
    stopped = CallResult(status=False, output="0x", gas_used=50_000, error="all gas used")
    comparison = compare(_trace(GOOD, GOOD, GOOD), _trace(GOOD, stopped, stopped), PROGRAM)
    place = comparison.earliest(axis_set("status"))
    assert place is not None
    shown = divergence(place, PROGRAM, None)
    assert (shown.axis, shown.index, shown.expected) == ("status", 1, "success")
    assert shown.got == "failure (all gas used)"
    assert shown.tx_hash == f"0x{1:064x}"


def test_a_candidate_that_does_not_deploy_fails_on_every_choice_of_axes() -> None:
    nothing = Trace(address=None, deployment=CallResult(status=False, error="all gas used"))
    comparison = compare(_trace(GOOD, GOOD, GOOD), nothing, PROGRAM)
    assert all(comparison.diverges(axes) for axes in AXIS_SETS.values())


def test_a_misspelt_axis_is_refused_with_the_nearest_name() -> None:
    with pytest.raises(UserError, match="did you mean 'storage'"):
        axis_set(["status", "storrage"])


def test_how_much_a_program_tries_is_measured_on_the_reference() -> None:
    contract = ContractBuild(
        path="",
        name="C",
        creation="0x",
        runtime="0x",
        abi=[
            {"type": "function", "name": "f", "inputs": [], "stateMutability": "nonpayable"},
            {"type": "function", "name": "g", "inputs": [], "stateMutability": "nonpayable"},
            {"type": "function", "name": "h", "inputs": [], "stateMutability": "view"},
        ],
        methods={"f()": "26121ff0", "g()": "e2179b8e", "h()": "b8c9d365"},
    )
    calls = tuple(
        Call(sender=SENDER, block_number=1, timestamp=1, input=data)
        for data in ("0x26121ff0", "0x26121ff0", "0xe2179b8e")
    )
    program = msgspec.structs.replace(PROGRAM, calls=calls)
    tried = exercise(program, _trace(GOOD, GOOD, CallResult(status=False)), contract)
    assert (tried.successful_calls, tried.selectors, tried.functions) == (2, 1, 2)
    assert tried.share == 0.5
