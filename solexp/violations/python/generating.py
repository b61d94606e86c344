"""The door: a contract in, one answer for each combination of violated assertions out."""

from __future__ import annotations

from solexp.core.preconditions import Preconditions
from solexp.violations.python.answers import Combination, Generated, Settings, Status
from solexp.violations.python.combining import combinations


def generate(pre: Preconditions, settings: Settings | None = None) -> Generated:
    """For every combination of violated and satisfied assertions up to ``settings.models`` distinct inputs."""
    settings = settings or Settings()
    count = len(pre.assertions)
    reason = "Unsupported: everything"
    return Generated(
        combinations=tuple(
            Combination(violated=violated, status=Status.UNSUPPORTED, reason=reason)
            for violated in combinations(count, settings.exhaustive_to)
        ),
        unsupported=dict.fromkeys(range(count), reason),
    )
