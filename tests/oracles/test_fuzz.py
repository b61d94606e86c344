"""Random sequences of calls on originals and candidates."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from solexp.core import Outcome, Program, UserError, Verdict
from solexp.evm.anvil import AnvilMachine
from solexp.evm.compare import compare
from solexp.evm.machine import Observation, Subject
from solexp.oracles.base import Case
from solexp.oracles.fuzz import Fuzz
from solexp.solidity.compiler import Compiler
from tests.evm.boxes import SENDER, candidates, program, task

VAULT = """contract Box {
    address owner = msg.sender;
    bool ready;
    mapping(address => uint256) public held;
    event Took(address indexed who, uint256 amount);
    constructor() payable {}
    function start() external { require(msg.sender == owner, "not the owner"); ready = true; }
    function put() external payable { require(ready, "not ready"); held[msg.sender] += msg.value; }
    function take(uint256 amount) external returns (uint256) {
        require(ready && held[msg.sender] >= amount, "too much");
        held[msg.sender] -= amount;
        emit Took(msg.sender, amount);
        return amount;
    }
    function fee(uint256 amount) external returns (uint256) {
        require(amount != 77_001, "unlucky");
        ready = ready;
        return amount / 100;
    }
    function names(string[] calldata all) external returns (uint256) {
        ready = ready;
        return all.length == 2 ? 1 : 0;
    }
}"""
OVERDRAWN = VAULT.replace("ready && held[msg.sender] >= amount", "ready").replace(
    "held[msg.sender] -= amount;", "unchecked { held[msg.sender] -= amount; }"
)
UNLUCKY = VAULT.replace('require(amount != 77_001, "unlucky");', "")
STARTED_BY_ANYBODY = VAULT.replace('require(msg.sender == owner, "not the owner"); ', "")
SILENT = VAULT.replace("emit Took(msg.sender, amount);", "")
UNEQUAL = VAULT.replace("all.length == 2", "all.length == 3")
UNPAID = VAULT.replace("held[msg.sender] -= amount;", "held[msg.sender] -= amount / 2;")
SAME = VAULT.replace(
    "require(ready && held[msg.sender] >= amount",
    "uint256 had = held[msg.sender]; require(ready && had >= amount",
)
"""An equivalent one, with other gas and other code."""

CHEAP = {"calls": 300, "seed": 1}


def judge(
    compiler: Compiler, *codes: str, original: str = VAULT, cached: bool = False, **settings: Any
) -> list[Verdict]:
    oracle = Fuzz(**{**CHEAP, **settings})
    made = task(original, program())
    return oracle.judge(Case(made, candidates(codes), compiler, cached=cached))


def test_each_function_alone_is_compared_from_a_fresh_deployment(compiler: Compiler) -> None:
    codes = (SAME, UNLUCKY, STARTED_BY_ANYBODY, OVERDRAWN, UNEQUAL)
    same, unlucky, started, overdrawn, unequal = judge(compiler, *codes)

    assert same.outcome is Outcome.PASS
    assert same.measures["fuzz.functions"] == 4
    assert same.measures["fuzz.left_out"] == 1
    # Nothing can be put or taken before it has been started, which takes another function.
    assert same.measures["fuzz.vacuous"] == 2
    assert same.measures["fuzz.equivalent"] == 2
    assert overdrawn.outcome is unequal.outcome is Outcome.PASS
    assert unlucky.outcome is started.outcome is Outcome.FAIL
    assert unlucky.measures["fuzz.divergent"] == 1
    assert unlucky.divergence is not None
    assert unlucky.divergence.function == "fee(77001)"
    assert started.divergence is not None
    assert started.divergence.function == "start()"


def test_sequences_of_all_functions_reach_what_one_function_cannot(compiler: Compiler) -> None:
    same, overdrawn, unpaid = judge(compiler, SAME, OVERDRAWN, UNPAID, scope="contract", calls=800)

    assert same.outcome is Outcome.PASS
    assert overdrawn.outcome is unpaid.outcome is Outcome.FAIL
    assert overdrawn.evidence["calls"] == ["start()", "take(1)"]
    assert overdrawn.divergence is not None
    assert overdrawn.divergence.expected == "failure (revert 'too much')"


def test_a_counterexample_is_the_smallest_and_can_be_run_again(compiler: Compiler) -> None:
    [failed] = judge(compiler, UNPAID, scope="contract", calls=800)
    made = task(VAULT, program())

    found = failed.counterexample
    assert found is not None
    assert len(found.calls) == 4
    assert [call.sender for call in found.calls] == [SENDER] * 4
    again: Program = found.program(made.program)
    subjects = []
    for code in (VAULT, UNPAID):
        contract = Case(task(code), (), compiler).reference().contract("Box")
        assert contract is not None
        subjects.append(Subject(contract.creation, contract))
    traces = AnvilMachine().run(again, subjects, Observation(storage=False))
    first = compare(traces[0], traces[1], again).earliest(("status", "return"))
    assert first is not None
    assert first.index == 3


def test_other_arguments_and_axes_are_settings(compiler: Compiler) -> None:
    unequal, silent = judge(compiler, UNEQUAL, SILENT, arguments="all", calls=100)
    assert unequal.outcome is Outcome.FAIL
    assert unequal.measures["fuzz.left_out"] == 0
    assert silent.outcome is Outcome.PASS

    whole: dict[str, Any] = {"scope": "contract", "calls": 800}
    [told] = judge(compiler, SILENT, axes="status_return_events", **whole)
    assert told.outcome is Outcome.FAIL
    hidden = VAULT.replace("mapping(address => uint256) public", "mapping(address => uint256)")
    doubled = hidden.replace("+= msg.value", "+= 2 * msg.value")
    [unseen] = judge(compiler, doubled, original=hidden, **{**whole, "calls": 60})
    [seen] = judge(
        compiler,
        doubled,
        original=hidden,
        axes=["status", "return", "storage"],
        **{**whole, "calls": 200},
    )
    assert seen.divergence is not None
    assert seen.divergence.axis == "storage"
    assert unseen.divergence is None or unseen.divergence.axis != "storage"


def test_a_function_that_always_fails_tells_nothing_but_by_the_papers_rule(
    compiler: Compiler,
) -> None:
    never = (
        'contract Box { constructor() payable {} function no(uint256) external { revert("no"); } }'
    )
    yes = never.replace('revert("no");', "")
    strict, caught = judge(compiler, never + " ", yes, original=never)
    [paper] = judge(compiler, never + " ", original=never, rule="paper")

    assert strict.outcome is Outcome.VACUOUS
    assert caught.outcome is Outcome.FAIL
    assert paper.outcome is Outcome.PASS
    assert paper.measures["fuzz.vacuous"] == 1


def test_what_depends_on_gas_or_code_is_left_out(compiler: Compiler) -> None:
    original = """contract Box {
        uint256 n;
        constructor() payable {}
        function left(uint256 by) external returns (uint256) { n = by; return gasleft(); }
        function add(uint256 by) external returns (uint256) { n += by; return n; }
    }"""
    other = original.replace("n += by; return n;", "uint256 m = n + by; n = m; return m;")
    [same] = judge(compiler, other, original=original)

    assert same.outcome is Outcome.PASS
    assert isinstance(same.measures["fuzz.unstable"], int)
    assert same.measures["fuzz.unstable"] > 0


def test_one_that_waits_for_its_time_is_found_out(compiler: Compiler) -> None:
    before = "require(amount != 77_001"
    late = "if (block.timestamp > 1628632419 + 30 days) return 0;"
    [found] = judge(compiler, VAULT.replace(before, f"{late} {before}"))

    assert found.outcome is Outcome.FAIL
    assert "elsewhere" not in found.evidence


def test_the_same_seed_gives_the_same_verdict_kept_or_not(
    compiler: Compiler, own_cache: Path
) -> None:
    fields: dict[str, Any] = {"scope": "contract", "calls": 600}
    first = judge(compiler, OVERDRAWN, SAME, UNLUCKY, cached=True, **fields)
    kept = judge(compiler, OVERDRAWN, SAME, UNLUCKY, cached=True, **fields)
    alone = judge(compiler, UNLUCKY, cached=False, **fields)

    assert list((own_cache / "fuzzing").rglob("*.json"))

    def told(rows: list[Verdict]) -> list[object]:
        return [(row.outcome, row.measures, row.divergence, row.counterexample) for row in rows]

    assert told(first) == told(kept)
    assert told(first)[2] == told(alone)[0]


def test_a_task_without_functions_to_call_cannot_be_decided(compiler: Compiler) -> None:
    original = "contract Box { constructor() payable {} uint256 public n; }"
    [row] = judge(compiler, original, original=original)

    assert row.outcome is Outcome.UNDECIDABLE
    assert "no function" in str(row.evidence["reason"])


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"scope": "file"}, "oracle.fuzz.scope"),
        ({"calls": 0}, "oracle.fuzz.calls"),
        ({"axes": "gas"}, "oracle.fuzz.axes"),
        ({"axes": "stats"}, "oracle.fuzz.axes"),
    ],
)
def test_a_wrong_setting_is_named(settings: dict[str, object], said: str) -> None:
    with pytest.raises(UserError, match=said):
        Fuzz(**settings)  # type: ignore[arg-type]
