"""The inputs that JSON could not hold as they are: MBPP+ has tuples, sets and complex numbers.

Which arguments of which tasks those are is a fact of EvalPlus's release; its own loader turns them back too.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

_TUPLES: tuple[tuple[str, str], ...] = (
    ("*", "2 116 132 143 222 261 273 394 399 421 424 429 470 560 579 596 616 630 726 740 744 809"),
    ("*.*", "63 64 70 94 120 237 272 299 400 409 417 438 473 614 780"),
    ("*.* *", "259 401 445"),
    ("0.*", "75 413 444 753 722"),
    ("0", "250 307 405 446 617 720 763 808"),
    ("1", "106 750"),
    ("0.? 0", "278"),
    ("**", "580 615 791"),
)
"""Where tuples stand (see `_changed`), and the numbers of the tasks."""

_PLACES = {f"Mbpp/{number}": places for places, numbers in _TUPLES for number in numbers.split()}


def restored(task_id: str, arguments: Sequence[Any]) -> list[Any]:
    """One argument list as it was before it became JSON.

    Raises ValueError where the arguments do not have the form that the task's have.
    """
    special = _SPECIAL.get(task_id)
    try:
        if special is not None:
            return special(arguments)
        found: Any = list(arguments)
        for place in _PLACES.get(task_id, "").split():
            found = _changed(found, place.split("."))
    except (TypeError, IndexError, AttributeError) as error:
        raise ValueError(f"not of the form that inputs of {task_id} have: {error}") from None
    return list(found)


def _changed(value: Any, place: list[str]) -> Any:
    """``value`` with a tuple at ``place``: keys, ``*`` for every item, ``?`` for every list, ``**`` for all lists."""
    match place:
        case []:
            return tuple(value)
        case ["**"]:
            return _tuples(value)
        case ["?"]:
            return [tuple(item) if isinstance(item, list) else item for item in value]
        case ["*", *rest] if isinstance(value, dict):
            return {key: _changed(item, rest) for key, item in value.items()}
        case ["*", *rest]:
            return [_changed(item, rest) for item in value]
        case [key, *rest]:
            index = int(key)
            return [*value[:index], _changed(value[index], rest), *value[index + 1 :]]


def _tuples(value: Any) -> Any:
    return tuple(_tuples(item) for item in value) if isinstance(value, list) else value


def _sets(arguments: Sequence[Any]) -> list[Any]:
    """Sets in a list; what is empty or no list becomes an empty dict, as in EvalPlus."""
    return [[set(item) if isinstance(item, list) and item else {} for item in arguments[0]]]


def _number(text: Any) -> complex:
    """A complex number from its text, which Python's own ``str`` wrote."""
    return complex(re.sub(r"\s+", "", text) if isinstance(text, str) else text)


_SPECIAL: dict[str, Callable[[Sequence[Any]], list[Any]]] = {
    "Mbpp/115": _sets,
    "Mbpp/124": lambda arguments: [float(arguments[0]), _number(arguments[1])],
    "Mbpp/252": lambda arguments: [_number(arguments[0])],
}
