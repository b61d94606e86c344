"""The context that a benchmark gives, and none at all."""

from __future__ import annotations

from typing import Any

from solexp.core import Task


class Given:
    """The definitions that come with the task."""

    def fingerprint(self) -> dict[str, Any]:
        return {"context": "given"}

    def text(self, task: Task) -> str:
        return task.context


class NoContext:
    """Nothing."""

    def fingerprint(self) -> dict[str, Any]:
        return {"context": "none"}

    def text(self, task: Task) -> str:  # noqa: ARG002
        return ""
