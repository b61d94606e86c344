"""The files of a workspace as an agent works on them: in memory, so that no path leads anywhere else."""

from __future__ import annotations

from collections.abc import Callable

from solexp.core import Task, UserError, Workspace
from solexp.sandbox.workspace import check_path
from solexp.strategies.agent.actions import Action

MOST_FILES = 200
MOST_BYTES = 2 << 20
"""What a workspace may hold."""


def workspace_of(task: Task) -> Workspace:
    """The workspace of a task. Raises UserError for a task that has none."""
    if not isinstance(task.workspace, Workspace):
        raise UserError(
            f"strategy: {task.benchmark}'s tasks have no workspace for an agent; choose strategy=function, or "
            "benchmark=solidity_eval"
        )
    return task.workspace


class Desk:
    """The files, and what the tools that concern them alone say. Depends on nothing but what is done."""

    def __init__(self, files: dict[str, str]) -> None:
        self.files = dict(files)

    def act(self, action: Action) -> str | None:
        """What comes of an action; None of one that is not about files."""
        if action.wrong is not None:
            return f"error: {action.wrong}"
        tools: dict[str, Callable[..., str]] = {
            "list": self._list,
            "read": self._read,
            "write": self._write,
            "edit": self._edit,
        }
        tool = tools.get(action.tool)
        if tool is None:
            return None
        try:
            if "path" in action.arguments:
                check_path(action.arguments["path"])
            return tool(**action.arguments)
        except ValueError as error:
            return f"error: {error}"

    def _list(self) -> str:
        return "\n".join(
            f"{path} ({len(text)} characters)" for path, text in sorted(self.files.items())
        )

    def _text(self, path: str) -> str:
        if path not in self.files:
            raise ValueError(
                f"there is no file {path}; there are {', '.join(sorted(self.files))[:500]}"
            )
        return self.files[path]

    def _read(self, path: str, first: int = 1, last: int | None = None) -> str:
        lines = self._text(path).splitlines(keepends=True)
        if first < 1 or (last is not None and last < first):
            raise ValueError(f"{path} has lines 1 to {len(lines)}")
        return "".join(lines[first - 1 : last])

    def _write(self, path: str, content: str) -> str:
        self._put(path, content)
        return f"written: {path}"

    def _edit(self, path: str, old: str, new: str) -> str:
        text = self._text(path)
        found = text.count(old) if old else 0
        if found != 1:
            raise ValueError(f"'old' occurs {found} times in {path}; it must occur exactly once")
        self._put(path, text.replace(old, new))
        return f"edited: {path}"

    def _put(self, path: str, text: str) -> None:
        below = f"{path}/"
        for other in self.files:
            if other.startswith(below) or path.startswith(f"{other}/"):
                raise ValueError(f"{other} is there already: a file cannot be a folder as well")
        size = sum(len(each.encode()) for other, each in self.files.items() if other != path)
        if size + len(text.encode()) > MOST_BYTES:
            raise ValueError(f"the workspace is full: it holds at most {MOST_BYTES >> 20} MB")
        if path not in self.files and len(self.files) >= MOST_FILES:
            raise ValueError(f"the workspace is full: it holds at most {MOST_FILES} files")
        self.files[path] = text
