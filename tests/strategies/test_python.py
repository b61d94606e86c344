"""Prompts for Python functions: how much of the contract each condition shows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from solexp.core import Batch, Candidate, Completion, Generation, Prompt, Task, UserError
from solexp.python.expected import expected, preconditions_of
from solexp.python.literals import read
from solexp.python.matching import Rule, matches, rule_of
from solexp.python.wrong import wrong
from solexp.strategies.base import Ask, Attempt
from solexp.strategies.conditions import wrong_outputs
from solexp.strategies.python import PythonFunction
from solexp.strategies.refine.again import Again
from solexp.violations.known import known
from solexp.violations.shown import scored, shown
from tests import made_python
from tests.made_python import HALVE, LONGEST, MEAN
from tests.made_tasks import whole_source

ALL = ("standard", "cs", "eas", "negative", "cot", "multi_turn")


@pytest.fixture(scope="module")
def tasks(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Task]]:
    folder = tmp_path_factory.mktemp("home")
    made_python.write_data(folder / "data")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SOLEXP_DATA", str(folder / "data"))
        patch.setenv("SOLEXP_CACHE", str(folder / "cache"))
        yield made_python.tasks(folder / "data")


def strategy(condition: Any, **more: Any) -> PythonFunction:
    return PythonFunction(condition=condition, cvts="released", **more)


def asks(made: PythonFunction, task: Task, reply: str = "") -> list[Ask]:
    dialogue = made.dialogue(task)
    found = [next(dialogue)]
    while True:
        try:
            found.append(dialogue.send(Completion(text=reply)))
        except StopIteration:
            return found


def text_of(prompt: Prompt) -> str:
    return "\n".join(message.content for message in prompt.messages)


def last(condition: Any, task: Task, **more: Any) -> str:
    return text_of(asks(strategy(condition, **more), task)[-1].prompt)


@pytest.mark.parametrize("condition", ["standard", "negative", "multi_turn"])
def test_these_conditions_first_say_nothing_of_the_contract(
    tasks: dict[str, Task], condition: str
) -> None:
    for task in tasks.values():
        text = last(condition, task)
        assert "Assertion" not in text
        assert "isinstance" not in text
        assert task.framework.strip() in text


def test_the_contract_is_stated_in_words(tasks: dict[str, Task]) -> None:
    text = last("cs", tasks[LONGEST])
    assert "- `words` is a list\n- for every `w` in `words`, `w` is a str\n" in text
    assert "- the length of `words` is greater than 0\n" in text
    assert "longest('ab')" not in text


def test_examples_show_a_violating_call_for_each_assertion(tasks: dict[str, Task]) -> None:
    (ask,) = asks(strategy("eas"), tasks[LONGEST])
    assert ask.prompt.holds["refused"] == ["longest('ab')", "longest([1])", "longest([])"]
    assert "- `words` is a list\n" in text_of(ask.prompt)
    assert "longest('ab')\nlongest([1])\nlongest([])\n" in text_of(ask.prompt)


def test_what_a_prompt_shows_is_not_scored_under_any_condition(tasks: dict[str, Task]) -> None:
    for task in tasks.values():
        cvts = known(task, "released").cvts
        count = len(preconditions_of(task).assertions)
        (ask,) = asks(strategy("eas"), task)
        calls = ask.prompt.holds["refused"]
        assert isinstance(calls, list)
        in_prompt = {cvt.args for cvt in shown(count, cvts) if cvt is not None}
        assert len(calls) == len(in_prompt)
        assert not in_prompt & {cvt.args for cvt in scored(count, cvts)}
        assert in_prompt | {cvt.args for cvt in scored(count, cvts)} == {c.args for c in cvts}


def test_negative_examples_are_wrong_outputs_of_valid_calls(tasks: dict[str, Task]) -> None:
    for task in tasks.values():
        text = last("negative", task)
        for call, output in wrong_outputs(task, 3):
            assert f"{call} == {output}  # wrong" in text
    right = {answer.args: answer.value for answer in expected(tasks[HALVE]).base}
    found = wrong_outputs(tasks[HALVE], 3)
    assert len(found) == 2
    assert all(right[f"[{call[6:-1]}]"] != output for call, output in found)


def test_thoughts_are_asked_for_beside_the_contract(tasks: dict[str, Task]) -> None:
    assert "<think>" in last("cot", tasks[HALVE])
    assert "- `n` is greater than 0\n" in last("cot", tasks[HALVE])
    assert "<think>" in last("eas", tasks[HALVE], cot=True)
    assert "<think>" not in last("cs", tasks[HALVE])


@pytest.mark.parametrize(
    "reply",
    ["```python\nNew words.\n```", "New words.", "<think>Hm.</think>\n```\nNew words.\n```"],
)
def test_the_model_writes_the_description_anew_once_for_all_samples(
    tasks: dict[str, Task], reply: str
) -> None:
    first, second = asks(strategy("cs", rewrite="model"), tasks[HALVE], reply)
    assert first.shared
    assert first.batch is not None and first.batch.temperature == 0
    assert 'assert n > 0, "invalid inputs"' in text_of(first.prompt)
    assert "described here:\n```python\nNew words.\n```\n" in text_of(second.prompt)
    assert "greater than" not in text_of(second.prompt)
    assert strategy("cs", rewrite="model").turns(tasks[HALVE]) == 2


def test_a_reply_without_a_description_leaves_the_old_one(tasks: dict[str, Task]) -> None:
    _, second = asks(strategy("cs", rewrite="model"), tasks[HALVE], " \n")
    assert tasks[HALVE].framework.strip() in text_of(second.prompt)


def attempt(made: PythonFunction, task: Task, text: str, code: str | None) -> Attempt:
    prompt = asks(made, task)[-1].prompt
    generation = Generation(
        key="k",
        task_id=task.id,
        batch="greedy",
        repeat=0,
        index=0,
        completion=Completion(text=text),
        prompts=(prompt.key,),
    )
    return Attempt(
        task=task,
        prompt=prompt,
        generation=generation,
        candidate=Candidate.of(generation, code),
        verdicts=(),
        batch=Batch(name="greedy", n=1),
    )


def test_the_second_turn_tells_the_contract_in_the_conversation(tasks: dict[str, Task]) -> None:
    made = strategy("multi_turn")
    assert made.refine.rounds == 1
    given = attempt(made, tasks[HALVE], "my answer", "def halve(n): return 0\n")
    assert made.refine.wants(given)
    assert not made.refine.wants(attempt(made, tasks[HALVE], "sorry", None))
    prompt = next(made.refine.dialogue(given)).prompt
    roles = [message.role for message in prompt.messages]
    assert roles == ["system", "user", "assistant", "user"]
    assert prompt.messages[2].content == "my answer"
    assert "- `n` is an int\n- `n` is greater than 0\n" in prompt.messages[3].content


def test_the_second_turn_is_no_other_refinement() -> None:
    with pytest.raises(UserError, match="condition=multi_turn has a second turn of its own"):
        strategy("multi_turn", refine=Again(["multi_turn"]))


def test_conditions_have_fingerprints_of_their_own() -> None:
    prints = [str(strategy(condition).fingerprint()) for condition in ALL]
    assert len(set(prints)) == len(ALL)
    assert strategy("standard", rewrite="model").fingerprint() == strategy("standard").fingerprint()


def test_tasks_of_another_language_are_refused() -> None:
    with pytest.raises(UserError, match="no Python function with preconditions"):
        strategy("standard").expand([whole_source()])


@pytest.mark.parametrize(
    "value",
    [
        True,
        0,
        -3,
        1.5,
        float("inf"),
        "",
        "aa",
        "ab",
        [],
        [1],
        (1, 1),
        set(),
        {1, "a"},
        {},
        {1: 2},
        None,
        1j,
    ],
)
@pytest.mark.parametrize("rule", ["equal", "set"])
def test_a_wrong_output_never_counts_as_the_right_one(value: Any, rule: Rule) -> None:
    for atol in (0.0, 1e-6):
        found = wrong(value, [], rule=rule, atol=atol)
        assert not matches(found, value, [], rule=rule, atol=atol)


def test_where_every_output_counts_there_is_no_wrong_one() -> None:
    with pytest.raises(ValueError, match="every output counts"):
        wrong(5, [], rule="anything", atol=0.0)


def test_shown_outputs_are_wrong_by_the_tasks_own_rule(tasks: dict[str, Task]) -> None:
    for task in tasks.values():
        given = preconditions_of(task)
        rule = rule_of(task.id, given.entry_point)
        known_values = {a.args: read(a.value) for a in expected(task).base}
        for call, output in wrong_outputs(task, 2):
            args = f"[{call.removeprefix(given.entry_point)[1:-1]}]"
            assert not matches(read(output), known_values[args], [], rule=rule, atol=1e-6)
    assert MEAN in tasks
