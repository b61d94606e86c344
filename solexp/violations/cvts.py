"""Contract-violating tests as a model gives them: argument lists, and the assertions that each is meant to violate.

ContractEval, §3: for a combination of violated and satisfied assertions a test is an input on which exactly the first
do not hold.
"""

from __future__ import annotations

import ast
import itertools
from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from solexp.core import SolexpError
from solexp.core.preconditions import Preconditions
from solexp.python.contracts import asserted
from solexp.python.literals import read, write

EXHAUSTIVE_TO = 4
"""Up to so many assertions a language model is asked for every combination; of more, for single ones and pairs."""


class NotRead(SolexpError):
    """A text that is no set of tests. The message says why in one line."""


class Cvt(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One test: an input, and what it is meant to violate."""

    violated: tuple[int, ...]
    """Numbers of the assertions, 0-based, ascending; none for an input that is meant to satisfy all."""
    args: str
    """The argument list as Python: a literal such as ``[1, 'a']``, or what `expression` lets through."""
    merged: tuple[int, ...] | None = None
    """The targets that a release counts for it, where they are other ones."""


class Asked(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What a generator says of one combination."""

    violated: tuple[int, ...]
    status: str
    """``sat``, ``unsat``, ``unknown``, ``timeout`` or ``unsupported``."""
    reason: str = ""


class Translation(msgspec.Struct, frozen=True, kw_only=True):
    """A contract as a model writes it for a solver: parts of an SMT-LIB program (ContractEval, §3)."""

    helper_functions: str = ""
    inputs: str
    basic_structure: str = ""
    contract_defs: dict[int, str]
    """By number of the assertion: a definition of the predicate ``C<number>``."""


class CvtSet(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """All that a generator has to say of one task. As JSON, this is the code of a candidate."""

    cvts: tuple[Cvt, ...] = ()
    asked: tuple[Asked, ...] = ()
    """Its combinations, where it tells."""
    unsupported: dict[int, str] = {}
    """By number: assertions that it could not translate, and the construct."""
    unreadable: tuple[str, ...] = ()
    """One line each for tests that could not be read."""
    translation: Translation | None = None
    """A program that is still to be solved."""


def encode(found: CvtSet) -> str:
    """The text of a set, which `decode` reads: JSON, a test a line."""
    rest = msgspec.json.encode(msgspec.structs.replace(found, cvts=())).decode()
    tests = ",".join(f"\n {msgspec.json.encode(cvt).decode()}" for cvt in found.cvts)
    return f'{{"cvts": [{tests}]' + (f",\n{rest[1:]}" if rest != "{}" else "}")


def decode(text: str) -> CvtSet:
    """The set that `encode` wrote. Raises NotRead."""
    try:
        return msgspec.json.decode(text, type=CvtSet)
    except msgspec.DecodeError as error:
        raise NotRead(str(error)) from None


def combinations(count: int, exhaustive_to: int = EXHAUSTIVE_TO) -> Iterator[tuple[int, ...]]:
    """Sets of assertions to violate, small ones first: all sets of up to ``exhaustive_to``, else singles and pairs.

    >>> list(combinations(2))
    [(0,), (1,), (0, 1)]
    >>> list(combinations(3, 2))
    [(0,), (1,), (2,), (0, 1), (0, 2), (1, 2)]
    """
    largest = count if count <= exhaustive_to else min(count, 2)
    for size in range(1, largest + 1):
        yield from itertools.combinations(range(count), size)


def cvt_of(row: Mapping[str, Any], count: int) -> Cvt:
    """A test from one row of a reply. Raises NotRead, naming what is wrong.

    ``violated`` may hold numbers or names such as ``assert_0``; ``args`` (or ``input``) is Python in a string, as
    `expression` reads it, or a JSON list.
    """
    violated = row.get("violated")
    if not isinstance(violated, list):
        raise NotRead("'violated' must be a list of assertions' numbers")
    numbers = sorted({number_of(name, count) for name in violated})
    args = row.get("args", row.get("input"))
    if isinstance(args, list):
        text = write(args)
    elif isinstance(args, str):
        text = expression(args)
    else:
        raise NotRead("'args' must be the list of arguments")
    return Cvt(violated=tuple(numbers), args=text)


def number_of(name: object, count: int) -> int:
    """The number that stands in ``2``, ``"2"`` or ``"assert_2"``. Raises NotRead when there is no such assertion."""
    text = str(name).removeprefix("assert_") if not isinstance(name, bool) else ""
    if not text.isdecimal():
        raise NotRead(f"{_shown(name)} names no assertion")
    number = int(text)
    if number >= count:
        raise NotRead(f"there is no assertion {number}: the contract has {count}")
    return number


NAMES = ("true", "false", "null", "inf", "nan", "NaN", "Infinity")
"""Names that stand for values in an argument list, beside Python's own: JSON's, and those of floats."""
CALLS = (
    *("bool", "int", "float", "complex", "str", "bytes", "bytearray"),
    *("list", "tuple", "set", "frozenset", "dict", "range"),
)
"""What an argument list may call."""
_PLAIN = (
    ast.Constant, ast.List, ast.Tuple, ast.Set, ast.Dict, ast.Starred, ast.UnaryOp, ast.BinOp,
    ast.operator, ast.unaryop, ast.expr_context, ast.ListComp, ast.SetComp, ast.DictComp,
    ast.GeneratorExp, ast.comprehension, ast.keyword,
)  # fmt: skip


def expression(text: str) -> str:
    """``text``, which is meant to be a list of arguments, as an expression that the sandbox may evaluate.

    A literal is written as `solexp.python.literals` does. Else it may name `NAMES`, call `CALLS` and make lists from
    ranges, as models do who write down a long input. Raises NotRead for any other text.
    """
    try:
        value = read(text)
    except ValueError:
        return _checked(text)
    if not isinstance(value, list | tuple):
        raise NotRead(f"{_shown(text)} is no list of arguments")
    return write(list(value))


def _checked(text: str) -> str:
    try:
        body = ast.parse(text.strip(), mode="eval").body
        names = {*NAMES, *CALLS} | {
            node.id
            for node in ast.walk(body)
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
        }
        for node in ast.walk(body):
            known = (isinstance(node, ast.Name) and node.id in names) or (
                isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
            )
            if not known and not isinstance(node, _PLAIN):
                raise NotRead(f"{_shown(text)} holds more than values: {ast.unparse(node)[:40]}")
    except SyntaxError as error:
        raise NotRead(f"{_shown(text)} is no Python: {error.msg}") from None
    except (ValueError, RecursionError, MemoryError):
        raise NotRead(f"{_shown(text)} cannot be parsed") from None
    if not isinstance(body, ast.List | ast.Tuple):
        raise NotRead(f"{_shown(text)} is no list of arguments")
    return text.strip()


def _shown(value: object) -> str:
    text = value if isinstance(value, str) else repr(value)
    return repr(text if len(text) < 80 else text[:77] + "...")


def numbered(pre: Preconditions) -> str:
    """A contract with the number of each assertion in a comment above it."""
    shown = []
    number = 0
    for text in pre.statements:
        lines = text.splitlines()
        marks: dict[int, list[int]] = {}
        for statement in ast.parse(text).body:
            for assertion in asserted(statement):
                marks.setdefault(assertion.lineno - 1, []).append(number)
                number += 1
        for place, line in enumerate(lines):
            margin = line[: len(line) - len(line.lstrip())]
            shown += [f"{margin}# assertion {each}" for each in marks.get(place, ())]
            shown.append(line)
    return "\n".join(shown)
