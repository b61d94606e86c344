"""Regions between oracles in a comparison: one row a cell, in print, CSV and LaTeX."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from pathlib import Path

from solexp.core import Batch, Outcome, Verdict
from solexp.metrics.summary import summarise
from solexp.report.compare import compare_runs
from solexp.report.compare.files import as_csv, as_latex
from solexp.report.compare.text import print_comparisons
from solexp.store.runfolder import RunFolder
from tests.report.compare.made_cells import make_cell

BATCH = Batch(name="greedy", n=1, ks=(1,))
TASKS = ["a", "b", "c", "d"]
ORACLES = ("fuzz", "replay", "dcr")


def made(path: Path, model: str, flagged: Mapping[str, tuple[str, ...]]) -> RunFolder:
    """A run of which these oracles flag the tasks' only samples, and evaluate what is in ``flagged``."""
    folder = make_cell(path, {task: [True] for task in TASKS}, {"model": model})
    rows = folder.verdicts()
    for task in TASKS:
        for oracle in ORACLES:
            outcome = Outcome.UNDECIDABLE
            if task in flagged:
                outcome = Outcome.FAIL if oracle in flagged[task] else Outcome.PASS
            rows.append(
                Verdict(
                    task_id=task, batch="greedy", repeat=0, index=0, oracle=oracle, outcome=outcome
                )
            )
    folder.write_verdicts(rows)
    decides = dict.fromkeys(("compile", *ORACLES), True)
    folder.write_summary(summarise(folder.tasks(), rows, [BATCH], seed=1, oracles=decides))
    return folder


def test_each_cell_has_a_row_with_what_only_some_oracles_flag(tmp_path: Path) -> None:
    cells = [
        made(tmp_path / "s" / "0", "first", {"a": ("fuzz",), "b": ("fuzz", "dcr"), "c": ()}),
        made(tmp_path / "s" / "1", "second", {"a": ORACLES, "b": ("replay",)}),
    ]
    found = compare_runs(cells)

    out = io.StringIO()
    print_comparisons(found, out)
    table = out.getvalue().split("Flagged by O1 fuzz, O2 replay, O3 dcr")[1].splitlines()
    assert " ".join(table[1].split()) == (
        "cell evaluated O1 only O2 only O3 only O1+O2 O1+O3 O2+O3 O1+O2+O3 none"
    )
    assert " ".join(table[3].split()) == (
        "model=first 3 (3) 1 (1) 0 (0) 0 (0) 0 (0) 1 (1) 0 (0) 0 (0) 1 (1)"
    )
    assert " ".join(table[4].split()) == (
        "model=second 2 (2) 0 (0) 1 (1) 0 (0) 0 (0) 0 (0) 0 (0) 1 (1) 0 (0)"
    )

    lines = [
        line for line in csv.DictReader(io.StringIO(as_csv(found))) if line["kind"] == "region"
    ]
    assert len(lines) == 2 * 8 * 2
    shares = {
        line["metric"]: (float(line["score"]), line["score_tasks"])
        for line in lines
        if line["name"] == "model=second"
    }
    assert shares["candidates.replay"] == (0.5, "2")
    assert shares["tasks.fuzz+replay+dcr"] == (0.5, "2")
    assert shares["candidates.none"] == (0.0, "2")
    assert "O1+O2+O3" in as_latex(found)


def test_one_cell_alone_has_no_table_of_regions(tmp_path: Path) -> None:
    with_all = made(tmp_path / "s" / "0", "first", {"a": ("fuzz",)})
    without = make_cell(tmp_path / "s" / "1", {task: [True] for task in TASKS}, {"model": "second"})
    assert all(not each.regions for each in compare_runs([with_all, without]))
