"""A set of whole contracts, from sources to tasks and their card."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import msgspec

from solexp.benchmarks import taskset
from solexp.benchmarks.building.card import Card, card, write_card
from solexp.benchmarks.building.contract_tasks import NAME, make_task
from solexp.benchmarks.building.funnel import Funnel
from solexp.benchmarks.building.natspec import NOTHING, Written, check_signatures, check_used
from solexp.benchmarks.building.screening import Steps, Untold
from solexp.benchmarks.building.sets import Read, gathered, nothing_left
from solexp.benchmarks.building.settings import ContractSettings
from solexp.benchmarks.building.targets import Target, choose_targets
from solexp.core import Task, UserError
from solexp.core.hashing import file_hash
from solexp.core.task import series
from solexp.dcr import write
from solexp.dcr.extraction.static import extract
from solexp.solidity.compiler import Compiler
from solexp.solidity.contracts import ancestors
from solexp.solidity.frameworks import redocumented
from solexp.solidity.functions import members
from solexp.solidity.parsing import outline
from solexp.store.records import write_atomically

GRAPHS = "graphs"
_UNTOLD = Untold()


def build_contracts(
    read: Sequence[Read],
    out: Path,
    settings: ContractSettings,
    steps: Steps = _UNTOLD,
    written: Written = NOTHING,
) -> Card:
    """Writes tasks, on wish their life cycles, and the card into ``out``; the same sources give the same bytes.

    What is ``written`` of a function stands in its framework in place of the comments above it. Raises UserError when
    no source survives the filters, naming the reason that most had.
    """
    sources, funnel = gathered(read)
    with Compiler(max_workers=1) as compiler:
        chosen = choose_targets(sources, settings, compiler, funnel, steps=steps)
        check_used(written, [one.id for one in chosen])
        tasks = _tasks(chosen, settings, compiler, funnel)
        tasks = [_documented(task, written) for task in tasks]
        if not tasks:
            raise nothing_left(sources, funnel)
        graphs = _graphs(tasks, compiler) if settings.graphs else {}
    taskset.write(out, NAME, ", ".join(name for name, _, _ in read), tasks)
    for name, graph in graphs.items():
        write_atomically(out / name, graph.encode())
    files = [taskset.TASKS, *graphs]
    ids = {task.id for task in tasks}
    told = card(
        NAME,
        [name for name, _, _ in read],
        settings,
        sources=sources,
        funnel=funnel,
        used=[one.source for one in chosen if one.id in ids],
        rows={taskset.TASKS: len(tasks)},
        counts=_counts(tasks),
        hashes={name: file_hash(out / name) for name in files},
        reproduced={
            one.id: one.reproduction.share
            for one in chosen
            if one.reproduction is not None and settings.reproduces is not None and one.id in ids
        },
    )
    write_card(out, told)
    return told


def _tasks(
    chosen: Sequence[Target], settings: ContractSettings, compiler: Compiler, funnel: Funnel
) -> list[Task]:
    made = {one.id: make_task(one, settings, compiler) for one in chosen}
    dropped = [(name, found) for name, found in made.items() if isinstance(found, str)]
    funnel.stage("context", len(made) - len(dropped), dropped)
    return [found for found in made.values() if isinstance(found, Task)]


def _documented(task: Task, written: Written) -> Task:
    said = written.get(task.id, {})
    known = [each.signature for each in members(task.framework, task.target.contract)]
    check_signatures(task.id, said, known)
    outline = redocumented(task.framework, task.target.contract, said)
    return msgspec.structs.replace(task, framework=outline)


def _graphs(tasks: Sequence[Task], compiler: Compiler) -> dict[str, str]:
    """The life cycle of what is deployed, by the file in which `oracle.dcr.graphs` looks for it."""
    found = {}
    for task in tasks:
        built = compiler.compile(task.sources, task.compiler, ast=True, keep_ast=False)
        contract = str(task.facts["deployed_contract"] or task.target.contract)
        name = task.id.replace("/", "_")
        place = f"{GRAPHS}/{name}.json"
        if place in found:
            raise UserError(
                f"data build: the life cycles of two sources would both be {place}, one that of {task.id}; rename one"
            )
        found[place] = write(extract(built, contract, task.sources))
    return found


def _counts(tasks: Sequence[Task]) -> dict[str, list[str]]:
    return {
        "series": [series(task.compiler.version) for task in tasks],
        "compiler": [task.compiler.version for task in tasks],
        "category": [task.category or "none" for task in tasks],
        "history": [str(task.facts["history"]) for task in tasks],
        "deployment": [str(task.facts["deployment"]) for task in tasks],
        "target": [_standing(task) for task in tasks],
    }


def _standing(task: Task) -> str:
    """What a task's target is to the contract that is deployed, without which nothing of it can be seen to run."""
    deployed, target = str(task.facts["deployed_contract"]), task.target.contract
    if deployed == target:
        return "what is deployed"
    known = outline(task.sources[task.target.path])
    inherited = any(each.name == target for each in ancestors(deployed, known))
    return "what that inherits" if inherited else "another contract of the file"
