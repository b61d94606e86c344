"""From EvalPlus's released files, or its package's cache, to the folder that the benchmark reads."""

from __future__ import annotations

import gzip
import hashlib
import re
import sys
import zlib
from collections.abc import Mapping
from pathlib import Path

import msgspec
import requests

from solexp.benchmarks.contracteval.posing import NAMES, pose
from solexp.benchmarks.contracteval.release import FILES, TWICE, read_row
from solexp.benchmarks.fetching import Problem, Report
from solexp.core import DataError, UserError
from solexp.store.records import write_atomically


class Source(msgspec.Struct, frozen=True):
    """A published file."""

    address: str
    sha256: str


PUBLISHED: Mapping[str, Source] = {
    "humaneval": Source(
        "https://github.com/evalplus/humanevalplus_release/releases/download/v0.1.10/HumanEvalPlus.jsonl.gz",
        "272720b90ac375502c8ed23cd791c2a93dfb22a911641a494da74a426c09f101",
    ),
    "mbpp": Source(
        "https://github.com/evalplus/mbppplus_release/releases/download/v0.2.0/MbppPlus.jsonl.gz",
        "af43697e8791c4c149bdfd6b489d8b5412507551ac20e28a439f650b8225db63",
    ),
}
"""EvalPlus's files by part, at the versions that its package reads."""

_TIMEOUT_S = 60
_FILE = {
    "humaneval": re.compile(r"HumanEvalPlus(?:-v(\d+)\.(\d+)\.(\d+))?\.jsonl(?:\.gz)?"),
    "mbpp": re.compile(r"MbppPlus(?:-v(\d+)\.(\d+)\.(\d+))?\.jsonl(?:\.gz)?"),
}
"""Names of whole files, as released and in the package's cache; its smaller variants have others."""


def import_release(source: Path, folder: Path) -> Report:
    """Makes of EvalPlus's files in ``source`` the files that `ContractEval` reads.

    They may be compressed or not, and named with their version, as in the cache of the ``evalplus`` package; the
    newest is taken. A malformed row is left out and listed. Raises UserError where there is neither file, DataError
    where nothing of one is usable; then ``folder`` stays as it was.
    """
    found = {part: path for part in FILES if (path := _newest(source, part)) is not None}
    if not found:
        raise UserError(
            f"{source} holds neither HumanEvalPlus.jsonl nor MbppPlus.jsonl (as they are, with a version, or as .gz); "
            "give the folder of EvalPlus's files, such as ~/.cache/evalplus"
        )
    return _kept({part: (path.name, _content(path)) for part, path in found.items()}, folder)


def fetch(folder: Path, *, published: Mapping[str, Source] = PUBLISHED) -> Report:
    """Gets EvalPlus's released files, each checked against its hash, and imports them into ``folder``.

    Raises UserError where one cannot be had or is another than was pinned.
    """
    files = {}
    for part, source in published.items():
        print(f"fetching {source.address} …", file=sys.stderr, flush=True)
        data = _download(source)
        files[part] = FILES[part], gzip.decompress(data)
    return _kept(files, folder)


def _download(source: Source) -> bytes:
    mend = "mend the network, or import a copy: solexp data import contracteval --from DIR"
    try:
        answer = requests.get(source.address, timeout=_TIMEOUT_S)
        answer.raise_for_status()
    except requests.RequestException as error:
        raise UserError(f"cannot fetch {source.address}: {_reason(error)}; {mend}") from None
    found = hashlib.sha256(answer.content).hexdigest()
    if found != source.sha256:
        raise UserError(
            f"{source.address} is not the file that was pinned: its SHA-256 is {found}, not {source.sha256}; {mend}"
        )
    return answer.content


def _reason(error: requests.RequestException) -> str:
    if error.response is not None:
        return f"the server answered {error.response.status_code}"
    kind = type(error).__name__
    return "no connection" if isinstance(error, requests.ConnectionError) else kind


def _newest(source: Path, part: str) -> Path | None:
    named = [(path, _FILE[part].fullmatch(path.name)) for path in source.rglob("*.jsonl*")]
    known = [
        ([int(number or 0) for number in match.groups()], path)
        for path, match in named
        if match is not None and path.is_file()
    ]
    return max(known)[1] if known else None


def _content(path: Path) -> bytes:
    data = path.read_bytes()
    try:
        return gzip.decompress(data) if path.suffix == ".gz" else data
    except (OSError, EOFError, zlib.error) as error:
        raise DataError(f"{path}: {error}") from None


def _kept(files: Mapping[str, tuple[str, bytes]], folder: Path) -> Report:
    """Writes the usable rows of each file, byte for byte; the same rows give the same file."""
    problems: list[Problem] = []
    kept: dict[str, list[bytes]] = {}
    for part, (name, data) in files.items():
        kept[part] = []
        known: set[str] = set()
        for number, line in enumerate(data.splitlines(), start=1):
            problem = _problem(line, part, known) if line.strip() else None
            if problem is not None:
                problems.append(Problem(name, number, problem))
            elif line.strip():
                kept[part].append(line)
        if not kept[part]:
            first = f"; the first problem: {problems[-1]}" if problems else ""
            raise DataError(f"{name} holds no usable row{first}")
    for part, lines in kept.items():
        packed = gzip.compress(b"\n".join(lines) + b"\n", mtime=0)
        write_atomically(folder / FILES[part], packed)
    absent = [NAMES[part] for part in FILES if part not in files]
    return Report(
        folder=folder,
        tasks=sum(len(lines) for lines in kept.values()),
        problems=tuple(problems),
        notes=tuple(f"without {name}, which is not there" for name in absent),
    )


def _problem(line: bytes, part: str, known: set[str]) -> str | None:
    """What is wrong with a row; adds the task of one that is right to those that are known."""
    try:
        row = read_row(line)
    except ValueError as error:
        return str(error)
    try:
        task = pose(row, part)
    except ValueError as error:
        return f"{row.task_id}: {error}"
    if task.id in known:
        return f"{task.id}: {TWICE}"
    known.add(task.id)
    return None
