"""Modules that programs commonly import, loaded once for all calls."""

from __future__ import annotations

import contextlib
import importlib
import os

MODULES = (
    *(
        "abc",
        "array",
        "bisect",
        "calendar",
        "cmath",
        "collections",
        "collections.abc",
        "contextlib",
    ),
    *("copy", "dataclasses", "datetime", "decimal", "enum", "fractions", "functools", "hashlib"),
    *(
        "heapq",
        "itertools",
        "json",
        "keyword",
        "math",
        "numbers",
        "operator",
        "queue",
        "random",
        "re",
    ),
    *("statistics", "string", "struct", "sys", "textwrap", "time", "typing", "unicodedata"),
)


def up() -> None:
    """Import them. One that is not there is left to the program that asks for it."""
    registered = os.register_at_fork
    # What they would do after each fork is for processes with threads, and seeds `random` by chance; it takes a third
    # of a call's time, and here every call shall see the same numbers.
    os.register_at_fork = lambda **_: None
    try:
        for name in MODULES:
            with contextlib.suppress(ImportError):
                importlib.import_module(name)
    finally:
        os.register_at_fork = registered
    importlib.import_module("random").seed(0)
