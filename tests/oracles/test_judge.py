"""A model's word on which assertions a function enforces, beside what tests say."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from solexp.core import Outcome, Task, UserError
from solexp.llm.offline import Reference
from solexp.llm.served.model import OpenAICompatible
from solexp.metrics.rejection import judge_metrics
from solexp.metrics.scores import judged as candidates
from solexp.oracles.judge import Judge, read_answer
from tests import made_python
from tests.llm.served.server import Asked, LoopbackServer, status
from tests.made_python import HALVE, LONGEST
from tests.oracles.test_rejection import judged


@pytest.fixture
def tasks(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Task]]:
    folder = tmp_path_factory.mktemp("home")
    made_python.write_data(folder / "data")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SOLEXP_DATA", str(folder / "data"))
        patch.setenv("SOLEXP_CACHE", str(folder / "cache"))
        yield made_python.tasks(folder / "data")


def by_reading(asked: Asked, index: int) -> str:  # noqa: ARG001
    """Believes what the code's text has, comments included."""
    code = asked.text.partition("```python")[2].partition("```")[0]
    lines = [line for line in asked.text.splitlines() if line.startswith("Assertion ")]
    said = [line.partition("`assert ")[2].partition(", ")[0] in code for line in lines]
    rows = [{"number": n, "enforced": each} for n, each in enumerate(said)]
    return f"Here:\n```json\n{json.dumps({'assertions': rows})}\n```"


def judge(server: LoopbackServer) -> Judge:
    model = OpenAICompatible(name="loopback", base_url=server.base_url, tries=1, backoff_s=0.01)
    return Judge(model=model, cvts="released")


def test_a_judge_is_held_against_what_tests_show(tasks: dict[str, Task]) -> None:
    both = "def halve(n):\n    assert isinstance(n, int)\n    assert n > 0\n    return n // 2\n"
    half = "def halve(n):\n    assert n > 0\n    return n // 2\n"
    lies = "def halve(n):\n    # isinstance(n, int)\n    # n > 0\n    return n // 2\n"
    with LoopbackServer(by_reading) as server:
        oracle = judge(server)
        rows = judged(oracle, tasks[HALVE], both, half, lies, None)
        again = judged(oracle, tasks[HALVE], both, half, lies, None)
        assert server.count == 3
    assert rows == again
    assert [row.outcome for row in rows] == [
        Outcome.PASS,
        Outcome.FAIL,
        Outcome.PASS,
        Outcome.NO_CODE,
    ]
    assert [row.measures.get("judge.agreed") for row in rows] == [2, 2, 0, None]
    metrics = judge_metrics(candidates(rows), seed=0)
    assert metrics["judge.agreement"].value == pytest.approx(4 / 6)
    # yes by both 3, by the judge only 2, by neither 1: (4/6 - 1/2) / (1 - 1/2)
    assert metrics["judge.kappa"].value == pytest.approx(1 / 3)


def test_assertions_without_a_test_of_their_own_are_not_compared(tasks: dict[str, Task]) -> None:
    with LoopbackServer(by_reading) as server:
        (row,) = judged(judge(server), tasks[LONGEST], tasks[LONGEST].reference)
    # Prompts show the only test of the third alone.
    assert row.measures["judge.assertions"] == 2


def test_what_cannot_be_read_decides_nothing_and_no_answer_is_a_fault(
    tasks: dict[str, Task],
) -> None:
    code = tasks[HALVE].reference
    with LoopbackServer(lambda asked, index: "It is fine.") as server:  # noqa: ARG005
        (row,) = judged(judge(server), tasks[HALVE], code)
        assert row.outcome is Outcome.UNDECIDABLE
        assert "no JSON object" in str(row.evidence["reason"])
    with LoopbackServer(by_reading, script=(status(500),)) as server:
        server.always = status(500)
        (row,) = judged(judge(server), tasks[HALVE], code + "\n# other\n")
        assert row.outcome is Outcome.HARNESS_ERROR
    assert judge_metrics(candidates([row]), seed=0) == {}


@pytest.mark.parametrize(
    "reply",
    ["", "{}", '{"assertions": []}', '{"assertions": [{"number": 1, "enforced": true}]}', "{nope}"],
)
def test_other_answers_are_refused_in_one_line(reply: str) -> None:
    with pytest.raises(ValueError) as error:
        read_answer(reply, 1)
    assert "\n" not in str(error.value)


def test_a_judge_is_a_language_model_without_limits() -> None:
    with pytest.raises(UserError, match="must be a language model"):
        Judge(model=Reference())
    limited = OpenAICompatible(
        name="m", base_url="http://127.0.0.1:1/v1", max_tokens_total=5, tries=1
    )
    with pytest.raises(UserError, match="limits of cost and tokens are not kept by an oracle"):
        Judge(model=limited)
