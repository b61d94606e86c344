"""Which kind of source a folder is: a project, a captured history, or plain verified sources."""

from __future__ import annotations

from pathlib import Path

from solexp.benchmarks.building.chain.captured import from_capture
from solexp.benchmarks.building.chain.folder import CAPTURE
from solexp.benchmarks.building.projects import from_project, is_project
from solexp.benchmarks.building.sources import Source, from_folder
from solexp.solidity.compiler import Compiler


def from_place(folder: Path) -> tuple[list[Source], list[tuple[str, str]]]:
    """The contracts of a folder, and what of it cannot be read, with the reason. Raises UserError as each kind does."""
    if (folder / CAPTURE).is_file():
        return from_capture(folder)
    if is_project(folder):
        with Compiler(max_workers=1) as compiler:
            return from_project(folder, compiler)
    return from_folder(folder)
