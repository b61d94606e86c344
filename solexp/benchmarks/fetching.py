"""Getting releases from where their authors published them, and what an import of one tells."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import msgspec

from solexp.core import UserError

_WHOLE = 40
"""Digits of a whole hash: only by that is a single commit to be had."""


class Problem(msgspec.Struct, frozen=True):
    """Something malformed in a release."""

    file: str
    """Path within the release."""
    line: int | None
    """1-based, where there is one to name."""
    message: str

    def __str__(self) -> str:
        return f"{self.file}{f' line {self.line}' if self.line else ''}: {self.message}"


class Report(msgspec.Struct, frozen=True, kw_only=True):
    """What an import did."""

    folder: Path
    tasks: int
    problems: tuple[Problem, ...] = ()
    """What was malformed and left out."""
    notes: tuple[str, ...] = ()
    """What else there is to say."""


def clone(
    folder: Path,
    repository: str,
    commit: str,
    *,
    benchmark: str,
    only: Sequence[str] = (),
    submodules: bool = False,
) -> None:
    """Has ``repository`` at ``commit`` in ``folder``: whole or not at all, and not again where it is there.

    ``only`` these folders of it are checked out, where any are named. Raises UserError in one line when git is missing
    or the repository cannot be reached.
    """
    if shutil.which("git") is None:
        raise UserError(f"git is needed to fetch {benchmark}, and is not on PATH; install it")
    if (_head(folder) or "").startswith(commit):
        return
    staged = folder.parent / f".{folder.name}.{os.getpid()}"
    staged.mkdir(parents=True)
    print(f"fetching {repository} at {commit[:12]} …", file=sys.stderr, flush=True)
    try:
        _git(staged, "init", "--quiet")
        if only:
            _git(staged, "sparse-checkout", "set", *only)
        _git(staged, "remote", "add", "origin", repository)
        if len(commit) == _WHOLE:
            _git(staged, "fetch", "--quiet", "--depth=1", "--filter=blob:none", "origin", commit)
        else:
            _git(staged, "fetch", "--quiet", "--filter=blob:none", "origin")
        _git(staged, "checkout", "--quiet", commit)
        if submodules:
            _git(staged, "submodule", "--quiet", "update", "--init", "--recursive", "--depth=1")
        if folder.exists():
            shutil.rmtree(folder)
        staged.rename(folder)
    except subprocess.CalledProcessError as error:
        lines = [line for line in error.stderr.strip().splitlines() if line] or ["git said nothing"]
        reason = next((line for line in lines if line.startswith("fatal")), lines[-1])
        raise UserError(
            f"cannot fetch {repository}: {reason}; mend the network, or import a copy: "
            f"solexp data import {benchmark} --from DIR"
        ) from None
    finally:
        shutil.rmtree(staged, ignore_errors=True)


def _head(folder: Path) -> str | None:
    if not (folder / ".git").exists():
        return None
    try:
        return _git(folder, "rev-parse", "HEAD").strip()
    except subprocess.CalledProcessError:
        return None


def _git(folder: Path, *arguments: str) -> str:
    # A repository that asks for a password must fail, not wait for a terminal; large files kept elsewhere stay there.
    environment = {**os.environ, "GIT_TERMINAL_PROMPT": "0", "GIT_LFS_SKIP_SMUDGE": "1"}
    done = subprocess.run(
        ["git", "-C", str(folder), *arguments],
        check=True,
        capture_output=True,
        text=True,
        env=environment,
    )
    return done.stdout
