"""What runs in the process that makes tests of contracts: one contract in, its tests out."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from solexp.core.preconditions import Preconditions
from solexp.violations.forking import serve
from solexp.violations.python import Generated, Settings, generate


class Task(msgspec.Struct, frozen=True, kw_only=True):
    """A contract, and how far to search."""

    preconditions: Preconditions
    settings: Settings


def answer(task: Any) -> Iterator[Generated]:
    """The one answer to a task."""
    asked = msgspec.json.decode(task, type=Task)
    yield generate(asked.preconditions, asked.settings)


if __name__ == "__main__":
    serve(answer)
