"""A comparison as plain data: scores, paired differences, effects, and Holm's correction over a family."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from solexp.core import UserError
from solexp.core.errors import nearest
from solexp.metrics.bytask import is_single, restricted, task_scores
from solexp.metrics.effects import Effect, Factor, effects, missing
from solexp.metrics.estimators import bootstrap, wilson
from solexp.metrics.paired import Difference, compare, holm
from solexp.metrics.plan import Plan
from solexp.metrics.scores import Counts, Metric, metric_at_k
from solexp.report.compare.cells import Cell, read_cells, short_names
from solexp.report.compare.cvts import CvtRow, cvt_rows
from solexp.report.compare.fees import FeeTable, fee_table
from solexp.report.compare.regions import RegionRow, region_rows
from solexp.store.runfolder import RunFolder


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """One cell."""

    label: str
    folder: str
    levels: dict[str, str]
    score: Metric | None
    difference: Difference | None
    """To the baseline; None for the baseline itself."""
    same_as: str | None
    """The label of an earlier cell that asked the same and was judged alike: the two are one."""
    prompt_tokens: int | None
    completion_tokens: int | None
    cost_usd: float | None
    seconds: float | None
    """Generating, summed over samples."""


class Comparison(msgspec.Struct, frozen=True, kw_only=True):
    """What `solexp compare` says."""

    metric: str
    baseline: str
    factors: tuple[Factor, ...]
    rows: tuple[Row, ...]
    effects: tuple[Effect, ...]
    family: tuple[str, ...]
    """Names of the contrasts that Holm's correction is over."""
    notes: tuple[str, ...]
    """What a reader has to know, one line each."""
    fee: FeeTable | None = None
    """What candidates cost in gas; the same whatever the metric. None where there is nothing to compare."""
    cvts: tuple[CvtRow, ...] = ()
    """Contract-violating tests by cell; the same whatever the metric. Empty where there is nothing to compare."""
    regions: tuple[RegionRow, ...] = ()
    """What only some oracles flag, by cell; the same whatever the metric. Empty where there is nothing to compare."""


def compare_runs(
    folders: Sequence[RunFolder], *, metrics: Sequence[str] = (), baseline: str | None = None
) -> list[Comparison]:
    """A comparison for each of the ``metrics``, by default those that the runs declare; see `compare_by`.

    Declared metrics at a k that no run samples are left out, which a note of the first comparison says: a preset may
    have been run with fewer samples.
    """
    declared = Plan.of(folders[0].config.get("compare")).metrics if folders else ()
    there = tuple(name for name in declared if any(_sampled(name, each) for each in folders))
    there = there or declared
    wanted: Sequence[str | None] = tuple(metrics) or there or (None,)
    first, *others = [compare_by(metric, folders, baseline=baseline) for metric in wanted]
    lacking = [] if metrics else [name for name in declared if name not in there]
    if lacking:
        note = f"declared, but no run takes so many samples: {', '.join(lacking)}"
        first = msgspec.structs.replace(first, notes=(*first.notes, note))
    return [first, *others]


def _sampled(metric: str, folder: RunFolder) -> bool:
    if not (folder.path / "summary.json").is_file():
        return False
    k = metric.rpartition("_at_")[2]
    return not k.isdigit() or any(int(k) in batch["ks"] for batch in folder.summary["batches"])


