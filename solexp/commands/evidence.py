"""What one sample's verdicts stand on: `solexp show --task`, and `solexp repro`."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from omegaconf import OmegaConf

from solexp.config.compose import plain
from solexp.core import UserError, Verdict
from solexp.report.evidence import (
    chosen,
    print_sample,
    print_samples,
    run_project,
    samples_data,
    shown,
    write_project,
)
from solexp.report.samples import Remade, find_sample, find_task, remake, verdicts_of
from solexp.report.transcript import print_transcript
from solexp.solidity.compiler import Compiler
from solexp.store import RunFolder
from solexp.store.runfolder import TaskRow, find_run

_NEEDED = ("benchmark", "strategy", "seed")


def show_sample(folder: RunFolder, task: str, sample: str | None, *, as_json: bool = False) -> int:
    """Print the samples of a task, or the verdicts on one of them with the calls that decide them; returns 0."""
    row = find_task(folder, task)
    found = verdicts_of(folder, row)
    place = None if sample is None else find_sample(found, sample)
    if as_json:
        wanted = found if place is None else {place: found[place]}
        print(json.dumps(samples_data(wanted), indent=2))
        return 0
    if place is None:
        print_samples(found, row, sys.stdout)
        return 0
    verdicts = found[place]
    remade: Remade | str = "nothing to show"
    if any(said.counterexample is not None for said in verdicts):
        try:
            remade = _remade(folder, row, verdicts[0])
        except UserError as error:
            remade = f"its calls cannot be shown: {error}"
    with Compiler() as compiler:
        print_sample(folder, verdicts, remade, compiler=compiler, file=sys.stdout)
    print_transcript(folder, verdicts[0], sys.stdout)
    return 0


def repro(command: argparse.Namespace, runs: Path) -> int:
    """Write the Foundry project that shows a sample's divergence, and run it if asked to; returns the status."""
    folder = find_run(command.run, runs)
    row = find_task(folder, command.task)
    found = verdicts_of(folder, row)
    said = chosen(found[find_sample(found, command.sample)], command.oracle)
    out = Path(command.out)
    with Compiler() as compiler:
        remade = _remade(folder, row, said)
        seen = write_project(folder, said, remade, compiler, out, whole=command.whole)
        told = shown(seen)
        print(f"{said.oracle}: {told.what}: expected {told.expected}, got {told.got}")
        print(f"written to {out}: {_calls(len(seen.program.calls))}")
        if not command.run_it:
            print(f"run it: cd {out} && forge test")
            return 0
        ended = dict(run_project(out, compiler))
    for name, reason in sorted(ended.items(), reverse=True):
        print(f"{name}: {'passes' if reason is None else f'fails: {reason}'}")
    right = ended.get("test_original", "") is None and ended.get("test_candidate") is not None
    return 0 if right else 1


def _calls(count: int) -> str:
    return "no call but the deployment" if not count else f"{count} call{'s' * (count > 1)}"


def _remade(folder: RunFolder, row: TaskRow, said: Verdict) -> Remade:
    return remake(folder, _parts(folder), row, said)


def _parts(folder: RunFolder) -> dict[str, Any]:
    """Of the run's configuration, what made its tasks and read its replies."""
    stored = folder.config
    missing = [name for name in _NEEDED if name not in stored]
    if missing:
        raise UserError(f"{folder.path}: its configuration has no {missing[0]}")
    return plain(OmegaConf.create({name: stored[name] for name in _NEEDED}))
