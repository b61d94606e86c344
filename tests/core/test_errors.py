"""Whoever reads the tree of errors has seen them all."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import re

import solexp
from solexp.core import Interrupted, SolexpError, errors

EXTRAS = {"torch", "transformers", "xllamacpp", "distributed", "dask"}


def _below(kind: type[BaseException]) -> set[type[BaseException]]:
    return {kind}.union(*(_below(child) for child in kind.__subclasses__()))


def test_the_tree_names_every_error_below_its_base() -> None:
    for module in pkgutil.walk_packages(solexp.__path__, "solexp."):
        if module.name.endswith("__main__"):
            continue
        try:
            importlib.import_module(module.name)
        except ModuleNotFoundError as error:
            # What an extra brings may be absent.
            assert error.name in EXTRAS, error
    ours = {kind for kind in _below(SolexpError) if kind.__module__.startswith("solexp.")}
    known = {kind for kind in ours if not kind.__name__.startswith("_")}
    tree = inspect.getdoc(errors) or ""
    bases: list[str] = []
    drawn = {}
    for indent, name in re.findall(r"^([│├└─ ]*)([A-Z]\w+)(?:  |$)", tree, re.MULTILINE):
        del bases[len(indent) // 4 :]
        drawn[name] = bases[-1] if bases else None
        bases.append(name)
    expected = {kind.__name__: kind.__base__ and kind.__base__.__name__ for kind in known}
    assert drawn == expected | {"SolexpError": None, Interrupted.__name__: None}