def compare_by(
    metric: str | None, folders: Sequence[RunFolder], *, baseline: str | None = None
) -> Comparison:
    """Set runs on the same tasks against a baseline among them, by one metric: pass@k for the smallest k, if None.

    What the runs' own ``compare`` setting declares holds, but for what is given here: ``baseline`` is a run's folder,
    or levels such as ``strategy/context=none``. Raises UserError for runs that cannot be compared.
    """
    chosen, cells = read_cells(folders, metric)
    plan = Plan.of(cells[0].folder.config.get("compare"))
    base = _baseline(cells, plan.baseline, baseline)
    seed = int((base.folder.manifest.get("seeds") or {}).get("run") or 0)
    notes = _left_out(folders, cells)
    tables = _tables(cells, chosen)
    scores = {cell.label: _by_unit(cell, table) for cell, table in tables}
    if not scores[base.label]:
        raise UserError(f"{base.folder.path}: no task has a {chosen}; choose another --metric")
    by_contract = any(task != unit for cell in cells for task, unit in cell.units.items())
    single = all(is_single(table) for _, table in tables) and not by_contract
    same = _same(tables)
    rows = []
    for cell, table in tables:
        difference = None
        if cell is not base and scores[base.label].keys() & scores[cell.label].keys():
            difference = compare(scores[base.label], scores[cell.label], single=single, seed=seed)
        rows.append(
            Row(
                label=cell.label,
                folder=str(cell.folder.path),
                levels=cell.levels,
                score=_score(cell, table, scores[cell.label], by_contract, seed=seed),
                difference=difference,
                same_as=same.get(cell.label),
                prompt_tokens=cell.usage.get("prompt_tokens"),
                completion_tokens=cell.usage.get("completion_tokens"),
                cost_usd=cell.usage.get("cost_usd"),
                seconds=cell.seconds,
            )
        )
    factors = _factors(cells, base, plan)
    found, reason = _effects(factors, cells, scores, same=same, order=plan.order, seed=seed)
    family, unfit = _family(plan, rows, found, factors)
    notes += [f"family: nothing here fits '{entry}'" for entry in unfit]
    rows, found = _corrected(family, rows, found)
    common = len(set.intersection(*(set(row) for row in scores.values())))
    if any(len(row) != common for row in scores.values()):
        notes.append(
            f"{common} tasks have a score in every cell; differences are over what both have"
        )
    if by_contract:
        notes.append("compared by contract: where functions are tasks, the mean over a contract's")
    if chosen.startswith("pass_at_") and not by_contract:
        scored = [len(scores[c.label]) - c.folder.summary["decidable_tasks"] for c in cells]
        if max(scored) > 0:
            notes.append(
                f"no oracle could decide {max(scored)} of the tasks, which count as failed; "
                f"decidable.{chosen} leaves them out"
            )
    if reason:
        notes.append(reason)
    fees = fee_table(cells)
    if isinstance(fees, str):
        notes.append(fees)
    return Comparison(
        metric=chosen,
        baseline=base.label,
        factors=tuple(factors),
        rows=tuple(rows),
        effects=tuple(found),
        family=tuple(family),
        notes=tuple(notes),
        fee=None if isinstance(fees, str) else fees,
        cvts=cvt_rows(cells),
        regions=region_rows(cells),
    )


def _left_out(folders: Sequence[RunFolder], cells: Sequence[Cell]) -> list[str]:
    known = {cell.folder.path for cell in cells}
    lines = [
        f"left out, since it has no result: {folder.path} ({folder.manifest.get('status')})"
        for folder in folders
        if folder.path not in known
    ]
    return lines + [f"{cell.label}: {cell.status}" for cell in cells if cell.status != "finished"]


def _tables(cells: Sequence[Cell], metric: str) -> list[tuple[Cell, Counts]]:
    """Each cell's counts over the tasks that the metric concerns in all of them.

    A task that is undecidable is so whatever the cell, but only a cell whose candidates ran may show it.
    """
    left = frozenset[str]().union(*(cell.scores.left_out for cell in cells))
    if all(cell.units.keys() <= left for cell in cells):
        raise UserError(f"metric '{metric}': concerns no task of these runs; choose another")
    return [(cell, restricted(cell.scores.counts, lambda task: task not in left)) for cell in cells]


def _by_unit(cell: Cell, table: Counts) -> dict[str, float]:
    """The score of each task; or of each contract, as the mean over those of its functions that have one."""
    parts: dict[str, list[float]] = {}
    for task, score in task_scores(table, cell.scores.k).items():
        parts.setdefault(cell.units[task], []).append(score)
    return {unit: math.fsum(scores) / len(scores) for unit, scores in parts.items()}


