"""What a repair is told of an error whose message names nothing, and how its answer is sampled."""

from __future__ import annotations

import pytest

from solexp.benchmarks.starter import Starter
from solexp.core import Batch, Candidate, Completion, Generation, Message, Outcome, Prompt
from solexp.oracles.base import verdict
from solexp.oracles.compile import errors_of
from solexp.solidity.compiler import Compiler
from solexp.solidity.splice import splice
from solexp.strategies.base import Attempt
from solexp.strategies.refine.again import Again


@pytest.fixture(scope="module")
def attempt() -> Attempt:
    """An answer that calls a library's function by its bare name."""
    (task,) = Starter(ids=["HarborToken"]).tasks()
    code = task.reference.rstrip().removesuffix("}") + "function f() public { plus(1, 2); } }"
    candidate = Candidate(task_id=task.id, batch="b", repeat=0, index=0, code=code)
    with Compiler() as compiler:
        build = compiler.compile(splice(task, code), task.compiler)
    assert [error.message for error in build.errors] == ["Undeclared identifier."]
    return Attempt(
        task=task,
        prompt=Prompt(task_id=task.id, messages=(Message("user", "write it"),)),
        generation=Generation(
            key="k", task_id=task.id, batch="b", repeat=0, index=0, completion=Completion(text=code)
        ),
        candidate=candidate,
        verdicts=(verdict("compile", candidate, Outcome.COMPILE_ERROR, evidence=errors_of(build)),),
        batch=Batch(name="b", n=5, temperature=0.8, top_p=0.95, max_tokens=256, seed=7),
    )


def test_the_definition_is_fetched_that_stands_where_the_error_points(attempt: Attempt) -> None:
    ask = next(Again(["retrieval_augmented"], definitions=True).dialogue(attempt))
    shown = ask.prompt.messages[-1].content
    assert "library Sums {" in shown
    assert "function plus(uint256 a, uint256 b) internal pure" in shown
    assert "function minus(" not in shown


def test_a_temperature_of_its_own_changes_nothing_else_of_the_sampling(attempt: Attempt) -> None:
    batch = next(Again(["repair"], temperature=0.2).dialogue(attempt)).batch
    assert batch is not None
    assert (batch.temperature, batch.top_p, batch.max_tokens, batch.seed) == (0.2, 0.95, 256, 7)
    assert next(Again(["repair"]).dialogue(attempt)).batch is None
