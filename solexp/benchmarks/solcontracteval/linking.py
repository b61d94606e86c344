"""Finding out which libraries a recorded contract was linked with."""

from __future__ import annotations

import msgspec

from solexp.benchmarks.solcontracteval.creation import linked_addresses
from solexp.core import Task
from solexp.evm.words import keccak, word
from solexp.solidity.compiler import Compiler
from solexp.solidity.parsing import outline, with_members


def may_need_linking(task: Task) -> bool:
    """Whether a library of the task's sources has a function that is called, not inlined, and no address is known."""
    return not task.compiler.libraries and any(
        function.visibility in ("public", "external") and function.body_start is not None
        for source in task.sources.values()
        for library in outline(source)
        if library.kind == "library"
        for function in with_members(library, source.encode()).functions
    )


def linked(task: Task, recorded: str, compiler: Compiler) -> Task:
    """The task with the library addresses that the recorded creation code holds.

    The same task where nothing is to be linked, or where the build does not fit the recorded code. Raises ToolError
    when the compiler is missing.
    """
    if task.program is None:
        return task
    build = compiler.compile(task.sources, task.compiler)
    contract = build.contract(task.program.deployment.contract)
    if contract is None or not contract.missing_libraries:
        return task
    addresses = linked_addresses(contract.creation, recorded)
    libraries = {
        name.rpartition(":")[2]: addresses[placeholder]
        for name in contract.missing_libraries
        for placeholder in placeholders(name)
        if placeholder in addresses
    }
    if not all(address[2:].strip("0") and len(address) == 42 for address in libraries.values()):
        return task
    settings = msgspec.structs.replace(task.compiler, libraries=libraries)
    return msgspec.structs.replace(task, compiler=settings)


def placeholders(name: str) -> tuple[str, str]:
    """What stands in unlinked code for the library ``PATH:NAME``: until 0.4, and since 0.5."""
    return f"__{name[:36]}".ljust(40, "_"), f"__${word(keccak(name.encode()))[:34]}$__"
