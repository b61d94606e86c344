"""What solexp data prints."""

from __future__ import annotations

import argparse

import pytest

from solexp.benchmarks import data as benchmarks
from solexp.commands.data import data


def _printed(capsys: pytest.CaptureFixture[str], **words: str) -> list[str]:
    assert data(argparse.Namespace(**words)) == 0
    return capsys.readouterr().out.splitlines()


def test_verify_says_its_result_first_and_one_hash_for_many_files(
    capsys: pytest.CaptureFixture[str],
) -> None:
    result, hashes = _printed(capsys, verb="verify", benchmark="starter")
    assert result == "starter: 12 tasks, 0 problems"
    count = len(benchmarks.verify("starter").hashes)
    assert hashes.startswith(f"starter: {count} data files, one hash over all: ")
    assert len(hashes.rpartition(" ")[2]) == 64


def test_verify_lists_the_hashes_of_few_files(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    found = benchmarks.Verification(
        name="starter", tasks=1, problems=(), undecidable={"no history": 1}, hashes={"a": "12"}
    )
    monkeypatch.setattr(benchmarks, "verify", lambda _: found)
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
    monkeypatch.setattr(benchmarks, "statistics", lambda _: with_paper)
    _, headings, _, first, *_ = _printed(capsys, verb="stats", benchmark="x")
    assert "in the paper" in headings
    assert first.split()[:3] == ["ERC20", "3", "52"]
