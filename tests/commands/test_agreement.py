"""solexp agreement."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from solexp.cli import main

ANNA = "item,label,task_id\nA/f(),good,A\nA/g(),bad,A\nB/f(),good,B\nB/g(),good,B\nC/f(),bad,C\n"


@pytest.fixture
def files(tmp_path: Path) -> tuple[str, str]:
    anna, ben = tmp_path / "anna.csv", tmp_path / "ben.jsonl"
    anna.write_text(ANNA)
    said = {"A/f()": "good", "A/g()": "bad", "B/f()": "good", "B/g()": "bad", "C/f()": "bad"}
    ben.write_text("".join(json.dumps({"item": i, "label": v}) + "\n" for i, v in said.items()))
    return str(anna), str(ben)


def test_two_files_give_both_kappas_and_what_is_not_agreed_on(
    files: tuple[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["agreement", *files]) == 0
    told = capsys.readouterr().out
    assert "2 annotators, 5 items" in told
    # Four of five alike; by chance 3/5·2/5 + 2/5·3/5 = 12/25.
    assert "80.0 %" in told
    assert "0.615" in told
    assert "1 items of disagreement" in told
    assert "B/g()  good  bad" in told


def test_one_file_may_hold_all_annotators(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "all.csv"
    rows = [("a", "1", "x"), ("a", "2", "y"), ("b", "1", "x"), ("b", "2", "y"), ("c", "1", "")]
    path.write_text("annotator;item;verdict\n" + "".join(";".join(row) + "\n" for row in rows))
    assert main(["agreement", str(path), "--column", "verdict", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["fleiss"]["kappa"] == 1.0
    assert sorted(found["labels"]) == ["a", "b"]


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("b.csv", "item,verdict\n1,x\n", "b.csv line 2: has no column 'label'"),
        ("b.csv", "item,label\nA/f(),x\nA/f(),x\n", "'b' has labelled A/f() already"),
        ("b.csv", "item,label\nA/f()\n", "b.csv line 2: has more or fewer cells than the head"),
        ("b.csv", "item,label\n", "b.csv: holds no rows"),
        ("b.csv", "item,label\nZ,x\n", "no item has labels of two annotators"),
        ("b.csv", "item,label\nA/f(),\n", "only 'anna' has labels"),
        ("b.jsonl", "{]\n", "b.jsonl line 1: JSON is malformed"),
        ("b.jsonl", '{"item": "1", "label": ["x"]}\n', "label must be a text or a number"),
        ("b.txt", "x", "must end in .jsonl, .csv or .tsv"),
    ],
)
def test_a_bad_file_is_one_line(
    files: tuple[str, str],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    *,
    name: str,
    text: str,
    said: str,
) -> None:
    (tmp_path / name).write_text(text)
    assert main(["agreement", files[0], str(tmp_path / name)]) == 2
    told = capsys.readouterr().err
    assert said in told
    assert told.count("\n") == 1
    assert main(["agreement", files[0], str(tmp_path / "none.csv")]) == 2


def test_two_files_of_one_name_are_told_apart_from_one_that_labels_twice(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    places = [tmp_path / name / "labels.csv" for name in ("anna", "ben")]
    for place in places:
        place.parent.mkdir()
        place.write_text("item,label\na,right\n")
    assert main(["agreement", *map(str, places)]) == 2
    assert "give files of two annotators two names" in capsys.readouterr().err
    places[0].write_text("item,label\na,right\na,wrong\n")
    assert main(["agreement", str(places[0])]) == 2
    assert "already\n" in capsys.readouterr().err
