"""Values of Python as source text, exactly: tuples stay tuples, sets stay sets, True is not 1.

Beyond what ``ast.literal_eval`` reads there are ``set()``, ``frozenset(…)``, ``float('inf')``, ``float('nan')``,
``bytearray(…)`` and ``complex(…)`` with parts of any kind.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Iterable

from solexp.python.syntax import NotPython, parsed

_MAX_DIGITS = 4300
"""Python refuses to read longer integers in decimal, so they are written in hexadecimal."""
_MAX_DEPTH = 95
"""Python reads no more than 200 brackets within each other, and a frozenset takes two."""
_CONSTANTS = {"inf": math.inf, "nan": math.nan}
"""What ``repr`` writes for floats that have no literal."""


def write(value: object) -> str:
    """``value`` as a literal that `read` gives back: equal, of the same types throughout, in the same order.

    Elements of sets are sorted by their literals, so that equal sets are written alike. Raises ValueError for a value
    that is no None, bool, int, float, complex, str, bytes, bytearray, list, tuple, set, frozenset, dict or Ellipsis,
    or holds one, or itself; a subclass of these is none of them.
    """
    return _write(value, ())


def read(text: str) -> object:
    """The value that a literal stands for. Raises ValueError, which says in one line why, for any other text."""
    try:
        return _read(_expression(text.strip()))
    except NotPython as error:
        raise ValueError(f"{_short(text)} is no Python literal: {error.said}") from None
    except (TypeError, ValueError, RecursionError) as error:
        raise ValueError(f"{_short(text)} is no Python literal: {error}") from None


def _expression(text: str) -> ast.expr:
    body = parsed(text).body
    if len(body) != 1 or not isinstance(body[0], ast.Expr):
        raise NotPython("it is no expression", None)
    return body[0].value


def _write(value: object, within: tuple[int, ...]) -> str:
    simple = _SIMPLE.get(type(value))
    if simple is not None:
        return simple(value)
    if id(value) in within:
        raise ValueError("it contains itself")
    if len(within) == _MAX_DEPTH:
        # Counted, since some packages raise Python's own limit beyond what the stack holds.
        raise ValueError("it is nested too deeply for a literal")
    within = (*within, id(value))
    if type(value) is list:
        return f"[{_joined(value, within)}]"
    if type(value) is tuple:
        return f"({_joined(value, within)}{',' * (len(value) == 1)})"
    if type(value) is set:
        return f"{{{_sorted(value, within)}}}" if value else "set()"
    if type(value) is frozenset:
        return f"frozenset({{{_sorted(value, within)}}})" if value else "frozenset()"
    if type(value) is dict:
        items = (f"{_write(key, within)}: {_write(item, within)}" for key, item in value.items())
        return f"{{{', '.join(items)}}}"
    raise ValueError(f"a {type(value).__name__} has no literal")


def _joined(values: Iterable[object], within: tuple[int, ...]) -> str:
    return ", ".join(_write(value, within) for value in values)


def _sorted(values: Iterable[object], within: tuple[int, ...]) -> str:
    return ", ".join(sorted(_write(value, within) for value in values))


def _integer(value: int) -> str:
    # An integer has fewer decimal digits than a third of its bits, and some.
    return repr(value) if value.bit_length() < 3 * _MAX_DIGITS else hex(value)


def _float(value: float) -> str:
    return repr(value) if math.isfinite(value) else f"float('{value}')"


def _complex(value: complex) -> str:
    return f"complex({_float(value.real)}, {_float(value.imag)})"


_SIMPLE: dict[type, Callable[..., str]] = {
    type(None): repr,
    bool: repr,
    int: _integer,
    float: _float,
    complex: _complex,
    str: repr,
    bytes: repr,
    bytearray: repr,
    type(...): lambda _: "...",
}


def _read(node: ast.expr) -> object:  # noqa: PLR0911  (one return a kind of literal)
    match node:
        case ast.Constant():
            return node.value
        case ast.Name() if node.id in _CONSTANTS:
            return _CONSTANTS[node.id]
        case ast.List():
            return [_read(item) for item in node.elts]
        case ast.Tuple():
            return tuple(_read(item) for item in node.elts)
        case ast.Set():
            return {_read(item) for item in node.elts}
        case ast.Dict():
            return {
                _read(_known(key)): _read(item)
                for key, item in zip(node.keys, node.values, strict=True)
            }
        case ast.UnaryOp(op=ast.USub() | ast.UAdd() as sign):
            number = _number(node.operand)
            return -number if isinstance(sign, ast.USub) else +number
        case ast.BinOp(op=ast.Add() | ast.Sub() as operator):
            return _sum(node, operator)
        case ast.Call(func=ast.Name(id=name), keywords=[]):
            return _called(name, [_read(item) for item in node.args])
    raise ValueError(f"it has {ast.unparse(node)[:40]}")


def _known(key: ast.expr | None) -> ast.expr:
    if key is None:
        raise ValueError("it unpacks a dict")
    return key


def _number(node: ast.expr) -> int | float | complex:
    found = _read(node)
    if type(found) not in (int, float, complex):
        raise ValueError(f"{ast.unparse(node)[:40]} has no sign")
    assert isinstance(found, int | float | complex)
    return found


def _sum(node: ast.BinOp, operator: ast.operator) -> complex:
    """A complex number as ``repr`` writes it: ``1+2j``."""
    real, imaginary = _number(node.left), _number(node.right)
    if isinstance(real, complex) or not isinstance(imaginary, complex):
        raise ValueError(f"it has {ast.unparse(node)[:40]}")  # noqa: TRY004
    return real + imaginary if isinstance(operator, ast.Add) else real - imaginary


def _called(name: str, arguments: list[object]) -> object:  # noqa: PLR0911  (as above)
    match name, arguments:
        case "set", []:
            return set()
        case "frozenset", []:
            return frozenset()
        case "set", [set() | list() | tuple() as items]:
            return set(items)
        case "frozenset", [set() | list() | tuple() as items]:
            return frozenset(items)
        case "float", [str() as text]:
            return float(text)
        case "bytearray", [bytes() as data]:
            return bytearray(data)
        case "complex", [int() | float() as real, int() | float() as imaginary]:
            return complex(real, imaginary)
    raise ValueError(f"it calls {name}")


def _short(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= 60 else f"{text[:59]}…"
