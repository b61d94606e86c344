"""What can be called: Python's own functions and types, modules, methods of values, functions of the contract."""

from __future__ import annotations

import ast
from typing import Any

from solexp.violations.python.evaluation import Evaluation
from solexp.violations.python.values import Opaque, Value


class Builtin:
    """A function of Python's own, by name."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name


class Module:
    """A module of the standard library."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name


class Method:
    """A method bound to a value."""

    __slots__ = ("name", "owner")

    def __init__(self, owner: Value, name: str) -> None:
        self.owner = owner
        self.name = name


class Frame:
    """The names of one function call or of the contract itself. ``names`` is replaced, never changed."""

    __slots__ = ("names", "outer")

    def __init__(self, names: dict[str, Value], outer: Frame | None) -> None:
        self.names = names
        self.outer = outer


class Function:
    """A function or lambda of the contract."""

    __slots__ = ("defaults", "frame", "node")

    def __init__(
        self,
        node: ast.FunctionDef | ast.Lambda,
        frame: Frame,
        defaults: tuple[Value, ...],
    ) -> None:
        self.node = node
        self.frame = frame
        self.defaults = defaults


Bound = Function | Builtin | Method | Module | Opaque


def positional(
    ev: Evaluation, given: tuple[Value, ...], keywords: dict[str, Value], names: str, *defaults: Any
) -> tuple[Value, ...] | None:
    """Arguments in the order of ``names``; a TypeError, and None, where they do not fit."""
    expected = names.split()
    if len(given) > len(expected) or set(keywords) - set(expected[len(given) :]):
        ev.fail(TypeError)
        return None
    required = len(expected) - len(defaults)
    found = list(given)
    for place in range(len(given), len(expected)):
        name = expected[place]
        if name in keywords:
            found.append(keywords[name])
        elif place >= required:
            found.append(defaults[place - required])
        else:
            ev.fail(TypeError)
            return None
    return tuple(found)
