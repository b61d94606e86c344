"""Folders into which one process at a time writes."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from filelock import FileLock, Timeout

from solexp.core import UserError


@contextmanager
def alone(folder: Path, verb: str) -> Iterator[None]:
    """The folder, made where it is not there, for this process alone; ``verb`` is what `solexp data` is told to do.

    Raises UserError while another process that asks for the same has it, and where it cannot be written.
    """
    lock = FileLock(folder / ".lock")
    made = not folder.exists()
    with writing(folder, verb):
        folder.mkdir(parents=True, exist_ok=True)
        try:
            lock.acquire(timeout=0)
        except Timeout:
            raise UserError(
                f"data {verb}: another {verb} into {folder} is under way; wait for it, or give another --out"
            ) from None
    try:
        yield
    finally:
        # Before others can have it: who waits for it then notices.
        (folder / ".lock").unlink(missing_ok=True)
        lock.release()
        if made:
            # Nothing was written into it.
            with suppress(OSError):
                folder.rmdir()


@contextmanager
def writing(folder: Path, verb: str) -> Iterator[None]:
    """Raises UserError where the folder cannot be written."""
    try:
        yield
    except OSError as error:
        raise UserError(
            f"data {verb}: {error.filename or folder} cannot be written: {error.strerror or error}; "
            "mend that, or give another --out"
        ) from None
