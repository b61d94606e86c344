"""Candidates that reject less, or more, than their original."""

from __future__ import annotations

import pytest

from solexp.core import Outcome, UserError, Verdict
from solexp.evm.anvil import AnvilMachine
from solexp.evm.machine import Observation
from solexp.oracles.base import Case
from solexp.oracles.replay import Replay
from solexp.oracles.staging import Stage, stage
from solexp.oracles.violation import Violation
from solexp.solidity.compiler import Compiler
from solexp.violations.witnesses import Witness, program_of
from tests.evm.boxes import OTHER, call, candidates, program, put, task

VAULT = """contract Box {
    address owner = msg.sender;
    mapping(address => uint256) public held;
    uint256 public total;
    bool open = true;
    error Closed();
    function put(uint256 amount) external returns (uint256) {
        if (!open) revert Closed();
        require(amount < 1000, "too much");
        require(amount != 0, "nothing");
        held[msg.sender] += amount;
        total += amount;
        return total;
    }
    function take(uint256 amount) external {
        require(held[msg.sender] >= amount, "too little");
        held[msg.sender] -= amount;
        total -= amount;
    }
    function close() external {
        require(msg.sender == owner, "not the owner");
        open = false;
    }
}"""

HISTORY = program(
    *(put(n + 1, at=n + 1, sender=OTHER) for n in range(4)),
    call("take(uint256)", 2, at=6, sender=OTHER),
    call("close()", at=7),
)


def judge(compiler: Compiler, *codes: str, **settings: str) -> list[Verdict]:
    oracle = Violation(**settings)  # type: ignore[arg-type]
    return oracle.judge(Case(task(VAULT, HISTORY), candidates(codes), compiler))


def without(line: str) -> str:
    assert line in VAULT
    return VAULT.replace(line, "")


@pytest.mark.parametrize(
    ("guard", "call_"),
    [
        ('require(amount < 1000, "too much");', "put("),
        ('require(amount != 0, "nothing");', "put(0)"),
        ('require(msg.sender == owner, "not the owner");', "close()"),
        ("if (!open) revert Closed();", "put("),
    ],
)
def test_a_candidate_that_lost_a_check_is_found_though_no_recorded_call_shows_it(
    compiler: Compiler, guard: str, call_: str
) -> None:
    case = Case(task(VAULT, HISTORY), candidates([without(guard)]), compiler)
    [replayed] = Replay(min_successful_calls=1).judge(case)
    [found] = Violation().judge(case)
    assert replayed.outcome is Outcome.PASS
    assert found.outcome is Outcome.FAIL
    assert found.divergence is not None
    assert found.divergence.axis == "status"
    assert found.divergence.got == "success"
    assert found.divergence.function is not None
    shows = found.counterexample
    assert shows is not None
    assert shows.expected is not None
    assert shows.got is not None
    assert (shows.expected.status, shows.got.status) == (False, True)
    assert shows.program(HISTORY).calls[-1] == shows.calls[0]
    assert found.divergence.function.startswith(call_)
    assert guard.removesuffix(";") in found.divergence.expected
    assert found.measures["violation.rejected"] < found.measures["violation.asked"]  # type: ignore[operator]


def test_a_recorded_call_that_only_a_candidate_accepts_does_not_lead_it_astray(
    compiler: Compiler,
) -> None:
    history = program(put(5000, at=1), *(put(n + 1, at=n + 2, sender=OTHER) for n in range(4)))
    loose = without('require(amount < 1000, "too much");')
    [found] = Violation().judge(Case(task(VAULT, history), candidates([loose]), compiler))
    assert found.outcome is Outcome.FAIL
    assert found.measures["violation.skipped"] == 0
    assert found.measures["violation.asked"] > found.measures["violation.rejected"] > 0  # type: ignore[operator]


def test_the_original_holds_every_guard_with_the_same_errors(compiler: Compiler) -> None:
    same, commented = judge(compiler, VAULT, VAULT + "// so", error="same")
    for found in (same, commented):
        assert found.outcome is Outcome.PASS
        assert found.measures["violation.asked"] == found.measures["violation.same_error"]
        assert found.measures["violation.accepted"] == found.measures["violation.satisfying"]
        assert found.measures["violation.skipped"] == 0


def test_another_reason_fails_only_where_the_same_error_is_asked_for(compiler: Compiler) -> None:
    other = VAULT.replace('"nothing"', '"zero"')
    [lenient] = judge(compiler, other)
    [strict] = judge(compiler, other, error="same")
    assert lenient.outcome is Outcome.PASS
    assert strict.outcome is Outcome.FAIL
    assert strict.divergence is not None
    assert strict.divergence.axis == "revert"
    assert "'nothing'" in strict.divergence.expected
    assert "'zero'" in strict.divergence.got
    assert lenient.measures["violation.rejected"] == lenient.measures["violation.asked"]


