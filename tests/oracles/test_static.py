"""Slither's findings in real contracts: which count, which are new, and what becomes of an analysis that fails."""

from __future__ import annotations

import msgspec
import pytest

from solexp.core import (
    Candidate,
    CompilerSettings,
    NoCode,
    Outcome,
    Target,
    Task,
    UserError,
    Verdict,
)
from solexp.core.hashing import content_hash
from solexp.judging import Job, judge_all
from solexp.judging.pool import stop_workers
from solexp.oracles import static
from solexp.oracles.base import Case
from solexp.oracles.static import Static
from solexp.solidity.compiler import Compiler
from tests.judging.parts import AsIs, generations

SAFE = "function close(address payable to) external { require(msg.sender == owner); selfdestruct(to); }"
OPEN = "function close(address payable heir) external { selfdestruct(heir); }"
"""Unprotected: ``suicidal``, of high impact and confidence."""
PAY = "function close(address payable heir) external { heir.call{value: 1}(''); }"
"""Nobody looks whether that went well: ``unchecked-lowlevel``, of medium impact and confidence."""
VAULT = """\
// Ünïcode before the contract: spans count bytes.
pragma solidity >=0.4.22;

contract Base {
    function abandon() public { selfdestruct(payable(msg.sender)); }
}

contract Vault {
    address owner = msg.sender;
    mapping(address => uint) bal;
    %s
    function fund() external payable {}
}
"""


def in_words_of(version: str, source: str) -> str:
    """The source with what an old compiler does not know yet put otherwise."""
    if version < "0.6":
        source = source.replace("payable(msg.sender)", "msg.sender")
    return source.replace("address payable", "address") if version < "0.5" else source


def task_of(reference: str, source: str = VAULT, version: str = "0.8.17") -> Task:
    """A task that wants one function of a contract written."""
    source, reference = in_words_of(version, source), in_words_of(version, reference)
    before = len(source.partition("%s")[0].encode())
    return Task(
        id="vault",
        benchmark="hand",
        compiler=CompilerSettings(version=version),
        sources={"src/Vault.sol": source.replace("%s", reference)},
        target=Target(
            path="src/Vault.sol",
            contract="Vault",
            start=before,
            end=before + len(reference.encode()),
            member="close(address)",
        ),
        framework="",
    )


def judge(
    compiler: Compiler,
    task: Task,
    *codes: str | None,
    oracle: Static | None = None,
    asts: bool = True,
) -> list[Verdict]:
    candidates = [
        Candidate(
            task_id=task.id,
            batch="greedy",
            repeat=0,
            index=index,
            code=code,
            no_code=None if code else NoCode.REFUSED,
        )
        for index, code in enumerate(codes)
    ]
    case = Case(task, candidates, compiler, cached=False, asts=asts)
    return (oracle or Static()).judge(case)


@pytest.mark.parametrize("version", ["0.4.26", "0.5.17", "0.6.12", "0.8.17"])
def test_an_unprotected_selfdestruct_counts_and_a_protected_one_does_not(
    compiler: Compiler, version: str
) -> None:
    task = task_of(SAFE, version=version)
    bad, good = judge(compiler, task, *(in_words_of(version, code) for code in (OPEN, SAFE)))

    assert (bad.outcome, good.outcome) == (Outcome.PASS, Outcome.PASS)
    assert bad.measures == {
        "static.findings": 1,
        "static.new_findings": 1,
        "static.suicidal": 1,
        "static.new.suicidal": 1,
    }
    # ``Base.abandon`` is as bad, but nobody was asked to write it.
    assert good.measures == {"static.findings": 0, "static.new_findings": 0}


def test_what_the_reference_has_too_is_not_new_however_it_is_worded(compiler: Compiler) -> None:
    reworded = f"""// A comment, lines further down.

    {OPEN.replace("heir", "somebodyElse")}"""
    (verdict,) = judge(compiler, task_of(OPEN), reworded)

    assert verdict.measures["static.findings"] == 1
    assert verdict.measures["static.new_findings"] == 0
    assert "static.new.suicidal" not in verdict.measures


def test_the_same_detector_in_another_function_is_new(compiler: Compiler) -> None:
    another = OPEN + " function shut() external { selfdestruct(payable(msg.sender)); }"
    (verdict,) = judge(compiler, task_of(OPEN), another)

    assert verdict.measures["static.suicidal"] == 2
    assert verdict.measures["static.new.suicidal"] == 1


def test_a_comment_silences_no_detector(compiler: Compiler) -> None:
    silenced = f"// slither-disable-next-line all\n{OPEN}"
    (verdict,) = judge(compiler, task_of(SAFE), silenced)

    assert verdict.measures["static.suicidal"] == 1


