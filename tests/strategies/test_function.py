"""Whole-contract tasks become one task a function, and functions come back from replies byte for byte."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from solexp.benchmarks.solcontracteval import SolContractEval
from solexp.benchmarks.starter import Starter
from solexp.core import (
    Candidate,
    Completion,
    FinishReason,
    Generation,
    NoCode,
    Task,
    UserError,
)
from solexp.solidity.compiler import Compiler
from solexp.solidity.parsing import parses
from solexp.solidity.splice import splice
from solexp.solidity.stubs import stub_of
from solexp.strategies.function import (
    MEMBERS,
    Function,
    FunctionReader,
    function_tasks,
    wanted_of,
)
from solexp.strategies.together import TogetherReader, as_generation, assemble, judgeable

ALL = (*MEMBERS, "modifier")


def reply(task: Task, text: str, index: int = 0, **fields: object) -> Generation:
    return Generation(
        key="",
        task_id=task.id,
        batch="greedy",
        repeat=0,
        index=index,
        completion=Completion(text=text),
        **fields,  # type: ignore[arg-type]
    )


def candidate(task: Task, code: str | None, index: int = 0, number: int = 0) -> Candidate:
    return Candidate(
        task_id=task.id,
        batch="greedy",
        repeat=0,
        index=index,
        round=number,
        code=code,
        no_code=None if code is not None else NoCode.REFUSED,
    )


@pytest.fixture(scope="module")
def parents() -> list[Task]:
    return list(Starter(version=1).tasks())


def test_each_function_of_a_contract_is_a_task(parents: list[Task]) -> None:
    parent = parents[0]
    tasks = function_tasks(parent)
    assert len({task.id for task in tasks}) == len(tasks) > 3
    for task in tasks:
        wanted = wanted_of(task)
        assert task.id == f"{parent.id}/{task.target.member}"
        assert task.facts["parent"] == parent.id
        assert task.facts["signature"] == wanted.signature
        assert task.facts["member"] in MEMBERS
        assert task.reference.startswith(wanted.header)
        assert task.requirement == wanted.natspec != ""
        assert task.program == parent.program
        assert splice(task, task.reference) == parent.sources
        assert wanted.header + "{ }" in task.framework
        assert task.reference not in task.framework


def test_the_kinds_of_members_are_chosen() -> None:
    tasks = Function(members=["modifier", "receive"]).expand(Starter(version=1).tasks())
    assert {task.facts["member"] for task in tasks} <= {"modifier", "receive"}
    with pytest.raises(UserError, match="no kind 'functions'"):
        Function(members=["functions"])


def test_mutants_of_one_function_are_its_tasks(parents: list[Task]) -> None:
    kept = 0
    for parent in parents:
        for task in function_tasks(parent, ALL):
            for name, code in task.mutants.items():
                assert splice(task, code) == splice(parent, parent.mutants[name])
                assert task.mutant_labels[name] == parent.mutant_labels[name]
                kept += 1
    assert kept >= 0.9 * sum(len(parent.mutants) for parent in parents)


def test_a_prompt_shows_the_contract_without_the_body(parents: list[Task]) -> None:
    task = function_tasks(parents[0])[1]
    strategy = Function()
    material = strategy.material(task)
    assert material.signature == wanted_of(task).header.strip()
    source = task.sources[task.target.path]
    body = task.reference.removeprefix(wanted_of(task).header)
    assert material.before + body[1:-1] + material.after == source
    assert body not in strategy.prompt(task).messages[-1].content


def test_a_prompt_that_is_too_long_has_no_code(parents: list[Task]) -> None:
    task = function_tasks(parents[0])[0]
    completion = Completion(text="", finish=FinishReason.CONTEXT)
    generation = msgspec.structs.replace(reply(task, ""), completion=completion)
    found = FunctionReader().candidate(task, generation)
    assert found.no_code is NoCode.PROMPT_TOO_LONG


def test_what_was_changed_is_told_and_kept(parents: list[Task]) -> None:
    task = next(
        task
        for parent in parents
        for task in function_tasks(parent)
        if wanted_of(task).visibility == "external"
    )
    changed = task.reference.replace("external", "public", 1)
    found = FunctionReader().candidate(task, reply(task, f"```\n{changed}\n```"))
    assert found.code == changed
    assert "visibility external became public" in found.notes


def check_round_trip(task: Task, *, in_file: bool = True) -> None:
    """Split, mask, extract, splice: every byte comes back."""
    reference = task.reference
    body = reference.removeprefix(wanted_of(task).header)
    whole = task.sources[task.target.path]
    for form, text in (
        ("chat", f"Here's the function:\n\n```solidity\n{reference}\n```\nIt's done."),
        ("chat", f"```\n{whole if in_file else reference}\n```"),
        ("completion", f"{body[1:]}\n\n    function another() public {{ x = 1; }}\n}}"),
    ):
        reader = FunctionReader(form=form)  # type: ignore[arg-type]
        found = reader.candidate(task, reply(task, text))
        assert found.code == reference, (task.id, form, found.no_code, found.notes)
    assert splice(task, reference) == task.sources


def test_every_function_of_the_starter_comes_back_from_replies(parents: list[Task]) -> None:
    for parent in parents:
        tasks = function_tasks(parent, ALL)
        assert tasks
        for task in tasks:
            check_round_trip(task)
            assert parses(task.framework), task.id


def test_every_function_of_solcontracteval_comes_back_from_replies(data_home: Path) -> None:
    parents = SolContractEval(path=str(data_home / "solcontracteval"), calls=0).tasks()
    count = 0
    for parent in parents:
        tasks = function_tasks(parent, ALL)
        whole = parses(parent.reference)
        for number, task in enumerate(tasks):
            check_round_trip(task, in_file=number % 5 == 0)
            if whole:
                assert parses(task.framework), task.id
        rows = [candidate(task, task.reference) for task in tasks]
        for together in assemble(parent, tasks, rows):
            assert together.code == parent.reference
        count += len(tasks)
    assert count > 10 * len(parents)


@pytest.fixture(scope="module")
def compiler(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Compiler]:
    with Compiler(cache_dir=tmp_path_factory.mktemp("builds"), max_workers=1) as compiler:
        yield compiler


def check_compiles(parent: Task, compiler: Compiler, chosen: int | None) -> None:
    """What replies give back compiles like the source, and so do some functions' stubs."""
    tasks = function_tasks(parent, ALL)
    reader = FunctionReader()
    replies = [reply(task, f"```solidity\n{task.reference}\n```") for task in tasks]
    [generation] = judgeable(parent, tasks, replies, reader)
    found = TogetherReader().candidate(parent, generation)
    assert found.code is not None
    sources = splice(parent, found.code)
    assert sources == parent.sources
    assert compiler.compile(sources, parent.compiler).ok, parent.id
    functions = [task for task in tasks if task.facts["member"] == "function"]
    if chosen is not None:
        functions = random.Random(parent.id).sample(functions, min(chosen, len(functions)))
    for task in functions:
        build = compiler.compile(splice(task, stub_of(task, "revert")), task.compiler)
        assert build.ok, (task.id, build.errors[0].message)


