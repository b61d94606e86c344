"""Run folders: everything a run was asked, did and found."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec
from filelock import FileLock

from solexp.core import Generation, Prompt, Task, UserError, Verdict, secrets
from solexp.core.counting import functions_of
from solexp.core.errors import nearest
from solexp.core.task import series
from solexp.store.records import (
    Appender,
    read_json,
    read_lines,
    write_atomically,
    write_json,
    write_lines,
)

SCHEMA = 1
"""Version of the run folder's form, written into its manifest."""

NAMED = 8
"""How many runs an error lists at most."""


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
    functions: int = 0
    """Functions with a name and a body in the target's contract; 0 where unknown."""
    deployed: str | None = None
    """Day of the contract's deployment as the chain recorded it, such as ``2021-03-14`` (UTC)."""
    parent: str | None = None
    """Id of the task of which this one is a function."""
    parent_hash: str | None = None

    @property
    def series(self) -> str:
        """Compiler series, such as ``0.8``."""
        return series(self.compiler)

    @classmethod
    def of(cls, task: Task) -> TaskRow:
        return cls(
            id=task.id,
            hash=task.content_hash,
            category=task.category,
            compiler=task.compiler.version,
            calls=len(task.program.calls) if task.program else 0,
            undecidable=task.undecidable,
            functions=functions_of(task),
            deployed=_deployed(task),
            parent=_fact(task, "parent"),
            parent_hash=_fact(task, "parent_hash"),
        )


def _fact(task: Task, name: str) -> str | None:
    value = task.facts.get(name)
    return None if value is None else str(value)


def _deployed(task: Task) -> str | None:
    """None for what no chain has recorded, whatever time it is replayed at."""
    if task.program is None or task.program.deployment.recorded is None:
        return None
    at = datetime.fromtimestamp(task.program.deployment.timestamp, UTC)
    return at.date().isoformat()


