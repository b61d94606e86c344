"""Model files."""

from __future__ import annotations

from pathlib import Path

import msgspec

from solexp.core import UserError
from solexp.core.hashing import content_hash, file_hash
from solexp.store.cache import Store
from solexp.toolchain.homes import cache_home

_MAGIC = b"GGUF"


class _Hashed(msgspec.Struct, frozen=True):
    """What a file was when it was hashed."""

    size: int
    mtime_ns: int
    sha256: str


def model_file(path: str) -> Path:
    """The absolute path of a GGUF file. Raises UserError when there is none, or when it is no GGUF file."""
    if not path or path == "???":
        raise UserError("model.gguf: must be given: the path of a GGUF file")
    file = Path(path).expanduser().absolute()
    try:
        with file.open("rb") as opened:
            magic = opened.read(len(_MAGIC))
    except IsADirectoryError:
        raise UserError(f"model.gguf: {file} is a folder; name the .gguf file in it") from None
    except OSError as error:
        raise UserError(f"model.gguf: cannot read {file}: {error.strerror or error}") from None
    if magic != _MAGIC:
        raise UserError(
            f"model.gguf: {file} is no GGUF file; for a folder of transformers use model=hf"
        )
    return file


def sha256_of(file: Path) -> str:
    """SHA-256 of a file, 64 hex digits; kept by path, size and time of change, since model files are big."""
    store = Store(cache_home() / "model-files")
    key = content_hash(str(file))
    stat = file.stat()
    known = store.get(key, _Hashed)
    if known and (known.size, known.mtime_ns) == (stat.st_size, stat.st_mtime_ns):
        return known.sha256
    hashed = _Hashed(stat.st_size, stat.st_mtime_ns, file_hash(file))
    store.put(key, hashed)
    return hashed.sha256
