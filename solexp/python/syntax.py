"""Reading Python source."""

from __future__ import annotations

import ast
import warnings


def parsed(source: str) -> ast.Module:
    """The syntax tree of ``source``. Raises ValueError, in one line with the place, where there is none.

    What the source could warn of (an escape that is none) is not told.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(source)
    except SyntaxError as error:
        # Of an integer that is too long the parser tells how to change the interpreter, too.
        raise NotPython(error.msg.partition(";")[0], error.lineno) from None
    except (ValueError, RecursionError, MemoryError) as error:
        raise NotPython(str(error) or "it is nested too deeply", None) from None


class NotPython(ValueError):
    """A source does not parse."""

    def __init__(self, said: str, line: int | None) -> None:
        super().__init__(f"line {line}: {said}" if line else said)
        self.said = said
        """What is wrong, without the place."""
        self.line = line
        """1-based, where the parser stopped; None where it does not say."""
