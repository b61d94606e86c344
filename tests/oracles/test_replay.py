"""The replay oracle's verdicts."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import msgspec
import pytest

from solexp.benchmarks.solcontracteval import SolContractEval
from solexp.core import (
    Batch,
    Candidate,
    CompilerSettings,
    NoCode,
    Outcome,
    Program,
    Recorded,
    Target,
    Task,
    Trace,
    UserError,
    Verdict,
)
from solexp.evm.anvil import AnvilMachine
from solexp.evm.machine import Observation, Subject
from solexp.metrics.summary import summarise
from solexp.oracles.base import Case
from solexp.oracles.replay import Replay
from solexp.solidity.compiler import Compiler
from solexp.store.runfolder import TaskRow
from tests.evm.boxes import BOX, OTHER, SENDER, call, candidates, program, put, task


def _judged(
    compiler: Compiler, *codes: str, oracle: Replay | None = None, of: Task | None = None
) -> list[Verdict]:
    case = Case(of if of is not None else task(), candidates(codes), compiler)
    return (oracle or Replay()).judge(case)


def test_the_reference_passes_and_a_mutant_fails_where_it_first_differs(compiler: Compiler) -> None:
    mutant = BOX.replace("held[msg.sender] += amount;", "held[msg.sender] = amount;")
    good, bad = _judged(compiler, BOX, mutant)
    assert good.outcome is Outcome.PASS
    assert good.divergence is None
    assert bad.outcome is Outcome.FAIL
    assert bad.divergence is not None
    assert bad.divergence.axis == "storage"
    assert bad.divergence.index is None
    assert bad.divergence.function == f"held[{SENDER}]"
    assert (bad.divergence.expected, bad.divergence.got) == ("42", "12")


def test_checkpoints_find_the_call_after_which_state_differs(compiler: Compiler) -> None:
    mutant = BOX.replace("held[msg.sender] += amount;", "held[msg.sender] = amount;")
    [bad] = _judged(compiler, mutant, oracle=Replay(checkpoint_every=1))
    assert bad.divergence is not None
    assert bad.divergence.index == 2
    assert bad.divergence.function == f"held[{OTHER}] after put(3)"


@pytest.mark.parametrize(
    ("change", "axis", "strictest_pass"),
    [
        (("require(amount < 1000", "require(amount < 5"), "status", None),
        (("return total;", "return total + 1;"), "return", "status"),
        (
            ("emit Put(msg.sender, amount);", "emit Put(msg.sender, total);"),
            "events",
            "status_return",
        ),
        (("emit Put(msg.sender, amount);", ""), "events", "status_return"),
        (("total -= amount;", "total -= 0;"), "storage", "status_return_events"),
        (('"too little"', '"too much"'), "revert", "solcontracteval"),
    ],
)
def test_each_axis_decides_only_where_it_is_chosen(
    compiler: Compiler, change: tuple[str, str], axis: str, strictest_pass: str | None
) -> None:
    calls = [*program().calls, call("take(uint256)", 900, at=20), call("take(uint256)", 2, at=21)]
    history = task(history=program(*calls))
    code = BOX.replace(*change)
    [failed] = _judged(compiler, code, oracle=Replay(axes="strict"), of=history)
    assert failed.outcome is Outcome.FAIL
    assert failed.divergence is not None
    assert failed.divergence.axis == axis
    assert failed.measures[f"diverges.{axis}"]
    if strictest_pass is not None:
        [passed] = _judged(compiler, code, oracle=Replay(axes=strictest_pass), of=history)
        assert passed.outcome is Outcome.PASS
        assert passed.measures[f"diverges.{axis}"] == failed.measures[f"diverges.{axis}"]


def test_candidates_that_never_run_get_their_own_outcomes(compiler: Compiler) -> None:
    refused = Candidate(task_id="box", batch="greedy", repeat=0, index=0, no_code=NoCode.REFUSED)
    broken, abstract, good = candidates(
        [BOX.replace("total += amount;", "totl += amount;"), "abstract " + BOX, BOX]
    )
    case = Case(task(), [refused, broken, abstract, good], compiler)
    found = Replay().judge(case)
    assert [row.outcome for row in found] == [
        Outcome.NO_CODE,
        Outcome.COMPILE_ERROR,
        Outcome.FAIL,
        Outcome.PASS,
    ]
    assert found[0].evidence["reason"] == "refused"
    assert found[2].divergence is not None
    assert found[2].divergence.axis == "deployment"


def test_state_that_is_too_deep_to_be_read_is_named(compiler: Compiler) -> None:
    deep = "mapping(uint256 => mapping(uint256 => mapping(address => bool))) votes; uint256 public total;"
    code = BOX.replace("uint256 public total;", deep)
    found = _judged(compiler, code, of=task(code))[0]
    assert found.outcome is Outcome.PASS
    assert found.evidence["storage_not_read"] == ["votes[][]"]
    assert "storage_not_read" not in _judged(compiler, BOX)[0].evidence


def test_candidates_with_the_same_code_are_run_once_and_judged_alike(compiler: Compiler) -> None:
    first, second = _judged(compiler, BOX, BOX)
    assert first.measures == second.measures
    assert (first.index, second.index) == (0, 1)


@pytest.mark.parametrize(
    ("history", "reason"),
    [
        (program(put(1), put(2, at=2)), "2 calls of the original succeed, fewer than 5"),
        (
            program(*(put(5000 + n, at=n) for n in range(9))),
            "0 calls of the original succeed, fewer than 5",
        ),
    ],
)
def test_a_history_that_tries_too_little_is_undecidable(
    compiler: Compiler, history: Program, reason: str
) -> None:
    [found] = _judged(compiler, BOX, of=task(history=history))
    assert found.outcome is Outcome.UNDECIDABLE
    assert found.evidence["reason"] == reason


def _loud() -> Task:
    """A task whose target only logs and answers: nothing it does but its events and answers can be seen."""
    loud = """contract Box {
    event Put(address indexed who, uint256 amount);
    function put(uint256 amount) external returns (uint256) {
        emit Put(msg.sender, amount);
        return amount;
    }
}"""
    return task(loud)


def test_what_tells_the_stubs_from_the_original_is_measured_on_every_verdict(
    compiler: Compiler,
) -> None:
    loud = _loud()
    good = Replay().judge(Case(loud, candidates([loud.reference, "contract Box {"]), compiler))
    assert [row.outcome for row in good] == [Outcome.PASS, Outcome.COMPILE_ERROR]
    for row in good:
        empty, revert = str(row.measures["stubs_differ"]).split("|")
        assert {"return", "events"} <= set(empty.split(","))
        assert not {"status", "storage"} & set(empty.split(","))
        assert "status" in revert.split(",")


def test_candidates_of_a_vacuous_task_are_measured_along_the_other_axes(compiler: Compiler) -> None:
    loud = _loud()
    wrong = loud.reference.replace("return amount", "return amount + 1")
    case = Case(loud, candidates([loud.reference, wrong]), compiler)
    good, bad = Replay(axes="status").judge(case)
    assert good.outcome is bad.outcome is Outcome.VACUOUS
    assert good.evidence["reason"] == (
        "no recorded call tells the original from one whose functions do nothing"
    )
    assert bad.divergence is None
    assert (good.measures["task_decidable"], bad.measures["task_decidable"]) == (False, False)
    assert (good.measures["diverges.return"], bad.measures["diverges.return"]) == (0, 12)


def test_the_scores_by_axes_do_not_depend_on_which_of_them_decide(compiler: Compiler) -> None:
    loud = _loud()
    wrong = loud.reference.replace("return amount", "return amount + 1")
    scores = []
    for axes in ("status", "status_return", "strict"):
        rows = Replay(axes=axes).judge(Case(loud, candidates([wrong]), compiler))
        found = summarise(
            [TaskRow.of(loud)], rows, [Batch(name="greedy", n=1)], seed=1, oracles={"replay": True}
        )
        by_axes = {k: v for k, v in found.metrics.items() if k.startswith("axes.")}
        assert by_axes[f"axes.{axes}.pass_at_1"] == found.metrics["pass_at_1"]
        scores.append(by_axes)
    assert scores[0] == scores[1] == scores[2]
    # No stub passes along events, and so does the wrong one; along the status the empty stub would.
    assert scores[0]["axes.status_events.decidable.pass_at_1"].value == 1.0
    assert scores[0]["axes.status.pass_at_1"].value == 0.0
    assert "axes.status.decidable.pass_at_1" not in scores[0]


def test_minima_are_settings(compiler: Compiler) -> None:
    history = task(history=program(put(1), put(2, at=2)))
    [found] = _judged(compiler, BOX, oracle=Replay(min_successful_calls=2), of=history)
    assert found.outcome is Outcome.PASS
    [found] = _judged(compiler, BOX, oracle=Replay(min_selectors=2))
    assert found.outcome is Outcome.UNDECIDABLE


def test_an_original_that_does_not_deploy_is_undecidable_with_its_reason(
    compiler: Compiler,
) -> None:
    stubborn = BOX.replace("constructor() payable {}", 'constructor() { revert("absent"); }')
    found = _judged(compiler, stubborn, BOX, of=task(stubborn))
    assert {row.outcome for row in found} == {Outcome.UNDECIDABLE}
    assert found[0].evidence["reason"] == "the original does not deploy (revert 'absent')"


def test_a_task_without_a_history_is_undecidable(compiler: Compiler) -> None:
    plain = msgspec.structs.replace(task(), program=None)
    [found] = _judged(compiler, BOX, of=plain)
    assert found.outcome is Outcome.UNDECIDABLE


def test_the_deployed_contract_need_not_be_the_target(compiler: Compiler) -> None:
    base = BOX.replace("contract Box", "contract Base")
    source = f"pragma solidity >=0.8.0;\n{base}\ncontract Box is Base {{}}"
    start = source.index("contract Base")
    target = Target(path="box.sol", contract="Base", start=start, end=start + len(base))
    inherited = msgspec.structs.replace(
        task(), sources={"box.sol": source}, target=target, framework=base
    )
    lazy = "abstract " + base.replace(
        "function take(uint256 amount) external {",
        "function take(uint256 amount) external virtual; function gives(uint256 amount) external {",
    )
    good, abstract = _judged(compiler, base, lazy, of=inherited)
    assert good.outcome is Outcome.PASS
    assert abstract.outcome in (Outcome.FAIL, Outcome.COMPILE_ERROR)


def test_linked_libraries_stand_at_their_addresses(compiler: Compiler) -> None:
    place = "0x" + "1b" * 20
    library = "library Sums { function sum(uint256 a, uint256 b) external pure returns (uint256) { return a + b; } }\n"
    linked = BOX.replace("total += amount;", "total = Sums.sum(total, amount);")
    head = "pragma solidity 0.8.17;\n" + library
    with_library = msgspec.structs.replace(
        task(linked),
        sources={"box.sol": head + linked},
        target=Target(path="box.sol", contract="Box", start=len(head), end=len(head + linked)),
        compiler=CompilerSettings(version="0.8.17", libraries={"Sums": place}),
    )
    [found] = _judged(compiler, linked, of=with_library)
    assert found.outcome is Outcome.PASS
    assert found.measures["successful_calls"] == 12


def test_unfaithful_calls_can_be_left_out(compiler: Compiler) -> None:
    calls = [put(n, at=n, recorded=Recorded(n != 3, 60_000), gas=90_000) for n in range(1, 9)]
    history = task(history=program(*calls))
    [every] = _judged(compiler, BOX, of=history)
    [faithful] = _judged(compiler, BOX, oracle=Replay(fidelity="faithful"), of=history)
    assert (every.measures["calls"], every.measures["statuses_as_recorded"]) == (8, 7)
    # How far the original agrees with the chain is told of all calls, also of those left out.
    for measures in (every.measures, faithful.measures):
        assert measures["recorded_calls"] == 8
        assert measures["statuses_as_recorded"] == 7
        assert measures["successful_as_recorded"] == 7
    assert faithful.measures["calls"] == 7


def _grounds(folder: Path) -> int:
    return sum(1 for path in (folder / "grounds").rglob("*.json"))


def test_what_a_history_can_tell_is_kept_unless_nothing_may_be(
    compiler: Compiler, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOLEXP_CACHE", str(tmp_path))
    Replay().judge(Case(task(), candidates([BOX]), compiler, cached=False))
    assert _grounds(tmp_path) == 0
    [found] = Replay().judge(Case(task(), candidates([BOX]), compiler))
    assert "keep" not in found.measures
    assert _grounds(tmp_path) == 1


def test_nothing_is_kept_of_an_original_that_was_cut_short(
    compiler: Compiler, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOLEXP_CACHE", str(tmp_path))
    loud = BOX.replace("return total;", "assembly { return(0, 600000) }")
    history = program(*(put(n + 1, at=n + 1, gas=9_000_000) for n in range(6)))
    for fidelity in ("all", "faithful"):
        oracle = Replay(machine=AnvilMachine(answer_mb=1), fidelity=fidelity)
        [found] = _judged(compiler, loud, oracle=oracle, of=task(loud, history))
        assert found.outcome is Outcome.UNDECIDABLE
        assert found.evidence["reason"] == "the original used up its answer"
        assert found.measures["keep"] is False
    assert _grounds(tmp_path) == 0


def test_an_original_that_is_cut_short_beside_its_candidates_fails_none_of_them(
    compiler: Compiler, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Tired(AnvilMachine):
        runs = 0

        def run(
            self, program: Program, subjects: Sequence[Subject], plan: Observation
        ) -> list[Trace]:
            self.runs += 1
            if self.runs == 2:
                # Too little for a single call, however fast this computer is.
                self.timeout_s = 1e-4
            return super().run(program, subjects, plan)

    monkeypatch.setenv("SOLEXP_CACHE", str(tmp_path))
    found = _judged(compiler, BOX, "contract Box {", oracle=Replay(machine=Tired()))
    assert [row.outcome for row in found] == [Outcome.UNDECIDABLE, Outcome.COMPILE_ERROR]
    assert found[0].evidence["reason"] == "this time the original used up its time"
    for row in found:
        assert (row.measures["keep"], row.measures["task_decidable"]) == (False, False)


def test_nothing_is_kept_of_a_machine_that_may_answer_otherwise_tomorrow(
    compiler: Compiler, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Moving(AnvilMachine):
        reproducible = False

    monkeypatch.setenv("SOLEXP_CACHE", str(tmp_path))
    found = _judged(compiler, BOX, "contract Box {", oracle=Replay(machine=Moving()))
    assert [row.outcome for row in found] == [Outcome.PASS, Outcome.COMPILE_ERROR]
    assert all(row.measures["keep"] is False for row in found)
    assert _grounds(tmp_path) == 0


def test_settings_out_of_range_are_refused_in_one_line() -> None:
    with pytest.raises(UserError, match=r"oracle\.replay\.checkpoint_every: must be at least 1"):
        Replay(checkpoint_every=0)
    with pytest.raises(UserError, match="did you mean 'status'"):
        Replay(axes="statis")


def test_a_real_history_decides_for_the_original_and_against_stubs(
    data_home: Path, compiler: Compiler
) -> None:
    assert data_home.is_dir()
    tasks = {found.id.partition("_")[0]: found for found in SolContractEval().tasks()}
    chosen = tasks["PepeYogaClub"]
    code = chosen.reference
    head, body = code[: code.index("{") + 1], code[code.index("{") + 1 :]
    wrong = head + body.replace("+=", "=", 1) if "+=" in body else head + body.replace("<", ">", 1)
    case = Case(
        chosen,
        [
            Candidate(task_id=chosen.id, batch="greedy", repeat=0, index=index, code=text)
            for index, text in enumerate([code, wrong])
        ],
        compiler,
    )
    good, bad = Replay().judge(case)
    assert good.outcome is Outcome.PASS
    assert good.measures["statuses_as_recorded"] == good.measures["recorded_calls"]
    assert bad.outcome in (Outcome.FAIL, Outcome.COMPILE_ERROR)
