"""Candidates that misbehave on purpose end in the right verdict, before every oracle of behaviour."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from solexp.core import Outcome, Verdict
from solexp.oracles.base import Case, Oracle
from solexp.oracles.dcr import Dcr
from solexp.oracles.fuzz import Fuzz
from solexp.oracles.negative import Negative
from solexp.oracles.replay import Replay
from solexp.oracles.violation import Violation
from solexp.solidity.compiler import Compiler
from solexp.solidity.foundry.files import kept
from tests.evm.boxes import candidates, task
from tests.oracles.hostile import BOX, ORACLES, OTHERS, WATCHING, graphs, history

EVERY = {"is right": BOX} | WATCHING | OTHERS

PASSES: dict[str, tuple[str, ...]] = {
    "is right": ORACLES,
    "burns a lot of gas, rightly": ORACLES,
    "calls cheat codes": ORACLES,
    "writes to the console": ORACLES,
    "calls the precompiles": ORACLES,
    "calls whoever sends": ORACLES,
    # Wrong, and out of these oracles' reach: they ask for rejections, or give every call much gas.
    "destroys itself later": ("negative",),
    "emits a huge event": ("negative", "violation"),
    "emits thousands of events": ("violation",),
    "fills its memory": ("fuzz", "fuzz of sequences", "violation"),
    "relies on cheat codes": ("negative",),
    "takes the sender's tokens": ("negative",),
}
"""By candidate, the oracles that it passes; it fails all others."""

FEW = (
    *("is right", "burns a lot of gas, rightly", "writes to the console"),
    *("asks for the judge's stand-in", "compares the code that runs with its own"),
    *("asks how much gas there is", "asks for the base fee", "waits for another decade"),
    *(
        "loops in the constructor",
        "destroys itself in the constructor",
        "enters itself without end",
    ),
)
"""Those that are tried in every run of the tests."""


def oracles(folder: str) -> dict[str, Oracle]:
    """Every oracle of behaviour, with little to do."""
    along: dict[str, Any] = {"graphs": folder, "calls": 30, "length": 20, "queries": 4}
    axes = "solcontracteval"
    found = (
        Replay(),
        Fuzz(calls=60, axes=axes),
        Fuzz(scope="contract", calls=120, axes=axes),
        Dcr(axes=axes, **along),
        Negative(**along),
        Violation(),
    )
    return dict(zip(ORACLES, found, strict=True))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> str:
    return graphs(tmp_path_factory.mktemp("graphs"))


@pytest.fixture(scope="module", autouse=True)
def own(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """A cache home that holds nothing yet, for all tests here."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SOLEXP_CACHE", str(tmp_path_factory.mktemp("cache")))
        kept.cache_clear()
        yield
    kept.cache_clear()


@pytest.fixture(scope="module")
def few(compiler: Compiler, folder: str) -> dict[str, dict[str, Verdict]]:
    return judged(compiler, folder, FEW)


def judged(
    compiler: Compiler, folder: str, names: tuple[str, ...]
) -> dict[str, dict[str, Verdict]]:
    """Verdicts by oracle and candidate, all candidates judged together."""
    case = Case(task(BOX, history()), candidates([EVERY[name] for name in names]), compiler)
    return {
        name: dict(zip(names, oracle.judge(case), strict=True))
        for name, oracle in oracles(folder).items()
    }


def outcomes(found: dict[str, dict[str, Verdict]]) -> dict[str, dict[str, str]]:
    return {
        oracle: {name: said.outcome.value for name, said in rows.items()}
        for oracle, rows in found.items()
    }


def expected(names: tuple[str, ...]) -> dict[str, dict[str, str]]:
    return {
        oracle: {
            name: (Outcome.PASS if oracle in PASSES.get(name, ()) else Outcome.FAIL).value
            for name in names
        }
        for oracle in ORACLES
    }


def test_hostile_candidates_end_in_the_right_verdict(
    few: dict[str, dict[str, Verdict]],
) -> None:
    assert outcomes(few) == expected(FEW)


def test_what_a_second_look_finds_says_so(few: dict[str, dict[str, Verdict]]) -> None:
    for rows in few.values():
        assert rows["asks for the base fee"].evidence["elsewhere"] == "chain"
        late = rows["waits for another decade"]
        assert late.evidence["elsewhere"] == "late"
        assert late.divergence is not None
        assert late.counterexample is not None
        assert late.counterexample.elsewhere == "late"
        assert not any("elsewhere" in rows[name].evidence for name in FEW[:5])


def test_nothing_that_oracles_remember_depends_on_the_candidates_or_their_order(
    compiler: Compiler, folder: str, few: dict[str, dict[str, Verdict]]
) -> None:
    others = ("waits for another decade", "enters itself without end", FEW[3], FEW[0])
    again = judged(compiler, folder, others)

    def told(said: Verdict) -> tuple[object, ...]:
        return said.outcome, said.measures, said.divergence, said.counterexample, said.evidence

    for oracle, rows in again.items():
        for name, said in rows.items():
            assert told(said) == told(few[oracle][name]), (oracle, name)


@pytest.mark.slow
def test_every_hostile_candidate_ends_in_the_right_verdict(compiler: Compiler, folder: str) -> None:
    names = tuple(EVERY)
    assert outcomes(judged(compiler, folder, names)) == expected(names)
