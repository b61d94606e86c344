"""Contracts that were written function by function."""

from __future__ import annotations

from solexp.benchmarks.starter import Starter
from solexp.core import Candidate, Completion, Generation, Outcome, Task, Verdict
from solexp.solidity.comments import comments, without_comments
from solexp.solidity.functions import text_of
from solexp.strategies.base import Attempt
from solexp.strategies.refine.again import Again
from solexp.strategies.sequential import Sequential, SequentialReader, open_members

TASKS = Starter(version=1).tasks()


def generation(task: Task, replies: list[str]) -> Generation:
    answers = [Completion(text=f"```solidity\n{reply}\n```") for reply in replies]
    return Generation(
        key="k",
        task_id=task.id,
        batch="b",
        repeat=0,
        index=0,
        completion=answers[-1],
        earlier=tuple(answers[:-1]),
    )


def read(task: Task, replies: list[str]) -> Candidate:
    return SequentialReader().candidate(task, generation(task, replies))


def originals(task: Task) -> list[str]:
    return [text_of(task.reference, member) for member in open_members(task)]


def test_the_originals_functions_make_the_original_but_for_its_comments() -> None:
    for task in TASKS:
        code = read(task, [without_comments(text) for text in originals(task)]).code
        assert code is not None
        assert comments(code) == []
        assert code.split() == without_comments(task.reference).split()


def test_a_round_of_refinement_shows_no_comment_of_the_original() -> None:
    task = next(task for task in TASKS if task.id == "CrewToken")
    strategy = Sequential(natspec="none")
    made = generation(task, originals(task))
    candidate = strategy.reader.candidate(task, made)
    error = Verdict(
        task_id=task.id,
        batch="b",
        repeat=0,
        index=0,
        oracle="compile",
        outcome=Outcome.COMPILE_ERROR,
        evidence={"errors": [{"type": "TypeError", "message": "no", "path": "a", "line": 1}]},
    )
    attempt = Attempt(
        task=task,
        prompt=next(strategy.dialogue(task)).prompt,
        generation=made,
        candidate=candidate,
        verdicts=(error,),
    )
    for refine in (Again(["repair"], conversation=False), Again(["self_repair"])):
        prompt = next(refine.dialogue(attempt)).prompt
        shown = "\n".join(message.content for message in prompt.messages)
        assert f"contract {task.target.contract}" in shown
        said = [line for line in task.reference.splitlines() if line.strip().startswith("///")]
        assert said
        assert [line for line in said if line.strip() in shown] == []


def test_a_helper_that_two_functions_bring_along_stands_once() -> None:
    task = next(task for task in TASKS if task.id == "GatePass")
    helper = "function freshHelper() private pure returns (uint256) { return 1; }"
    replies = [
        text[: text.rindex("}")] + "freshHelper(); }\n\n" + helper for text in originals(task)
    ]
    code = read(task, replies).code
    assert code is not None
    assert code.count("function freshHelper") == 1
