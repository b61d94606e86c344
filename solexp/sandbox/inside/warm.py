"""Modules that programs commonly import, loaded once for all calls."""

from __future__ import annotations

import contextlib
import importlib

MODULES = (
    "abc array bisect calendar cmath collections collections.abc contextlib copy dataclasses datetime decimal enum"
    " fractions functools hashlib heapq itertools json keyword math numbers operator queue random re statistics"
    " string struct sys textwrap time typing unicodedata"
).split()


def up() -> None:
    """Import them. One that is not there is left to the program that asks for it."""
    for name in MODULES:
        with contextlib.suppress(ImportError):
            importlib.import_module(name)
