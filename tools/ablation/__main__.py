"""Run an ablation over a loopback server of which the truth is known, and set what compare finds beside it.

``python -m tools.ablation [--picture FILE] [OVERRIDE…]``, from the checkout's top folder: `make ablation-demo`.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from pathlib import Path

from solexp.benchmarks.starter import Starter
from solexp.cli import main as solexp
from solexp.commands.runs import runs_root
from solexp.report import tables
from solexp.report.compare import compare_runs
from solexp.report.compare.plot import draw
from solexp.store.records import write_atomically
from solexp.store.runfolder import latest_sweep
from tests.llm.served.server import Asked, LoopbackServer
from tools.ablation.probe import EXAMPLES, Probe
from tools.ablation.truth import grid_of, recovered, redraw, rows

HERE = Path(__file__).parent
SAMPLES = 20
"""As the preset says."""
DRAWS = 200


def main() -> int:
    """The demonstration; 0 when the comparison recovers what was put in, but for one effect in twenty."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--picture", type=Path, help="draw the interaction into this file")
    parser.add_argument("--seed", type=int, default=1, help="of the draws; by default 1")
    parser.add_argument("override", nargs="*", help="as for solexp run")
    command = parser.parse_args()
    started = time.monotonic()
    probe = Probe(Starter(version=1).tasks(), seed=command.seed)

    def reply(asked: Asked, _index: int) -> str:
        return probe.answer(asked.text)

    with LoopbackServer(reply, models=(probe.name,), keep=False) as server:
        status = solexp(
            [
                *("run", "--config-dir", str(HERE), "experiments=ablation_demo"),
                f"model.base_url={server.base_url}",
                f"model.name={probe.name}",
                f"strategy.examples.path={EXAMPLES}",
                *command.override,
            ]
        )
    if status:
        return status
    (comparison,) = compare_runs(latest_sweep(runs_root()))
    grid = grid_of(probe, comparison)
    found = recovered(grid, comparison)
    print()
    tables.draw(
        tables.Grid(
            title="Effects that were put in, and what compare found, in percentage points",
            columns=("effect", "put in", "found", "p", "Holm", "within"),
            rows=rows(found),
        ),
        sys.stdout,
    )
    if command.picture is not None:
        write_atomically(command.picture, draw([comparison], command.picture.suffix[1:]))
        print(f"\npicture: {command.picture}")
    outside = sum(not one.within for one in found)
    again = redraw(grid, comparison, samples=SAMPLES, draws=DRAWS, seed=probe.seed)
    print(
        f"\n{len(found) - outside} of {len(found)} intervals hold what was put in. Of {DRAWS} more draws of the same "
        f"answers {again.covered:.1%} of the intervals do,\nand {again.false_alarms:.1%} of the effects of nothing "
        f"have p of 0.05 or less. {time.monotonic() - started:.0f} s on {os.cpu_count()} cores."
    )
    return 0 if outside <= 1 + len(found) // 20 else 1


if __name__ == "__main__":
    sys.exit(main())
