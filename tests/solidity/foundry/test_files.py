"""Archives that nobody need trust, and projects that are kept."""

from __future__ import annotations

import io
import tarfile
from pathlib import Path

import pytest

from solexp.core import DataError, ToolError
from solexp.solidity.foundry import files
from solexp.solidity.foundry.files import keep, kept, project_hash, read_archive


def _archive(path: Path, *members: tuple[tarfile.TarInfo, bytes]) -> Path:
    with tarfile.open(path, "w:gz") as archive:
        for info, data in members:
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    return path


def _file(name: str, data: bytes = b"x") -> tuple[tarfile.TarInfo, bytes]:
    return tarfile.TarInfo(name), data


def _special(name: str, kind: bytes) -> tuple[tarfile.TarInfo, bytes]:
    info = tarfile.TarInfo(name)
    info.type = kind
    info.linkname = "/etc/passwd"
    return info, b""


def test_the_folder_that_holds_everything_is_taken_off(tmp_path: Path) -> None:
    path = _archive(tmp_path / "a.tar.gz", _file("p/src/A.sol", b"a"), _file("p/b.txt", b"b"))
    assert read_archive(path) == {"src/A.sol": b"a", "b.txt": b"b"}


@pytest.mark.parametrize("name", ["/etc/x", "../x", "p/../../x"])
def test_a_path_that_leads_out_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(DataError, match="leads out of the archive"):
        read_archive(_archive(tmp_path / "a.tar.gz", _file(name)))


@pytest.mark.parametrize("kind", [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.FIFOTYPE])
def test_links_and_devices_are_refused(tmp_path: Path, kind: bytes) -> None:
    with pytest.raises(DataError, match="no plain file"):
        read_archive(_archive(tmp_path / "a.tar.gz", _special("p/x", kind)))


def test_a_bomb_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = _archive(tmp_path / "a.tar.gz", _file("p/zeros", bytes(10_000)))
    monkeypatch.setattr(files, "MOST_BYTES", 9_999)
    with pytest.raises(DataError, match="holds more than"):
        read_archive(path)


def test_a_damaged_archive_is_one_line(tmp_path: Path) -> None:
    path = _archive(tmp_path / "a.tar.gz", _file("p/x", b"y" * 5000))
    path.write_bytes(path.read_bytes()[:60])
    with pytest.raises(DataError, match="cannot be read as an archive"):
        read_archive(path)


def test_a_kept_project_is_found_by_its_hash_and_never_damaged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOLEXP_CACHE", str(tmp_path))
    kept.cache_clear()
    project = {"src/A.sol": b"contract A {}", "src/B.sol": b""}
    name = keep(project)
    assert name == keep(project) == project_hash(dict(reversed(project.items())))
    assert kept(name) == project
    (place,) = (tmp_path / "projects").iterdir()
    place.write_bytes(place.read_bytes()[:-1])
    kept.cache_clear()
    with pytest.raises(ToolError, match="was damaged and is removed"):
        kept(name)
    with pytest.raises(ToolError, match="start the run anew"):
        kept(name)
    assert keep(project) == name
    assert kept(name) == project
    kept.cache_clear()
