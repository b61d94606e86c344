"""Fuzzing by other engines, which are given original and candidate side by side."""

from __future__ import annotations

from typing import Any

import pytest

from solexp.core import Outcome, UserError, Verdict
from solexp.oracles.fuzz import Fuzz
from solexp.solidity.compiler import Compiler
from tests.oracles.test_fuzz import OVERDRAWN, SAME, SILENT, judge

WHOLE: dict[str, Any] = {"scope": "contract", "calls": 400}


def told(rows: list[Verdict]) -> list[object]:
    return [(row.outcome, row.measures, row.divergence, row.counterexample) for row in rows]


def test_forge_finds_what_takes_several_functions_and_it_is_made_small(compiler: Compiler) -> None:
    same, overdrawn, silent = judge(
        compiler, SAME, OVERDRAWN, SILENT, engine="forge", axes="status_return_events", **WHOLE
    )

    assert same.outcome is Outcome.PASS
    assert same.measures["fuzz.functions"] == 4
    assert same.measures["fuzz.equivalent"] == 4
    assert overdrawn.outcome is silent.outcome is Outcome.FAIL
    assert overdrawn.evidence["calls"] == ["start()", "take(1)"]
    assert overdrawn.divergence is not None
    assert overdrawn.divergence.expected == "failure (revert 'too much')"
    assert overdrawn.counterexample is not None
    assert silent.divergence is not None
    assert silent.divergence.axis == "events"


@pytest.mark.parametrize("engine", ["forge", "echidna", "medusa"])
def test_an_engine_that_cannot_read_storage_says_so(engine: str) -> None:
    with pytest.raises(UserError, match=r"oracle.fuzz.axes: engine .* cannot compare storage"):
        Fuzz(engine=engine, axes="strict")  # type: ignore[arg-type]


@pytest.mark.parametrize("engine", ["echidna", "medusa"])
def test_a_program_that_is_not_there_is_named(engine: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    with pytest.raises(UserError, match=f"oracle.fuzz.engine: {engine} is not on PATH"):
        Fuzz(engine=engine)  # type: ignore[arg-type]
