"""The assertion part of a program: its assertions, and the helper statements that these use.

Messages, comments, layout and imports are no part of it.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Sequence

from solexp.python.contracts import asserted
from solexp.python.effects import root
from solexp.python.needed import names_of
from solexp.python.syntax import NotPython, parsed

_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_IMPORTS = (ast.Import, ast.ImportFrom)
_BLOCKS = (ast.If, ast.While, ast.For, ast.AsyncFor)


def part_of_program(program: str) -> tuple[ast.stmt, ...]:
    """The assertion part of every function of a program together, without the functions' own heads.

    What assertions use of the rest of the module is part of it, too, but no assertion outside of functions: it refuses
    no input. Nothing of a program that does not parse.
    """
    try:
        body = _plain(parsed(program))
    except NotPython:
        return ()
    wanted, found = set[str](), list[ast.stmt]()
    known = -1
    while len(wanted) > known:
        known = len(wanted)
        found = _opened(body, wanted)
    return tuple(found)


def part_of_contract(statements: Sequence[str]) -> tuple[ast.stmt, ...]:
    """The assertion part of a contract's statements. Raises ValueError where they do not parse."""
    return tuple(_sliced(_plain(parsed("\n".join(statements))), set()))


def _plain(tree: ast.Module) -> list[ast.stmt]:
    """The statements without messages of assertions and docstrings."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Assert):
            node.msg = None
        elif isinstance(node, _DEFINITIONS) and ast.get_docstring(node, clean=False) is not None:
            node.body = node.body[1:] or [ast.Pass()]
    return tree.body


def _opened(body: Sequence[ast.stmt], wanted: set[str]) -> list[ast.stmt]:
    """The part of a module, whose functions with assertions are replaced by their own parts."""
    found: list[list[ast.stmt]] = []
    for statement in reversed(body):
        if isinstance(statement, ast.ClassDef) and asserted(statement):
            found.append(_opened(statement.body, wanted))
        elif isinstance(statement, _DEFINITIONS) and asserted(statement):
            inner = set[str]()
            found.append(_sliced(statement.body, inner))
            wanted |= inner
        elif not asserted(statement):
            part = _part(statement, wanted)
            found.append([] if part is None else [part])
    return [statement for part in reversed(found) for statement in part]


def _sliced(body: Sequence[ast.stmt], wanted: set[str], *, looping: bool = False) -> list[ast.stmt]:
    """The statements that assert, or bring about ``wanted`` names for those after them; adds the names that they use.

    A function of their own that asserts is one of them, and so are its calls. ``looping``: they are within a loop,
    which sees to what one round uses of another.
    """
    wanted |= {each.name for each in body if isinstance(each, _DEFINITIONS) and asserted(each)}
    found = (_part(statement, wanted, looping=looping) for statement in reversed(body))
    return [part for part in found if part is not None][::-1]


def _part(statement: ast.stmt, wanted: set[str], *, looping: bool = False) -> ast.stmt | None:
    if isinstance(statement, _IMPORTS):
        return None
    if isinstance(statement, _BLOCKS):
        return _block(statement, wanted, looping=looping)
    if not asserted(statement) and not _changed(statement) & wanted:
        return None
    wanted |= names_of(statement).used
    return statement


def _block(
    statement: ast.If | ast.While | ast.For | ast.AsyncFor, wanted: set[str], *, looping: bool
) -> ast.stmt | None:
    """A branch or loop with what of it is part; None for nothing."""
    found = copy.copy(statement)
    within = looping or not isinstance(statement, ast.If)
    inner = set(wanted)
    known = -1
    while len(inner) > known:
        known = len(inner)
        found.body = _sliced(statement.body, inner, looping=within)
        found.orelse = _sliced(statement.orelse, inner, looping=within)
        if not found.body and not found.orelse:
            return None
        head = statement.test if isinstance(statement, ast.If | ast.While) else statement.iter
        inner |= names_of(ast.Expr(head)).used
        if looping or not within:
            break
    wanted |= inner
    found.body = found.body or [ast.Pass()]
    return found


def _changed(statement: ast.stmt) -> set[str]:
    """The names that a statement binds, and those of what it changes in place or may change by a call."""
    found = set(names_of(statement).bound)
    for node in ast.walk(statement):
        if isinstance(node, ast.Attribute | ast.Subscript) and not isinstance(node.ctx, ast.Load):
            found.add(root(node))
        elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            found.add(root(node.value.func))
    return found
