"""Vulnerabilities that Slither finds (SolEval's Vul), as shares of samples."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

import msgspec

from solexp.core import Outcome
from solexp.metrics.estimators import bootstrap, mean_and_spread, wilson
from solexp.metrics.scores import Counts, Judged, Metric, Passes, counts

ORACLE = "static"
_FINDINGS = {"vul": "static.findings", "vul_new": "static.new_findings"}
_NEW = "static.new."
_TOTALS = frozenset(_FINDINGS.values())


class DetectorCount(msgspec.Struct, frozen=True, kw_only=True):
    """How often one of Slither's detectors speaks."""

    samples: int
    """Samples in which it finds anything."""
    new: int
    """Of these, samples in which it finds what the reference does not have."""


def vulnerability_metrics(candidates: Iterable[Judged], *, seed: int) -> dict[str, Metric]:
    """What the oracle ``static`` found, over the samples of all batches; empty without it.

    ``vul``
        The share of samples with a finding, of those that compile and were analysed.
    ``vul_new``
        The same of findings that the reference does not have; without tasks whose reference was not analysed.
    ``vul_all``, ``vul_new_all``
        The same of all samples: one without code, or that does not compile, has no finding.
    """
    rows = list(candidates)
    found: dict[str, Metric] = {}
    for name, measure in _FINDINGS.items():
        for suffix, everything in (("", False), ("_all", True)):
            table = counts(rows, _finds(measure, everything=everything))
            metric = share_of_samples(table, seed=seed)
            if metric is not None:
                found[name + suffix] = metric
    return found


def share_of_samples(table: Counts, *, seed: int) -> Metric | None:
    """The share of all samples together, unlike a mean over tasks; repeats are estimated apart and averaged.

    The interval allows for samples of a task being alike: it is over tasks. None where there are no samples.
    """
    table = {task: row for task, row in table.items() if any(n for n, _ in row.values())}
    if not table:
        return None
    repeats = sorted({repeat for row in table.values() for repeat in row})
    cells = [[row.get(repeat, (0, 0)) for repeat in repeats] for _, row in sorted(table.items())]
    sizes = [sum(n for n, _ in column) for column in zip(*cells, strict=True)]
    parts = [sum(c for _, c in column) for column in zip(*cells, strict=True)]
    values = [part / size for part, size in zip(parts, sizes, strict=True) if size]
    value, spread = mean_and_spread(values)
    single = len(repeats) == 1 and all(n == 1 for row in cells for n, _ in row)
    if single or value in (0.0, 1.0):
        lo, hi = wilson(round(value * len(cells)), len(cells))
    else:
        lo, hi = bootstrap(
            [[float(c) for _, c in row] for row in cells],
            [[float(n) for n, _ in row] for row in cells],
            seed=seed,
        )
    several = tuple(values) if len(values) > 1 else ()
    return Metric(value=value, lo=lo, hi=hi, n=len(cells), spread=spread, repeats=several)


def detector_counts(candidates: Sequence[Judged]) -> dict[str, DetectorCount]:
    """By detector, those with the most samples first."""
    samples: Counter[str] = Counter()
    new: Counter[str] = Counter()
    for candidate in candidates:
        row = candidate.verdicts.get(ORACLE)
        for name in row.measures if row is not None else ():
            if name.startswith(_NEW):
                new[name.removeprefix(_NEW)] += 1
            elif name.startswith("static.") and name not in _TOTALS:
                samples[name.removeprefix("static.")] += 1
    return {
        name: DetectorCount(samples=count, new=new[name])
        for name, count in sorted(samples.items(), key=lambda item: (-item[1], item[0]))
    }


def _finds(measure: str, *, everything: bool) -> Passes:
    """Whether a sample has a finding; None leaves it out."""

    def finds(candidate: Judged) -> bool | None:
        row = candidate.verdicts.get(ORACLE)
        if row is None or row.outcome is Outcome.HARNESS_ERROR:
            return None
        if row.outcome is not Outcome.PASS:
            return False if everything else None
        value = row.measures.get(measure)
        return value > 0 if isinstance(value, int) else None

    return finds
