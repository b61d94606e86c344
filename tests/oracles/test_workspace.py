"""What was left in a workspace takes the card's routes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec
import pytest

from solexp.core import Candidate, NoCode, Outcome, Task, UserError, Verdict, Workspace
from solexp.metrics.scores import judged
from solexp.metrics.workspaces import workspace_metrics, workspaces
from solexp.oracles.base import Case
from solexp.oracles.workspace import WorkspaceOracle
from solexp.solidity.compiler import Compiler
from tests.made_workspaces import BODY, CANARY, RIGHT, STUB, WRONG, source, task

PATH = "src/Solves.sol"


@pytest.fixture(scope="module")
def compiler() -> Iterator[Compiler]:
    with Compiler() as made:
        yield made


def left(
    number: int, files: dict[str, str] | None, code: str | None = "x", **more: Any
) -> Candidate:
    return Candidate(
        task_id="made_Solves", batch="b", repeat=0, index=number, code=code, files=files, **more
    )


def judge(
    posed: Task, candidates: list[Candidate], compiler: Compiler, **settings: Any
) -> list[Verdict]:
    oracle = WorkspaceOracle(calls=200, **settings)
    return oracle.judge(Case(posed, candidates, compiler, cached=False))


def routes(verdicts: list[Verdict]) -> list[tuple[Any, Any]]:
    return [(v.measures["workspace.route"], v.measures["workspace.reward"]) for v in verdicts]


def test_leaks_stubs_and_replies_without_code_earn_nothing_and_are_not_run(
    compiler: Compiler,
) -> None:
    hidden = f'require(bytes("{CANARY[:7]}" "{CANARY[7:]}").length > 0); {RIGHT}'
    found = judge(
        task(),
        [
            left(0, {PATH: source("Solves", BODY)}),
            left(1, {PATH: source("Solves", RIGHT), "out/x.json": f"...{CANARY}..."}),
            left(2, {PATH: source("Solves", RIGHT), f"{CANARY}.txt": ""}),
            left(3, {PATH: source("Solves", hidden)}),
            left(4, {PATH: source("Solves", STUB)}),
            left(5, {PATH: source("Solves", 'revert ( "TODO" ) ;')}),
            left(6, None, None, no_code=NoCode.REFUSED),
        ],
        compiler,
    )
    assert routes(found) == [("b3_violation", 0)] * 4 + [("stub_residue", 0)] * 2 + [("fail", 0)]
    assert found[1].evidence["canaries"] == {CANARY: "out/x.json"}
    assert found[3].evidence["canaries"] == {CANARY: "compiled code"}
    assert [v.outcome for v in found] == [Outcome.FAIL] * 6 + [Outcome.NO_CODE]
    assert {v.oracle for v in found} == {"workspace"}


def test_what_does_as_the_original_does_earns_all_and_what_does_not_nothing(
    compiler: Compiler,
) -> None:
    posed = task()
    found = judge(
        posed,
        [
            left(0, {PATH: source("Solves", RIGHT)}),
            left(1, {PATH: source("Solves", WRONG)}),
            left(2, {PATH: source("Solves", "nonsense")}),
            left(3, None, posed.reference),
            left(4, {PATH: source("Solves", f"{RIGHT} // {STUB}"), "test/T.t.sol": "broken"}),
        ],
        compiler,
    )
    assert routes(found) == [("exit_0", 1), ("fail", 0), ("fail", 0), ("exit_0", 1), ("exit_0", 1)]
    assert [v.measures["workspace.canaries"] for v in found] == [1, 1, 1, 0, 1]
    assert found[1].divergence is not None
    assert found[2].outcome is Outcome.COMPILE_ERROR


def never_works(posed: Task) -> Task:
    """The task of a function that always fails, but for a contract that works."""
    original = source("Solves", 'require(amount > type(uint256).max - 1 && total > 5000, "never");')
    target = msgspec.structs.replace(
        posed.target,
        end=posed.target.start + original.encode()[posed.target.start :].rindex(b"}\n}") + 1,
    )
    return msgspec.structs.replace(posed, sources={PATH: original}, target=target)


@pytest.mark.parametrize(
    ("rule", "outcome", "reward"),
    [
        ("strict", Outcome.VACUOUS, None),
        pytest.param("release", Outcome.PASS, 1, marks=pytest.mark.slow),
    ],
)
def test_a_function_that_never_worked_is_counted_apart_or_as_the_card_does(
    compiler: Compiler, rule: str, outcome: Outcome, reward: int | None
) -> None:
    posed = never_works(task())
    (found,) = judge(
        posed, [left(0, {PATH: source("Solves", 'revert("no");')})], compiler, rule=rule
    )
    assert found.outcome is outcome
    assert routes([found]) == [("vacuous_no_diff", reward)]


def test_where_the_stub_passes_too_nothing_was_tested(compiler: Compiler) -> None:
    def inside(text: str) -> str:
        return text.replace("take(uint256 amount) external", "take(uint256 amount) internal")

    posed = task()
    assert isinstance(posed.workspace, Workspace)
    files = {path: inside(text) for path, text in posed.workspace.files.items()}
    posed = msgspec.structs.replace(
        posed,
        sources={PATH: inside(posed.sources[PATH])},
        workspace=msgspec.structs.replace(posed.workspace, files=files),
    )
    (found,) = judge(posed, [left(0, {PATH: inside(source("Solves", WRONG))})], compiler)

    assert found.outcome is Outcome.VACUOUS
    assert routes([found]) == [("vacuous_no_diff", None)]
    assert "the stub" in str(found.evidence["reason"])


def test_rows_without_canaries_are_best_effort_and_many_vacuous_passes_are_flagged() -> None:
    def row(number: int, route: str, **measures: Any) -> Verdict:
        return Verdict(
            task_id=f"t{number}", batch="b", repeat=0, index=0, oracle="workspace", outcome=Outcome.PASS,
            measures={"workspace.route": route, **measures},
        )  # fmt: skip

    good = [row(n, "exit_0", **{"workspace.reward": 1}) for n in range(4)]
    bad = [row(9, "fail", **{"workspace.reward": 0, "workspace.best_effort": True})]
    vacuous = [row(10 + n, "vacuous_no_diff", **{"workspace.reward": None}) for n in range(2)]
    found = workspaces(list(judged([*good, *bad, *vacuous])))
    assert found is not None
    assert found.routes == {"exit_0": 4, "vacuous_no_diff": 2, "fail": 1}
    assert (found.best_effort, found.flagged) == (1, True)
    assert workspace_metrics(list(judged([*good, *bad])), seed=0)["workspace.reward"].value == 0.8
    fewer = workspaces(list(judged([*good, *vacuous[:1], *[row(20, "exit_0")]])))
    assert fewer is not None
    assert not fewer.flagged
    assert workspaces([]) is None


def test_settings_that_are_none_are_refused_by_their_own_name() -> None:
    with pytest.raises(UserError, match=r"oracle\.workspace\.rule"):
        WorkspaceOracle(rule="paper")  # type: ignore[arg-type]
    with pytest.raises(UserError, match=r"oracle\.workspace\.calls"):
        WorkspaceOracle(calls=0)
