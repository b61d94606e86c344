"""Which oracles flag what."""

from __future__ import annotations

import msgspec
import pytest
from scipy.stats import spearmanr

from solexp.core import Outcome, UserError, Verdict
from solexp.metrics.regions import behaviour, spearman
from solexp.metrics.scores import Judged
from solexp.report import oracles, upset

PASS, FAIL, BROKEN = Outcome.PASS, Outcome.FAIL, Outcome.COMPILE_ERROR


def candidate(
    task: str, index: int, rates: dict[str, float] | None = None, **said: Outcome
) -> Judged:
    place = {"task_id": task, "batch": "b", "repeat": 0, "index": index}
    verdicts = {
        name: Verdict(
            oracle=name,
            outcome=outcome,
            measures={f"{name}.match_rate": rates[name]} if rates and name in rates else {},
            **place,  # type: ignore[arg-type]
        )
        for name, outcome in said.items()
    }
    return Judged(verdicts=verdicts, **place)  # type: ignore[arg-type]


ROWS = [
    candidate("a", 0, fuzz=FAIL, replay=PASS, dcr=PASS),
    candidate("a", 1, fuzz=PASS, replay=FAIL, dcr=Outcome.TIMEOUT),
    candidate("a", 2, fuzz=PASS, replay=PASS, dcr=PASS),
    candidate("b", 0, fuzz=PASS, replay=PASS, dcr=FAIL),
    candidate("b", 1, fuzz=PASS, replay=PASS, dcr=Outcome.VACUOUS),
    candidate("c", 0, fuzz=Outcome.VACUOUS, replay=FAIL, dcr=PASS),
    candidate("d", 0, fuzz=BROKEN, replay=BROKEN, dcr=BROKEN),
]


def test_regions_are_over_what_all_oracles_evaluated() -> None:
    found = behaviour(ROWS, ["compile", "fuzz", "replay", "dcr"])
    assert found is not None
    assert found.paper == found.every
    assert (found.every.candidates, found.every.tasks) == (4, 2)
    counts = {region.oracles: (region.candidates, region.tasks) for region in found.every.regions}
    assert list(counts)[:3] == [("fuzz",), ("replay",), ("dcr",)]
    assert counts == {
        ("fuzz",): (1, 0),
        ("replay",): (0, 0),
        ("dcr",): (1, 1),
        ("fuzz", "replay"): (0, 0),
        ("fuzz", "dcr"): (0, 0),
        ("replay", "dcr"): (1, 0),
        ("fuzz", "replay", "dcr"): (0, 1),
        (): (1, 0),
    }
    dcr = found.oracles["dcr"]
    assert (dcr.candidates, dcr.flagged, dcr.tasks, dcr.divergent) == (5, 2, 3, 2)
    pair = found.replay_dcr
    assert pair is not None
    assert (pair.candidates, pair.first_only, pair.second_only) == (5, 1, 1)
    assert (pair.tasks, pair.first_only_tasks, pair.second_only_tasks, pair.rho) == (3, 1, 1, None)


def test_one_oracle_has_nothing_beside_it() -> None:
    assert behaviour(ROWS, ["compile", "replay"]) is None
    two = behaviour(ROWS, ["replay", "dcr"])
    assert two is not None
    assert two.paper is None


def test_match_rates_are_averaged_by_task_and_ranked() -> None:
    rates = {"a": [(1.0, 0.9), (0.5, 0.2)], "b": [(0.9, 0.8)], "c": [(0.1, 0.6)], "d": [(0.9, 0.1)]}
    rows = [
        candidate(task, i, {"replay": x, "dcr": y}, replay=FAIL, dcr=FAIL)
        for task, pairs in rates.items()
        for i, (x, y) in enumerate(pairs)
    ]
    found = behaviour(rows, ["replay", "dcr"])
    assert found is not None
    assert found.replay_dcr is not None
    means = ([0.75, 0.9, 0.1, 0.9], [0.55, 0.8, 0.6, 0.1])
    assert found.replay_dcr.rho == pytest.approx(spearmanr(*means).statistic)
    assert found.replay_dcr.rated_tasks == 4
    assert spearman([1, 1, 1], [1, 2, 3]) is None
    assert spearman([1, 2, 3, 4], [10, 20, 30, 31]) == 1


def test_regions_are_printed_and_drawn() -> None:
    found = msgspec.to_builtins(behaviour(ROWS, ["fuzz", "replay", "dcr"]))
    grid = oracles.paper_regions(found)
    assert grid is not None
    assert grid.columns[2:6] == ("O1 only", "O2 only", "O3 only", "O1+O2")
    assert grid.rows[0] == ("candidates", "4", "1", "0", "1", "0", "0", "1", "0", "1")
    assert oracles.regions(found) is None
    picture = upset.draw(found, "svg")
    assert picture == upset.draw(found, "svg")
    assert b"4 candidates of 2 tasks" in picture
    two = msgspec.to_builtins(behaviour(ROWS, ["replay", "dcr"]))
    assert oracles.paper_regions(two) is None
    other = oracles.regions(two)
    assert other is not None
    assert other.rows[-1] == ("none", "2", "0")
    assert oracles.beside(two) == [
        "divergent tasks: replay 2 of 3 and dcr 2 of 3; of 3 that both evaluated 1 under replay only, "
        "1 under dcr only"
    ]
    with pytest.raises(UserError, match="fewer than two oracles"):
        upset.draw(None, "svg")
    empty = msgspec.to_builtins(behaviour(ROWS[-1:], ["replay", "dcr"]))
    with pytest.raises(UserError, match="no candidate that all of replay, dcr"):
        upset.draw(empty, "svg")