def test_thresholds_choose_the_detectors(compiler: Compiler) -> None:
    task = task_of(SAFE)
    oracles = (
        Static(),
        Static(confidence="medium"),
        Static(impact="medium"),
        Static(impact="medium", confidence="medium"),
    )
    found = [judge(compiler, task, PAY, oracle=oracle)[0].measures for oracle in oracles]

    assert [each.get("static.unchecked-lowlevel") for each in found] == [None, None, None, 1]
    assert len({content_hash(oracle.fingerprint()) for oracle in oracles}) == 4


def test_code_that_does_not_compile_has_no_findings_and_none_is_none(compiler: Compiler) -> None:
    wrong, refused = judge(compiler, task_of(SAFE), OPEN.replace("heir)", "heir"), None)

    assert (wrong.outcome, refused.outcome) == (Outcome.COMPILE_ERROR, Outcome.NO_CODE)
    assert wrong.measures == {}
    assert wrong.evidence["errors"]


def test_an_analysis_past_its_limit_is_nobodys_failure(compiler: Compiler) -> None:
    (slow,) = judge(compiler, task_of(SAFE), OPEN, oracle=Static(timeout_s=0.01))
    # More than a process can do with what memory it has left over.
    others = "".join(
        f"contract Other{n} {{ uint a; function set(uint x) external {{ a = x + {n}; }} }}\n"
        for n in range(200)
    )
    whole = task_of(SAFE, VAULT + others)
    (large,) = judge(compiler, whole, OPEN, oracle=Static(memory_mb=16))

    assert slow.outcome is Outcome.HARNESS_ERROR
    assert slow.evidence["reason"] == "Slither took more than 0.01 s"
    assert large.outcome is Outcome.HARNESS_ERROR


def test_what_slither_chokes_on_does_not_cost_the_others(compiler: Compiler) -> None:
    source = VAULT.replace("    %s\n", "") + "%s\n"
    task = task_of("contract Other {}", source)
    # Slither keeps contracts of this name to itself, and refuses to go on.
    reserved = "contract SlitherInternalTopLevelContract {}"
    bad = "contract Other { function end() external { selfdestruct(payable(msg.sender)); } }"
    before, choking, after = judge(compiler, task, bad, reserved, bad + " ")

    assert choking.outcome is Outcome.HARNESS_ERROR
    assert "SlitherInternalTopLevelContract" in str(choking.evidence["reason"])
    assert before.measures == after.measures
    assert after.measures["static.new_findings"] == 1


def test_a_reference_that_does_not_compile_leaves_open_what_is_new(compiler: Compiler) -> None:
    (verdict,) = judge(compiler, task_of("function close( {"), OPEN)

    assert verdict.measures["static.findings"] == 1
    assert verdict.measures["static.new_findings"] is None
    assert "does not compile" in str(verdict.evidence["reference"])


def test_deep_nesting_ends_in_an_outcome(compiler: Compiler) -> None:
    deep = (
        "function close(address payable) external { uint x = "
        + "(" * 700
        + "1"
        + ")" * 700
        + "; x; }"
    )
    (verdict,) = judge(compiler, task_of(SAFE), deep)

    assert verdict.outcome in (Outcome.PASS, Outcome.HARNESS_ERROR, Outcome.COMPILE_ERROR)


def test_findings_are_the_same_without_asts_asked_for_beforehand(compiler: Compiler) -> None:
    task = task_of(SAFE)
    assert judge(compiler, task, OPEN, asts=False) == judge(compiler, task, OPEN, asts=True)


def test_slither_needs_no_solc(compiler: Compiler, monkeypatch: pytest.MonkeyPatch) -> None:
    task = task_of(SAFE)
    compiler.compile(task.sources, task.compiler)
    monkeypatch.setenv("PATH", "")
    static._process().close()
    with Compiler() as fresh:
        (verdict,) = judge(fresh, task, OPEN)
    assert verdict.measures["static.suicidal"] == 1


def test_unknown_settings_are_refused_by_name() -> None:
    with pytest.raises(
        UserError, match=r"oracle\.static\.impact: unknown 'hgih'; did you mean 'high'"
    ):
        Static(impact="hgih")  # type: ignore[arg-type]
    with pytest.raises(UserError, match=r"oracle\.static\.timeout_s"):
        Static(timeout_s=0)


def test_findings_do_not_depend_on_the_number_of_workers() -> None:
    jobs = [
        Job(
            task=msgspec.structs.replace(task_of(SAFE, VAULT.replace("bal", name)), id=name),
            generations=generations(name, OPEN, SAFE),
            reader=AsIs(),
            oracles=(Static(confidence="medium", impact="medium"),),
            seconds=120,
            memory_mb=4000,
            cached=False,
        )
        for name in ("one", "two")
    ]
    found = []
    for n_jobs in (1, 2):
        judged = [row for each in judge_all(jobs, n_jobs) for row in each.verdicts]
        rows = [msgspec.structs.replace(row, seconds=0) for row in judged]
        found.append(sorted(rows, key=lambda row: (row.task_id, row.index)))
    stop_workers()
    assert found[0] == found[1]
    assert [row.measures["static.findings"] for row in found[0]] == [1, 0] * 2