def test_functions_put_back_and_stubs_compile(parents: list[Task], compiler: Compiler) -> None:
    check_compiles(parents[0], compiler, 1)


@pytest.mark.slow
def test_every_task_compiles_with_its_functions_put_back(
    data_home: Path, parents: list[Task], compiler: Compiler
) -> None:
    shared = SolContractEval(path=str(data_home / "solcontracteval"), calls=0).tasks()
    for parent in (*parents, *shared):
        if function_tasks(parent, ALL):
            check_compiles(parent, compiler, 1)


def test_functions_of_one_sample_make_one_contract(parents: list[Task]) -> None:
    parent = parents[0]
    tasks = function_tasks(parent)
    helper = "\n\n    function _h() private pure { }"
    rows = [candidate(task, task.reference, 0) for task in tasks]
    rows += [candidate(task, task.reference + helper, 1) for task in tasks]
    rows += [candidate(task, None if task is tasks[1] else task.reference, 2) for task in tasks]
    rows += [candidate(task, task.reference, 3) for task in tasks[1:]]
    same, helped, refused = assemble(parent, tasks, rows)
    assert same.code == parent.reference
    assert helped.code is not None
    assert helped.code.count("function _h()") == 1
    assert refused.no_code is NoCode.REFUSED
    assert refused.notes == (f"no code for {tasks[1].target.member}",)
    for one in (same, refused):
        read = TogetherReader().candidate(parent, as_generation(one))
        assert (read.code, read.no_code, read.key) == (one.code, one.no_code, one.key)
    empty = msgspec.structs.replace(refused, no_code=NoCode.EMPTY)
    texts = {as_generation(one).completion.text for one in (same, refused, empty)}
    assert len(texts) == 3, "verdicts are kept by the text"


def test_each_function_counts_as_it_stood_after_the_round(parents: list[Task]) -> None:
    parent = parents[0]
    tasks = function_tasks(parent)
    rows = [candidate(task, stub_of(task, "revert")) for task in tasks]
    rows.append(candidate(tasks[0], tasks[0].reference, number=1))
    first, second = assemble(parent, tasks, rows)
    assert (first.round, second.round) == (0, 1)
    assert tasks[0].reference not in (first.code or "")
    assert tasks[0].reference in (second.code or "")
    assert stub_of(tasks[1], "revert") in (second.code or "")
