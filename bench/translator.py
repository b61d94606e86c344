"""The translator beside Python itself: random contracts and values, until so many judgements agree.

    make bench-translator

An expression over two parameters, or a few statements round two of them, is translated once and judged on pairs of
values without the solver, by evaluating its formulas; Python executes the same. Where formulas say nothing (a construct
is refused, or the bounds are left) neither counts. Any disagreement is printed. The last line of output is one JSON
object.
"""

from __future__ import annotations

import argparse
import json
import time
import warnings

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

from tests.violations.python.grammar import (
    DEEP,
    contracts,
    deep_values,
    disagreements,
    expressions,
    values,
)

WANTED = 100_000
PAIRS = 60


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--agreements", type=int, default=WANTED)
    parser.add_argument("--seed", type=int, default=0)
    wanted = parser.parse_args()
    warnings.simplefilter("ignore")
    totals = {"sources": 0, "agreements": 0, "unsaid": 0, "disagreements": 0}
    started = time.process_time()
    number = wanted.seed
    while totals["agreements"] < wanted.agreements:
        count(totals, number)
        number += 1
    print(json.dumps({**totals, "cpu_s": round(time.process_time() - started, 1)}))


def count(totals: dict[str, int], number: int) -> None:
    """Add what 200 expressions or contracts give: every second time contracts, every third time nested values."""
    deep = number % 3 == 2
    sources = contracts if number % 2 else expressions
    drawn = deep_values if deep else values

    @seed(number)
    @settings(
        max_examples=200,
        deadline=None,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(sources, st.lists(st.tuples(drawn, drawn), min_size=PAIRS, max_size=PAIRS))
    def judged(source: str, pairs: list[tuple[object, object]]) -> None:
        wrong, agreed, unsaid = disagreements(source, pairs, *([DEEP] if deep else []))
        totals["sources"] += 1
        totals["agreements"] += agreed
        totals["unsaid"] += unsaid
        totals["disagreements"] += len(wrong)
        for each in wrong[:3]:
            print("disagreement:", *each, flush=True)

    judged()


if __name__ == "__main__":
    main()
