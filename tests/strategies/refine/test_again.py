"""Asking again with what came of the last answer."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
import yaml

from solexp.benchmarks.starter import Starter
from solexp.config import conf_folder
from solexp.config.instantiate import instantiate
from solexp.core import (
    Candidate,
    Completion,
    Divergence,
    Generation,
    Message,
    NoCode,
    Outcome,
    Prompt,
    UserError,
    Verdict,
)
from solexp.strategies.base import Attempt, Refine
from solexp.strategies.refine.again import Again
from solexp.strategies.refine.feedback import feedback

TASK = next(task for task in Starter(version=1).tasks() if task.id == "TideAuction")
ERROR = {
    "type": "DeclarationError",
    "message": 'Undeclared identifier. Did you mean "Curve"?',
    "path": TASK.target.path,
    "line": 3,
}
SECOND = {**ERROR, "message": "Another error."}


def verdict(outcome: Outcome, oracle: str = "compile", **fields: Any) -> Verdict:
    return Verdict(
        task_id=TASK.id, batch="b", repeat=0, index=0, oracle=oracle, outcome=outcome, **fields
    )


NOT_COMPILING = verdict(Outcome.COMPILE_ERROR, evidence={"errors": [ERROR, SECOND]})
DIVERGING = verdict(
    Outcome.FAIL,
    "replay",
    divergence=Divergence(
        axis="status", index=4, expected="success", got="revert", function="buy(count: 2)"
    ),
)
PASSING = (verdict(Outcome.PASS), verdict(Outcome.PASS, "replay"))


def attempt(*verdicts: Verdict, code: str | None = "contract TideAuction { x }") -> Attempt:
    completion = Completion(text=f"```\n{code}\n```")
    return Attempt(
        task=TASK,
        prompt=Prompt(task_id=TASK.id, messages=(Message("user", "the first question"),)),
        generation=Generation(
            key="k", task_id=TASK.id, batch="b", repeat=0, index=0, completion=completion
        ),
        candidate=Candidate(
            task_id=TASK.id,
            batch="b",
            repeat=0,
            index=0,
            code=code,
            no_code=None if code else NoCode.EMPTY,
        ),
        verdicts=verdicts,
    )


def option(name: str) -> Refine:
    """The option of that name, as it is configured."""
    node = yaml.safe_load((conf_folder() / "strategy" / "refine" / f"{name}.yaml").read_text())
    made: Refine = instantiate(node, "strategy.refine")
    return made


def asked(refine: Refine, of: Attempt, *replies: str) -> list[Prompt]:
    dialogue = refine.dialogue(of)
    found = [next(dialogue).prompt]
    for reply in (*replies, "the end"):
        try:
            found.append(dialogue.send(Completion(text=reply)).prompt)
        except StopIteration:
            break
    return found


WANTS = {
    "none": (False, False, False),
    "repair": (True, False, False),
    "self_edit": (True, True, False),
    "self_repair": (True, True, False),
    "self_refine": (True, True, False),
    "self_debug": (True, True, False),
    "retrieval_augmented": (True, True, False),
    "multi_turn": (True, True, True),
}


@pytest.mark.parametrize("name", WANTS)
def test_rounds_are_asked_for_where_they_are_due(name: str) -> None:
    refine = option(name)
    cases = (attempt(NOT_COMPILING), attempt(DIVERGING), attempt(*PASSING))
    assert tuple(refine.wants(case) for case in cases) == WANTS[name]


@pytest.mark.parametrize("name", WANTS)
def test_an_answer_without_code_is_not_refined(name: str) -> None:
    assert not option(name).wants(attempt(verdict(Outcome.NO_CODE), code=None))


def test_a_task_that_nobody_can_decide_is_no_reason_to_ask_again() -> None:
    undecided = attempt(verdict(Outcome.PASS), verdict(Outcome.UNDECIDABLE, "replay"))
    assert not option("self_repair").wants(undecided)


def test_repair_tells_the_reported_error_alone_and_samples_at_its_own_temperature() -> None:
    refine = option("repair")
    ask = next(refine.dialogue(attempt(NOT_COMPILING)))
    text = ask.prompt.messages[-1].content
    assert "Undeclared identifier" in text
    assert "Another error" not in text
    assert "contract TideAuction { x }" in text
    assert len(ask.prompt.messages) == 1
    assert ask.batch is not None
    assert ask.batch.temperature == 0.2


def test_self_debug_explains_first_and_then_fixes_in_the_same_conversation() -> None:
    explain, fix = asked(option("self_debug"), attempt(DIVERGING), "line 3 is wrong")
    assert [m.role for m in explain.messages] == ["user", "assistant", "user"]
    assert "buy(count: 2)" in explain.messages[-1].content
    assert "expected success, got revert" in explain.messages[-1].content
    assert [m.content for m in fix.messages[3:4]] == ["line 3 is wrong"]
    assert fix.messages[0].content == "the first question"


def test_retrieval_shows_the_definitions_that_the_error_names_and_no_original_comment() -> None:
    text = asked(option("retrieval_augmented"), attempt(NOT_COMPILING))[0].messages[-1].content
    assert "struct Curve" in text
    assert "///" not in text


def test_feedback_from_a_divergence_holds_nothing_of_the_reference() -> None:
    text = asked(option("self_edit"), attempt(DIVERGING))[0].messages[-1].content
    bodies = [line.strip() for line in TASK.reference.splitlines() if "require(" in line]
    assert bodies
    assert [line for line in bodies if line in text] == []


def test_the_whole_answer_is_shown_where_it_was_pieced_together() -> None:
    pieced = attempt(NOT_COMPILING)
    generation = Generation(
        key="k",
        task_id=TASK.id,
        batch="b",
        repeat=0,
        index=0,
        completion=Completion(text="the last function"),
        earlier=(Completion(text="the first function"),),
    )
    pieced = Attempt(
        task=TASK,
        prompt=pieced.prompt,
        generation=generation,
        candidate=pieced.candidate,
        verdicts=pieced.verdicts,
    )
    answer = asked(option("self_repair"), pieced)[0].messages[1].content
    assert "contract TideAuction { x }" in answer


def test_the_answer_itself_is_shown_where_only_documentation_came_before_it() -> None:
    first = attempt(NOT_COMPILING)
    generation = msgspec.structs.replace(
        first.generation,
        completion=Completion(text="Here it is: contract TideAuction { x }"),
        earlier=(Completion(text="/// documentation"),),
        prompts=("p", "q"),
        shared=("p",),
    )
    documented = msgspec.structs.replace(first, generation=generation)
    answer = asked(option("self_repair"), documented)[0].messages[1].content
    assert answer == "Here it is: contract TideAuction { x }"


def test_the_line_of_an_error_is_told_without_comments() -> None:
    code = (
        "contract TideAuction {\n  uint x; // the original said so\n  /* and\n  that */ uint y; }"
    )
    start = TASK.sources[TASK.target.path].encode()[: TASK.target.start].count(b"\n")
    for line, shown in ((2, "uint x;"), (3, None), (4, "uint y; }")):
        error = verdict(
            Outcome.COMPILE_ERROR, evidence={"errors": [{**ERROR, "line": start + line}]}
        )
        text = feedback(attempt(error, code=code))
        assert text.splitlines()[1:] == ([] if shown is None else [f"    {shown}"])


def test_no_rounds_are_refused() -> None:
    with pytest.raises(UserError, match=r"strategy\.refine\.rounds"):
        Again(["repair"], rounds=0)


def test_settings_that_cannot_be_are_refused() -> None:
    with pytest.raises(UserError, match=r"strategy\.refine\.errors"):
        Again(["repair"], errors=0)
    with pytest.raises(UserError, match=r"strategy\.refine\.temperature"):
        Again(["repair"], temperature=-1)
