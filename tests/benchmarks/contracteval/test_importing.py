"""EvalPlus's files on disk or from a server."""

from __future__ import annotations

import gzip
import hashlib
import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from solexp.benchmarks import data
from solexp.benchmarks.contracteval import ContractEval
from solexp.benchmarks.contracteval.importing import PUBLISHED, Source, fetch, import_release
from solexp.core import DataError, UserError
from tests.benchmarks.contracteval.made import HALF, PAIRS, changed, packed, written


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture
def server(tmp_path: Path) -> Iterator[str]:
    """The address of a server with EvalPlus's files."""
    folder = written(tmp_path / "served")
    handler = partial(_Quiet, directory=str(folder))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as running:
        thread = threading.Thread(target=running.serve_forever, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{running.server_port}"
        running.shutdown()
        thread.join()


def published(server: str, folder: Path) -> dict[str, Source]:
    """What is served, with its hashes."""
    return {
        part: Source(
            f"{server}/{source.address.rpartition('/')[2]}",
            hashlib.sha256((folder / source.address.rpartition("/")[2]).read_bytes()).hexdigest(),
        )
        for part, source in PUBLISHED.items()
    }


def ids(folder: Path) -> list[str]:
    return [task.id for task in ContractEval(path=str(folder)).tasks()]


def test_the_released_files_are_fetched_and_checked(server: str, tmp_path: Path) -> None:
    report = fetch(tmp_path / "home", published=published(server, tmp_path / "served"))
    assert (report.tasks, report.problems, report.notes) == (2, (), ())
    assert ids(tmp_path / "home") == ["HumanEval/900", "Mbpp/750"]


def test_another_file_than_was_pinned_is_refused(server: str, tmp_path: Path) -> None:
    sources = published(server, tmp_path / "served")
    sources["mbpp"] = Source(sources["mbpp"].address, "0" * 64)
    with pytest.raises(UserError, match="is not the file that was pinned: its SHA-256 is"):
        fetch(tmp_path / "home", published=sources)
    assert not (tmp_path / "home").exists()


def test_what_cannot_be_fetched_is_told_in_one_line_with_the_mend(
    server: str, tmp_path: Path
) -> None:
    for address, said in [
        (f"{server}/Absent.jsonl.gz", "the server answered 404"),
        ("http://127.0.0.1:9/HumanEvalPlus.jsonl.gz", "no connection"),
    ]:
        with pytest.raises(UserError, match=f"{said}; mend the network, or import a copy: solexp"):
            fetch(tmp_path / "home", published={"humaneval": Source(address, "")})


def test_the_cache_of_evalplus_is_imported_and_the_newest_version_taken(tmp_path: Path) -> None:
    cache = tmp_path / "cache" / "evalplus"
    cache.mkdir(parents=True)
    newest = gzip.decompress(packed([HALF]))
    (cache / "HumanEvalPlus-v0.1.10.jsonl").write_bytes(newest)
    (cache / "HumanEvalPlus-v0.1.9.jsonl").write_bytes(
        newest.replace(b"HumanEval/9", b"HumanEval/8")
    )
    (cache / "HumanEvalPlus-Mini-v0.1.11.jsonl").write_text("no row")
    (cache / "MbppPlus-v0.2.0.jsonl.gz").write_bytes(packed([PAIRS]))
    report = import_release(tmp_path / "cache", tmp_path / "home")
    assert (report.tasks, report.problems) == (2, ())
    assert ids(tmp_path / "home") == ["HumanEval/900", "Mbpp/750"]


def test_rows_are_kept_byte_for_byte_and_equal_rows_give_equal_files(tmp_path: Path) -> None:
    source = written(tmp_path / "source")
    import_release(source, tmp_path / "home")
    for name in ("HumanEvalPlus.jsonl.gz", "MbppPlus.jsonl.gz"):
        kept = (tmp_path / "home" / name).read_bytes()
        assert gzip.decompress(kept) == gzip.decompress((source / name).read_bytes())
    import_release(tmp_path / "home", tmp_path / "again")
    assert (tmp_path / "again" / name).read_bytes() == kept


def test_malformed_rows_are_left_out_and_listed(tmp_path: Path) -> None:
    bad = changed(PAIRS, contract="\n  assert more.pop()\n")
    source = written(tmp_path / "source", mbpp=["{", PAIRS, bad, PAIRS])
    report = import_release(source, tmp_path / "home")
    first, second, third = map(str, report.problems)
    assert first.startswith("MbppPlus.jsonl.gz line 1: Expecting property name")
    assert second.startswith("MbppPlus.jsonl.gz line 3: Mbpp/750: assertion 0 has a side effect")
    assert third == "MbppPlus.jsonl.gz line 4: Mbpp/750: an earlier row has this task already"
    assert ids(tmp_path / "home") == ["HumanEval/900", "Mbpp/750"]


def test_one_part_alone_can_be_imported(tmp_path: Path) -> None:
    source = written(tmp_path / "source")
    (source / "HumanEvalPlus.jsonl.gz").unlink()
    report = import_release(source, tmp_path / "home")
    assert report.notes == ("without HumanEval+, which is not there",)
    assert len(ContractEval(path=str(tmp_path / "home"), part="mbpp").tasks()) == 1


def test_a_folder_without_anything_usable_changes_nothing(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"holds neither HumanEvalPlus.jsonl nor MbppPlus.jsonl"):
        import_release(tmp_path, tmp_path / "home")
    source = written(tmp_path / "source", mbpp=["{"])
    with pytest.raises(DataError, match=r"MbppPlus.jsonl.gz holds no usable row; the first"):
        import_release(source, tmp_path / "home")
    assert not (tmp_path / "home").exists()


def test_data_verify_lists_every_malformed_row(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOLEXP_DATA", str(tmp_path))
    written(tmp_path / "contracteval", humaneval=["{", HALF], mbpp=[changed(PAIRS, contract="(")])
    found = data.verify("contracteval")
    assert found.tasks == 1
    assert [problem.partition("contracteval/")[2][:30] for problem in found.problems] == [
        "HumanEvalPlus.jsonl.gz line 1:",
        "MbppPlus.jsonl.gz line 1: Mbpp",
    ]


def test_data_list_counts_the_rows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOLEXP_DATA", str(tmp_path))
    rows = {row.name: row for row in data.list_benchmarks()}
    assert not rows["contracteval"].present
    written(tmp_path / "contracteval")
    rows = {row.name: row for row in data.list_benchmarks()}
    assert rows["contracteval"].tasks == 2
