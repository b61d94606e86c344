"""Argument lists on their way in: literals, read without running anything that they might hold."""

from __future__ import annotations

import marshal
import math
import re
from typing import Any

# Strings with three quotes come first, as for Python: what ends where must be the same for both.
_STRINGS = re.compile(
    r"""[bB]?(?:'''(?:[^\\]|\\.)*?'''|\"""(?:[^\\]|\\.)*?\"""|'(?:[^'\\\n]|\\.)*+'|"(?:[^"\\\n]|\\.)*+")""",
    re.DOTALL,
)
_LITERAL = re.compile(
    r"(?:[\s\[\](){},:+\-]|\.\.\."
    r"|(?:0[xXoObB][0-9a-fA-F_]+|(?:[0-9][0-9_]*\.?[0-9_]*|\.[0-9][0-9_]*)(?:[eE][+-]?[0-9]+)?[jJ]?)(?!\w)"
    r"|(?:None|True|False|float|set|frozenset|complex|bytearray|inf|nan)(?!\w))*+"
)
_NAMES: dict[str, Any] = {
    "__builtins__": {},
    "float": float,
    "set": set,
    "frozenset": frozenset,
    "complex": complex,
    "bytearray": bytearray,
    "inf": math.inf,
    "nan": math.nan,
}


def prepared(text: str) -> bytes:
    """What makes the argument list that ``text`` stands for afresh, for `arguments`. Raises ValueError for no list.

    Reads what `solexp.python.literals.write` writes, and what else has no more than values, brackets, commas and
    signs: evaluating that can reach nothing.
    """
    if not _LITERAL.fullmatch(_STRINGS.sub(" 0 ", text)):
        raise ValueError("not a literal")
    try:
        code = marshal.dumps(compile(text.strip(), "arguments", "eval", dont_inherit=True))
        found = type(_evaluated(code))
    except (SyntaxError, TypeError, ArithmeticError, MemoryError, RecursionError) as error:
        raise ValueError(f"not a literal: {type(error).__name__}") from None
    if found not in (list, tuple):
        raise ValueError(f"a literal of {found.__name__}, not of a list")
    return code


def arguments(code: bytes) -> list[Any]:
    """The argument list, made afresh."""
    return list(_evaluated(code))


def _evaluated(code: bytes) -> Any:
    return eval(marshal.loads(code), _NAMES)
