"""What survives a kill, and what does not."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from solexp.core import DataError, Generation, UserError
from solexp.core.prompt import Completion
from solexp.store.cache import Store, prune, size_of
from solexp.store.records import (
    Appender,
    read_gzip_lines,
    read_json,
    read_lines,
    write_atomically,
    write_gzip_lines,
)
from solexp.store.runfolder import RunFolder, find_run, latest_sweep, sweep_runs


def row(index: int) -> Generation:
    return Generation(
        key=f"{index}",
        task_id="t",
        batch="b",
        repeat=0,
        index=index,
        completion=Completion(text="ü"),
    )


def test_lines_come_back_as_they_were_written(tmp_path: Path) -> None:
    with Appender(tmp_path / "rows.jsonl") as file:
        file.write(row(0), row(1))
    assert list(read_lines(tmp_path / "rows.jsonl", Generation)) == [row(0), row(1)]


def test_a_last_line_cut_short_is_passed_over(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    with Appender(path) as file:
        file.write(row(0), row(1))
    path.write_bytes(path.read_bytes()[:-5])
    assert list(read_lines(path, Generation)) == [row(0)]


def test_a_malformed_line_is_named(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text('{"key": 1}\n')
    with pytest.raises(UserError, match=r"rows\.jsonl line 1"):
        list(read_lines(path, Generation))


def test_what_was_written_survives_kill_9(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    code = (
        "import sys, time; from pathlib import Path; from solexp.store.records import Appender\n"
        f"file = Appender(Path({str(path)!r}))\n"
        "for i in range(100): file.write(i)\n"
        "print('done', flush=True); time.sleep(60)\n"
    )
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE)
    assert process.stdout is not None
    process.stdout.readline()
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    process.stdout.close()
    assert list(read_lines(path, int)) == list(range(100))


def test_compressed_lines_come_back_with_their_places_and_malformed_ones_are_told(
    tmp_path: Path,
) -> None:
    path = tmp_path / "rows.jsonl.gz"
    assert write_gzip_lines(path, [row(0), {"no": "row"}, row(2)]) == 3
    first = path.read_bytes()
    write_gzip_lines(path, [row(0), {"no": "row"}, row(2)])
    assert path.read_bytes() == first
    told: list[str] = []
    assert list(read_gzip_lines(path, Generation, told.append)) == [
        (f"{path} line 1", row(0)),
        (f"{path} line 3", row(2)),
    ]
    assert told == [f"{path} line 2: Object missing required field `key`"]
    path.write_bytes(first[:-9])
    with pytest.raises(DataError, match=r"rows\.jsonl\.gz after line \d"):
        list(read_gzip_lines(path, Generation, told.append))
    with pytest.raises(FileNotFoundError):
        list(read_gzip_lines(tmp_path / "none", Generation, told.append))


def test_a_replaced_file_is_whole_at_every_moment(tmp_path: Path) -> None:
    path = tmp_path / "value.json"
    code = (
        "from pathlib import Path; from solexp.store.records import write_json\n"
        "value = 'x' * 200_000\n"
        f"while True: write_json(Path({str(path)!r}), [value])\n"
    )
    process = subprocess.Popen([sys.executable, "-c", code])
    try:
        until = time.monotonic() + 10
        while not path.exists() and time.monotonic() < until:
            time.sleep(0.01)
        for _ in range(200):
            assert len(read_json(path, list[str])[0]) == 200_000
    finally:
        process.kill()
        process.wait()


def test_a_failed_write_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "file"
    write_atomically(path, b"old")
    with pytest.raises(TypeError):
        write_atomically(path, "no bytes")  # type: ignore[arg-type]
    assert path.read_bytes() == b"old"
    assert [each.name for each in tmp_path.iterdir()] == ["file"]


def test_answers_are_kept_by_key_and_schema(tmp_path: Path) -> None:
    store = Store(tmp_path, schema=1)
    store.put("abcd", row(3))
    assert store.get("abcd", Generation) == row(3)
    assert store.get("abce", Generation) is None
    assert Store(tmp_path, schema=2).get("abcd", Generation) is None


def test_an_answer_that_cannot_be_read_counts_as_absent(tmp_path: Path) -> None:
    store = Store(tmp_path)
    store.put("abcd", row(3))
    next(tmp_path.rglob("*.json")).write_bytes(b'{"key": ')
    assert store.get("abcd", Generation) is None


def test_pruning_deletes_the_oldest_answers_first(tmp_path: Path) -> None:
    store = Store(tmp_path)
    for number in range(4):
        store.put(f"key{number}", "x" * 98)
    for number, path in enumerate(sorted(tmp_path.rglob("*.json"))):
        os.utime(path, (number, number))
    assert size_of(tmp_path) == (4, 400)
    assert prune(tmp_path, 200) == 2
    assert store.get("key3", str) == "x" * 98
    assert size_of(tmp_path) == (2, 200)


def test_pruning_spares_what_was_paid_for_unless_it_is_named(tmp_path: Path) -> None:
    for kind in ("generations", "locks", "verdicts"):
        Store(tmp_path / kind).put("key", "x" * 98)
    assert prune(tmp_path, 0) == 1
    assert [size_of(tmp_path / kind)[0] for kind in ("generations", "locks", "verdicts")] == [
        1,
        1,
        0,
    ]
    assert prune(tmp_path, 0, kinds=["generations"]) == 1
    assert size_of(tmp_path / "generations") == (0, 0)


def test_a_cache_that_cannot_be_written_costs_one_warning(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").touch()
    store = Store(tmp_path / "file")
    store.put("abcd", row(3))
    store.put("abce", row(3))
    assert store.get("abcd", Generation) is None
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("solexp: answers cannot be kept in ")


def test_a_run_that_cannot_be_read_is_in_no_other_runs_way(tmp_path: Path) -> None:
    RunFolder(tmp_path / "whole").write_manifest({"started": "2026-01-01"})
    (tmp_path / "torn").mkdir()
    (tmp_path / "torn" / "manifest.json").write_text('{"schema": 1, "sta')
    assert find_run("latest", tmp_path).name == "whole"
    with pytest.raises(UserError, match="no sweep below"):
        latest_sweep(tmp_path)


def test_a_configuration_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    for garbage in (b"a: [", b"\xff\xfe\x00", b"- 1: {"):
        (tmp_path / "config.yaml").write_bytes(garbage)
        with pytest.raises(UserError, match=r"config\.yaml: not readable as a configuration"):
            _ = RunFolder(tmp_path).config


def test_runs_are_found_by_path_name_and_latest(tmp_path: Path) -> None:
    for name, started in (("one", "2026-01-01"), ("two", "2026-01-02")):
        RunFolder(tmp_path / name).write_manifest({"started": started})
    assert find_run("latest", tmp_path).name == "two"
    assert find_run("one", tmp_path).path == tmp_path / "one"
    assert find_run(str(tmp_path / "one"), Path("elsewhere")).name == "one"
    with pytest.raises(UserError, match="did you mean 'two'"):
        find_run("tow", tmp_path)


def _sweep(folder: Path, jobs: int, started: str = "2026-01-03") -> None:
    for number in range(jobs):
        run = RunFolder(folder / str(number))
        run.write_manifest({"started": started, "sweep_id": folder.name})


def test_a_sweep_named_as_a_run_points_to_compare(tmp_path: Path) -> None:
    _sweep(tmp_path / "sweep", 3)
    for name in ("sweep", str(tmp_path / "sweep")):
        with pytest.raises(UserError) as raised:
            find_run(name, tmp_path)
        assert f"is a sweep of 3 runs; see them side by side: solexp compare {name};" in str(
            raised.value
        )
    with pytest.raises(UserError, match="did you mean 'sweep'"):
        find_run("sweeep", tmp_path)


def test_an_unknown_run_lists_few_of_many_the_newest_first(tmp_path: Path) -> None:
    for day in range(10, 30):
        RunFolder(tmp_path / f"2026-01-{day}").write_manifest({"started": f"2026-01-{day}"})
    with pytest.raises(UserError) as raised:
        find_run("nothing of the kind", tmp_path)
    said = str(raised.value).partition("choose from: ")[2]
    assert said.split(", ")[0] == "2026-01-29"
    assert said.endswith("2026-01-22 and 12 more")
    with pytest.raises(UserError, match="start one with: solexp run"):
        find_run("one", tmp_path / "nowhere")


def test_the_runs_of_a_sweep_are_found_in_the_order_of_their_numbers(tmp_path: Path) -> None:
    _sweep(tmp_path / "old", 12, started="2026-01-01")
    _sweep(tmp_path / "new", 2)
    RunFolder(tmp_path / "single").write_manifest({"started": "2026-01-09"})
    found = sweep_runs("old", tmp_path)
    assert [run.name for run in found] == [str(number) for number in range(12)]
    assert [run.path for run in sweep_runs(str(tmp_path / "old"), Path("x"))] == [
        run.path for run in found
    ]
    assert sweep_runs("single", tmp_path) == sweep_runs("none", tmp_path) == []
    assert [run.path.parent.name for run in latest_sweep(tmp_path)] == ["new", "new"]
    with pytest.raises(UserError, match=r"no sweep below .*name the runs to compare"):
        latest_sweep(tmp_path / "single")


def test_a_run_folder_of_another_schema_is_refused(tmp_path: Path) -> None:
    (tmp_path / "manifest.json").write_text('{"schema": 99, "solexp": "9.0"}')
    with pytest.raises(UserError, match="schema 99"):
        _ = RunFolder(tmp_path).manifest
