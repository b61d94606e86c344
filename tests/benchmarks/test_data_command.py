"""What solexp data prints."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

import pytest

from solexp.benchmarks import data as benchmarks
from solexp.commands.data import data
from solexp.core import UserError
from tests.benchmarks.contracteval.made import written

PROJECT = Path(__file__).parents[2] / "examples" / "foundry"


def _printed(
    capsys: pytest.CaptureFixture[str], *, override: Sequence[str] = (), **words: str
) -> list[str]:
    assert data(argparse.Namespace(override=list(override), **words)) == 0
    return capsys.readouterr().out.splitlines()


def test_verify_says_its_result_first_and_one_hash_for_many_files(
    capsys: pytest.CaptureFixture[str],
) -> None:
    result, hashes = _printed(capsys, verb="verify", benchmark="starter")
    assert result == "starter: 24 tasks, 0 problems"
    count = len(benchmarks.verify("starter").hashes)
    assert hashes.startswith(f"starter: {count} data files, one hash over all: ")
    assert len(hashes.rpartition(" ")[2]) == 64


def test_verify_lists_the_hashes_of_few_files(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    found = benchmarks.Verification(
        name="starter", tasks=1, problems=(), undecidable={"no history": 1}, hashes={"a": "12"}
    )
    monkeypatch.setattr(benchmarks, "verify", lambda *_: found)
    assert _printed(capsys, verb="verify", benchmark="starter") == [
        "starter: 1 tasks, 0 problems",
        "starter: 1 tasks undecidable: no history",
        "starter: a sha256 12",
    ]


def test_stats_have_the_papers_column_only_where_there_is_a_paper(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "in the paper" not in "".join(_printed(capsys, verb="stats", benchmark="starter"))
    starter = benchmarks.statistics("starter")
    with_paper = benchmarks.Statistics(
        name="x", rows=starter.rows, paper_totals={"ERC20": 52, "Overall": 124}
    )
    monkeypatch.setattr(benchmarks, "statistics", lambda *_: with_paper)
    _, headings, _, first, *_ = _printed(capsys, verb="stats", benchmark="starter")
    assert "in the paper" in headings
    assert first.split()[:3] == ["ERC20", "4", "52"]


def test_stats_of_a_project_count_its_functions_file_by_file(
    capsys: pytest.CaptureFixture[str],
) -> None:
    said = _printed(
        capsys, verb="stats", benchmark="foundry", override=[f"benchmark.path={PROJECT}"]
    )
    rows = {line.split()[0]: line.split()[1:] for line in said if line.strip()}
    # Of three functions of Ledger two are documented; 5 tests reach them, of which some reach several.
    assert rows["src/Ledger.sol"][:3] == ["3", "67%", "6.67"]
    assert rows["src/Shares.sol"][:2] == ["1", "100%"]
    assert rows["src/Shares.sol"][-1] == "2.00"
    assert rows["Overall"][:2] == ["4", "75%"]


def test_stats_of_a_project_follow_the_benchmarks_settings(
    capsys: pytest.CaptureFixture[str],
) -> None:
    override = [f"benchmark.path={PROJECT}", "benchmark.min_lines=3"]
    said = _printed(capsys, verb="stats", benchmark="foundry", override=override)
    assert next(line for line in said if "Overall" in line).split()[1] == "5"


@pytest.mark.parametrize(
    ("override", "said"),
    [
        ([], r"set benchmark\.path"),
        (["benchmark.path=nowhere"], r"benchmark\.path: nowhere is not there"),
        (["benchmark.paht=x"], r"benchmark\.paht"),
        (["model=mutants"], r"data stats: 'model=mutants' is no key of the benchmark"),
    ],
)
def test_what_stats_cannot_follow_is_said_in_one_line(override: list[str], said: str) -> None:
    with pytest.raises(UserError, match=said) as caught:
        data(argparse.Namespace(verb="stats", benchmark="foundry", override=override))
    assert "\n" not in str(caught.value)


def test_stats_of_python_functions_count_their_contracts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("SOLEXP_DATA", str(tmp_path))
    written(tmp_path / "contracteval")
    said = _printed(capsys, verb="stats", benchmark="contracteval")
    rows = {line.split()[0]: line.split()[1:] for line in said if line.strip()}
    assert rows["HumanEval+"][:2] == ["1", "11.00"]
    assert rows["HumanEval+"][3:] == ["2.00", "1.00", "1.00", "2.00"]
    assert rows["Overall"][3:] == ["1.50", "0.50", "1.00", "1.00"]
