"""Whether captured histories are the chain's: every contract of SolContractEval's data, got from a loopback server.

The server (`tests.benchmarks.building.loopback`) speaks the explorer's protocol and a node's, and answers from the
data's own tables; ``--faults`` has it fail every other request in one of eight ways. Then each column of the captured
tables is compared with the data's. ``--node`` asks the node for receipts, traces and blocks as well, which takes
minutes. The last line is one JSON object.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from solexp.benchmarks.building.chain.folder import INTERNAL  # noqa: E402
from solexp.benchmarks.solcontracteval.bundle import TRANSACTIONS  # noqa: E402
from solexp.cli import main  # noqa: E402
from solexp.toolchain.homes import data_home  # noqa: E402
from tests.benchmarks.building import loopback  # noqa: E402

FAULTS = (
    loopback.RATE, loopback.BUSY, loopback.DOWN, loopback.TORN,
    loopback.HTML, loopback.RESET, loopback.NODE_BUSY, loopback.LAGGING,
)  # fmt: skip


def differing(found: Path, expected: Path) -> list[str]:
    """The columns that are not equal, rows in their order."""
    from pyarrow import parquet  # noqa: PLC0415

    one, other = parquet.read_table(found), parquet.read_table(expected)
    return [
        name
        for name in other.column_names
        if not one[name].combine_chunks().equals(other[name].combine_chunks())
    ]


def run(command: argparse.Namespace, folder: Path) -> dict[str, Any]:
    data = data_home() / "solcontracteval"
    chain = loopback.read_bundle(data)
    script = itertools.islice(itertools.cycle(_every_other()), 100_000 if command.faults else 0)
    with loopback.Server(chain, script=script) as server:
        words = ["--explorer", server.explorer, "--out", str(folder), "--rate", "10000"]
        if command.node:
            words += ["--node", server.node, "--node-rate", "10000"]
        started = time.perf_counter()
        status = main(["data", "capture", *chain.sources, *words])
        seconds = time.perf_counter() - started
        return {
            "status": status,
            "contracts": len(chain.sources),
            "requests": len(server.asked),
            "seconds": round(seconds, 1),
            "differing": {
                name: differing(folder / name, data / name) for name in (TRANSACTIONS, INTERNAL)
            },
        }


def _every_other() -> list[loopback.Fault | None]:
    return [each for fault in FAULTS for each in (None, fault)]


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--faults", action="store_true")
    parser.add_argument("--node", action="store_true")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        os.environ["SOLEXP_CACHE"] = f"{place}/cache"
        print(json.dumps(run(chosen, Path(place) / "out")))
