"""How far SolContractEval's originals, replayed, agree with the chain: statuses, and gas of successful calls.

    python bench/fidelity.py [--calls N] [--forks exact|deployment] [--gas generous|recorded] [--rows FILE]

Prints a line a task and, last, one JSON object. The first N calls count, creation included, as in the data's own
``replay_fidelity.jsonl``, whose figures (an independent replay on one fixed hard fork) stand beside.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path

import msgspec

from solexp.benchmarks.solcontracteval import SolContractEval
from solexp.core import HarnessError, Task, Trace
from solexp.evm.anvil import AnvilMachine
from solexp.evm.hardforks import eras
from solexp.evm.machine import Observation, Subject
from solexp.solidity.compiler import Compiler
from solexp.toolchain.homes import data_home


class Row(msgspec.Struct):
    """One task's agreement with the chain."""

    task_id: str
    forks: list[str]
    calls: int = 0
    """Transactions, the creation included."""
    statuses: int = 0
    succeeded: int = 0
    """Calls that succeed both here and on the chain."""
    gas_exact: int = 0
    deployment_gas_exact: bool = False
    deployed: bool = False
    reason: str = ""


def replayed(task: Task, machine: AnvilMachine, compiler: Compiler, limit: int) -> Row:
    """Replays one task's original. The creation counts as a transaction, as it does on the chain."""
    assert task.program is not None
    program = msgspec.structs.replace(task.program, calls=task.program.calls[: limit - 1])
    row = Row(task.id, [era.hardfork for era in eras(program)])
    build = compiler.compile(task.sources, task.compiler)
    contract = build.contract(program.deployment.contract)
    if contract is None or not build.ok or contract.creation == "0x":
        row.reason = "does not compile to code"
        return row
    plan = Observation(storage=False)
    [trace] = machine.run(program, [Subject(contract.creation, contract)], plan)
    created = program.deployment.recorded
    row.deployed = trace.address is not None
    row.calls = 1 + len(program.calls)
    row.statuses = int(created is None or created.status == row.deployed)
    row.deployment_gas_exact = created is not None and created.gas_used == trace.deployment.gas_used
    if trace.address is None:
        row.reason = "does not deploy"
    _count(row, task, trace)
    return row


def _count(row: Row, task: Task, trace: Trace) -> None:
    assert task.program is not None
    for call, result in zip(task.program.calls, trace.calls, strict=False):
        if call.recorded is None:
            continue
        row.statuses += call.recorded.status == result.status
        if call.recorded.status and result.status:
            row.succeeded += 1
            row.gas_exact += call.recorded.gas_used == result.gas_used


def independent() -> dict[str, tuple[int, int]]:
    """Statuses that the independent replay of the first 100 reproduces, and how many it looked at, by task."""
    path = data_home() / "solcontracteval" / "replay_fidelity.jsonl"
    found = {}
    for line in path.read_text().splitlines():
        row = json.loads(line)
        ours = row.get("ours_100")
        if ours and "n" in ours:
            found[row["task_id"]] = (ours["status_equals_chain"], ours["n"])
    return found


def main() -> None:
    """Replay every task that has a history."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--calls", type=int, default=100)
    parser.add_argument("--forks", choices=["exact", "deployment"], default="exact")
    parser.add_argument("--gas", choices=["generous", "recorded"], default="generous")
    parser.add_argument("--rows", type=Path)
    options = parser.parse_args()
    machine = AnvilMachine(forks=options.forks, gas=options.gas)
    peer = independent()
    rows = []
    started = time.perf_counter()
    with Compiler() as compiler:
        for task in SolContractEval().tasks():
            if task.program is None:
                continue
            try:
                row = replayed(task, machine, compiler, options.calls)
            except HarnessError as error:
                row = Row(task.id, [], reason=str(error))
            rows.append(row)
            other = peer.get(task.id)
            print(
                f"{task.id:60} {'+'.join(row.forks):24} statuses {row.statuses:4}/{row.calls:4}"
                f" (independent {'/'.join(map(str, other or ()))})"
                f" gas {row.gas_exact}/{row.succeeded} {row.reason}",
                file=sys.stderr,
            )
    if options.rows:
        options.rows.write_bytes(msgspec.json.encode(rows))
    shared = [row for row in rows if row.task_id in peer]
    summary = {
        "bench": "fidelity",
        "calls_a_task": options.calls,
        "forks": options.forks,
        "gas": options.gas,
        "tasks": len(rows),
        "deployed": sum(row.deployed for row in rows),
        "transactions": sum(row.calls for row in rows),
        "statuses_as_recorded": sum(row.statuses for row in rows),
        "tasks_exact": sum(row.statuses == row.calls > 0 for row in rows),
        "independent_statuses": sum(peer[row.task_id][0] for row in shared),
        "independent_transactions": sum(peer[row.task_id][1] for row in shared),
        "independent_tasks_exact": sum(
            peer[row.task_id][0] == peer[row.task_id][1] for row in shared
        ),
        "successful_calls": sum(row.succeeded for row in rows),
        "gas_exact": sum(row.gas_exact for row in rows),
        "deployments_gas_exact": sum(row.deployment_gas_exact for row in rows),
        "seconds": round(time.perf_counter() - started, 1),
    }
    print(json.dumps(summary))


if __name__ == "__main__":
    main()
