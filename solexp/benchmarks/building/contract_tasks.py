"""Chosen contracts as tasks: what is shown of each, and what it is judged by."""

from __future__ import annotations

import msgspec

from solexp.benchmarks.building.settings import ContractSettings
from solexp.benchmarks.building.targets import Target, program_of
from solexp.benchmarks.categories import categorise
from solexp.core import HarnessError, Task, UserError
from solexp.core import Target as Place
from solexp.solidity.compiler import Compiler
from solexp.solidity.definitions import index_of
from solexp.solidity.definitions.needed import surroundings
from solexp.solidity.definitions.render import render
from solexp.solidity.frameworks import framework, redocumented
from solexp.solidity.functions import documented, members

NAME = "contracts"


def make_task(one: Target, settings: ContractSettings, compiler: Compiler | None) -> Task | str:
    """The task of a chosen contract, or why there is none. ``compiler`` finds out what its context needs."""
    source = one.source
    standing = program_of(source, one.contract)
    program = standing.program
    if program is not None:
        program = msgspec.structs.replace(program, calls=program.calls[: settings.calls])
    path = f"{one.contract}.sol"
    found = index_of({path: source.text}).container(
        path, one.contract, 0, len(source.text.encode())
    )
    if found is None:
        return "its target cannot be found"
    outline = framework(source.text, one.contract, frozenset(settings.keep))
    kinds = [member.kind for member in members(outline, one.contract)]
    reproduction = one.reproduction
    task = Task(
        id=source.id,
        benchmark=NAME,
        compiler=one.compiler,
        sources={path: source.text},
        target=Place(path=path, contract=one.contract, start=found.start, end=found.end),
        framework=redocumented(outline, one.contract, _said(one, outline)),
        program=program,
        category=categorise(source.text, one.contract),
        facts={
            "address": source.address,
            "deployed_contract": standing.contract,
            "functions": kinds.count("function"),
            "history": "recorded" if source.program is not None else "none",
            "recorded_transactions": source.transactions,
            "deployment": "known" if source.deployment is not None else "made up",
            "reproduced": None if reproduction is None else reproduction.share,
        },
        undecidable=standing.why_not,
    )
    try:
        return msgspec.structs.replace(task, context=_context(task, settings, compiler))
    except (UserError, HarnessError) as error:
        return f"its context cannot be found: {error}"


def _said(one: Target, outline: str) -> dict[str, str]:
    """What is said beside the source of functions that it says nothing of itself."""
    own = documented(outline, one.contract)
    return {name: said for name, said in one.source.documentation.items() if name not in own}


def _context(task: Task, settings: ContractSettings, compiler: Compiler | None) -> str:
    """What is shown beside the target (SolContractEval, Algorithm 1: what it calls and inherits)."""
    if settings.context == "none":
        return ""
    if settings.context == "needed":
        around = surroundings(task, compiler=compiler)
        return render(around.index, around.dependencies())
    index = index_of(task.sources)
    [target] = [
        each.number
        for each in index.declarations
        if (each.path, each.start) == (task.target.path, task.target.start)
        and each.name == task.target.contract
    ]
    rest = {
        each.number for each in index.declarations if target not in (each.number, each.contract)
    }
    return render(index, rest)
