"""Functions of small Foundry projects as tasks."""

from __future__ import annotations

from collections.abc import Sequence

from solexp.core import Candidate, CompilerSettings, Project, Suite, Target, Task
from solexp.oracles.base import Case
from solexp.solidity.compiler import Compiler
from solexp.solidity.foundry.files import keep


def function_task(
    source: str, suite: str, function: str, tests: Sequence[str], *, contract: str, member: str = ""
) -> Task:
    """The task of a function with a body of several lines, in a file called after its contract or ``contract``."""
    name = contract.partition(".")[0]
    files = {f"src/{name}.sol": source.encode(), f"test/{name}.t.sol": suite.encode()}
    start = source.index(f"function {function}(")
    end = source.index("\n    }", start) + len("\n    }")
    return Task(
        id=f"{name.lower()}/{function}",
        benchmark="made",
        compiler=CompilerSettings(version="0.8.28"),
        sources={f"src/{name}.sol": source},
        target=Target(
            path=f"src/{name}.sol",
            contract=contract.rpartition(".")[2],
            start=start,
            end=end,
            member=member or f"{function}()",
        ),
        framework="",
        project=Project(name=name.lower(), hash=keep(files)),
        suite=Suite(path=f"test/{name}.t.sol", tests=tuple(tests)),
    )


def case_of(compiler: Compiler, task: Task, *codes: str | None) -> Case:
    """A task with one candidate for each of ``codes``."""
    return Case(
        task,
        [
            Candidate(task_id=task.id, batch="b", repeat=0, index=index, code=code)
            for index, code in enumerate(codes)
        ],
        compiler,
    )
