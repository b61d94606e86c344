"""Archives that nobody need trust."""

from __future__ import annotations

import base64
import gzip
import io
import tarfile

import pytest

from solexp.benchmarks.solidity_eval.archives import pack, unpack
from solexp.core import DataError


def archive(*members: tuple[str, bytes] | tarfile.TarInfo) -> str:
    plain = io.BytesIO()
    with tarfile.open(fileobj=plain, mode="w") as tar:
        for each in members:
            if isinstance(each, tarfile.TarInfo):
                tar.addfile(each)
                continue
            name, data = each
            member = tarfile.TarInfo(name)
            member.size = len(data)
            tar.addfile(member, io.BytesIO(data))
    return base64.b64encode(gzip.compress(plain.getvalue(), mtime=0)).decode()


def special(name: str, kind: bytes, link: str = "") -> tarfile.TarInfo:
    member = tarfile.TarInfo(name)
    member.type, member.linkname = kind, link
    return member


def test_what_was_packed_is_unpacked_and_packs_to_the_same_text() -> None:
    files = {"src/A.sol": "contract Ä {}", "foundry.toml": ""}
    text = pack(files)
    assert {name: data.decode() for name, data in unpack(text).items()} == files
    assert pack(dict(reversed(files.items()))) == text


def test_folders_and_dots_in_paths_are_no_obstacle() -> None:
    text = archive(
        special("./", tarfile.DIRTYPE), special("./src", tarfile.DIRTYPE), ("./src/A", b"a")
    )
    assert unpack(text) == {"src/A": b"a"}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (archive(("/etc/passwd", b"")), "leads out"),
        (archive(("src/../../a", b"")), "leads out"),
        (archive(("src\\a", b"")), "leads out"),
        (archive(("a\nb", b"")), "no path"),
        (archive(("a" * 300, b"")), "no path"),
        (archive(special("a", tarfile.SYMTYPE, "/etc/passwd")), "no plain file"),
        (archive(("b", b""), special("a", tarfile.LNKTYPE, "b")), "no plain file"),
        (archive(special("a", tarfile.CHRTYPE)), "no plain file"),
        (archive(special("a", tarfile.FIFOTYPE)), "no plain file"),
        (archive(("a", b"1"), ("./a", b"2")), "twice"),
        (archive(("a", b"1"), ("a/b", b"2")), "both a file and a folder"),
        (archive(("a", b"1" * 101)), "more than 100 bytes"),
        (archive(*((f"f{n}", b"") for n in range(5))), "more than 4 files"),
        (base64.b64encode(gzip.compress(b"\0" * (1 << 24), mtime=0)).decode(), "more than"),
        (base64.b64encode(gzip.compress(b"abc" * 500, mtime=0)).decode(), "cannot be read"),
        (base64.b64encode(b"abc").decode(), "no gzip stream"),
        (base64.b64encode(gzip.compress(b"abc", mtime=0)[:-9]).decode(), "single gzip stream"),
        (
            base64.b64encode(gzip.compress(b"", mtime=0) + gzip.compress(b"", mtime=0)).decode(),
            "single gzip stream",
        ),
        ("???", "no base64"),
        ("A" * 100_000, "more than"),
    ],
)
def test_an_archive_that_is_hostile_or_damaged_is_refused(text: str, said: str) -> None:
    with pytest.raises(DataError, match=said):
        unpack(text, most_files=4, most_bytes=100)
