"""What solexp show and compare print."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from solexp.core import UserError
from solexp.report import tables
from solexp.report.show import print_comparison, print_summary, summary_data
from tests.made_runs import make_run


def test_show_prints_scores_failures_and_where_the_run_is(tmp_path: Path) -> None:
    out = io.StringIO()
    print_summary(make_run(tmp_path / "run", passing=False), out)
    lines = out.getvalue().splitlines()
    assert lines[0] == "starter-mutants: finished"
    assert lines[1] == "benchmark=starter  model=mutants  oracle=[compile,replay]"
    compiles = next(line for line in lines if line.startswith("Compile"))
    assert compiles.split() == [
        *("Compile", "all", "tasks", "2"),
        *("50.0", "[9.5,", "90.5]", "50.0", "[0.0,", "100.0]"),
    ]
    assert any(
        line.split() == ["category", "ERC20", "1", *["100.0"] * 2, "0.0", "0.0"] for line in lines
    )
    assert any(line.split() == ["storage", "3", "100.0", "9"] for line in lines)
    assert any(line.split() == ["syntax", "structure", "3", "100.0"] for line in lines)
    assert "6 candidates of 2 tasks (2 decidable): 3 fail, 3 compile_error" in lines
    assert lines[-1] == f"run folder: {tmp_path / 'run'}"
    assert not [line for line in lines if line != line.rstrip()]


def test_show_as_data_is_the_summary_and_the_runs_facts(tmp_path: Path) -> None:
    folder = make_run(tmp_path / "run")
    data = summary_data(folder)
    assert data["metrics"]["pass_at_1"]["value"] == 0.5
    assert data["run"]["status"] == "finished"
    assert {key: data[key] for key in folder.summary} == folder.summary


def test_show_says_what_is_missing_of_a_run_without_summary(tmp_path: Path) -> None:
    folder = make_run(tmp_path / "run")
    (folder.path / "summary.json").unlink()
    with pytest.raises(UserError, match=r"summary\.json: no such file"):
        print_summary(folder, io.StringIO())


def test_compare_names_runs_by_what_tells_them_apart_and_marks_those_that_failed(
    tmp_path: Path,
) -> None:
    cells = [("share=0", False, "finished"), ("share=1", True, "failed")]
    folders = [
        make_run(
            tmp_path / str(number),
            passing=passing,
            overrides=("benchmark.limit=2", override),
            status=status,
        )
        for number, (override, passing, status) in enumerate(cells)
    ]
    (folders[1].path / "summary.json").unlink()
    out = io.StringIO()
    print_comparison(folders, out)
    heading, _, first, second = out.getvalue().splitlines()
    assert heading.split("  ")[0] == "run"
    assert "Compile@1" in heading
    assert "Pass@2 decidable" in heading
    assert first.startswith("share=0 ")
    assert "50.0 [9.5, 90.5]" in first
    assert second.startswith("share=1 (failed)")
    assert second.split()[2:] == ["–"] * 6


def test_a_terminal_gets_a_drawn_table() -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    grid = tables.Grid(title="T", columns=("a", "b"), rows=(("x [y]", "1"),))
    out = Terminal()
    tables.draw(grid, out)
    assert "x [y]" in out.getvalue()
    assert "┃" in out.getvalue()


def test_a_figure_is_a_share_in_per_cent_with_spread_and_interval() -> None:
    assert tables.figure({"value": 0.75, "lo": 0.468, "hi": 0.911}) == "75.0 [46.8, 91.1]"
    assert tables.figure({"value": 0.75, "lo": None, "hi": None, "spread": 0.02}) == "75.0 ±2.0"
    assert tables.figure(None) == "–"


def test_headings_read_as_papers_write_them() -> None:
    assert tables.heading("pass_at_5") == "Pass@5"
    assert tables.heading("decidable.pass_at_1") == "Pass@1 decidable"
    assert tables.heading("axes.status.compile_at_3") == "Compile@3 axes status"
