"""What oracles that compare traces say of a comparison."""

from __future__ import annotations

import msgspec

from solexp.core import ContractBuild, Program
from solexp.evm.compare import Comparison, divergence
from solexp.oracles.elsewhere import Elsewhere
from solexp.oracles.judgement import Measures


def measures_of(comparison: Comparison) -> Measures:
    """Differing calls by axis (``diverges.AXIS``), gas, and what could not be compared."""
    counted: Measures = {f"diverges.{axis}": count for axis, count in comparison.counts.items()}
    return counted | {
        "gas_ratio": comparison.gas_ratio,
        "over_recorded_gas": comparison.over_recorded_gas,
        "variables_missing": len(comparison.missing),
        "truncated": comparison.truncated is not None,
    }


def with_second_look(comparison: Comparison, found: Elsewhere | None) -> Comparison:
    """The comparison with what a second look has found besides; gas is compared once."""
    if found is None:
        return comparison
    more = found.comparison.counts
    counts = {
        axis: count + (more.get(axis, 0) if axis != "gas" else 0)
        for axis, count in comparison.counts.items()
    }
    first = found.comparison.first | comparison.first
    return msgspec.structs.replace(comparison, counts=counts, first=first)


def match_rate(comparison: Comparison, calls: int) -> float | None:
    """Share of ``calls`` compared that end with the same status, SolBehave's measure; 0 without a deployment.

    None where there are no calls.
    """
    if comparison.counts.get("deployment"):
        return 0.0
    return 1 - comparison.counts.get("status", 0) / calls if calls else None


def firsts(
    comparison: Comparison, program: Program, contract: ContractBuild | None
) -> dict[str, object]:
    """The first difference on each axis but gas, for a reader."""
    return {
        axis: msgspec.to_builtins(divergence(place, program, contract))
        for axis, place in comparison.first.items()
        if axis != "gas"
    }
