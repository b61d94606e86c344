"""forge build and forge test of a workspace, their answers kept: an agent is told the same again when a run goes on."""

from __future__ import annotations

import atexit
import functools
from collections.abc import Mapping

from solexp.core import Task
from solexp.core.hashing import content_hash
from solexp.sandbox.workspace import Limits, standing
from solexp.solidity.compiler import Compiler
from solexp.solidity.foundry.enclosed import Report, forge_build, forge_test
from solexp.store import Store
from solexp.toolchain.homes import cache_home
from solexp.toolchain.install import ensure_forge

SCHEMA = 2
"""Raised with every change of what an answer says."""
_RUNS = {"build": forge_build, "test": forge_test}


def forge(tool: str, task: Task, files: Mapping[str, str], limits: Limits) -> Report:
    """What ``build`` or ``test`` says of the files. Raises ToolError when it cannot be run."""
    compiler = _compiler()
    sources = {path: text for path, text in files.items() if path.endswith(".sol")}
    key = content_hash(
        tool,
        sources,
        task.compiler,
        limits,
        standing(),
        ensure_forge().parent.name,
        compiler.version(task.compiler.version),
    )
    # What passed a limit is kept as well: what an agent is asked next depends on it.
    store = Store(cache_home() / "workspaces", SCHEMA)
    known = store.get(key, Report)
    if known is None:
        known = _RUNS[tool](sources, task.compiler, compiler, limits)
        store.put(key, known)
    return known


@functools.cache
def _compiler() -> Compiler:
    """This process's compilers: they stay loaded from one build to the next."""
    compiler = Compiler()
    atexit.register(compiler.close)
    return compiler
