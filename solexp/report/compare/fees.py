"""SolEval's Fee among the cells of a comparison, with what is needed to write it back to their runs."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from solexp.metrics.gas import RunGas, fee
from solexp.metrics.scores import Metric
from solexp.report.compare.cells import Cell


class FeeRow(msgspec.Struct, frozen=True, kw_only=True):
    """One cell."""

    label: str
    folder: str
    value: float
    """The Fee: Σ (f − f′) in gas, positive where candidates are cheaper than references."""
    saving_median: Metric | None
    """Over the same tasks, the median share of the reference's gas that is saved."""
    coverage: Metric | None
    """Of all samples of this cell that solve a task, the share that was measured."""
    solved: int
    """Tasks that this cell solves."""


class FeeTable(msgspec.Struct, frozen=True, kw_only=True):
    """The Fees of cells that are compared with each other; see `solexp.metrics.gas.fee`."""

    set: str
    """Hash of the measured gas of all cells: the Fee of a run is only one beside these others."""
    tasks: int
    """Tasks that the Fee is over: those that every cell solves, and that were measured."""
    solved_by_all: int
    rows: tuple[FeeRow, ...]


def fee_table(cells: Sequence[Cell]) -> FeeTable | str | None:
    """The Fee of each of ``cells``; None where no gas was measured, and a line that says why there is none else."""
    # Whatever the baseline, equal sets have equal intervals.
    seed = min(int((c.folder.manifest.get("seeds") or {}).get("run") or 0) for c in cells)
    measured: list[RunGas] = [cell.gas for cell in cells if cell.gas is not None]
    if not measured:
        return None
    if len(measured) < len(cells):
        without = next(cell.label for cell in cells if cell.gas is None)
        return f"no fee: the oracle gas was not asked in {without}"
    if any(cell.units[task] != task for cell in cells for task in cell.units):
        return "no fee: the cells are compared by contract, and gas is measured by function"
    try:
        found = fee(measured, seed=seed)
    except ValueError as error:
        return (
            f"no fee: the reference of {error} was not measured alike in all cells; judge them again "
            "with the same settings and tools: solexp rescore"
        )
    first = found.fees[0]
    return FeeTable(
        set=found.hash,
        tasks=first.tasks,
        solved_by_all=first.solved_by_all,
        rows=tuple(
            FeeRow(
                label=cell.label,
                folder=str(cell.folder.path),
                value=each.value,
                saving_median=each.saving_median,
                coverage=each.coverage,
                solved=len(gas.solved),
            )
            for cell, gas, each in zip(cells, measured, found.fees, strict=True)
        ),
    )
