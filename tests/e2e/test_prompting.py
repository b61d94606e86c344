"""ContractEval's conditions, with a model on loopback that enforces exactly what its prompt tells it of a contract."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from solexp.core import Preconditions, Task
from solexp.python.contracts import with_contract
from solexp.python.expected import preconditions_of
from solexp.python.wording import worded
from tests import made_python
from tests.e2e.conftest import Trial
from tests.llm.served.server import Asked, LoopbackServer
from tests.made_python import MEAN

_NAME = re.compile(r"[Tt]he function (\w+)\(")
CONDITIONS = ("standard", "cs", "eas", "negative", "cot", "multi_turn")


def told(text: str, given: Preconditions) -> list[str]:
    """The assertions that a text states, or of which it shows a call that violates them."""
    return [
        source
        for source in given.statements
        if states(text, source)
        or any(violates(call, source, given) for call in refused(text, given.entry_point))
    ]


def states(text: str, source: str) -> bool:
    (statement,) = ast.parse(source).body
    assert isinstance(statement, ast.Assert)
    return f"- {worded(statement.test)}\n" in text


def refused(text: str, name: str) -> list[str]:
    """The calls of the list that a prompt shows."""
    _, found, rest = text.partition("Calls that have to raise AssertionError:\n```python\n")
    calls = rest.partition("\n```")[0].splitlines() if found else []
    return [call for call in calls if call.startswith(f"{name}(")]


def violates(call: str, source: str, given: Preconditions) -> bool:
    function = f"def {given.entry_point}({', '.join(given.parameters)}):\n    {source}\n{call}\n"
    try:
        exec(function, {})
    except AssertionError:
        return True
    except Exception:
        return False
    return False


def answering(tasks: dict[str, Task]) -> Callable[[Asked, int], str]:
    """Answers with the reference and the assertions it was told of; of mean, wrongly for negative numbers."""
    by_name = {preconditions_of(task).entry_point: task for task in tasks.values()}

    def answer(asked: Asked, index: int) -> str:  # noqa: ARG001
        (name, *_) = _NAME.findall(asked.text)
        task = by_name[name]
        code = task.reference
        if task.id == MEAN:
            code = code.replace("(a + b)", "(abs(a) + abs(b))")
        given = preconditions_of(task)
        statements = tuple(told(asked.text, given))
        return f"Here:\n```python\n{with_contract(code, name, statements).rstrip()}\n```"

    return answer


@pytest.fixture
def served(trial: Trial, tmp_path: Path) -> Iterator[LoopbackServer]:
    home = tmp_path / "data"
    made_python.write_data(home)
    trial.environment["SOLEXP_DATA"] = str(home)
    with LoopbackServer(answering(made_python.tasks(home))) as server:
        yield server


def scores(trial: Trial, server: LoopbackServer, *words: str) -> dict[str, dict[str, float]]:
    """The scores of each run by its condition."""
    trial.solexp(
        "run",
        "experiments=contracteval_prompting",
        "model=openai",
        "model.name=loopback",
        f"model.base_url={server.base_url}",
        "model.api_key_env=null",
        "benchmark.part=mbpp",
        "strategy.cvts=released",
        "tracking=none",
        "execution.n_jobs=1",
        *words,
        "-m",
    )
    return {
        run.config["strategy"]["condition"]: {
            name: metric["value"] for name, metric in run.summary["metrics"].items()
        }
        for run in trial.runs()
    }


def test_each_condition_comes_to_what_the_model_was_told(
    trial: Trial, served: LoopbackServer
) -> None:
    found = scores(trial, served)
    assert list(found) == list(CONDITIONS)
    csr = {condition: found[condition]["csr"] for condition in CONDITIONS}
    assert csr == {"standard": 0, "cs": 1, "eas": 1, "negative": 0, "cot": 1, "multi_turn": 1}
    # Of three functions one is wrong, under every condition; no valid input is refused under any.
    assert {found[condition]["pass_at_1"] for condition in CONDITIONS} == {2 / 3}
    assert {found[condition]["over_rejection"] for condition in CONDITIONS} == {0}
    # Without a contract some violating calls fail anyhow, in some other way.
    assert found["standard"]["rejection"] == found["negative"]["rejection"] == 5 / 12
    assert found["multi_turn"]["round0.pass_rate"] == found["multi_turn"]["round1.pass_rate"]
