"""Content hashes: the name under which an answer is kept is the hash of its question."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import msgspec


def content_hash(*parts: Any) -> str:
    """SHA-256 over the parts' canonical JSON (sorted keys), as 64 hex digits.

    Parts may be anything msgspec encodes: structs, dataclasses, dicts, lists, strings, numbers, bytes.
    """
    digest = hashlib.sha256()
    for part in parts:
        data = msgspec.json.encode(part, order="deterministic")
        digest.update(len(data).to_bytes(8, "big"))
        digest.update(data)
    return digest.hexdigest()


def code_hash(*folders: Path) -> str:
    """SHA-256 of the Python files in and below some folders: where an answer depends on how it was found."""
    files = sorted(path for folder in folders for path in folder.rglob("*.py"))
    return content_hash([[path.name, file_hash(path)] for path in files])


def file_hash(path: Path) -> str:
    """SHA-256 of a file's bytes, as 64 hex digits."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