def test_a_candidate_that_rejects_what_satisfies_every_guard_fails(compiler: Compiler) -> None:
    strict = VAULT.replace("held[msg.sender] >= amount", "held[msg.sender] > amount + 100")
    [found] = judge(compiler, strict)
    assert found.outcome is Outcome.FAIL
    assert found.measures["violation.accepted"] < found.measures["violation.satisfying"]  # type: ignore[operator]


def test_what_cannot_be_asked_is_told(compiler: Compiler) -> None:
    broken, undeployed, gone = judge(
        compiler,
        VAULT.replace("total += amount;", "total +="),
        VAULT.replace("bool open = true;", "bool open = true; constructor() { revert(); }"),
        VAULT.replace("if (!open)", "if (amount < 900)"),
    )
    assert broken.outcome is Outcome.COMPILE_ERROR
    assert undeployed.outcome is Outcome.FAIL
    assert undeployed.evidence["reason"] == (
        "no call could be tried: it is not deployed; "
        "what it does differently there is for replay to say"
    )
    assert gone.measures["violation.skipped"]
    assert gone.evidence["left_state"] == "call 0 fails, unlike the original's"


def test_code_that_is_gone_where_the_original_stands_fails(compiler: Compiler) -> None:
    last = VAULT.replace("open = false;", "selfdestruct(payable(msg.sender));")
    [found] = Violation().judge(Case(task(VAULT, HISTORY), candidates([last]), compiler))
    assert found.outcome is Outcome.FAIL
    assert found.evidence["reason"] == (
        "its code is gone after 6 calls, where the original's stands"
    )


def test_to_reject_everything_is_not_enough(compiler: Compiler) -> None:
    # No solver finds the number, so before it is given no call is known that satisfies every guard.
    source = """contract Box {
    bool ready;
    function start(uint256 a) external {
        require(ripemd160(abi.encode(a)) == hex"fc9dc0ef2b91a26ff749d48062005ac0f8582c07", "no");
        ready = true;
    }
    function take(uint256 amount) external {
        require(ready, "shut");
        require(amount != 0, "nothing");
    }
}"""
    shut = source.replace("ready = true;", "revert();")
    history = program(call("start(uint256)", 77), call("take(uint256)", 1, at=2))
    case = Case(task(source, history), candidates([source, shut]), compiler)
    same, found = Violation().judge(case)
    assert same.outcome is Outcome.PASS
    assert found.outcome is Outcome.FAIL
    assert found.measures["violation.rejected"] == found.measures["violation.asked"] != 0
    assert found.evidence["reason"] == (
        "nothing that it should accept could be tried: call 0 fails, unlike the original's"
    )


def test_a_contract_without_guards_is_vacuous(compiler: Compiler) -> None:
    source = "contract Box { uint256 public last; fallback() external payable { last = 1; } }"
    [found] = Violation().judge(
        Case(task(source, program(call("f()"))), candidates([source]), compiler)
    )
    assert found.outcome is Outcome.VACUOUS
    assert found.measures["task_outcome"] == "vacuous"


def test_every_witness_is_a_program_that_ends_as_it_should(compiler: Compiler) -> None:
    """The same call at the end of the same calls, without branches, on a node of its own."""
    machine = AnvilMachine()
    case = Case(task(VAULT, HISTORY), [], compiler)
    staged = stage(
        case, machine, limit=None, faithful=False, checkpoint_every=None, getters="never"
    )
    assert isinstance(staged, Stage)
    oracle = Violation()
    found = oracle.witnesses(case, staged)
    kinds = {witness.function for witness in found.witnesses}
    assert kinds == {"put(uint256)", "take(uint256)", "close()"}
    for witness in _some(found.witnesses):
        whole = program_of(HISTORY, found, witness)
        [trace] = machine.run(whole, [staged.original], Observation(storage=False))
        assert trace.calls[-1].status is not bool(witness.violated)
        assert trace.calls[-1].output == witness.output or not witness.violated
    assert found == oracle.witnesses(case, staged)


def _some(witnesses: tuple[Witness, ...]) -> list[Witness]:
    return [*witnesses[:2], *witnesses[-2:]]


def test_settings_that_mean_nothing_are_refused() -> None:
    with pytest.raises(UserError, match=r"oracle.violation.error: must be any or same"):
        Violation(error="some")  # type: ignore[arg-type]
    with pytest.raises(UserError, match=r"oracle.violation.models: must be at least 1"):
        Violation(models=0)
