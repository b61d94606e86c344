"""Model files."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from solexp.core import UserError
from solexp.core.hashing import file_hash
from solexp.llm.local import gguf


def test_a_missing_file_is_one_line_that_names_it(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"^model\.gguf: cannot read .*no\.gguf: No such file") as e:
        gguf.model_file(str(tmp_path / "no.gguf"))
    assert "\n" not in str(e.value)


def test_what_is_no_model_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.gguf").write_text("<html>")
    with pytest.raises(UserError, match="is no GGUF file"):
        gguf.model_file(str(tmp_path / "a.gguf"))
    with pytest.raises(UserError, match="is a folder"):
        gguf.model_file(str(tmp_path))
    with pytest.raises(UserError, match="must be given"):
        gguf.model_file("???")


def test_a_file_is_hashed_once_and_again_when_it_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOLEXP_CACHE", str(tmp_path / "cache"))
    file = tmp_path / "a.gguf"
    file.write_bytes(b"GGUF one")
    hashed: list[Path] = []

    def counted(path: Path) -> str:
        hashed.append(path)
        return file_hash(path)

    monkeypatch.setattr(gguf, "file_hash", counted)
    first = gguf.sha256_of(file)
    assert gguf.sha256_of(file) == first == file_hash(file)
    assert len(hashed) == 1
    file.write_bytes(b"GGUF two")
    os.utime(file, ns=(1, 1))
    assert gguf.sha256_of(file) == file_hash(file) != first
    assert len(hashed) == 2
