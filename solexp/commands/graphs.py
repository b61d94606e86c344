"""Graphs of the contracts of a benchmark's tasks, by static analysis or by a model."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence

from solexp.commands.asking import answers
from solexp.config import build
from solexp.config.compose import compose, plain
from solexp.config.instantiate import instantiate
from solexp.core import Batch, Build, DataError, Prompt, Task, UserError
from solexp.core.errors import nearest
from solexp.dcr import Graph
from solexp.dcr.extraction.prompted import again, question, read_graph
from solexp.dcr.extraction.static import extract
from solexp.evm.abi import changing_functions, selectors
from solexp.solidity.compiler import Compiler

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

    Answers without a graph are named on standard error.
    """
    model = instantiate(plain(compose(list(overrides)))["model"], "model")
    functions = {task.id: _functions(task, made) for task, made in _builds(tasks)}

    def first(task: Task) -> Prompt:
        sources = "\n\n".join(task.sources.values())
        return question(task.id, contract_of(task), sources, functions[task.id])

    def once_more(task: Task, asked: Prompt, reply: str) -> Prompt | None:
        try:
            read_graph(reply, functions[task.id])
        except DataError as error:
            return again(asked, reply, str(error))
        return None

    texts, halted = answers(model, tasks, _BATCH, first, again=once_more)
    found: dict[str, Graph] = {}
    for name, text in texts.items():
        try:
            found[name] = read_graph(text, functions[name])
        except DataError as error:
            print(f"{name}: no graph: {error}", file=sys.stderr)
    return found, halted


def _functions(task: Task, made: Build) -> tuple[str, ...]:
    """Signatures of what may change the contract's state, as its ABI has them."""
    contract = made.contract(contract_of(task))
    if contract is None:
        raise UserError(f"{task.id}: its contract does not compile: {made.errors[0].message}")
    changing = changing_functions(contract)
    named = [name for selector, name in selectors(contract).items() if selector in changing]
    kinds = {entry.get("type") for entry in contract.abi}
    return (*named, *(f"{kind}()" for kind in ("receive", "fallback") if kind in kinds))
