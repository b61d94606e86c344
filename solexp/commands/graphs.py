"""Graphs of the contracts of a benchmark's tasks, by static analysis or by a model."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence

from solexp.commands.building import kept
from solexp.config import build
from solexp.config.compose import compose, plain
from solexp.config.instantiate import instantiate
from solexp.core import Batch, Build, DataError, Generation, Task, UserError
from solexp.core.errors import nearest
from solexp.dcr import Graph
from solexp.dcr.extraction.prompted import again, question, read_graph
from solexp.dcr.extraction.static import extract
from solexp.evm.abi import changing_functions, selectors
from solexp.generating import Wanted, generate
from solexp.llm.forecast import foresee
from solexp.progress import Progress
from solexp.solidity.compiler import Compiler
from solexp.store import Store
from solexp.strategies import Ask, Dialogue
from solexp.toolchain.homes import cache_home

_BATCH = Batch(name="dcr", n=1, temperature=0.0, max_tokens=8192)


def composed_tasks(overrides: Sequence[str], wanted: Sequence[str] = ()) -> list[Task]:
    """The composed benchmark's tasks, or those that are wanted."""
    tasks = build(plain(compose(list(overrides)))).benchmark.tasks()
    by_id = {task.id: task for task in tasks}
    for name in wanted:
        if name not in by_id:
            raise UserError(f"no task '{name}'; {nearest(name, by_id)}")
    return [by_id[name] for name in wanted] if wanted else list(tasks)


def extracted(tasks: Sequence[Task]) -> dict[str, Graph]:
    """The graph of each task's contract, by static analysis, by id of the task."""
    return {
        task.id: extract(made, contract_of(task), task.sources) for task, made in _builds(tasks)
    }


def _builds(tasks: Sequence[Task]) -> Iterator[tuple[Task, Build]]:
    with Compiler() as compiler:
        for task in tasks:
            if task.language != "solidity":
                raise UserError(f"{task.id}: graphs are extracted from Solidity; choose another")
            yield task, compiler.compile(task.sources, task.compiler, ast=True, keep_ast=False)


def contract_of(task: Task) -> str:
    """The contract whose life cycle is meant: the one that is deployed, where the task says which."""
    program = task.program
    return program.deployment.contract if program is not None else task.target.contract


def asked(overrides: Sequence[str], tasks: Sequence[Task]) -> tuple[dict[str, Graph], str | None]:
    """What the composed model answers, asked once more where an answer is no valid graph; and why it ended early.

    Answers without a graph are named on standard error. What was asked once is not paid for again.
    """
    model = instantiate(plain(compose(list(overrides)))["model"], "model")
    functions = {task.id: _functions(task, made) for task, made in _builds(tasks)}
    begins = {task.id: _Begin(task, functions[task.id]) for task in tasks}
    store = Store(cache_home() / "generations")
    asks = [
        (begins[task.id].first, _BATCH, 1, 1)
        for task in tasks
        if not kept(model, store, task, begins[task.id].first, _BATCH)
    ]
    print(foresee(model, asks).told(), file=sys.stderr)
    found: dict[str, Graph] = {}
    wanted = [
        Wanted(task=task, batch=_BATCH, repeat=0, indices=(0,), begin=begins[task.id])
        for task in tasks
    ]
    with Progress("asking") as progress:
        progress.total(len(wanted))

        def keep(generation: Generation) -> None:
            progress.advance()
            name = generation.task_id
            try:
                found[name] = read_graph(generation.completion.text, functions[name])
            except DataError as error:
                print(f"{name}: no graph: {error}", file=sys.stderr)

        halted = generate(model, wanted, store, keep=keep)
    # In the order of the tasks, whoever answered first.
    return {task.id: found[task.id] for task in tasks if task.id in found}, halted.told()


def _functions(task: Task, made: Build) -> tuple[str, ...]:
    """Signatures of what may change the contract's state, as its ABI has them."""
    contract = made.contract(contract_of(task))
    if contract is None:
        raise UserError(f"{task.id}: its contract does not compile: {made.errors[0].message}")
    changing = changing_functions(contract)
    named = [name for selector, name in selectors(contract).items() if selector in changing]
    kinds = {entry.get("type") for entry in contract.abi}
    return (*named, *(f"{kind}()" for kind in ("receive", "fallback") if kind in kinds))


class _Begin:
    """The dialogue about a task: a question, and once more where the answer is no valid graph."""

    def __init__(self, task: Task, functions: Sequence[str]) -> None:
        self.functions = functions
        self.first = question(
            task.id, contract_of(task), "\n\n".join(task.sources.values()), functions
        )

    def __call__(self, _index: int) -> Dialogue:
        return self._dialogue()

    def _dialogue(self) -> Dialogue:
        reply = yield Ask(prompt=self.first)
        try:
            read_graph(reply.text, self.functions)
        except DataError as error:
            yield Ask(prompt=again(self.first, reply.text, str(error)))
