"""solexp data build, with a judge on loopback."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from solexp.benchmarks.contracteval import ContractEval
from solexp.cli import main
from solexp.core import Preconditions
from tests.benchmarks.contracteval.made import HALF, changed, written
from tests.llm.served.server import RESET, Asked, LoopbackServer

COUNT = 12


def votes(asked: Asked) -> str:
    """What a judge says that finds everything asked for but a type."""
    found = re.findall(r"^Assertion (\d+): `(.*)`$", asked.text, re.MULTILINE)
    said = [
        {"number": int(number), "asked_for": "isinstance" not in text, "reason": "so it says"}
        for number, text in found
    ]
    return json.dumps({"assertions": said})


def judge(asked: Asked, index: int) -> str:  # noqa: ARG001
    """Forgets the form at first in one task, and in another for good."""
    repaired = "That is not the JSON object" in asked.text
    if "def half_11(" in asked.text or ("def half_10(" in asked.text and not repaired):
        return "All of them are."
    return f"```json\n{votes(asked)}\n```"


def lenient(asked: Asked, index: int) -> str:  # noqa: ARG001
    """Finds that everything is asked for."""
    return votes(asked).replace("false", "true")


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    rows = [
        {
            **changed(HALF, task_id=f"HumanEval/{number}", entry_point=f"half_{number}"),
            "prompt": HALF["prompt"].replace("half(", f"half_{number}("),
        }
        for number in range(COUNT)
    ]
    monkeypatch.setenv("SOLEXP_DATA", str(tmp_path))
    monkeypatch.setenv("SOLEXP_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    return written(tmp_path / "contracteval", humaneval=rows)


@pytest.fixture
def server() -> Iterator[LoopbackServer]:
    with LoopbackServer(judge, models=("strict", "lenient", "loopback")) as started:
        yield started


def build(server: LoopbackServer, *more: str, name: str = "strict") -> int:
    return main(
        [
            "data",
            "build",
            "contracteval",
            "model=openai",
            f"model.name={name}",
            f"model.base_url={server.base_url}",
            "model.backoff_s=0.01",
            "model.tries=1",
            "benchmark.part=humaneval",
            *more,
        ]
    )


def aligned(home: Path) -> dict[str, tuple[bool, ...] | None]:
    chosen = ContractEval(path=str(home), part="humaneval", subset="aligned").tasks()
    known = {task.id: task.preconditions for task in chosen}
    return {name: each.aligned for name, each in known.items() if isinstance(each, Preconditions)}


def test_a_judge_says_which_assertions_are_asked_for(
    home: Path, server: LoopbackServer, capsys: pytest.CaptureFixture[str]
) -> None:
    assert build(server) == 0
    out, err = capsys.readouterr()
    assert (
        "strict: 11 of 22 assertions of 11 tasks are asked for; 1 answers could not be read" in out
    )
    assert "11 of 12 tasks have one that is" in out
    assert re.search(r"forecast: 12 requests, about [\d,]+ tokens of prompts", err)
    # One task takes a second request, and one two in vain.
    assert server.count == COUNT + 2
    assert aligned(home) == {f"HumanEval/{n}": (False, True) for n in range(11)}


def test_what_was_asked_once_is_not_paid_for_again(
    home: Path, server: LoopbackServer, capsys: pytest.CaptureFixture[str]
) -> None:
    assert build(server, "benchmark.limit=5") == 0
    few = server.count
    assert build(server) == 0
    assert server.count == COUNT + 2
    assert few < server.count
    capsys.readouterr()
    assert build(server) == 0
    assert server.count == COUNT + 2
    assert "forecast: nothing to ask, every answer is kept" in capsys.readouterr().err
    assert len(aligned(home)) == 11


def test_two_judges_are_set_beside_each_other(
    home: Path, server: LoopbackServer, capsys: pytest.CaptureFixture[str]
) -> None:
    build(server)
    server.reply = lenient
    assert build(server, name="lenient") == 0
    labels = home / "people.jsonl"
    labels.write_text('{"task_id": "HumanEval/1", "asked_for": [true, false]}\n')
    capsys.readouterr()
    assert main(["data", "build", "contracteval", "--labels", f"people={labels}"]) == 0
    rows = {
        line.partition("  ")[0]: line.split()[3:]
        for line in capsys.readouterr().out.splitlines()
        if " and " in line
    }
    assert rows["lenient and strict"] == ["11", "22", "50.0", "%", "0.00", "[0.00,", "0.00]"]
    assert rows["people and strict"] == ["1", "2", "0.0", "%", "-1.00"]
    assert aligned(home)["HumanEval/1"] == (True, True)
    assert aligned(home)["HumanEval/2"] == (False, True)


def test_a_judge_that_falls_silent_leaves_what_it_said(
    home: Path, server: LoopbackServer, capsys: pytest.CaptureFixture[str]
) -> None:
    build(server, "benchmark.limit=5")
    server.always = RESET
    assert build(server, "model.circuit=1") == 1
    assert "start it again to go on" in capsys.readouterr().err
    assert len((home / "aligned.jsonl").read_text().splitlines()) == 5


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["starter"], "'starter' has nothing to build; choose contracts"),
        (["contracteval"], "who shall judge? give model=NAME, or --labels NAME=FILE"),
        (
            ["contracteval", "oracle=[x]"],
            "'oracle=[x]' is neither of the model nor of the benchmark",
        ),
        (["contracteval", "--labels", "x"], "--labels wants NAME=FILE, got 'x'"),
        (["contracteval", "--labels", "x=/none"], "/none: no such file"),
    ],
)
@pytest.mark.usefixtures("home")
def test_what_cannot_be_built_is_told_in_one_line(
    words: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["data", "build", *words]) == 2
    told = capsys.readouterr().err
    assert said in told and told.count("\n") == 1
