"""A sandbox for users' own layouts that comes to an end: what a prompt needs, and no more."""

from __future__ import annotations

import time
from typing import Any

import jinja2
import jinja2.runtime
import jinja2.sandbox

MOST_CHARS = 10_000_000
"""Of a block: far more than any model reads."""
MOST_SECONDS = 10.0
"""For a block."""

_UNTIL = "_until"
"""Under which name a rendering knows when it has to be over."""


class TooMuch(Exception):
    """A layout asks for more than a prompt can be."""


class BoundedEnvironment(jinja2.sandbox.ImmutableSandboxedEnvironment):
    """Renders within `MOST_SECONDS` and `MOST_CHARS`, or raises TooMuch."""

    intercepted_binops = frozenset(("*", "**"))

    def render(self, template: jinja2.Template, block: str, values: dict[str, Any]) -> str:
        """The text of one block. Raises TooMuch, and whatever the template raises."""
        context = template.new_context({**values, _UNTIL: time.monotonic() + MOST_SECONDS})
        pieces, length = [], 0
        for piece in template.blocks[block](context):
            pieces.append(piece)
            length += len(piece)
            _check_length(length)
            _check_time(context)
        return "".join(pieces)

    def call(
        __self,  # noqa: N805  (as in the base, so that keywords may have any name)
        __context: jinja2.runtime.Context,
        __obj: Any,
        *args: Any,
        **kwargs: Any,
    ) -> Any:
        """Called for every function, `range` included, that a template calls."""
        _check_time(__context)
        return super().call(__context, __obj, *args, **kwargs)

    def call_binop(
        self, context: jinja2.runtime.Context, operator: str, left: Any, right: Any
    ) -> Any:
        if operator == "*":
            _check_length(max(_repeated(left, right), _repeated(right, left)))
        elif isinstance(left, int) and isinstance(right, int):
            _check_length(left.bit_length() * right)
        return super().call_binop(context, operator, left, right)


def _repeated(some: Any, times: Any) -> int:
    countable = isinstance(some, str | list | tuple) and isinstance(times, int)
    return len(some) * times if countable else 0


def _check_length(length: int) -> None:
    if length > MOST_CHARS:
        raise TooMuch(f"it makes more than {MOST_CHARS:,} characters")


def _check_time(context: jinja2.runtime.Context) -> None:
    if time.monotonic() > context.parent[_UNTIL]:
        raise TooMuch(f"it takes more than {MOST_SECONDS:g} seconds")
