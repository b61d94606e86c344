"""solexp dcr extract, with a model on loopback."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest

from solexp.cli import main
from solexp.dcr import read
from tests.llm.served.server import Asked, LoopbackServer

TASKS = "benchmark.ids=[InitVault,MillPool]"


def graph(asked: Asked, **changed: object) -> str:
    """A chain of all functions that were listed, in a fence."""
    listed = re.findall(r"^- (\w+)(\(.*\))$", asked.text, re.MULTILINE)
    ids = list(dict.fromkeys(name for name, _ in listed))
    functions = dict(reversed([(name, name + types) for name, types in listed]))
    made = {
        "contract": "Made",
        "events": [{"id": name, "function": functions[name]} for name in ids],
        "relations": [
            {"type": "condition", "source": source, "target": target}
            for source, target in pairwise(ids)
        ],
    }
    return f"Here it is:\n```json\n{json.dumps(made | changed)}\n```"


def author(asked: Asked, index: int) -> str:  # noqa: ARG001
    """Names an unknown event at first; of MillPool it never gives a graph."""
    if "contract `MillPool`" in asked.text:
        return "There is no such thing."
    assert "contract InitVault" in asked.text
    assert re.search(r"^- withdraw\(.*\)$", asked.text, re.MULTILINE)
    if "That graph cannot be used" in asked.text:
        assert "relations[0].target: no event 'nothing'" in asked.text
        return graph(asked)
    wrong = {"type": "condition", "source": "withdraw", "target": "nothing"}
    return graph(asked, relations=[wrong])


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[LoopbackServer]:
    monkeypatch.setenv("SOLEXP_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    with LoopbackServer(author, models=("loopback",)) as started:
        yield started


def extract(server: LoopbackServer, task: str, *more: str) -> int:
    asked = [f"model.base_url={server.base_url}", "model.name=loopback", "model.tries=1"]
    return main(["dcr", "extract", task, "benchmark=starter", TASKS, "model=openai", *asked, *more])


def test_a_model_is_asked_once_more_where_its_graph_has_a_fault_and_never_twice(
    server: LoopbackServer, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "graphs"
    assert extract(server, "all", "--out", str(folder)) == 1
    out, err = capsys.readouterr()
    assert f"wrote 1 of 2 graphs to {folder}" in out
    assert "MillPool: no graph: the answer: there is no JSON object in it" in err
    assert server.count == 4
    made = read((folder / "InitVault.json").read_text(), "InitVault.json")
    assert len(made.relations) == len(made.events) - 1

    single = tmp_path / "one.json"
    assert extract(server, "InitVault", "--out", str(single)) == 0
    assert server.count == 4
    assert single.read_text() == (folder / "InitVault.json").read_text()


def test_all_graphs_want_a_folder(
    server: LoopbackServer, capsys: pytest.CaptureFixture[str]
) -> None:
    assert extract(server, "all", "--out", "graphs.json") == 2
    assert "dcr extract all: give a folder" in capsys.readouterr().err
    assert server.count == 0
