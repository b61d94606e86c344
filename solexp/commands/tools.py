"""`solexp doctor` and `solexp tools`."""

from __future__ import annotations

import argparse
from collections.abc import Callable

from solexp.core import UserError
from solexp.sandbox.protections import check as sandbox_check
from solexp.sandbox.protections import workspace_check
from solexp.toolchain import doctor as checking
from solexp.toolchain import listing


def doctor(command: argparse.Namespace) -> int:
    """Say where each tool is; with ``--gold``, check that a benchmark's references pass and its stubs do not."""
    if command.gold is not None:
        from solexp.gold import gold  # noqa: PLC0415  (the whole of solexp)

        return gold(command.gold, command.override)
    if command.override:
        raise UserError(f"doctor: '{command.override[0]}' goes with --gold BENCHMARK")
    found = [*checking.checks(), sandbox_check(), workspace_check()]
    print("\n".join(checking.render(found)))
    return 0 if checking.healthy(found) else 1


def tools(command: argparse.Namespace) -> int:
    """List what is installed, or install more."""
    there = (
        listing.tools_list()
        if command.verb == "list"
        else listing.install(command.name, _starter_compilers())
    )
    print("\n".join(listing.render(there)) if there else "nothing is installed yet")
    return 0


def _starter_compilers() -> list[str]:
    """What the default benchmark needs."""
    from solexp.benchmarks.starter import Starter  # noqa: PLC0415

    return sorted({task.compiler.version for task in Starter().tasks()})


COMMANDS: dict[str, Callable[[argparse.Namespace], int]] = {"doctor": doctor, "tools": tools}
