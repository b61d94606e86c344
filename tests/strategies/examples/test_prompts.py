"""Prompts with examples, as strategies write them, say which they hold and give no target away."""

from __future__ import annotations

import pytest

from solexp.benchmarks.starter import Starter
from solexp.core import Prompt, Task
from solexp.solidity.overlap import Reference, body_tokens
from solexp.solidity.similarity import tokens
from solexp.strategies.base import Strategy
from solexp.strategies.contract import WholeContract
from solexp.strategies.examples.chosen import Chosen
from solexp.strategies.examples.ranking import Bm25, Drawn, Ranking
from solexp.strategies.function import Function


def prompts(strategy: Strategy, limit: int) -> list[tuple[Task, Prompt]]:
    benchmark = Starter(limit=limit, version=1)
    tasks = strategy.expand(benchmark.tasks())
    strategy.prepare(tasks, benchmark.every())
    return [(task, next(strategy.dialogue(task)).prompt) for task in tasks]


@pytest.mark.parametrize("ranking", [Drawn(), Bm25()])
def test_whole_contracts_are_asked_for_with_other_contracts_as_examples(ranking: Ranking) -> None:
    found = prompts(WholeContract(examples=Chosen(ranking), shots=2), 4)

    evaluated = {task.id for task, _ in found}
    for task, prompt in found:
        text = "\n".join(message.content for message in prompt.messages)
        assert len(prompt.holds["examples"]) == 2
        assert not evaluated & set(prompt.holds["examples"])
        assert all(f"contract {name}" in text for name in prompt.holds["examples"])
        assert Reference(body_tokens(task.reference)).longest_run(tokens(text)) < 40


def test_functions_are_asked_for_with_functions_of_other_contracts_as_examples() -> None:
    found = prompts(Function(examples=Chosen(Bm25()), shots=3), 2)

    parents = {task.facts["parent"] for task, _ in found}
    for _, prompt in found:
        assert len(prompt.holds["examples"]) == 3
        assert not [name for name in prompt.holds["examples"] if name.split("/")[0] in parents]


def test_the_same_run_asks_the_same_whatever_else_is_evaluated_beside() -> None:
    strategy = WholeContract(examples=Chosen(Drawn()), shots=1)
    few, many = dict_of(prompts(strategy, 3)), dict_of(prompts(strategy, 6))

    for name in few.keys() & many.keys():
        if not set(few[name].holds["examples"]) & many.keys():
            assert few[name] == many[name]


def dict_of(found: list[tuple[Task, Prompt]]) -> dict[str, Prompt]:
    return {task.id: prompt for task, prompt in found}
