from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from bench.context import SEED, builds, superfluous
from solexp.benchmarks.solcontracteval import SolContractEval
from solexp.benchmarks.starter import Starter
from solexp.core import Task, UserError
from solexp.solidity.comments import comments
from solexp.solidity.compiler import Compiler
from solexp.strategies.context.dependencies import Dependencies, Signatures
from solexp.strategies.function import function_tasks

QUICK = ["KyberContributorWhitelist", "TTT", "MCHstaking"]
"""Shared tasks of old and new Solidity, each with a handful of definitions around its target."""


@pytest.fixture(scope="module", autouse=True)
def _nothing_kept(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """What earlier runs have found is not taken from the cache."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SOLEXP_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield


@pytest.fixture(scope="module")
def compiler(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Compiler]:
    with Compiler(cache_dir=tmp_path_factory.mktemp("builds")) as compiler:
        yield compiler


@pytest.fixture(scope="module")
def starter() -> Sequence[Task]:
    return Starter(version=1).tasks()


def test_the_reference_builds_behind_its_dependencies_and_not_without_one_of_them(
    data_home: Path, compiler: Compiler
) -> None:
    tasks = SolContractEval(ids=QUICK, calls=0, path=str(data_home / "solcontracteval")).tasks()
    assert len(tasks) == len(QUICK)
    for task in tasks:
        context = Dependencies().text(task)
        assert builds(task, context, compiler), task.id
        assert superfluous(task, context, compiler) == [], task.id


def test_starter_references_build_behind_their_dependencies(
    starter: Sequence[Task], compiler: Compiler
) -> None:
    for task in starter[::6]:
        assert builds(task, Dependencies().text(task), compiler), task.id


def test_dependencies_have_nothing_of_the_target(starter: Sequence[Task]) -> None:
    for task in starter[::6]:
        assert f"contract {task.target.contract} " not in Dependencies().text(task)


def test_comments_go_on_wish(starter: Sequence[Task]) -> None:
    texts = {
        natspec: [Dependencies(natspec).text(task) for task in starter[::6]]
        for natspec in ("keep", "strip")
    }
    assert any(comments(text) for text in texts["keep"])
    assert not any(comments(text) for text in texts["strip"])


def test_a_functions_dependencies_are_among_its_contracts(starter: Sequence[Task]) -> None:
    for task in starter[::6]:
        whole = set(Dependencies("strip").text(task).split())
        texts = [Dependencies("strip").text(one) for one in function_tasks(task)]
        assert all(
            set(text.replace("{}", "{ }").split()) <= whole | {"{", "}", "{}"} for text in texts
        )
        if len(whole) > 50:
            assert len({*texts}) > 1


def test_signatures_have_no_bodies(starter: Sequence[Task]) -> None:
    for task in starter[::6]:
        text = Signatures().text(task)
        assert text or not task.context
        assert "return " not in text
        assert not comments(text)


def test_a_setting_for_comments_that_does_not_exist_is_refused() -> None:
    with pytest.raises(UserError, match="did you mean 'strip'"):
        Dependencies("stripp")  # type: ignore[arg-type]


@pytest.mark.slow
def test_every_reference_builds_behind_its_dependencies(
    data_home: Path, starter: Sequence[Task], compiler: Compiler
) -> None:
    tasks = SolContractEval(calls=0, path=str(data_home / "solcontracteval")).tasks()
    failed = [
        task.id
        for task in (*starter, *tasks)
        if not builds(task, Dependencies().text(task), compiler)
    ]
    assert failed == []


@pytest.mark.slow
def test_on_twenty_sampled_tasks_no_definition_can_go(data_home: Path, compiler: Compiler) -> None:
    tasks = SolContractEval(
        limit=20, seed=SEED, calls=0, path=str(data_home / "solcontracteval")
    ).tasks()
    found = {
        task.id: names
        for task in tasks
        if (names := superfluous(task, Dependencies().text(task), compiler))
    }
    assert found == {}
