"""Side effects of expressions: what evaluating one could change, as far as its syntax tells."""

from __future__ import annotations

import ast
from collections.abc import Container

_MUTATORS = frozenset(
    {"add", "append", "clear", "difference_update", "discard", "extend", "insert"}
    | {"intersection_update", "pop", "popitem", "remove", "reverse", "send", "setdefault", "sort"}
    | {"symmetric_difference_update", "throw", "update", "write", "writelines"}
    | {"__setitem__", "__delitem__", "__setattr__", "__delattr__"}
)
_EFFECTS = frozenset(
    {"print", "input", "open", "exec", "eval", "compile", "next", "setattr", "delattr", "exit"}
    | {"quit", "breakpoint", "__import__", "globals", "locals", "vars"}
)
_STATES = {
    ast.NamedExpr: "assigns to a name",
    ast.Yield: "yields",
    ast.YieldFrom: "yields",
    ast.Await: "awaits",
}


def effect(node: ast.AST, own: Container[str] = ()) -> str | None:
    """What evaluating ``node`` could change, in a clause such as ``x.pop() changes x``; None for nothing.

    Changes to variables called ``own`` do not count.
    """
    for each in ast.walk(node):
        for kind, said in _STATES.items():
            if isinstance(each, kind):
                return f"{_short(each)} {said}"
        if isinstance(each, ast.Call):
            called = each.func
            if isinstance(called, ast.Name) and called.id in _EFFECTS:
                return f"it calls {called.id}"
            if (
                isinstance(called, ast.Attribute)
                and called.attr in _MUTATORS
                and root(called.value) not in own
            ):
                return f"{_short(each)} changes {_short(called.value)}"
        if (
            isinstance(each, ast.Attribute | ast.Subscript)
            and not isinstance(each.ctx, ast.Load)
            and root(each) not in own
        ):
            return f"it changes {_short(each)}"
    return None


def root(node: ast.expr) -> str:
    """The variable that an attribute or item is of; empty where it is of none."""
    while isinstance(node, ast.Attribute | ast.Subscript):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""


def _short(node: ast.AST) -> str:
    text = ast.unparse(node)
    return text if len(text) <= 60 else f"{text[:59]}…"
