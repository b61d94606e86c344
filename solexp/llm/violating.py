"""Models whose answers are contract-violating tests: Z3, and generators whose tests were released."""

from __future__ import annotations

from collections import defaultdict
from functools import cached_property
from pathlib import Path
from typing import Any

import msgspec

from solexp.core import Completion, Task, UserError
from solexp.core.errors import nearest
from solexp.core.hashing import content_hash
from solexp.llm.model import Request
from solexp.python.expected import preconditions_of
from solexp.violations.cvts import CvtSet, encode
from solexp.violations.generated import fingerprint, generated
from solexp.violations.released import SOURCES, Rows, Source, read_rows, rows_by_task


class Z3:
    """Answers with tests that violate a Python function's preconditions, found by a solver; needs no language model.

    The contract is translated by its syntax tree (`solexp.violations.python`); what cannot be expressed is refused by
    name.
    """

    paid = False
    answers = "tests"

    def __init__(self, **settings: Any) -> None:
        """``settings`` are those of `solexp.violations.python.Settings`. Raises UserError for one that there is not."""
        # z3 costs a quarter of a second to import.
        from solexp.violations.python import Settings  # noqa: PLC0415

        for name in settings:
            if name not in Settings.__struct_fields__:
                raise UserError(
                    f"model.{name}: no such setting; {nearest(name, Settings.__struct_fields__)}"
                )
        try:
            self.settings = msgspec.convert(settings, Settings)
        except (msgspec.ValidationError, ValueError) as error:
            raise UserError(f"model: {error}") from None

    def fingerprint(self, task: Task) -> dict[str, object]:
        pre = preconditions_of(task)
        return {"model": "z3", "contract": content_hash(pre), **fingerprint(self.settings)}

    def complete(self, request: Request) -> Completion:
        found = generated(preconditions_of(request.task), self.settings)
        return Completion(text=encode(found.tests), seconds=found.cpu_s)


class RecordedCvts:
    """Answers with the tests that ContractEval's release holds, or with its programs for the solver.

    Inputs are as they were released. JSON has no tuples, and only strings as keys: a test whose tuples became lists may
    violate another assertion than the one it was made for, and counts against its generator, as it did in the release.
    """

    paid = False
    answers = "tests"

    def __init__(self, source: Source = "verified", path: str | None = None) -> None:
        """``path`` is the folder of the release's files as JSON lines; see `SOURCES` for what ``source`` may be."""
        if source not in SOURCES:
            raise UserError(f"model.source: no '{source}'; {nearest(source, SOURCES)}")
        if path is None:
            raise UserError("model.path: give the folder of the released tests")
        self.source = source
        self.folder = Path(path).expanduser()

    @cached_property
    def _rows(self) -> dict[str, Rows]:
        """The released rows by task."""
        found: dict[str, Rows] = defaultdict(list)
        for name in SOURCES[self.source][0]:
            path = self.folder / f"{name}.jsonl.gz"
            try:
                for task, rows in rows_by_task(path).items():
                    found[task] += rows
            except FileNotFoundError:
                raise UserError(
                    f"model.path: there is no {path}; give the folder of the released tests"
                ) from None
        return found

    def fingerprint(self, task: Task) -> dict[str, object]:
        rows = self._rows.get(task.id, [])
        return {
            "model": "recorded_cvts",
            "version": 1,
            "source": self.source,
            "rows": content_hash(rows),
        }

    def complete(self, request: Request) -> Completion:
        """The recorded tests, as one reply; no tests where the release holds nothing of a task."""
        rows = self._rows.get(request.task.id)
        if not rows:
            return Completion(text=encode(CvtSet()))
        read = SOURCES[self.source][1]
        text = read_rows(read, rows, preconditions_of(request.task), self.folder, request.task.id)
        return Completion(text=text)
