"""Commands that were made for Solidity, on Python tasks."""

from __future__ import annotations

from pathlib import Path

import pytest

from solexp.benchmarks.base import select
from solexp.benchmarks.contracteval import ContractEval
from solexp.cli import main
from solexp.core import UserError
from solexp.core.counting import functions_of
from solexp.store.runfolder import TaskRow
from tests.benchmarks.contracteval.made import HALF, written


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for variable, folder in (("DATA", "data"), ("RUNS", "runs"), ("CACHE", "cache")):
        monkeypatch.setenv(f"SOLEXP_{variable}", str(tmp_path / folder))
    return written(tmp_path / "data" / "contracteval")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "strategy: contracteval's tasks are Python; choose strategy=python"),
        (
            ["strategy=python"],
            "oracle.compile: judges Solidity, and contracteval's tasks are Python; "
            "choose others with oracle=[NAME,…]",
        ),
        (
            ["strategy=python", "oracle=[inputs,cvt]"],
            "oracle.cvt: judges tests, and the strategy asks for code; choose others with oracle=[NAME,…]",
        ),
        (
            ["strategy=violating", "oracle=[cvt]"],
            "model: answers with code, and the strategy asks for tests; choose another of the two",
        ),
        (["benchmark.part=mbbp"], "benchmark.part: cannot be 'mbbp'; did you mean 'mbpp'?"),
    ],
)
@pytest.mark.usefixtures("home")
def test_a_run_of_what_is_for_solidity_is_refused_in_one_line(
    words: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    given = ["run", "benchmark=contracteval", "model=reference", "tracking=none", *words]
    assert main(given) == 2
    told = capsys.readouterr().err
    assert said in told and told.count("\n") == 1


@pytest.mark.usefixtures("home")
def test_a_malformed_row_ends_a_run_in_one_line_with_status_2(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    written(home, mbpp=["{"])
    words = ["benchmark=contracteval", "strategy=python", "oracle=[inputs]", "tracking=none"]
    assert main(["run", *words]) == 2
    told = capsys.readouterr().err
    assert "MbppPlus.jsonl.gz line 1: Expecting property name" in told and told.count("\n") == 1


@pytest.mark.usefixtures("home")
def test_the_prompt_of_a_python_task_can_be_seen(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["prompt", "HumanEval/900", "benchmark=contracteval", "strategy=python"]) == 0
    assert HALF["prompt"].strip() in capsys.readouterr().out


def test_a_python_task_has_no_series_and_no_count_of_functions(home: Path) -> None:
    half, extend = ContractEval(path=str(home)).tasks()
    row = TaskRow.of(half)
    assert (row.compiler, row.series, row.functions, functions_of(half)) == ("", "", 0, 0)
    assert select([half, extend], filter={"target": "extend"}) == (extend,)
    with pytest.raises(UserError, match=r"no task has series '0\.8'"):
        select([half, extend], filter={"series": "0.8"})
