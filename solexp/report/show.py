"""What `solexp show` prints, and a sweep at its end."""

from __future__ import annotations

import os
import platform
import shlex
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO, Any

from solexp.core import UserError
from solexp.report import beside, cvts, levels, oracles, tables
from solexp.store.runfolder import RunFolder

_FACTS = ("status", "name", "started", "ended", "choices", "overrides", "halted", "error")
_GROUPS = ("experiments", "benchmark", "model", "strategy", "sampling", "oracle")


def summary_data(folder: RunFolder) -> dict[str, Any]:
    """The summary as plain data, with the run's own facts under ``run``.

    Raises UserError when the run has no summary, saying whether one is to come and what to do.
    """
    manifest = folder.manifest
    if not (folder.path / "summary.json").is_file():
        raise UserError(_without_summary(folder, manifest))
    facts = {name: manifest[name] for name in _FACTS if manifest.get(name) is not None}
    return {"run": {"folder": str(folder.path), **facts}, **folder.summary}


def print_summary(folder: RunFolder, file: IO[str] | None = None) -> None:
    """Print a run's result as a person reads it."""
    file = file or sys.stdout
    data = summary_data(folder)
    run = data["run"]
    print(f"{run.get('name', folder.name)}: {run.get('status', 'unknown')}", file=file)
    choices = dict(sorted((run.get("choices") or {}).items(), key=_place))
    if choices:
        print(
            "  ".join(f"{group}={_option(option)}" for group, option in choices.items()), file=file
        )
    by_axes = tables.axes(data["metrics"])
    calibration, behaviour = data.get("calibration"), data.get("behaviour")
    grids = (
        tables.scores(data["metrics"]),
        levels.functions(data["metrics"]),
        levels.rounds(data["metrics"]),
        tables.parts(data["metrics"]),
        beside.sizes(data["metrics"], data.get("seconds") or {}),
        by_axes,
        tables.failing_axes(data.get("failing_axes", {})),
        tables.compile_errors(data.get("compile_errors", {})),
        tables.reasons(data.get("reasons", {})),
        tables.open_tasks(data.get("open_tasks", {})),
        beside.detectors(data.get("detectors", {})),
        cvts.scores(data["metrics"]),
        cvts.untranslated(data.get("cvt")),
        oracles.paper_regions(behaviour),
        oracles.regions(behaviour),
        oracles.faults(calibration, behaviour),
        oracles.recall(calibration, behaviour, data.get("seconds")),
    )
    for grid in grids:
        if grid is not None and grid.rows:
            print(file=file)
            tables.draw(grid, file)
    print(file=file)
    if by_axes is not None and not by_axes.rows:
        print("axes: Pass is the same whichever choice of axes decides", file=file)
    for line in _lines(data):
        print(line, file=file)
    print(f"run folder: {folder.path}", file=file)


def _without_summary(folder: RunFolder, manifest: Mapping[str, Any]) -> str:
    """Whether a run without a result is still at work, and what to do if not."""
    judged = len({row.task_id for row in folder.verdicts()})
    done = f"{judged} of {len(folder.tasks())} tasks judged"
    host = manifest.get("host") or {}
    pid, name = host.get("pid"), host.get("name")
    running = manifest.get("status") == "running"
    if running and name == platform.node() and _works(pid):
        return f"{folder.path}: still running as process {pid}, {done}; its result is there when it ends"
    if running and name != platform.node():
        state = f"has no result: it runs on {name}, or was killed there"
    elif manifest.get("error"):
        state = f"failed before it had a result ({manifest['error']})"
    else:
        state = "was killed before it had a result"
    command = shlex.join(map(str, manifest.get("command") or ("solexp", "run")))
    return (
        f"{folder.path}: {state}, {done}; start it again, what was done is kept: {command}; "
        f"or publish what there is: solexp track {folder.path}"
    )


def _works(pid: object) -> bool:
    """Whether a process of this machine is alive and, as far as the system tells, runs Python."""
    if not isinstance(pid, int):
        return False
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass
    try:
        # Numbers are given again, above all in containers.
        words = Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return True
    return b"python" in words or b"solexp" in words


def _place(choice: tuple[str, Any]) -> int:
    return _GROUPS.index(choice[0]) if choice[0] in _GROUPS else len(_GROUPS)


def _option(option: Any) -> str:
    return "[" + ",".join(map(str, option)) + "]" if isinstance(option, list) else str(option)


def _lines(data: dict[str, Any]) -> list[str]:
    outcomes = ", ".join(f"{count} {outcome}" for outcome, count in data["outcomes"].items())
    lines = [
        f"{data['candidates']} candidates of {data['tasks']} tasks "
        f"({data['decidable_tasks']} decidable): {outcomes or 'nothing judged'}"
    ]
    if data.get("unjudged"):
        lines.append(f"{data['unjudged']} candidates are not fully judged and in no score")
    if data.get("missing_tasks"):
        missing = data["missing_tasks"]
        lines.append(f"{len(missing)} tasks have no sample to score: {_some(missing)}")
    lines += beside.lines(data["metrics"])
    lines += cvts.lines(data["metrics"], data.get("cvt"))
    lines += oracles.beside(data.get("behaviour"))
    if data.get("behaviour"):
        lines += oracles.explained(data.get("calibration"))
    fidelity = data.get("fidelity") or {}
    if fidelity.get("calls"):
        lines.append(
            f"fidelity: the originals reproduce {fidelity['statuses']} of {fidelity['calls']} "
            f"recorded statuses, all of them on {fidelity['exact_tasks']} of "
            f"{fidelity['tasks']} tasks; and {fidelity['gas']} of {fidelity['successes']} gas figures"
        )
    gas = data.get("gas") or {}
    if gas.get("flagged") or gas.get("passing_out_of_gas"):
        lines.append(
            f"gas: {gas['flagged']} candidates off by more than the tolerance; "
            f"{gas['passing_out_of_gas']} passing ones would run out at a recorded limit"
        )
    lines += beside.workspaces(data.get("workspaces"))
    usage = data.get("usage") or {}
    if usage.get("completion_tokens") is not None:
        cost = f", {usage['cost_usd']:.4f} USD" if usage.get("cost_usd") is not None else ""
        lines.append(
            f"tokens: {usage.get('prompt_tokens')} in, {usage['completion_tokens']} out{cost}"
        )
    return lines


def _some(names: Sequence[str], most: int = 5) -> str:
    return ", ".join(names[:most]) + (f" and {len(names) - most} more" if len(names) > most else "")


def print_comparison(folders: Sequence[RunFolder], file: IO[str] | None = None) -> None:
    """Print several runs side by side, each under what tells it from the others."""
    file = file or sys.stdout
    manifests = [folder.manifest for folder in folders]
    overrides = [set(map(str, manifest.get("overrides") or ())) for manifest in manifests]
    common = set.intersection(*overrides) if overrides else set()
    runs: list[tuple[str, dict[str, Any]]] = []
    for folder, manifest in zip(folders, manifests, strict=True):
        own = [str(o) for o in manifest.get("overrides") or () if str(o) not in common]
        label = " ".join(own) or str(manifest.get("name") or folder.name)
        status = str(manifest.get("status", "unknown"))
        if status != "finished":
            label += f" ({status})"
        has_summary = (folder.path / "summary.json").is_file()
        runs.append((label, folder.summary if has_summary else {}))
    tables.draw(tables.comparison(runs), file)
