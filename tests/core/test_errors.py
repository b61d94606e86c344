"""Whoever reads the tree of errors has seen them all."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import re

import solexp
from solexp.core import Interrupted, SolexpError, errors


def _below(kind: type[BaseException]) -> set[type[BaseException]]:
    return {kind}.union(*(_below(child) for child in kind.__subclasses__()))


def test_the_tree_names_every_error_below_its_base() -> None:
    for module in pkgutil.walk_packages(solexp.__path__, "solexp."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)
    known = {kind for kind in _below(SolexpError) if kind.__module__.startswith("solexp.")}
    tree = inspect.getdoc(errors) or ""
    bases: list[str] = []
    drawn = {}
    for indent, name in re.findall(r"^([│├└─ ]*)([A-Z]\w+)(?:  |$)", tree, re.MULTILINE):
        del bases[len(indent) // 4 :]
        drawn[name] = bases[-1] if bases else None
        bases.append(name)
    expected = {kind.__name__: kind.__base__ and kind.__base__.__name__ for kind in known}
    assert drawn == expected | {"SolexpError": None, Interrupted.__name__: None}
