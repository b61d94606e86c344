"""How many functions a contract has, counted without parsing it: a run's start has no time for more."""

from __future__ import annotations

import re
from functools import lru_cache

from solexp.core.task import Task

# Every branch begins with a letter of its own and none is a group: only so does the search skip quickly.
_TOKEN = re.compile(
    r"""
      //[^\n\r]*+ | /\*.*?(?:\*/|\Z) | "(?:[^"\\\n\r]|\\.)*+"? | '(?:[^'\\\n\r]|\\.)*+'?
    | \{ | \} | ; | contract\s++[\w$]++ | library\s++[\w$]++ | interface\s++[\w$]++ | function\s++[\w$]++
    """,
    re.DOTALL | re.VERBOSE,
)
_WORD = re.compile(r"[\w$.]")


def functions_of(task: Task) -> int:
    """Functions with a name and a body in the contract that the target is, or is a part of; 0 where it is in none."""
    if task.language != "solidity":
        return 0
    if task.target.member:
        return _count(task.sources[task.target.path], task.target.contract)
    return count_functions(task.reference, task.target.contract)


def count_functions(source: str, contract: str) -> int:
    """Functions with a name and a body in the definition of ``contract`` in ``source``; 0 where there is none.

    >>> count_functions("contract A { function f() public {} function g() external; }", "A")
    1
    """
    count, depth, top = 0, 0, ""
    waiting = inside = False
    for token in _TOKEN.finditer(source):
        text = token[0]
        first = text[0]
        if depth == 0 and first == "{" and source[token.start() - 1 : token.start()] == "(":
            continue  # a struct among the arguments of a base
        if first == "{":
            inside = inside or (depth == 0 and top == contract)
            count += inside and waiting
            depth += 1
            waiting = False
        elif first == "}":
            depth = max(0, depth - 1)
            if depth == 0 and inside:
                return count
            waiting = False
        elif first == ";":
            waiting = False
        elif first in "clif" and not (token.start() and _WORD.match(source, token.start() - 1)):
            if first == "f":
                waiting = True
            elif depth == 0:
                top = text.split()[1]
    return count


# Many functions of one file may be tasks.
_count = lru_cache(maxsize=64)(count_functions)
