"""Assertions that no description asks for."""

from __future__ import annotations

import msgspec

from solexp.core import Preconditions
from solexp.python.wording import stated
from solexp.violations.python import Status, generate

HALF = Preconditions(
    entry_point="half",
    parameters=("x",),
    statements=("assert isinstance(x, int)", "top = 9", "assert 0 <= x", "assert x <= top"),
    assertions=(0, 2, 3),
)


def test_every_assertion_may_be_violated_unless_it_was_judged() -> None:
    assert HALF.violable == (0, 1, 2)
    assert msgspec.structs.replace(HALF, aligned=(False, True, True)).violable == (1, 2)


def test_what_nobody_asks_for_is_neither_told_nor_violated() -> None:
    judged = msgspec.structs.replace(HALF, aligned=(False, True, False))
    assert stated(judged).sentences == stated(HALF).sentences[1:2]
    found = generate(judged).combinations
    assert [(each.violated, each.status) for each in found] == [((1,), Status.SAT)]
    assert len(generate(HALF).combinations) == 7
