"""How far a run has come: a bar on a terminal, plain lines elsewhere."""

from __future__ import annotations

import sys
import time

from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn
from rich.progress import Progress as Bar

_QUIET_SECONDS = 10.0
"""Plain lines come no closer together than this."""


class Progress:
    """Counts steps of ``what``. Writes to standard error only."""

    def __init__(self, what: str) -> None:
        self._what = what
        self._total = 0
        self._done = 0
        self._last = time.monotonic()
        self._bar: Bar | None = None
        if sys.stderr.isatty():
            from rich.console import Console  # noqa: PLC0415

            self._bar = Bar(
                TextColumn("{task.description:>12}"),
                BarColumn(),
                MofNCompleteColumn(),
                TimeElapsedColumn(),
                console=Console(stderr=True),
                transient=True,
            )
            self._task = self._bar.add_task(what, total=None)

    def __enter__(self) -> Progress:
        if self._bar:
            self._bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._bar:
            self._bar.stop()

    def total(self, steps: int) -> None:
        """Say how many steps there will be."""
        self._total = steps
        if self._bar:
            self._bar.update(self._task, total=steps)

    def advance(self) -> None:
        """One step is done."""
        self._done += 1
        if self._bar:
            self._bar.advance(self._task)
        elif time.monotonic() - self._last > _QUIET_SECONDS and self._done < self._total:
            self._last = time.monotonic()
            print(f"{self._what} {self._done}/{self._total}", file=sys.stderr, flush=True)
