from __future__ import annotations

import csv
import gzip
import json
from pathlib import Path

import pytest

from solexp.core import DataError, UserError
from solexp.llm.replies import recorded_models, recorded_replies

ROWS = [
    {"model": "a", "task_id": "t1", "sample": 0, "text": 'one\r\n, "two"'},
    {"model": "a", "task_id": "t1", "sample": 1, "text": ""},
    {"model": "b", "task_id": "t1", "sample": 0, "text": "three"},
]
A = {("t1", 0): 'one\r\n, "two"', ("t1", 1): ""}


def write(path: Path, rows: list[dict[str, object]]) -> Path:
    if ".jsonl" in path.name:
        text = "".join(json.dumps(row) + "\n" for row in rows)
        path.write_bytes(gzip.compress(text.encode()) if path.suffix == ".gz" else text.encode())
    elif path.suffix == ".csv":
        with path.open("w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, list(rows[0]))
            writer.writeheader()
            writer.writerows(rows)
    else:
        pyarrow = pytest.importorskip("pyarrow")
        parquet = pytest.importorskip("pyarrow.parquet")
        parquet.write_table(pyarrow.Table.from_pylist(rows), path)
    return path


@pytest.mark.parametrize("name", ["r.jsonl", "r.jsonl.gz", "r.csv", "r.parquet"])
def test_a_table_gives_each_models_replies(tmp_path: Path, name: str) -> None:
    path = write(tmp_path / name, ROWS)
    assert recorded_models(path) == ("a", "b")
    assert recorded_replies(path, "a") == A
    assert recorded_replies(path, "b") == {("t1", 0): "three"}
    with pytest.raises(UserError, match="several models; choose one: a, b"):
        recorded_replies(path)
    with pytest.raises(UserError, match="no model 'aa'; did you mean 'a'"):
        recorded_replies(path, "aa")


def test_a_table_needs_neither_models_nor_samples(tmp_path: Path) -> None:
    path = write(
        tmp_path / "r.jsonl", [{"task_id": "t", "text": "x"}, {"task_id": "u", "text": None}]
    )
    assert recorded_models(path) == ()
    assert recorded_replies(path) == {("t", 0): "x", ("u", 0): ""}
    assert recorded_replies(path, "any") == {("t", 0): "x", ("u", 0): ""}


def test_a_folder_in_the_releases_layout_gives_each_models_replies(tmp_path: Path) -> None:
    for row in ROWS:
        file = (
            tmp_path
            / "results/model_output"
            / str(row["model"])
            / str(row["task_id"])
            / f"output{row['sample']}.txt"
        )
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(str(row["text"]).encode())
    for path in (tmp_path, tmp_path / "results/model_output"):
        assert recorded_models(path) == ("a", "b")
        assert recorded_replies(path, "a") == A
    assert recorded_replies(tmp_path / "results/model_output/a") == A
    with pytest.raises(UserError, match="several models; choose one: a, b"):
        recorded_replies(tmp_path)
    with pytest.raises(UserError, match="no model 'c'"):
        recorded_replies(tmp_path, "c")
    with pytest.raises(UserError, match="replies of a, not of 'b'"):
        recorded_replies(tmp_path / "results/model_output/a", "b")


def test_what_cannot_be_read_is_named(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="no such file or folder"):
        recorded_replies(tmp_path / "nothing.csv")
    (tmp_path / "r.txt").write_text("x")
    with pytest.raises(UserError, match=r"read from \.parquet, \.jsonl, \.csv"):
        recorded_replies(tmp_path / "r.txt")
    path = write(tmp_path / "r.jsonl", [*ROWS, ROWS[0]])
    with pytest.raises(DataError, match=r"r\.jsonl line 4: sample 0 of t1 occurs twice"):
        recorded_replies(path, "a")
    write(path, [{"task_id": "t", "text": "x"}, {"task_id": "t"}])
    with pytest.raises(DataError, match=r"r\.jsonl line 2: .*`text`"):
        recorded_replies(path)
    path.write_text('{"task_id": ')
    with pytest.raises(DataError, match=r"r\.jsonl line 1: "):
        recorded_replies(path)
    (tmp_path / "r.parquet").write_bytes(b"nothing")
    with pytest.raises(DataError, match=r"r\.parquet: "):
        recorded_replies(tmp_path / "r.parquet")
    (tmp_path / "empty" / "m").mkdir(parents=True)
    with pytest.raises(UserError, match=r"holds no replies"):
        recorded_replies(tmp_path / "empty", "m")


def test_a_reply_longer_than_csv_likes_is_read(tmp_path: Path) -> None:
    path = write(tmp_path / "r.csv", [{"task_id": "t", "text": "x" * 300_000}])
    assert len(recorded_replies(path)["t", 0]) == 300_000


def test_the_released_outputs_are_the_same_in_table_and_folder(data_home: Path) -> None:
    folder = data_home / "solcontracteval"
    table = recorded_replies(folder / "model_outputs.parquet", "gpt-4o")
    released = recorded_replies(folder / "release_layout", "gpt-4o")
    assert len(table) == 450
    assert len(released) == 45
    assert released == {key: table[key] for key in released}
