"""What prompts and verdicts say of a function: its contract in words, and its calls."""

from __future__ import annotations

import ast
from collections.abc import Iterable

import msgspec

from solexp.core.preconditions import Preconditions
from solexp.python.literals import read, write

_ORDER: dict[type[ast.cmpop], str] = {
    ast.Gt: "is greater than",
    ast.GtE: "is at least",
    ast.Lt: "is less than",
    ast.LtE: "is at most",
    ast.Eq: "equals",
    ast.NotEq: "does not equal",
    ast.In: "is in",
    ast.NotIn: "is not in",
    ast.Is: "is",
    ast.IsNot: "is not",
}
_QUANTIFIED = {"all": "every", "any": "some"}


class Stated(msgspec.Struct, frozen=True, kw_only=True):
    """What a contract demands, in words as far as there are some."""

    sentences: tuple[str, ...]
    """One for each assertion that says all by itself."""
    code: str = ""
    """The statements of the contract that say something only together, such as a loop with what it counts."""


def told(given: Preconditions) -> tuple[str, ...]:
    """The statements of a contract, without the assertions that no description asks for."""
    untold = {
        place for number, place in enumerate(given.assertions) if number not in given.violable
    }
    return tuple(
        text
        for place, text in enumerate(given.statements)
        if place not in untold or not isinstance(ast.parse(text).body[0], ast.Assert)
    )


def stated(given: Preconditions) -> Stated:
    """The demands of a contract, those left out that no description asks for.

    >>> stated(Preconditions(entry_point="f", parameters=("n",), statements=("assert n > 0",), assertions=(0,)))
    Stated(sentences=('`n` is greater than 0',), code='')
    """
    sentences, kept = [], []
    bound: set[str] = set()
    for text in told(given):
        (statement, *_) = ast.parse(text).body
        if isinstance(statement, ast.Assert) and not bound & _names(statement.test):
            sentences.append(worded(statement.test))
        else:
            kept.append(text)
            bound |= _bound(statement)
    return Stated(sentences=tuple(sentences), code="\n".join(kept))


def call_of(entry_point: str, args: str) -> str:
    """A call as Python writes it.

    >>> call_of("f", "[1, (2, 3)]")
    'f(1, (2, 3))'
    """
    values = read(args)
    assert isinstance(values, list | tuple)
    return f"{entry_point}({', '.join(map(write, values))})"


def worded(test: ast.expr) -> str:
    """One condition in words, its expressions as code."""
    match test:
        case ast.BoolOp(op=ast.And(), values=values):
            return " and ".join(
                f"({worded(each)})" if isinstance(each, ast.BoolOp) else worded(each)
                for each in values
            )
        case ast.Call(func=ast.Name(id="isinstance"), args=[subject, types], keywords=[]):
            return f"{_code(subject)} is {_kinds(types)}"
        case ast.Call(
            func=ast.Name(id=("all" | "any") as name),
            args=[ast.GeneratorExp(generators=[each]) | ast.ListComp(generators=[each]) as what],
            keywords=[],
        ) if not each.ifs and not each.is_async:
            where = f"for {_QUANTIFIED[name]} {_code(each.target)} in {_code(each.iter)}"
            return f"{where}, {worded(what.elt)}"
        case ast.Compare(left=left, ops=[operator], comparators=[right]):
            return _compared(left, operator, right)
    return f"{_code(test)} {'holds' if isinstance(test, ast.Compare) else 'is true'}"


def _compared(left: ast.expr, operator: ast.cmpop, right: ast.expr) -> str:
    match left, operator:
        case ast.Call(func=ast.Name(id="type"), args=[subject]), ast.Eq() | ast.Is() | ast.In():
            return f"{_code(subject)} is exactly {_kinds(right)}"
        case _, ast.In() if isinstance(right, ast.List | ast.Tuple | ast.Set):
            return f"{_subject(left)} is one of {', '.join(map(_value, right.elts))}"
    return f"{_subject(left)} {_ORDER[type(operator)]} {_value(right)}"


def _kinds(types: ast.expr) -> str:
    """``an int or a float``; of what names no types, its code."""
    names = types.elts if isinstance(types, ast.Tuple | ast.List | ast.Set) else [types]
    if not names or not all(isinstance(each, ast.Name) for each in names):
        return f"an instance of {_code(types)}"
    return " or ".join(_article(ast.unparse(each)) for each in names)


def _article(name: str) -> str:
    return f"{'an' if name[:1] in 'aeiou' else 'a'} {name}"


def _subject(node: ast.expr) -> str:
    match node:
        case ast.Call(func=ast.Name(id="len"), args=[what], keywords=[]):
            return f"the length of {_code(what)}"
    return _code(node)


def _value(node: ast.expr) -> str:
    match node:
        case ast.Constant(value=int() | float()) | ast.UnaryOp(operand=ast.Constant()):
            return ast.unparse(node)
    return _subject(node)


def _code(node: ast.expr) -> str:
    return f"`{ast.unparse(node)}`"


def _names(node: ast.AST) -> set[str]:
    return {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}


def _bound(statement: ast.stmt) -> set[str]:
    """Names that a statement gives a meaning to."""
    found: set[str] = set()
    for node in ast.walk(statement):
        match node:
            case ast.Name(id=name, ctx=ast.Store()):
                found.add(name)
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
                found.add(name)
            case ast.Import(names=names) | ast.ImportFrom(names=names):
                found |= _imported(names)
    return found


def _imported(names: Iterable[ast.alias]) -> set[str]:
    return {(each.asname or each.name).partition(".")[0] for each in names}
