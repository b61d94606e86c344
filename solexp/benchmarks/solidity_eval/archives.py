"""Archives in a row: base64 text of a ``.tar.gz``, which nobody need trust. Nothing here touches the disk."""

from __future__ import annotations

import base64
import binascii
import gzip
import io
import tarfile
import zlib
from collections.abc import Mapping

from solexp.core import DataError
from solexp.solidity.foundry.files import inside

MOST_FILES = 2_000
MOST_BYTES = 64 << 20
"""What the files of one archive may hold together."""

_OVERHEAD = 4_096
"""Bytes that an archive may need for one file besides its content: headers, and padding."""
_LONGEST_NAME = 200
"""Characters of a path: longer ones no file system need take."""


def pack(files: Mapping[str, str]) -> str:
    """The base64 text of an archive of texts by path; the same files give the same text."""
    plain = io.BytesIO()
    with tarfile.open(fileobj=plain, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        for name, text in sorted(files.items()):
            data = text.encode()
            member = tarfile.TarInfo(inside(name, "the archive"))
            member.size = len(data)
            archive.addfile(member, io.BytesIO(data))
    return base64.b64encode(gzip.compress(plain.getvalue(), mtime=0)).decode()


def unpack(
    text: str, *, most_files: int = MOST_FILES, most_bytes: int = MOST_BYTES
) -> dict[str, bytes]:
    """Contents by path of an archive.

    Raises DataError, in one line, for text that is no base64 of one gzip stream of a tar archive; for links, devices,
    absolute paths and such as lead out of the archive, two files of one path, a file that another has as its folder;
    and for more than ``most_files`` files or ``most_bytes`` bytes, before more than that is in memory.
    """
    plain = _inflated(text, most_bytes + _OVERHEAD * most_files)
    files: dict[str, bytes] = {}
    folders: set[str] = set()
    size = 0
    try:
        with tarfile.open(fileobj=io.BytesIO(plain), mode="r:") as archive:
            for number, member in enumerate(archive):
                if number >= 2 * most_files or len(files) >= most_files:
                    raise DataError(f"the archive holds more than {most_files} files")
                if member.isdir() and member.name.strip("/") in ("", "."):
                    continue
                name = _name(member.name)
                if member.isdir():
                    folders.add(name)
                    continue
                if not member.isreg() or member.issparse():
                    raise DataError(f"the archive: {name!r} is no plain file")
                size += member.size
                if size > most_bytes:
                    raise DataError(f"the archive holds more than {most_bytes} bytes")
                content = archive.extractfile(member)
                assert content is not None
                if name in files:
                    raise DataError(f"the archive holds {name!r} twice")
                files[name] = content.read()
                folders.update(_above(name))
    except (tarfile.TarError, OSError, EOFError, ValueError, OverflowError) as error:
        raise DataError(f"the archive cannot be read: {error}") from None
    for name in sorted(folders & files.keys()):
        raise DataError(f"the archive: {name!r} is both a file and a folder")
    return files


def _inflated(text: str, most: int) -> bytes:
    if len(text) > 2 * most:
        raise DataError(f"the archive holds more than {most} bytes")
    try:
        packed = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        raise DataError("the archive is no base64 text") from None
    stream = zlib.decompressobj(wbits=16 + zlib.MAX_WBITS)
    try:
        plain = stream.decompress(packed, most)
    except zlib.error as error:
        raise DataError(f"the archive is no gzip stream: {error}") from None
    if stream.unconsumed_tail:
        raise DataError(f"the archive holds more than {most} bytes")
    if not stream.eof or stream.unused_data.strip(b"\0"):
        raise DataError("the archive is no single gzip stream")
    return plain


def _name(name: str) -> str:
    path = inside(name, "the archive")
    if len(path) > _LONGEST_NAME or not path.isprintable() or path == ".":
        raise DataError(f"the archive: {name[:_LONGEST_NAME]!r} is no path for a file")
    return path


def _above(name: str) -> set[str]:
    parts = name.split("/")
    return {"/".join(parts[:count]) for count in range(1, len(parts))}