def _score(
    cell: Cell, table: Counts, scores: Mapping[str, float], by_contract: bool, *, seed: int
) -> Metric | None:
    """The cell's own score, over all its tasks or contracts."""
    if not by_contract:
        return metric_at_k(table, cell.scores.k, seed=seed)
    if not scores:
        return None
    rows = [[scores[unit]] for unit in sorted(scores)]
    value = math.fsum(scores.values()) / len(scores)
    if value in (0.0, 1.0):
        lo, hi = wilson(round(value * len(rows)), len(rows))
    else:
        lo, hi = bootstrap(rows, seed=seed, k=cell.scores.k)
    return Metric(value=value, lo=lo, hi=hi, n=len(rows))


def _same(tables: Sequence[tuple[Cell, Counts]]) -> dict[str, str]:
    """By label, the earlier cell that asked the same and came out alike."""
    first: dict[str, tuple[str, Counts]] = {}
    found = {}
    for cell, table in tables:
        label, known = first.setdefault(cell.asked, (cell.label, table))
        if label != cell.label and known == table:
            found[cell.label] = label
    return found


def _baseline(cells: Sequence[Cell], declared: Mapping[str, str], given: str | None) -> Cell:
    if given is None and not declared:
        return cells[0]
    if given is not None:
        for cell in cells:
            path = cell.folder.path
            if given in (str(path), path.name, f"{path.parent.name}/{path.name}", cell.label):
                return cell
        if "=" not in given:
            known = [str(cell.folder.path) for cell in cells]
            raise UserError(f"--baseline {given}: is none of the runs; {nearest(given, known)}")
        parts = (part.partition("=") for part in given.split(","))
        declared = {name.strip(): level.strip() for name, _, level in parts}
        where = f"--baseline {given}"
    else:
        where = "compare.baseline"
    wanted = _full_names(declared, cells[0], where)
    found = [
        cell for cell in cells if all(cell.levels[name] == level for name, level in wanted.items())
    ]
    if not found:
        raise UserError(f"{where}: {_unfitting(cells, wanted)}")
    if len({cell.asked for cell in found}) > 1:
        raise UserError(
            f"{where}: fits {len(found)} cells ({found[0].label}; {found[1].label}); "
            "name the level of every factor"
        )
    return found[0]


def _unfitting(cells: Sequence[Cell], wanted: Mapping[str, str]) -> str:
    """Why no cell is at the ``wanted`` levels."""
    for name, level in wanted.items():
        levels = list(dict.fromkeys(cell.levels[name] for cell in cells))
        if level not in levels:
            return f"no cell is at {name}={level}; it is one of {', '.join(levels)}"
    return f"no cell is at {_at(list(wanted), list(wanted.values()))} together"


def _full_names(levels: Mapping[str, str], cell: Cell, where: str) -> dict[str, str]:
    """Levels by the factors' full names; a factor's last word will do. What no cell varies is left out."""
    long = {short: name for name, short in short_names(cell.levels).items()}
    found = {}
    for name, level in levels.items():
        full = long.get(name, name)
        if full in cell.levels:
            found[full] = level
        elif where.startswith("--"):
            raise UserError(f"{where}: no factor '{name}'; {nearest(name, long)}")
    return found


def _factors(cells: Sequence[Cell], base: Cell, plan: Plan) -> list[Factor]:
    """The declared factors, or all; each with the baseline's level first."""
    long = {short: name for name, short in short_names(base.levels).items()}
    names = [long.get(name, name) for name in plan.factors] or list(base.levels)
    factors = []
    for name in names:
        if name not in base.levels:
            continue  # not varied among these runs
        levels = dict.fromkeys([base.levels[name], *(cell.levels[name] for cell in cells)])
        factors.append(Factor(name=name, levels=tuple(levels)))
    return factors