class RunFolder:
    """One run on disk.

    ==================== ==============================================================
    config.yaml          the composed configuration
    manifest.json        versions, hashes, seeds, host, status (running, finished, …)
    tasks.jsonl          one `TaskRow` a line
    prompts.jsonl        one `Prompt` a line, each that was sent once
    generations.jsonl    one `Generation` a line
    verdicts.jsonl       one `Verdict` a line
    together.jsonl       verdicts on contracts put together from single functions
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
        """The composed configuration as it was kept, as plain data. Raises UserError when it cannot be read."""
        from omegaconf import OmegaConf  # noqa: PLC0415  (costs start-up)

        path = self.path / "config.yaml"
        try:
            data = OmegaConf.to_container(OmegaConf.load(path), resolve=False)
        except Exception as error:  # YAML and OmegaConf have many
            reason = (str(error).splitlines() or [""])[0] or type(error).__name__
            raise UserError(f"{path}: not readable as a configuration: {reason}") from None
        return {str(key): value for key, value in data.items()} if isinstance(data, dict) else {}

    def write_config(self, config: dict[str, Any]) -> None:
        """Keep a composed configuration: secrets masked, or as the interpolations they came from."""
        from omegaconf import OmegaConf  # noqa: PLC0415  (costs start-up)

        text = OmegaConf.to_yaml(OmegaConf.create(secrets.stored(config)))
        write_atomically(self.path / "config.yaml", text.encode())

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

    def prompts(self) -> list[Prompt]:
        """Every prompt; of one that goes on from an earlier one only what it adds, see `addition`."""
        found = list(read_lines(self.path / "prompts.jsonl", Prompt))
        for prompt in found:
            if "key" in prompt.holds:
                vars(prompt)["key"] = prompt.holds["key"]
        return found

    def append_prompts(self) -> Appender:
        return Appender(self.path / "prompts.jsonl")

    def verdicts(self) -> list[Verdict]:
        return list(read_lines(self.path / "verdicts.jsonl", Verdict))

    def write_verdicts(self, verdicts: Iterable[Verdict]) -> None:
        write_lines(self.path / "verdicts.jsonl", verdicts)

    def append_verdicts(self) -> Appender:
        return Appender(self.path / "verdicts.jsonl")

    def together(self) -> list[Verdict]:
        return list(read_lines(self.path / "together.jsonl", Verdict))

    def write_together(self, verdicts: Iterable[Verdict]) -> None:
        write_lines(self.path / "together.jsonl", verdicts)

    @property
    def summary(self) -> dict[str, Any]:
        """The summary as plain data. Raises UserError when the run has not got that far."""
        return read_json(self.path / "summary.json", dict)

    def write_summary(self, summary: Any) -> None:
        """Write the summary; what comparisons have added to an earlier one stays."""
        fees: dict[str, dict[str, Any]] = {}
        with suppress(UserError):  # there is none yet, or none that can be read
            fees = self.fees()
        plain = msgspec.to_builtins(summary)
        write_json(self.path / "summary.json", {**plain, "fee": fees} if fees else plain)

    def fees(self) -> dict[str, dict[str, Any]]:
        """What comparisons have added, by the hash of the set of runs that were compared; the latest one last."""
        fees = self.summary.get("fee")
        return dict(fees) if isinstance(fees, dict) else {}

    def add_fee(self, compared: str, fee: dict[str, Any]) -> bool:
        """Add to the summary what a comparison found out, unless it is known; returns whether it was not.

        ``compared`` is the hash of the set of runs. Raises UserError where the folder cannot be written.
        """
        path = self.path / "summary.json"
        try:
            with FileLock(path.with_name(path.name + ".lock")):
                fees = self.fees()
                if compared in fees:
                    return False
                written = datetime.now(UTC).isoformat("T", "milliseconds")
                fees[compared] = {**fee, "written": written}
                write_json(path, {**self.summary, "fee": fees})
        except OSError as error:
            raise UserError(f"{self.path}: cannot be written: {error.strerror}") from None
        return True


def find_run(name: str, root: Path) -> RunFolder:
    """The run called ``name``: a path, a folder's name below ``root``, or ``latest``.

    Raises UserError naming the nearest run when there is none, and what to do when it is a sweep.
    """
    direct = Path(name)
    if (direct / "manifest.json").is_file():
        return RunFolder(direct)
    folders = _below(root)
    if name == "latest":
        if not folders:
            raise UserError(f"no runs below {root}; start one with: solexp run")
        return max(map(RunFolder, folders), key=_started)
    found = [path for path in folders if path.name == name or str(path.relative_to(root)) == name]
    if len(found) == 1:
        return RunFolder(found[0])
    if found:
        raise UserError(f"run '{name}' is ambiguous: {_some(map(str, sorted(found)))}")
    jobs = sweep_runs(name, root)
    if jobs:
        raise UserError(
            f"'{name}' is a sweep of {len(jobs)} runs; see them side by side: solexp compare {name}; "
            f"or name one of them, such as {jobs[0].path}"
        )
    names = [str(path.relative_to(root)) for path in folders]
    hint = nearest(name, {*names, *(path.parent.name for path in folders if path.parent != root)})
    if not hint.startswith("did you mean"):
        newest = sorted(names, reverse=True)
        hint = f"choose from: {_some(newest)}" if newest else "start one with: solexp run"
    raise UserError(f"no run '{name}' below {root}; {hint}")


def sweep_runs(name: str, root: Path) -> list[RunFolder]:
    """The runs of the sweep whose folder ``name`` is, as a path or below ``root``, in order; none for anything else."""
    for folder in (Path(name), root / name):
        if folder.is_dir() and not (folder / "manifest.json").exists():
            jobs = [path.parent for path in folder.glob("*/manifest.json")]
            if jobs:
                return [RunFolder(path) for path in sorted(jobs, key=_job)]
    return []


def latest_sweep(root: Path) -> list[RunFolder]:
    """The runs of the sweep below ``root`` that was started last, in order. Raises UserError when there is none."""
    jobs = [run for run in map(RunFolder, _below(root)) if _noted(run).get("sweep_id")]
    if not jobs:
        raise UserError(
            f"no sweep below {root}; name the runs to compare, or start one with: solexp run -m"
        )
    last = max(jobs, key=_started)
    return sweep_runs(str(last.path.parent), root)


def _noted(run: RunFolder) -> dict[str, Any]:
    """A run's manifest; empty when it cannot be read, which is no other run's trouble."""
    try:
        return run.manifest
    except UserError:
        return {}


def _started(run: RunFolder) -> str:
    return str(_noted(run).get("started", ""))


def _below(root: Path) -> list[Path]:
    return [path.parent for path in root.rglob("manifest.json")] if root.is_dir() else []


def _job(folder: Path) -> tuple[int, str]:
    """Jobs in the order of their numbers, 2 before 10."""
    return (int(folder.name) if folder.name.isdecimal() else -1, folder.name)


def _some(names: Iterable[str]) -> str:
    """The first few names, and how many there are besides."""
    known = list(names)
    more = f" and {len(known) - NAMED} more" if len(known) > NAMED else ""
    return ", ".join(known[:NAMED]) + more


def addition(prompt: Prompt) -> Prompt:
    """A prompt as it is kept: of one that goes on from an earlier one, which its ``holds`` name under ``follows``, only
    its last ``fresh`` messages, and the key of the whole. A long conversation would be kept once for each of its turns.
    """
    if not prompt.holds.get("follows"):
        return prompt
    fresh = prompt.holds["fresh"]
    return msgspec.structs.replace(
        prompt,
        messages=prompt.messages[len(prompt.messages) - fresh :],
        tools=msgspec.UNSET,
        holds={**prompt.holds, "key": prompt.key},
    )
