"""How deeply a text of brackets is nested, found out without a parser that might go down as deep."""

from __future__ import annotations

import re

DEEPEST = 200
"""Levels that JSON and TOML of other people may have. What anybody writes has a tenth of them."""

_BRACKETS = re.compile(
    rb"""
    (?P<open>  [\[{] )  |
    (?P<close> [\]}] )  |
    "(?: [^"\\\n] | \\. )*"  |  # brackets within a text are none
    '[^'\n]*'
    """,
    re.VERBOSE | re.DOTALL,
)


def refuse_depth(text: str | bytes, most: int = DEEPEST) -> None:
    """Raises ValueError where brackets and braces are nested in more than ``most`` levels.

    Parsers in C go down on the processor's stack as far as Python's limit of recursion lets them; where another package
    has raised that limit, a text that is nothing but brackets ends the process.
    """
    data = text.encode(errors="surrogatepass") if isinstance(text, str) else text
    depth = 0
    for found in _BRACKETS.finditer(data):
        if found.lastgroup == "open":
            depth += 1
            if depth > most:
                raise ValueError(f"it is nested in more than {most} levels")
        elif found.lastgroup == "close":
            depth -= 1
