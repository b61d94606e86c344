"""Run folders: everything a run was asked, did and found."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import msgspec

from solexp.core import Generation, Task, UserError, Verdict
from solexp.core.errors import nearest
from solexp.store.records import Appender, read_json, read_lines, write_json, write_lines

SCHEMA = 1
"""Version of the run folder's form, written into its manifest."""


class TaskRow(msgspec.Struct, frozen=True, kw_only=True):
    """What a run remembers of a task: a line of ``tasks.jsonl``. The task itself stays with its benchmark."""

    id: str
    hash: str
    category: str | None = None
    compiler: str = ""
    """Exact compiler release, such as ``0.8.17``."""
    calls: int = 0
    """Recorded calls that the task brings."""
    undecidable: str | None = None

    @property
    def series(self) -> str:
        """Compiler series, such as ``0.8``."""
        return ".".join(self.compiler.split(".")[:2])

    @classmethod
    def of(cls, task: Task) -> TaskRow:
        return cls(
            id=task.id,
            hash=task.content_hash,
            category=task.category,
            compiler=task.compiler.version,
            calls=len(task.program.calls) if task.program else 0,
            undecidable=task.undecidable,
        )


class RunFolder:
    """One run on disk.

    ==================== ==============================================================
    config.yaml          the composed configuration
    manifest.json        versions, hashes, seeds, host, status (running, finished, …)
    tasks.jsonl          one `TaskRow` a line
    generations.jsonl    one `Generation` a line
    verdicts.jsonl       one `Verdict` a line
    summary.json         metrics with intervals, outcomes
    solexp.log           the log
    tracking.json        where the run was published
    ==================== ==============================================================
    """

    def __init__(self, path: Path) -> None:
        self.path = path

    @property
    def name(self) -> str:
        return self.path.name

    @property
    def manifest(self) -> dict[str, Any]:
        """The manifest. Raises UserError when this is no run folder, or one of a newer solexp."""
        manifest = read_json(self.path / "manifest.json", dict)
        if manifest.get("schema") != SCHEMA:
            raise UserError(
                f"{self.path}: run folder has schema {manifest.get('schema')!r}, this solexp reads "
                f"{SCHEMA}; use the solexp that wrote it ({manifest.get('solexp')})"
            )
        return manifest

    def write_manifest(self, manifest: dict[str, Any]) -> None:
        write_json(self.path / "manifest.json", {"schema": SCHEMA, **manifest})

    def update_manifest(self, **fields: Any) -> None:
        self.write_manifest({**self.manifest, **fields})

    @property
    def config(self) -> dict[str, Any]:
        """The composed configuration as plain data."""
        from omegaconf import OmegaConf  # noqa: PLC0415  (costs start-up)

        data = OmegaConf.to_container(OmegaConf.load(self.path / "config.yaml"), resolve=False)
        return {str(key): value for key, value in data.items()} if isinstance(data, dict) else {}

    def tasks(self) -> list[TaskRow]:
        return list(read_lines(self.path / "tasks.jsonl", TaskRow))

    def write_tasks(self, tasks: Iterable[Task]) -> None:
        write_lines(self.path / "tasks.jsonl", map(TaskRow.of, tasks))

    def generations(self) -> list[Generation]:
        return list(read_lines(self.path / "generations.jsonl", Generation))

    def write_generations(self, generations: Iterable[Generation]) -> None:
        write_lines(self.path / "generations.jsonl", generations)

    def append_generations(self) -> Appender:
        return Appender(self.path / "generations.jsonl")

    def verdicts(self) -> list[Verdict]:
        return list(read_lines(self.path / "verdicts.jsonl", Verdict))

    def write_verdicts(self, verdicts: Iterable[Verdict]) -> None:
        write_lines(self.path / "verdicts.jsonl", verdicts)

    def append_verdicts(self) -> Appender:
        return Appender(self.path / "verdicts.jsonl")

    @property
    def summary(self) -> dict[str, Any]:
        """The summary as plain data. Raises UserError when the run has not got that far."""
        return read_json(self.path / "summary.json", dict)

    def write_summary(self, summary: Any) -> None:
        write_json(self.path / "summary.json", summary)


def find_run(name: str, root: Path) -> RunFolder:
    """The run called ``name``: a path, a folder's name below ``root``, or ``latest``.

    Raises UserError naming the nearest run when there is none.
    """
    direct = Path(name)
    if (direct / "manifest.json").is_file():
        return RunFolder(direct)
    folders = [path.parent for path in root.rglob("manifest.json")] if root.is_dir() else []
    if name == "latest":
        if not folders:
            raise UserError(f"no runs below {root}; start one with: solexp run")
        return max(map(RunFolder, folders), key=lambda run: str(run.manifest.get("started")))
    found = [path for path in folders if path.name == name or str(path.relative_to(root)) == name]
    if len(found) == 1:
        return RunFolder(found[0])
    if found:
        raise UserError(f"run '{name}' is ambiguous: " + ", ".join(map(str, sorted(found))))
    raise UserError(f"no run '{name}' below {root}; {nearest(name, [p.name for p in folders])}")
