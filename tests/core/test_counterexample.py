"""Counterexamples are small, and give back the whole program."""

from __future__ import annotations

import msgspec
import pytest

from solexp.core import Call, CallResult, Counterexample, Deployment, Log, Outcome, Program, Verdict
from solexp.core.counterexample import LOGS_KEPT, OUTPUT_KEPT

OWNER = "0x" + "11" * 20


def _call(place: int) -> Call:
    return Call(sender=OWNER, input=f"0x{place:08x}", block_number=100 + place, timestamp=place)


OWN = Program(
    deployment=Deployment(contract="Box", sender=OWNER, block_number=100, timestamp=0),
    calls=tuple(map(_call, range(50))),
    chain_id=5,
)


def test_a_prefix_stands_for_the_task_s_own_calls() -> None:
    found = Counterexample(axis="status", prefix=30)
    assert found.program(OWN).calls == OWN.calls[:30]
    assert found.length == 30
    assert len(msgspec.json.encode(found)) < 40


def test_only_the_kept_calls_of_a_prefix_are_made_and_then_the_others() -> None:
    found = Counterexample.after([0, 3, 7], axis="return", calls=(_call(99),))
    assert (found.prefix, found.kept, found.length) == (8, (0, 3, 7), 4)
    assert found.program(OWN).calls == (OWN.calls[0], OWN.calls[3], OWN.calls[7], _call(99))
    assert found.program(OWN).chain_id == 5


def test_a_prefix_of_which_all_is_kept_needs_no_list() -> None:
    assert Counterexample.after(range(4), axis="status") == Counterexample(axis="status", prefix=4)
    assert Counterexample.after((), axis="deployment").program(OWN).calls == ()


def test_a_task_without_a_program_needs_a_deployment_of_its_own() -> None:
    own = Counterexample(axis="events", calls=(_call(1),), deployment=OWN.deployment)
    assert own.program(None).deployment == OWN.deployment
    for lacking, task in (
        (Counterexample(axis="events", calls=(_call(1),)), None),
        (Counterexample(axis="events", prefix=51), OWN),
        (Counterexample.after([60], axis="events"), OWN),
    ):
        with pytest.raises(ValueError, match="has not the calls"):
            lacking.program(task)


def test_what_a_contract_says_is_cut_to_a_length_that_can_be_kept() -> None:
    log = Log(OWNER, (), "0x")
    long = CallResult(status=True, output="0x" + "ab" * 10_000, logs=(log,) * 500)
    found = Counterexample(axis="return", prefix=1, expected=long, got=CallResult(status=False))
    assert found.expected is not None
    assert len(found.expected.output) == OUTPUT_KEPT + 2
    assert len(found.expected.logs) == LOGS_KEPT
    assert msgspec.json.decode(msgspec.json.encode(found), type=Counterexample) == found


def test_verdicts_of_earlier_runs_are_still_read() -> None:
    said = Verdict(
        task_id="t", batch="main", repeat=0, index=0, oracle="replay", outcome=Outcome.FAIL
    )
    row = msgspec.to_builtins(said)
    del row["counterexample"]
    assert msgspec.convert(row, Verdict) == said
