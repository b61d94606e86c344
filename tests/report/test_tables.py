"""What solexp show and compare print."""

from __future__ import annotations

import io
import os
import platform
import re
import subprocess
import sys
from pathlib import Path

import pytest

from solexp.core import UserError
from solexp.report import tables
from solexp.report.show import print_comparison, print_summary, summary_data
from solexp.store.runfolder import RunFolder
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
    scores = lines[3 : lines.index("", 3)]
    assert [" ".join(line.split()[:2]) for line in scores[3:]] == [
        *("Compile all", "Pass all", "Pass decidable", "Pass exercised")
    ]
    assert any(line.split() == ["category", "ERC20", "1", "0.0", "0.0"] for line in lines)
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


def _shown(folder: RunFolder) -> list[str]:
    out = io.StringIO()
    print_summary(folder, out)
    return out.getvalue().splitlines()


def test_axes_are_shown_where_they_change_a_score_and_one_line_says_that_they_agree(
    tmp_path: Path,
) -> None:
    [agree] = [line for line in _shown(make_run(tmp_path / "a")) if line.startswith("axes")]
    assert agree == "axes: Pass is the same whichever choice of axes decides"
    lines = _shown(make_run(tmp_path / "b", passing=False))
    start = next(i for i, line in enumerate(lines) if line.startswith("Pass if other axes"))
    assert lines[start + 1].split() == ["axes", "@1", "@2"]
    assert [line.partition("  ")[0] for line in lines[start + 3 : lines.index("", start)]] == [
        *("status", "status + return", "status + events", "status + return + events", "observable")
    ]


def test_axes_have_columns_over_decidable_tasks_where_these_are_fewer() -> None:
    metrics = {
        name: {"value": value, "lo": None, "hi": None, "n": n}
        for name, value, n in (
            ("pass_at_1", 0.5, 4),
            ("decidable.pass_at_1", 0.5, 4),
            ("axes.strict.pass_at_1", 0.5, 4),
            ("axes.strict.decidable.pass_at_1", 0.5, 4),
            ("axes.status.pass_at_1", 0.5, 4),
            ("axes.status.decidable.pass_at_1", 1.0, 2),
        )
    }
    grid = tables.axes(metrics)
    assert grid is not None
    assert grid.columns == ("axes", "@1", "@1 decidable")
    assert grid.rows == (("status", "50.0", "100.0"),)


def test_compiling_but_for_stack_depth_is_shown_only_where_it_differs() -> None:
    def first_words(analysis: float) -> list[str]:
        metrics = {
            name: {"value": value, "lo": None, "hi": None, "n": 4}
            for name, value in (("compile_at_1", 0.5), ("analysis_compile_at_1", analysis))
        }
        return [row[0] for row in tables.scores(metrics).rows]

    assert first_words(0.5) == ["Compile"]
    assert first_words(0.75) == ["Compile", "Compile, stack depth aside"]


def test_parts_that_are_the_whole_are_left_out() -> None:
    metrics = {
        name: {"value": 0.5, "lo": None, "hi": None, "n": 4}
        for name in (
            *("category.ERC20.pass_at_1", "category.DeFi.pass_at_1", "series.0.8.pass_at_1"),
            "category.ERC20.compile_at_1",
        )
    }
    grid = tables.parts(metrics)
    assert grid.columns == ("part", "tasks", "@1")
    assert [row[0] for row in grid.rows] == ["category DeFi", "category ERC20"]


def test_show_says_why_there_is_no_pass_or_fail(tmp_path: Path) -> None:
    folder = make_run(tmp_path / "run")
    reasons = {f"ToolError: reason {letter}": 9 - n for n, letter in enumerate("abcdef")}
    found = {"harness_error": reasons, "vacuous": {"no call tells": 2}}
    folder.write_summary({**folder.summary, "reasons": found})
    lines = _shown(folder)
    start = lines.index("Why there is no pass or fail")
    rows = [re.split(r"  +", line) for line in lines[start + 3 : lines.index("", start)]]
    assert rows == [
        ["harness_error", "ToolError: reason a", "9"],
        ["harness_error", "ToolError: reason b", "8"],
        ["harness_error", "ToolError: reason c", "7"],
        ["harness_error", "3 rarer reasons: solexp show --json", "15"],
        ["vacuous", "no call tells", "2"],
    ]


def test_show_says_why_tasks_are_not_decidable(tmp_path: Path) -> None:
    folder = make_run(tmp_path / "run")
    assert "Why tasks are not decidable" not in _shown(folder)
    found = {"undecidable": {"N calls succeed": 2}, "vacuous": {"no call tells": 1}}
    folder.write_summary({**folder.summary, "open_tasks": found})
    lines = _shown(folder)
    start = lines.index("Why tasks are not decidable")
    rows = [re.split(r"  +", line) for line in lines[start + 3 : lines.index("", start)]]
    assert rows == [["undecidable", "N calls succeed", "2"], ["vacuous", "no call tells", "1"]]


def _unfinished(path: Path, host: str, pid: int, **fields: object) -> RunFolder:
    folder = make_run(path, status="running")
    (folder.path / "summary.json").unlink()
    command = ["solexp", "run", "benchmark.ids=[a,b]"]
    folder.update_manifest(host={"name": host, "pid": pid}, command=command, **fields)
    return folder


def test_show_says_that_a_run_without_a_result_is_still_running(tmp_path: Path) -> None:
    folder = _unfinished(tmp_path / "run", platform.node(), os.getpid())
    said = f"still running as process {os.getpid()}, 2 of 2 tasks judged"
    with pytest.raises(UserError, match=said):
        print_summary(folder, io.StringIO())


@pytest.mark.parametrize(
    ("host", "fields", "said"),
    [
        (platform.node(), {}, "was killed before it had a result"),
        (platform.node(), {"status": "killed"}, "was killed before it had a result"),
        ("elsewhere", {}, "it runs on elsewhere, or was killed there"),
        (platform.node(), {"status": "failed", "error": "E: e"}, r"failed .* \(E: e\)"),
    ],
)
def test_show_says_how_to_go_on_with_a_run_that_was_killed(
    tmp_path: Path, host: str, fields: dict[str, str], said: str
) -> None:
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    folder = _unfinished(tmp_path / "run", host, gone.pid, **fields)
    with pytest.raises(UserError, match=said) as raised:
        print_summary(folder, io.StringIO())
    assert "start it again, what was done is kept: solexp run 'benchmark.ids=[a,b]';" in str(
        raised.value
    )
    assert str(raised.value).endswith(f"solexp track {folder.path}")


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
