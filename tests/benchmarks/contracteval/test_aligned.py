"""Which assertions the description asks for: the question, the answer, and the file of judgements."""

from __future__ import annotations

from pathlib import Path

import pytest

from solexp.benchmarks.contracteval import ContractEval
from solexp.benchmarks.contracteval.aligned import (
    asserted,
    merged,
    read_judged,
    votes_of,
    write_judged,
)
from solexp.benchmarks.contracteval.asking import again, question, read_answer
from solexp.core import DataError, Preconditions, Task, UserError
from tests.benchmarks.contracteval.made import HALF, PAIRS, changed, written


@pytest.fixture
def tasks(tmp_path: Path) -> tuple[Task, ...]:
    return ContractEval(path=str(written(tmp_path))).tasks()


def test_the_question_shows_the_description_the_contract_and_each_assertion(
    tasks: tuple[Task, ...],
) -> None:
    asked = question(tasks[0]).messages[-1].content
    assert HALF["prompt"].strip() in asked
    assert "top = max(limit, 0)" in asked
    assert "Assertion 0: `assert isinstance(x, int), 'invalid inputs'`" in asked
    assert "Assertion 1: `assert 0 <= x <= top, 'invalid inputs'`" in asked
    assert "return math.floor" not in asked


GOOD = '{"assertions": [{"number": 0, "asked_for": true, "reason": "int"}, {"number": 1, "asked_for": false}]}'


@pytest.mark.parametrize(
    "reply", [GOOD, f"```json\n{GOOD}\n```", f"<think>{{hm}}</think> Here it is: {GOOD}"]
)
def test_an_answer_is_read_wherever_its_json_stands(reply: str) -> None:
    assert read_answer(reply, 2) == (True, False)


@pytest.mark.parametrize(
    ("reply", "said"),
    [
        ("Yes, both.", "there is no JSON object in it"),
        ("{assertions: 1}", "it does not parse: Expecting property name"),
        ('{"assertions": [{"number": 0}]}', "Object missing required field `asked_for`"),
        ('{"assertions": [{"number": 0, "asked_for": "yes"}]}', "Expected `bool`, got `str`"),
        (
            '{"assertions": [{"number": 0, "asked_for": true}]}',
            "each of the assertions 0, 1, in order",
        ),
    ],
)
def test_an_answer_of_another_form_is_refused_in_one_line(
    reply: str, said: str, tasks: tuple[Task, ...]
) -> None:
    with pytest.raises(ValueError) as error:
        read_answer(reply, 2)
    assert said in str(error.value) and "\n" not in str(error.value)
    repeated = again(question(tasks[0]), reply, str(error.value))
    assert [message.role for message in repeated.messages] == [
        "system",
        "user",
        "assistant",
        "user",
    ]
    assert said in repeated.messages[-1].content


def test_more_than_half_of_the_judges_decide(tasks: tuple[Task, ...], tmp_path: Path) -> None:
    half = "HumanEval/900"
    judged = merged({}, tasks, "one", {half: (True, True)})
    assert judged[half].aligned == (True, True)
    judged = merged(judged, tasks, "two", {half: (True, False)})
    assert judged[half].aligned == (True, False)
    judged = merged(judged, tasks, "three", {half: (False, True)})
    assert judged[half].aligned == (True, True)
    judged = merged(judged, tasks, "three", {half: (False, False)})
    assert judged[half].aligned == (True, False)
    judged = merged(judged, tasks, "three", {half: ()})
    assert list(judged[half].judges) == ["one", "two"]
    write_judged(tmp_path, judged)
    assert read_judged(tmp_path) == judged
    assert votes_of(judged.values()) == {"one": {half: (True, True)}, "two": {half: (True, False)}}
    with pytest.raises(UserError, match="task HumanEval/900 has 2 assertions, and 1 are judged"):
        merged({}, tasks, "one", {half: (True,)})


def test_the_subset_has_the_tasks_with_an_assertion_that_is_asked_for(
    tasks: tuple[Task, ...], tmp_path: Path
) -> None:
    def subset() -> tuple[Task, ...]:
        return ContractEval(path=str(tmp_path), subset="aligned").tasks()

    with pytest.raises(UserError, match=r"aligned.jsonl is not there; run: solexp data build"):
        subset()
    judged = merged({}, tasks, "one", {"HumanEval/900": (False, True)})
    write_judged(tmp_path, judged)
    with pytest.raises(UserError, match=r"aligned.jsonl has no judgement for Mbpp/750; run"):
        subset()
    write_judged(tmp_path, merged(judged, tasks, "one", {"Mbpp/750": ()}))
    (task,) = subset()
    assert isinstance(task.preconditions, Preconditions)
    assert (task.id, task.preconditions.aligned) == ("HumanEval/900", (False, True))
    assert task.content_hash != tasks[0].content_hash
    assert "aligned.jsonl" in ContractEval(path=str(tmp_path), subset="aligned").data_hashes()


def test_judgements_of_another_contract_are_known_as_such(
    tasks: tuple[Task, ...], tmp_path: Path
) -> None:
    votes = {"HumanEval/900": (True, True), "Mbpp/750": (True,)}
    write_judged(tmp_path, merged({}, tasks, "one", votes))
    written(tmp_path, mbpp=[changed(PAIRS, contract="\n  assert more\n")])
    with pytest.raises(UserError, match="has the judgement of another contract for Mbpp/750"):
        ContractEval(path=str(tmp_path), subset="aligned").tasks()
    now = ContractEval(path=str(tmp_path)).tasks()
    again = merged(read_judged(tmp_path), now, "two", {"Mbpp/750": (False,)})
    assert again["Mbpp/750"].judges == {"two": (False,)}
    assert asserted(now[1]) == ("assert more",)


def test_a_malformed_judgement_is_named_with_its_place(tmp_path: Path) -> None:
    (tmp_path / "aligned.jsonl").write_text("{}\n")
    with pytest.raises(DataError, match=r"aligned.jsonl line 1: Object missing required field"):
        read_judged(tmp_path)
