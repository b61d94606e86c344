"""SMT-LIB text, as far as it must be understood to be trusted: which commands it holds."""

from __future__ import annotations

import re
from collections.abc import Iterator

from solexp.violations.cvts import NotRead

DEFINITIONS = frozenset(
    [
        *("define-fun", "define-fun-rec", "define-funs-rec", "define-const", "define-sort"),
        *("declare-const", "declare-fun", "declare-sort", "declare-datatypes", "declare-datatype"),
    ]
)
"""Commands that define something, and do nothing else."""

_TOKEN = re.compile(r'"(?:[^"]|"")*"|\|[^|]*\||;[^\n]*|[()]|[^\s()";|]+|\s+|.', re.DOTALL)


def commands(text: str) -> Iterator[tuple[str, str]]:
    """The commands of ``text`` in order, each with its name. Raises NotRead for a text that is none."""
    depth = 0
    parts: list[str] = []
    for match in _TOKEN.finditer(text):
        token = match[0]
        if token.isspace() or token.startswith(";"):
            parts.append(" ")
            continue
        if len(token) == 1 and token in '"|':
            raise NotRead(f"an open {token} in the program")
        depth += (token == "(") - (token == ")")
        if depth < 0:
            raise NotRead("a closing bracket too many in the program")
        if depth == 0 and token != ")":
            raise NotRead(f"{token[:40]!r} stands outside of any command of the program")
        parts.append(token)
        if depth == 0:
            command = "".join(parts).strip()
            parts = []
            yield _name(command), command
    if depth:
        raise NotRead("a bracket of the program is never closed")


def _name(command: str) -> str:
    found = re.match(r"\(\s*([^\s()]+)", command)
    return found[1] if found else ""


def only(text: str, allowed: frozenset[str], part: str) -> str:
    """``text``, whose commands are all among the ``allowed``. Raises NotRead naming the first that is not."""
    kept = []
    for name, command in commands(text):
        if name not in allowed:
            raise NotRead(f"{part} must not hold the command '{name[:40]}'")
        kept.append(command)
    return "\n".join(kept)
