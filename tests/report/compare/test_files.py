"""What solexp compare prints and writes."""

from __future__ import annotations

import csv
import io
import json
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from solexp.cli import main
from solexp.report.compare import compare_runs, text
from solexp.report.compare.files import as_csv, as_latex
from solexp.report.compare.plot import draw
from solexp.store.runfolder import RunFolder
from tests.report.compare.made_cells import make_cell


@pytest.fixture
def sweep(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[RunFolder]:
    monkeypatch.setenv("SOLEXP_RUNS", str(tmp_path))
    cells = [("none", "0", 2), ("none", "2", 4), ("dependencies", "0", 5), ("dependencies", "2", 9)]
    return [
        make_cell(
            tmp_path / "sweep" / str(number),
            {f"t{task}": [task < passing, task < passing + 1] for task in range(10)},
            {"strategy/context": context, "strategy.shots": shots},
            compare={"family": ["differences", "interactions"]},
        )
        for number, (context, shots, passing) in enumerate(cells)
    ]


def test_the_table_has_a_row_a_cell_and_one_an_effect(sweep: list[RunFolder]) -> None:
    out = io.StringIO()
    text.print_comparisons(compare_runs(sweep), out)
    cells, effects, remarks = out.getvalue().split("\n\n")
    title, heading, _, baseline, *_, last = cells.splitlines()
    assert title == "Pass@1 in %, with 95 % intervals"
    assert heading.split() == [
        *("cell", "tasks", "score", "difference", "p", "Holm", "tokens", "in", "out", "USD", "s"),
    ]
    assert baseline.startswith("context=none shots=0")
    assert "baseline" in baseline
    assert "+70.0 [" in last
    assert "context: none → dependencies × shots: 0 → 2" in effects
    assert "Holm: p corrected over the family of 4 contrasts" in remarks


def test_csv_holds_every_figure_unrounded(sweep: list[RunFolder]) -> None:
    (found,) = compare_runs(sweep)
    rows = list(csv.DictReader(io.StringIO(as_csv([found]))))
    assert [row["kind"] for row in rows] == ["cell"] * 4 + ["effect"] * 2 + ["interaction"]
    last = found.rows[3]
    assert last.difference is not None
    assert float(rows[3]["difference_p"]) == last.difference.p
    assert rows[3]["strategy/context"] == "dependencies"
    assert rows[3]["prompt_tokens"] == "2000"
    assert rows[6]["strategy.shots"] == "0 → 2"


def test_latex_uses_booktabs_and_escapes_what_tex_would_read(sweep: list[RunFolder]) -> None:
    written = as_latex(compare_runs(sweep))
    assert written.count("\\toprule") == written.count("\\bottomrule") == 2
    assert r"context: none $\rightarrow$ dependencies $\times$ shots" in written
    body = [line for line in written.splitlines() if "&" in line]
    assert len({line.count("&") for line in body[:5]}) == 1
    assert not any(char in line for line in body for char in ("_", "%", "–"))


@pytest.mark.parametrize("kind", ["svg", "png", "pdf"])
def test_equal_comparisons_are_drawn_alike(sweep: list[RunFolder], kind: str) -> None:
    found = compare_runs(sweep)
    image = draw(found, kind)
    assert image == draw(found, kind)
    if kind == "svg":
        words = " ".join(ET.fromstring(image).itertext())
        assert "dependencies" in words
        assert "shots" in words


def test_the_command_takes_the_latest_sweep_and_writes_files(
    sweep: list[RunFolder], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    picture, table, latex = (tmp_path / name for name in ("a.svg", "a.csv", "a.tex"))
    files = ["--plot", str(picture), "--csv", str(table), "--latex", str(latex)]
    assert main(["compare", "--sweep", "latest", *files]) == 0
    shown = capsys.readouterr().out
    assert picture.is_file() and table.is_file() and latex.is_file()
    for names in (["latest"], ["sweep"], [str(folder.path) for folder in sweep]):
        assert main(["compare", *names]) == 0
        assert capsys.readouterr().out == shown
    assert main(["compare", "sweep", "--json"]) == 0
    (found,) = json.loads(capsys.readouterr().out)
    assert found["rows"][0]["score"]["value"] == pytest.approx(0.25)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "name runs or a sweep's folder"),
        (["--sweep", "none"], "no such sweep"),
        (["sweep", "--plot", "a.gif"], "must end in .svg, .png or .pdf"),
        (["sweep/0"], "needs two runs"),
    ],
)
def test_wrong_input_is_one_line(
    sweep: list[RunFolder], words: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert len(sweep) == 4
    assert main(["compare", *words]) == 2
    error = capsys.readouterr().err.strip()
    assert said in error
    assert "\n" not in error
