"""Candidates along the life cycle of their original, and asked what it rejects."""

from __future__ import annotations

from pathlib import Path

import pytest

from solexp.core import Outcome, UserError, Verdict
from solexp.oracles.base import Case
from solexp.oracles.dcr import Dcr
from solexp.oracles.negative import Negative
from solexp.oracles.replay import Replay
from solexp.solidity.compiler import Compiler
from tests.evm.boxes import candidates, task
from tests.oracles.vaults import VAULT, graphs, history

SETTINGS = {"calls": 40, "length": 20, "queries": 4}


def changed(*edits: tuple[str, str]) -> str:
    code = VAULT
    for old, new in edits:
        assert code.count(old) == 1, old
        code = code.replace(old, new)
    return code


OVERDRAWN = changed(
    ("held[msg.sender] >= amount && amount > 0", "amount > 0"),
    ("held[msg.sender] -= amount;", "unchecked { held[msg.sender] -= amount; }"),
)
ONCE_ONLY = changed(
    (
        'require(amount > 0 && amount <= most, "amount");',
        'require(amount > 0 && amount <= most && held[msg.sender] == 0, "amount");',
    )
)
EQUIVALENT = changed(
    (
        'require(ready, "not ready");\n        require(amount > 0 && amount <= most, "amount");',
        'require(ready, "not ready");\n        require(amount != 0 && most >= amount, "another word");',
    )
)
SILENT = changed(("        emit Put(msg.sender, amount);\n", ""))
NOBODY = changed(
    (
        'require(msg.sender == owner, "not the owner");\n        require(!ready',
        'require(msg.sender == address(0), "not the owner");\n        require(!ready',
    )
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> str:
    return graphs(tmp_path_factory.mktemp("graphs"))


@pytest.fixture(scope="module")
def case(compiler: Compiler) -> Case:
    codes = [VAULT, OVERDRAWN, ONCE_ONLY, EQUIVALENT, SILENT, NOBODY]
    return Case(task(VAULT, history()), candidates(codes), compiler, cached=False)


@pytest.fixture(scope="module")
def along(case: Case, folder: str) -> list[Verdict]:
    return Dcr(graphs=folder, **SETTINGS).judge(case)  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def asked(case: Case, folder: str) -> list[Verdict]:
    return Negative(graphs=folder, **SETTINGS).judge(case)  # type: ignore[arg-type]


def test_the_original_and_its_equal_pass_both(along: list[Verdict], asked: list[Verdict]) -> None:
    for rows in (along, asked):
        assert [rows[place].outcome for place in (0, 3)] == [Outcome.PASS] * 2
    assert along[0].measures["dcr.calls"] == 40
    assert along[0].measures["dcr.match_rate"] == 1.0
    assert along[0].measures["dcr.functions_succeeded_share"] == 1.0


def test_what_the_history_does_not_show_is_found_along_the_life_cycle(
    case: Case, along: list[Verdict]
) -> None:
    replayed = Replay(min_successful_calls=1).judge(case)
    assert replayed[2].outcome is Outcome.PASS
    found = along[2]
    assert found.outcome is Outcome.FAIL
    assert found.divergence is not None and found.divergence.axis == "status"
    assert found.counterexample is not None
    assert found.counterexample.length == 3, "set up, and put twice"
    assert found.measures["dcr.match_rate"] < 1  # type: ignore[operator]


def test_acceptance_of_what_must_be_rejected_is_seen_only_by_asking_for_it(
    along: list[Verdict], asked: list[Verdict]
) -> None:
    assert along[1].outcome is Outcome.PASS, "SolBehave's open end"
    found = asked[1]
    assert found.outcome is Outcome.FAIL
    assert found.divergence is not None
    assert found.divergence.got == "success"
    assert str(found.divergence.function).startswith("take(")
    assert found.counterexample is not None and found.counterexample.length == 1
    assert found.measures["negative.accepted"] > 0  # type: ignore[operator]


def test_another_reason_is_counted_and_fails_nobody(asked: list[Verdict]) -> None:
    measures = asked[3].measures
    assert measures["negative.other_reason"] > 0  # type: ignore[operator]
    assert measures["negative.accepted"] == 0
    total = measures["negative.same_reason"] + measures["negative.other_reason"]  # type: ignore[operator]
    assert total == measures["negative.rejected"] == measures["negative.asked"]
    assert measures["negative.asked.history"] == 1


def test_a_limit_that_is_off_by_one_is_found_whatever_its_number(
    compiler: Compiler, folder: str
) -> None:
    codes = [
        changed(("amount > 0 && amount <= most", "amount > 0 && amount < most")),
        changed(("amount > 0 && amount <= most", "amount > 0 && amount <= most + 1")),
        changed(("block.timestamp >= unlocks", "block.timestamp > unlocks")),
    ]
    case = Case(task(VAULT, history()), candidates(codes), compiler, cached=False)
    settings = SETTINGS | {"calls": 60, "search": ["history", "pool"]}
    found = Dcr(graphs=folder, **settings).judge(case)  # type: ignore[arg-type]
    assert [each.outcome for each in found] == [Outcome.FAIL, Outcome.PASS, Outcome.FAIL]
    found = Negative(graphs=folder, **settings).judge(case)  # type: ignore[arg-type]
    assert found[1].outcome is Outcome.FAIL
    blind = Negative(graphs=folder, borders=0, **settings).judge(case)  # type: ignore[arg-type]
    assert blind[1].outcome is Outcome.PASS


def test_events_decide_only_where_they_are_asked_for(
    case: Case, folder: str, along: list[Verdict]
) -> None:
    assert along[4].outcome is Outcome.PASS
    assert along[4].measures["diverges.events"] > 0  # type: ignore[operator]
    told = Dcr(graphs=folder, axes="solcontracteval", **SETTINGS).judge(case)  # type: ignore[arg-type]
    assert [row.outcome for row in told] == [
        *(Outcome.PASS, Outcome.PASS, Outcome.FAIL),
        *(Outcome.PASS, Outcome.FAIL, Outcome.FAIL),
    ]
    assert told[4].divergence is not None and told[4].divergence.axis == "events"


def test_one_that_leaves_the_originals_states_cannot_be_asked_and_fails(
    asked: list[Verdict],
) -> None:
    assert asked[5].outcome is Outcome.FAIL
    assert "could be tried: call 0 fails" in str(asked[5].evidence["reason"])
    assert asked[5].measures["negative.skipped"] > 0  # type: ignore[operator]


def test_a_task_without_a_graph_is_undecidable_and_says_why(
    compiler: Compiler, tmp_path: Path
) -> None:
    case = Case(task(VAULT, history()), candidates([VAULT]), compiler, cached=False)
    [found] = Dcr(graphs=str(tmp_path)).judge(case)
    assert found.outcome is Outcome.UNDECIDABLE
    assert "there is no graph of it" in str(found.evidence["reason"])


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"search": "guess"}, "oracle.dcr.search: must be all, none, or some of"),
        ({"beta": 2}, "oracle.dcr.beta: must be from 0 to 1"),
        ({"calls": 0}, "oracle.dcr.calls"),
        ({"axes": "state"}, "oracle.dcr.axes: unknown axis"),
    ],
)
def test_settings_that_make_no_sense_are_refused(settings: dict[str, object], said: str) -> None:
    with pytest.raises(UserError, match=said):
        Dcr(**settings)  # type: ignore[arg-type]


def test_a_folder_of_graphs_must_be_there_and_its_files_are_part_of_the_question(
    tmp_path: Path,
) -> None:
    with pytest.raises(UserError, match=r"oracle.dcr.graphs: there is no folder nowhere; make it"):
        Dcr(graphs="nowhere").fingerprint()
    before = Dcr(graphs=graphs(tmp_path)).fingerprint()
    assert Dcr(graphs=graphs(tmp_path)).fingerprint() == before
    (tmp_path / "box.json").write_text("{}")
    assert Dcr(graphs=str(tmp_path)).fingerprint() != before


def test_sources_of_rejected_calls_are_checked() -> None:
    with pytest.raises(UserError, match=r"oracle.negative.sources: choose from sequences, history"):
        Negative(sources="elsewhere")
