"""Asking for contract-violating tests, and finding them in replies."""

from __future__ import annotations

import json

import msgspec
import pytest

from solexp.core import Completion, FinishReason, Generation, NoCode, UserError
from solexp.strategies.violating import CvtReader, Violating, read_tests
from solexp.violations.cvts import Asked, Cvt, CvtSet, decode, encode
from tests.made_contracts import preconditions, python_task
from tests.made_tasks import whole_source

TASK = python_task()
ROW = {"violated": [1], "args": "[(1, 2), None]"}
READ = Cvt(violated=(1,), args="[(1, 2), None]")


@pytest.mark.parametrize(
    "reply",
    [
        json.dumps({"tests": [ROW]}),
        json.dumps([ROW]),
        f"Here they are:\n```json\n{json.dumps({'tests': [ROW]}, indent=2)}\n```\nThat is all.",
        f"```\n{json.dumps({'cvts': [ROW]})}",
        f"I think of [1, 2] and {{3}} first.\n{json.dumps({'tests': [ROW]})} Done.",
        f"<think>{json.dumps([{'violated': [0], 'args': '[1]'}])}</think>{json.dumps([ROW])}",
        f"A first try:\n```json\n{json.dumps([{'violated': [0], 'args': '[1]'}])}\n```\n"
        f"Better:\n```json\n{json.dumps([ROW])}\n```",
        f"{[ROW]!r}",
        json.dumps({"tests": [{"violated": ["assert_1"], "input": "((1, 2), None)"}]}),
    ],
)
def test_tests_are_found_wherever_they_stand(reply: str) -> None:
    assert read_tests(reply, 4) == CvtSet(cvts=(READ,))


def test_what_cannot_be_read_is_told_test_by_test() -> None:
    rows = [ROW, {"violated": [9], "args": "[1]"}, {"violated": [0], "args": "[open('x')]"}]
    found = read_tests(json.dumps(rows), 4)
    assert found is not None
    assert found.cvts == (READ,)
    assert found.unreadable == (
        "test 1: there is no assertion 9: the contract has 4",
        "test 2: \"[open('x')]\" holds more than values: open",
    )


def test_what_a_generator_says_of_combinations_comes_along() -> None:
    found = CvtSet(
        cvts=(READ,), asked=(Asked(violated=(0,), status="unsat"),), unsupported={3: "import"}
    )
    assert read_tests(encode(found), 4) == found
    assert read_tests(encode(CvtSet()), 4) == CvtSet()


def test_a_translation_keeps_the_parts_of_assertions_that_there_are() -> None:
    given = {
        "helper_functions": "",
        "inputs": ["(declare-const text Value)", "(declare-const most Value)"],
        "contract_defs": {"assert_0": "(define-fun C0 () Bool true)", "assert_7": "(…)"},
    }
    found = read_tests(f"Gladly.\n```json\n{json.dumps(given)}\n```", 4)
    assert found is not None
    assert found.translation is not None
    assert found.translation.contract_defs == {0: "(define-fun C0 () Bool true)"}
    assert found.translation.inputs.count("\n") == 1


@pytest.mark.parametrize("reply", ["I cannot.", "{[", "[1, 2]", '{"answer": 3}', "[" * 5000])
def test_other_replies_hold_no_tests(reply: str) -> None:
    assert read_tests(reply, 4) is None


@pytest.mark.parametrize(
    ("text", "finish", "why"),
    [
        ("", FinishReason.STOP, NoCode.EMPTY),
        ('{"tests": [', FinishReason.LENGTH, NoCode.TRUNCATED),
        ("No.", FinishReason.STOP, NoCode.NOTHING_FOUND),
    ],
)
def test_a_reply_without_tests_says_why(text: str, finish: FinishReason, why: NoCode) -> None:
    generation = Generation(
        key="k",
        task_id="depth",
        batch="greedy",
        repeat=0,
        index=0,
        completion=Completion(text=text, finish=finish),
    )
    assert CvtReader().candidate(TASK, generation).no_code is why


def test_candidates_hold_what_was_read() -> None:
    generation = Generation(
        key="k",
        task_id="depth",
        batch="greedy",
        repeat=0,
        index=0,
        completion=Completion(text=json.dumps([ROW, {}])),
    )
    candidate = CvtReader().candidate(TASK, generation)
    assert candidate.code is not None
    assert decode(candidate.code).cvts == (READ,)
    assert candidate.notes == ("test 1: 'violated' must be a list of assertions' numbers",)


def test_the_prompt_shows_head_description_and_numbered_contract() -> None:
    asked = Violating(tests=3).prompt(TASK).messages[-1].content
    assert "depth(text, most)" in asked
    assert "How deep brackets are nested." in asked
    assert "# assertion 3\nassert math.isfinite(most)" in asked
    assert "- 0, 1, 2, 3\n" in asked
    assert "3 different tests" in asked
    assert "deepest" not in asked, "the reference is not shown"


def test_what_the_description_does_not_ask_for_is_not_to_be_violated() -> None:
    pre = msgspec.structs.replace(preconditions(TASK), aligned=(True, False, False, True))
    task = msgspec.structs.replace(TASK, preconditions=pre)
    asked = Violating().prompt(task).messages[-1].content
    assert [line for line in asked.splitlines() if line.startswith("- ")] == [
        "- 0",
        "- 3",
        "- 0, 3",
    ]


def test_the_solvers_variant_shows_the_sort_and_can_ask_for_thoughts() -> None:
    asked = Violating(variant="smt", cot=True).prompt(TASK).messages[-1].content
    assert "declare-datatypes" in asked
    assert "<think>" in asked


def test_settings_that_mean_nothing_are_refused() -> None:
    with pytest.raises(UserError, match=r"strategy\.tests: must be at least 1"):
        Violating(tests=0)
    with pytest.raises(UserError, match="no Python function with preconditions"):
        Violating().expand([whole_source()])
