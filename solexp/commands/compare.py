"""`solexp compare`: cells of an ablation against a baseline."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import msgspec

from solexp.commands.runs import runs_root, tracking_of, write_file
from solexp.core import ToolError, UserError, secrets
from solexp.report.compare import compare_runs
from solexp.report.compare.fees import FeeTable
from solexp.report.compare.files import as_csv, as_latex
from solexp.report.compare.text import print_comparisons
from solexp.report.pictures import picture_format
from solexp.store import RunFolder
from solexp.store.runfolder import find_run, latest_sweep, sweep_runs


def compare(command: argparse.Namespace) -> int:
    """Print the comparison, and write it where it is asked for."""
    metrics = [name for name in (command.metric or "").split(",") if name]
    comparisons = compare_runs(_folders(command), metrics=metrics, baseline=command.baseline)
    if command.json:
        print(msgspec.json.format(msgspec.json.encode(comparisons), indent=2).decode())
    else:
        print_comparisons(comparisons, sys.stdout)
    if command.csv:
        write_file(command.csv, as_csv(comparisons).encode())
    if command.latex:
        write_file(command.latex, as_latex(comparisons).encode())
    if command.plot:
        from solexp.report.compare.plot import draw  # noqa: PLC0415  (half a second)

        write_file(command.plot, draw(comparisons, picture_format(command.plot)))
    if not command.read_only and (found := comparisons[0].fee) is not None and found.tasks:
        _add_fees(found)
    return 0


def _add_fees(found: FeeTable) -> None:
    """Write each run's fee to its summary, and to MLflow where it was published. What fails is a warning."""
    runs = [row.folder for row in found.rows]
    new = 0
    for row in found.rows:
        folder = RunFolder(Path(row.folder))
        fee = {
            "value": row.value,
            "tasks": found.tasks,
            "solved_by_all": found.solved_by_all,
            "saving_median": row.saving_median,
            "coverage": row.coverage,
            "runs": runs,
        }
        try:
            new += folder.add_fee(found.set, msgspec.to_builtins(fee))
            _publish_fees(folder)
        except (UserError, ToolError) as error:
            print(f"solexp: {secrets.redact(str(error))}", file=sys.stderr)
    if new:
        print(f"fee written to the summaries of {new} runs", file=sys.stderr)


def _publish_fees(folder: RunFolder) -> None:
    from solexp.tracking.fees import lacks_fees, publish_fees  # noqa: PLC0415  (costs start-up)

    if lacks_fees(folder) and (settings := tracking_of(folder)).enabled:
        publish_fees(folder, settings)


def _folders(command: argparse.Namespace) -> list[RunFolder]:
    root = runs_root()
    names = [*command.run, *([command.sweep] if command.sweep else [])]
    if not names:
        raise UserError("compare: name runs or a sweep's folder, or take the last: --sweep latest")
    folders: list[RunFolder] = []
    for name in names:
        if name == "latest" and (name == command.sweep or len(names) == 1):
            folders += latest_sweep(root)
        elif name == command.sweep:
            found = sweep_runs(name, root)
            if not found:
                raise UserError(f"--sweep {name}: no such sweep below {root}; see: ls {root}")
            folders += found
        else:
            folders += sweep_runs(name, root) or [find_run(name, root)]
    return list({folder.path.resolve(): folder for folder in folders}.values())
