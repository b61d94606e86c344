"""Programs whose function does nothing: what no oracle of its outputs may pass."""

from __future__ import annotations

import ast
from typing import Literal

from solexp.python.contracts import function_of
from solexp.python.syntax import parsed

_BODIES: dict[str, str] = {"empty": "pass", "revert": "raise NotImplementedError"}


def stubbed_program(program: str, entry_point: str, kind: Literal["empty", "revert"]) -> str:
    """``program`` with the body of its function emptied, or raising at once; its docstring stays.

    Raises ValueError where the program does not parse or has no such function.
    """
    tree = parsed(program)
    function = function_of(tree, entry_point)
    documented = ast.get_docstring(function, clean=False) is not None
    function.body = function.body[:documented] + parsed(_BODIES[kind]).body
    return ast.unparse(ast.fix_missing_locations(tree))
