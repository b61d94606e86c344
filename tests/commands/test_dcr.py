"""`solexp dcr`, as it is called."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import pytest

from solexp.cli import main
from solexp.dcr import read, write
from tests.dcr.made_graphs import graph


@pytest.fixture
def sale(tmp_path: Path) -> Path:
    path = tmp_path / "sale.json"
    path.write_text(write(graph("a condition b if total > 1; b exclude a", "a b", once="b")))
    return path


def test_show_prints_a_graph(sale: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["dcr", "show", str(sale)]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "Made: 2 events, 2 relations",
        "",
        "events (→ may happen first, ! owed, ✓ has happened, - excluded)",
        "  →    a  a()",
        "       b  b()  once",
        "",
        "relations",
        "  a condition b when total > 1",
        "  b exclude a",
    ]


def test_show_writes_every_format_and_reads_what_it_wrote(sale: Path) -> None:
    for suffix in (".xml", ".svg", ".dot"):
        assert main(["dcr", "show", str(sale), "--out", str(sale.with_suffix(suffix))]) == 0
    back = sale.with_name("back.json")
    assert main(["dcr", "show", str(sale.with_suffix(".xml")), "--out", str(back)]) == 0
    assert read(back.read_text(), "back") == read(sale.read_text(), "sale")
    ElementTree.parse(sale.with_suffix(".svg"))
    assert sale.with_suffix(".dot").read_text().startswith("digraph")


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["gone.json"], "gone.json: No such file or directory; give the file of a graph"),
        (["sale.yaml"], "sale.yaml: a graph's file ends in .json or .xml"),
        (["sale.json", "--out", "sale.png"], "--out sale.png: choose from: .dot, .json, .svg"),
        (["sale.json", "--out", "no/where.svg"], "--out no/where.svg: No such file or directory"),
        (["bad.json"], "bad.json: events: expected `array`, got `int`"),
    ],
)
def test_wrong_words_end_in_one_line(
    sale: Path,
    words: list[str],
    told: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(sale.parent)
    Path("bad.json").write_text('{"contract": "C", "events": 1, "relations": []}')
    assert main(["dcr", "show", *words]) == 2
    assert capsys.readouterr().err.startswith(f"solexp: {told}")


def test_a_task_s_graph_is_extracted_and_held_against_an_annotation(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "CrewToken.json"
    assert main(["dcr", "extract", "CrewToken", "benchmark=starter", "--out", str(out)]) == 0
    made = read(out.read_text(), str(out))
    assert "transferFrom(address,address,uint256)" in {event.function for event in made.events}
    capsys.readouterr()
    folders = ["--annotations", str(tmp_path), "--extracted", str(tmp_path), "--details"]
    assert main(["dcr", "quality", "benchmark.ids=[CrewToken]", *folders]) == 0
    table = {line.split()[0]: line.split() for line in capsys.readouterr().out.splitlines() if line}
    assert table["all"][4:8] == ["1.00"] * 4
    assert table["events"][4:6] == ["1.00"] * 2


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["extract", "TolToken"], "no task 'TolToken'; did you mean 'TollToken'?"),
        (["quality", "--annotations", "."], ".: no TASK/graph.json or TASK.json of a task; give"),
        (["quality", "benchmark.ids=[TollToken]", "--extracted", "."], ".: no graph of TollToken"),
    ],
)
def test_what_is_not_there_is_told(
    words: list[str],
    told: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["dcr", *words]) == 2
    assert capsys.readouterr().err.startswith(f"solexp: {told}")
