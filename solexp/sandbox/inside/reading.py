"""Argument lists on their way in: literals, read without running anything that they might hold."""

from __future__ import annotations

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


def arguments(text: str) -> list[object]:
    """The argument list that ``text`` stands for, made afresh. Raises ValueError for what is none.

    Reads what `solexp.python.literals.write` writes, and what else has no more than values, brackets, commas and
    signs: evaluating that can reach nothing.
    """
    bare = _STRINGS.sub(" '' ", text)
    if not _LITERAL.fullmatch(bare.replace("''", "0")):
        raise ValueError("no literal")
    try:
        found = eval(text.strip(), dict(_NAMES))
    except (SyntaxError, TypeError, ArithmeticError, MemoryError, RecursionError) as error:
        raise ValueError(f"no literal: {type(error).__name__}") from None
    if type(found) not in (list, tuple):
        raise ValueError(f"a {type(found).__name__}, not a list")
    return list(found)
