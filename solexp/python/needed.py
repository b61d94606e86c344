"""What of a program one of its functions needs: imports, other functions, values; not tests and examples of its use."""

from __future__ import annotations

import ast
import symtable
import warnings
from collections.abc import Iterable, Sequence

import msgspec

_SETTINGS = frozenset(
    {"setrecursionlimit", "set_int_max_str_digits", "stack_size", "seed", "setcontext", "seterr"}
    | {"filterwarnings", "simplefilter", "set_printoptions"}
)
"""Functions of modules whose calls set something for the rest of the program."""
_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_IMPORTS = (ast.Import, ast.ImportFrom)


class Names(msgspec.Struct, frozen=True):
    """Names of a module that one of its statements binds and uses."""

    bound: frozenset[str]
    at_once: frozenset[str]
    """Used when the statement is executed."""
    used: frozenset[str]
    """Used then or later, when a function of it is called."""


def names_of(statement: ast.stmt) -> Names:
    """The names of the module in a statement; its functions' own names are none of them."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            table = symtable.symtable(ast.unparse(statement), "statement", "exec")
    except (SyntaxError, ValueError, RecursionError):
        return Names(frozenset(), frozenset(), frozenset())
    symbols = table.get_symbols()
    bound = {each.get_name() for each in symbols if each.is_assigned() or each.is_imported()}
    at_once = {each.get_name() for each in symbols if each.is_referenced()}
    later: set[str] = set()
    tables = list(table.get_children())
    while tables:
        inner = tables.pop()
        tables += inner.get_children()
        later |= {each.get_name() for each in inner.get_symbols() if each.is_global()}
    return Names(frozenset(bound), frozenset(at_once), frozenset(at_once | later))


def needed(body: Sequence[ast.stmt], name: str) -> list[ast.stmt]:
    """The statements of a module that ``name`` needs, in order: all imports, and of the rest what it uses.

    A statement that calls ``name`` itself is an example or a test and left out, as is what depends on ``__name__``.
    """
    known = [(statement, names_of(statement)) for statement in body]
    imported = {each for node, names in known if isinstance(node, _IMPORTS) for each in names.bound}
    wanted, taken = {name}, set[int]()
    grown = True
    while grown:
        grown = False
        for place, (node, names) in enumerate(known):
            if place in taken or not _belongs(node, names, name, wanted, imported):
                continue
            taken.add(place)
            wanted |= names.used
            grown = True
    return [node for place, (node, _) in enumerate(known) if place in taken]


def defining(body: Sequence[ast.stmt], wanted: set[str], but: str) -> list[ast.stmt]:
    """The statements of a module that bind ``wanted`` names, and what these need, in order; none that binds ``but``."""
    known = [(node, names_of(node)) for node in body]
    known = [
        (node, names)
        for node, names in known
        if isinstance(node, (*_DEFINITIONS, *_IMPORTS, ast.Assign, ast.AnnAssign))
        and but not in names.bound | names.at_once
    ]
    names_wanted, taken = set(wanted), set[int]()
    grown = True
    while grown:
        grown = False
        for place, (_, names) in enumerate(known):
            if place not in taken and names.bound & names_wanted:
                taken.add(place)
                names_wanted |= names.used
                grown = True
    return [node for place, (node, _) in enumerate(known) if place in taken]


def missing(body: Iterable[ast.stmt], builtin: Iterable[str]) -> set[str]:
    """Names that a module uses and neither binds nor has built in."""
    known = [names_of(statement) for statement in body]
    used = {each for names in known for each in names.used}
    return used - {each for names in known for each in names.bound} - set(builtin)


def _belongs(node: ast.stmt, names: Names, name: str, wanted: set[str], imported: set[str]) -> bool:
    if isinstance(node, _IMPORTS):
        return True
    if isinstance(node, _DEFINITIONS):
        return bool(names.bound & wanted)
    if name in names.used - names.bound or "__name__" in names.at_once:
        return False
    if isinstance(node, ast.Expr) and (
        isinstance(node.value, ast.Constant) or _is_setting(node.value, imported)
    ):
        return True
    if isinstance(node, ast.Assert):
        return False
    variables = wanted - imported
    return bool((names.bound | _changed(node)) & variables)


def _is_setting(node: ast.expr, imported: set[str]) -> bool:
    """Whether it calls something such as ``sys.setrecursionlimit``."""
    called = node.func if isinstance(node, ast.Call) else node
    return (
        isinstance(called, ast.Attribute) and called.attr in _SETTINGS and _root(called) in imported
    )


def _changed(node: ast.stmt) -> set[str]:
    """Variables that a statement changes without binding them: by a method, an item or an attribute."""
    found = set()
    for each in ast.walk(node):
        if isinstance(each, ast.Attribute) or (
            isinstance(each, ast.Subscript) and isinstance(each.ctx, ast.Store | ast.Del)
        ):
            found.add(_root(each))
    return found - {""}


def _root(node: ast.expr) -> str:
    while isinstance(node, ast.Attribute | ast.Subscript | ast.Call):
        node = node.func if isinstance(node, ast.Call) else node.value
    return node.id if isinstance(node, ast.Name) else ""
