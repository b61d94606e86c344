"""Contracts: the statements at a function's entry that refuse what it is not made for.

A contract is read by its syntax tree. Its assertions are counted in the order of the source, those within loops,
branches and functions of the contract too; what stands between them (helper statements) is kept where it stands.
"""

from __future__ import annotations

import ast
import io
import textwrap
import tokenize
from collections.abc import Sequence

import msgspec

from solexp.python.effects import effect
from solexp.python.syntax import NotPython, parsed


class Contract(msgspec.Struct, frozen=True):
    """A contract's statements and where its assertions are."""

    statements: tuple[str, ...]
    """Source of each statement, without comments; the lines of one start at the left margin."""
    assertions: tuple[int, ...]
    """For each assertion the place in ``statements`` of the statement that is or holds it."""


def read_contract(text: str) -> Contract:
    """The contract in ``text``, indented or not.

    Raises ValueError, which says in one line why, where it does not parse or an assertion has a side effect.
    """
    body = _body(_uncommented(text))
    statements, assertions = [], []
    for place, statement in enumerate(body.statements):
        statements.append(body.source(statement))
        assertions += [place] * len(asserted(statement))
    _check_effects(body.statements)
    return Contract(tuple(statements), tuple(assertions))


def _check_effects(body: Sequence[ast.stmt]) -> None:
    """Raise ValueError where an assertion changes anything, or a helper statement anything but its own variables."""
    every = [assertion for statement in body for assertion in asserted(statement)]
    for number, assertion in enumerate(every):
        if (found := effect(assertion)) is not None:
            raise ValueError(f"assertion {number} has a side effect: {found}")
    own = {
        node.id if isinstance(node, ast.Name) else node.arg
        for statement in body
        for node in ast.walk(statement)
        if isinstance(node, ast.arg)
        or (isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store))
    }
    for place, statement in enumerate(body):
        if (found := effect(statement, own)) is not None:
            raise ValueError(f"statement {place} has a side effect: {found}")


def asserted(statement: ast.stmt) -> list[ast.Assert]:
    """The assertions that a statement is or holds, in the order of the source."""
    found = [node for node in ast.walk(statement) if isinstance(node, ast.Assert)]
    return sorted(found, key=lambda node: (node.lineno, node.col_offset))


def standing_alone(
    statements: Sequence[str], places: Sequence[int], number: int
) -> tuple[list[ast.stmt], ast.Assert]:
    """The statements of a contract to execute for one assertion, and the assertion among them.

    ``places`` are the assertions' in ``statements``. What comes after the assertion is left out, unless it stands in a
    function, which is called later. Raises ValueError where there is no such assertion.
    """
    if not 0 <= number < len(places):
        raise ValueError(f"it has no assertion {number}")
    parts = [_program(text).body for text in statements]
    every = [each for part in parts for statement in part for each in asserted(statement)]
    place = places[number]
    later = any(isinstance(statement, ast.FunctionDef) for statement in parts[place])
    needed = parts if later else parts[: place + 1]
    return [statement for part in needed for statement in part], every[number]


def assertions_of(statements: Sequence[str]) -> tuple[str, ...]:
    """The source of each assertion that the statements of a contract are or hold, in order, in one line each."""
    return tuple(
        ast.unparse(assertion)
        for text in statements
        for statement in _program(text).body
        for assertion in asserted(statement)
    )


def with_contract(program: str, entry_point: str, statements: tuple[str, ...]) -> str:
    """``program`` with ``statements`` at the entry of its function, after the docstring.

    The rest of the program stays as it is. Raises ValueError where it does not parse or has no such function.
    """
    tree = _program(program)
    function = function_of(tree, entry_point)
    if not statements:
        return program
    written = _inserted(program, function, statements)
    place = _documented(function)
    function.body[place:place] = [node for text in statements for node in _program(text).body]
    if not _same(written, tree):
        # One line holds head and body, or a text over several lines would change by being indented.
        written = ast.unparse(ast.fix_missing_locations(tree)) + "\n"
    return written


def _inserted(program: str, function: ast.FunctionDef, statements: tuple[str, ...]) -> str:
    """``program`` with the lines of ``statements`` above the first of the body's; empty where those share a line."""
    following = function.body[_documented(function) :]
    lines = program.splitlines(keepends=True)
    if not following or following[0].lineno == function.lineno:
        return ""
    first = following[0]
    decorators: list[ast.expr] = getattr(first, "decorator_list", [])
    at = min([first.lineno, *(each.lineno for each in decorators)]) - 1
    margin = lines[first.lineno - 1].encode()[: first.col_offset].decode()
    if margin.strip():
        return ""
    added = [textwrap.indent(text, margin) + "\n" for text in statements]
    return "".join([*lines[:at], *added, *lines[at:]])


def _documented(function: ast.FunctionDef) -> bool:
    return ast.get_docstring(function, clean=False) is not None


def function_of(tree: ast.Module, name: str) -> ast.FunctionDef:
    """The function of a module that a call of ``name`` reaches: the last one. Raises ValueError where there is none."""
    found = [node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == name]
    if not found:
        raise ValueError(f"no function {name} is defined")
    return found[-1]


def parameters_of(program: str, entry_point: str) -> tuple[str, ...]:
    """Names of the positional parameters of a function of ``program``. Raises ValueError as `with_contract` does."""
    arguments = function_of(_program(program), entry_point).args
    return tuple(each.arg for each in [*arguments.posonlyargs, *arguments.args])


class _Body(msgspec.Struct):
    statements: list[ast.stmt]
    text: str

    def source(self, statement: ast.stmt) -> str:
        found = ast.get_source_segment(self.text, statement, padded=True)
        source = textwrap.dedent(found or "").strip()
        lines = [line.rstrip() for line in source.splitlines() if line.strip()]
        source = "\n".join(lines)
        if not _same(source, ast.Module(body=[statement], type_ignores=[])):
            source = ast.unparse(statement)
        return source


def _body(text: str) -> _Body:
    whole = f"def contract():\n{text}" if text[:1] in (" ", "\t", "\n") else text
    if not text.strip():
        return _Body([], text)
    try:
        tree = parsed(whole)
    except NotPython as error:
        place = f"line {error.line - (whole != text)}: " if error.line else ""
        raise ValueError(f"the contract does not parse: {place}{error.said}") from None
    if whole == text:
        return _Body(tree.body, text)
    function = tree.body[0]
    if len(tree.body) > 1 or not isinstance(function, ast.FunctionDef):
        raise ValueError("the contract does not parse: its lines are not indented alike")
    return _Body(function.body, whole)


def _uncommented(text: str) -> str:
    """``text`` without comments. What cannot be split into tokens is left to the parser to refuse."""
    lines = text.splitlines(keepends=True)
    try:
        tokens = list(tokenize.generate_tokens(io.StringIO(text).readline))
    except (tokenize.TokenError, SyntaxError):
        return text
    for token in tokens:
        if token.type == tokenize.COMMENT:
            row, start = token.start
            end = token.end[1]
            line = lines[row - 1]
            lines[row - 1] = line[:start].rstrip(" \t") + line[end:]
    return "".join(lines)


def _program(text: str) -> ast.Module:
    try:
        return parsed(text)
    except NotPython as error:
        raise ValueError(f"the program does not parse: {error}") from None


def _same(text: str, tree: ast.AST) -> bool:
    try:
        return bool(text) and ast.dump(parsed(text)) == ast.dump(tree)
    except NotPython:
        return False