def _effects(
    factors: Sequence[Factor],
    cells: Sequence[Cell],
    scores: Mapping[str, Mapping[str, float]],
    *,
    same: Mapping[str, str],
    order: int,
    seed: int,
) -> tuple[list[Effect], str | None]:
    """The effects of the factors, or why there are none."""
    if not factors:
        return [], None
    names = [factor.name for factor in factors]
    grid: dict[tuple[str, ...], Mapping[str, float]] = {}
    for cell in cells:
        levels = tuple(cell.levels[name] for name in names)
        if levels in grid and cell.label in same:
            continue
        if levels in grid:
            return [], f"no effects of factors: several cells are at {_at(names, levels)}"
        grid[levels] = scores[cell.label]
    if len(factors) == 1:
        return [], None  # its effects are the differences to the baseline
    holes = missing(factors, grid)
    if holes:
        return [], f"no effects of factors: no cell is at {_at(names, holes[0])}"
    if not set.intersection(*(set(row) for row in grid.values())):
        return [], "no effects of factors: no task has a score in every cell"
    return effects(factors, grid, seed=seed, order=order), None


def _at(names: Sequence[str], levels: Sequence[str]) -> str:
    return ", ".join(f"{name}={level}" for name, level in zip(names, levels, strict=True))


def effect_name(effect: Effect, short: Mapping[str, str]) -> str:
    """Such as ``context: none → dependencies``, or two of them crossed."""
    return " × ".join(
        f"{short[step.factor]}: {step.reference} → {step.level}" for step in effect.steps
    )


def _family(
    plan: Plan, rows: Sequence[Row], found: Sequence[Effect], factors: Sequence[Factor]
) -> tuple[list[str], list[str]]:
    """The names of the declared contrasts, each once; and the declarations that fit none."""
    short = short_names(rows[0].levels)
    long = {value: name for name, value in short.items()}
    differences = {
        row.label: row for row in rows if row.difference is not None and row.same_as is None
    }
    named = {effect_name(effect, short): effect for effect in found}
    members: dict[str, None] = {}
    unfit = []
    for entry in plan.family:
        if entry == "differences":
            fitting = list(differences)
        elif entry == "effects":
            fitting = [name for name, effect in named.items() if len(effect.steps) == 1]
        elif entry == "interactions":
            fitting = [name for name, effect in named.items() if len(effect.steps) > 1]
        elif "=" in entry:
            parts = (part.partition("=") for part in entry.split(","))
            wanted = {long.get(n.strip(), n.strip()): v.strip() for n, _, v in parts}
            fitting = [
                label
                for label, row in differences.items()
                if all(row.levels.get(name) == level for name, level in wanted.items())
            ]
        else:
            crossed = {long.get(name.strip(), name.strip()) for name in entry.split("*")}
            fitting = [name for name, effect in named.items() if set(effect.factors) == crossed]
            if not fitting and len(crossed) == 1 and len(factors) == 1:
                fitting = list(differences)
        members |= dict.fromkeys(fitting)
        if not fitting and entry != "differences":
            unfit.append(entry)
    return list(members), unfit


def _corrected(
    family: Sequence[str], rows: Sequence[Row], found: Sequence[Effect]
) -> tuple[list[Row], list[Effect]]:
    """Rows and effects with Holm's p values where they belong to the family."""
    short = short_names(rows[0].levels)
    ps: dict[str, float] = {}
    for row in rows:
        if row.label in family and row.difference is not None:
            ps[row.label] = row.difference.p
    for effect in found:
        if (name := effect_name(effect, short)) in family:
            ps[name] = effect.difference.p
    corrected = dict(zip(ps, holm(list(ps.values())), strict=True))

    def mended(name: str, struct: Any) -> Any:
        if name not in corrected or struct.difference is None:
            return struct
        difference = msgspec.structs.replace(struct.difference, holm=corrected[name])
        return msgspec.structs.replace(struct, difference=difference)

    # A cell that is the same as another has the same difference, corrected once.
    return (
        [mended(row.same_as or row.label, row) for row in rows],
        [mended(effect_name(effect, short), effect) for effect in found],
    )
