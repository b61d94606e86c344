"""Where examples come from: other tasks of the benchmark, a file of examples, or a folder of Solidity."""

from __future__ import annotations

import ast
import gzip
import re
import zlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

import msgspec

from solexp.core import DataError, Task, UserError
from solexp.core.hashing import content_hash, file_hash
from solexp.solidity.functions.members import plain
from solexp.strategies.base import Example
from solexp.strategies.examples.extracting import (
    Entry,
    Granularity,
    aligned,
    granularity,
    header,
    is_of,
    of_source,
    of_task,
)
from solexp.strategies.function import function_tasks

PoolName = Literal["tasks", "file", "folder"]

KEYS: dict[str, tuple[str, ...]] = {
    "id": ("id",),
    "requirement": ("requirement", "human_labeled_comment", "natspec", "comment"),
    "signature": ("signature",),
    "code": ("code", "body"),
    "context": ("context",),
}
"""The keys under which a row may give each part, the first that it fills. SolEval's example.json is read so too."""

_SKIPPED = frozenset({".git", "node_modules", "artifacts", "cache", "out"})
_COMMENT = re.compile(r"\s*(?:/\*|//)")
_LARGEST = 2_000_000
"""Bytes of a source above which it is taken for something generated."""


def of_tasks(tasks: Sequence[Task], evaluated: Sequence[Task], kind: Granularity) -> list[Entry]:
    """All tasks but the evaluated ones; their functions, where single functions are asked for."""
    out = {task.id for task in evaluated}
    found: list[Entry] = []
    for task in tasks:
        if task.id in out:
            continue
        if granularity(task) == kind:
            found.append(of_task(task))
        elif kind == "function":
            found += [of_task(one) for one in function_tasks(task) if one.id not in out]
    return found


def of_file(path: Path, kind: Granularity, fields: Mapping[str, str]) -> list[Entry]:
    """The rows of a JSON Lines or JSON file, or either compressed, whose code is of that granularity.

    A row is an object with the parts named in `KEYS`, or where ``fields`` says; only its code must be there. JSON may
    also be a list of rows, or an object of such lists. Raises UserError when there is no such file, DataError when it
    is malformed or no row is of use.
    """
    keys = KEYS | {part: (key,) for part, key in fields.items()}
    unknown = sorted(set(keys) - set(KEYS))
    if unknown:
        raise UserError(
            f"strategy.examples.fields: no part '{unknown[0]}'; there are {', '.join(KEYS)}"
        )
    found, rows = [], 0
    for place, row in _rows(path):
        rows += 1
        parts = {part: _part(row, keys[part]) for part in KEYS}
        code = parts["code"].strip()
        if not is_of(code, kind):
            continue
        requirement = parts["requirement"].strip()
        if _COMMENT.match(requirement):
            requirement = plain(requirement)
        example = Example(
            id=parts["id"] or place,
            requirement=requirement,
            signature=header(code) or parts["signature"].strip(),
            code=aligned(code),
            context=_context(parts["context"]),
        )
        found.append(Entry(example=example, text=f"{requirement}\n{example.signature}"))
    if not found:
        raise DataError(
            f"{path}: none of {rows} rows has a {kind} under "
            f"{' or '.join(keys['code'])}; say where with strategy.examples.fields.code"
        )
    return found


def _part(row: dict[str, Any], keys: Sequence[str]) -> str:
    for key in keys:
        value = row.get(key)
        if isinstance(value, str | int) and str(value).strip():
            return str(value)
        if isinstance(value, list) and value and all(isinstance(each, str) for each in value):
            return "\n".join(value)
    return ""


def _context(text: str) -> str:
    """A context as code; SolEval's release writes down Python's sets of signatures."""
    if text.startswith("{'") or text.startswith('{"'):
        try:
            lines = ast.literal_eval(text)
        except (ValueError, SyntaxError):
            return text
        if isinstance(lines, set):
            return "\n".join(f"{' '.join(str(line).split())};" for line in sorted(lines))
    return text.strip()


def _rows(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Each row with its place: file and number, and the group that it stands in."""
    data = _read(path)
    try:
        whole = msgspec.json.decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError):
        yield from _lines(path, data)
        return
    if isinstance(whole, dict) and not all(isinstance(rows, list) for rows in whole.values()):
        whole = [whole]  # a file of one line
    groups = whole.items() if isinstance(whole, dict) else (("", whole),)
    for group, rows in groups:
        if not isinstance(rows, list):
            raise DataError(f"{path}: must hold rows, got {type(rows).__name__}")
        for number, row in enumerate(rows, start=1):
            place = f"{group or path.name}:{number}"
            if not isinstance(row, dict):
                raise DataError(f"{path}: {place} must be an object, got {type(row).__name__}")
            yield place, row


def _lines(path: Path, data: bytes) -> Iterator[tuple[str, dict[str, Any]]]:
    decoder = msgspec.json.Decoder(dict[str, Any])
    for number, line in enumerate(data.splitlines(), start=1):
        if line.strip():
            try:
                yield f"{path.name}:{number}", decoder.decode(line)
            except (msgspec.DecodeError, UnicodeDecodeError) as error:
                raise DataError(f"{path} line {number}: {error}") from None


def _read(path: Path) -> bytes:
    try:
        data = path.read_bytes()
        return gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data
    except (OSError, EOFError, zlib.error) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise UserError(f"strategy.examples.path: {path}: {reason}") from None


def sources(folder: Path) -> list[Path]:
    """The Solidity files below ``folder``, in order; build folders and dependencies of packages are left out."""
    if not folder.is_dir():
        raise UserError(f"strategy.examples.path: {folder}: no such folder")
    found = [
        path
        for path in folder.rglob("*.sol")
        if path.is_file() and not _SKIPPED.intersection(path.relative_to(folder).parts)
    ]
    return sorted(found)


def of_folder(folder: Path, kind: Granularity) -> list[Entry]:
    """Every contract or function of the Solidity below ``folder`` that does something and is documented.

    Raises UserError when there is none.
    """
    found: list[Entry] = []
    for path in sources(folder):
        data = path.read_bytes()
        if len(data) <= _LARGEST:
            place = path.relative_to(folder).as_posix()
            entries = of_source(data.decode(errors="replace"), place, kind)
            found += [entry for entry in entries if entry.example.requirement]
    if not found:
        raise UserError(
            f"strategy.examples.path: no documented {kind} in the .sol files below {folder}"
        )
    return found


def hash_of(pool: PoolName, path: Path | None) -> str | None:
    """Hash of what a pool is read from; None for tasks, which are hashed with their benchmark."""
    if path is None or not path.exists():
        return None
    if pool == "file":
        return file_hash(path)
    files = sources(path)
    return content_hash([(p.relative_to(path).as_posix(), file_hash(p)) for p in files])
