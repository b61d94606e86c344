"""Whether an output is the expected one, by the rules of EvalPlus's evaluator (v0.3)."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Sequence
from itertools import accumulate
from typing import Any, Literal

FLOATS = 1e-6
"""The absolute tolerance for floats of tasks that state none."""
_RELATIVE = 1e-7

Rule = Literal["equal", "set", "present", "anything", "zero", "slant", "padded", "root"]
"""What counts besides, or instead of, an equal output:

- ``equal``: nothing;
- ``set``: the same elements, in any order and any number, instead;
- ``present``: whether there is an output at all (not None), instead;
- ``anything``: every output;
- ``zero``: 0;
- ``slant``: the surface of a square pyramid whose height is given, not its slant height;
- ``padded``: the distance of digits of two numbers that are filled up with zeros to the same length;
- ``root``: any zero of the polynomial, within the tolerance, instead.
"""

_HUMANEVAL: dict[str, Rule] = {"find_zero": "root"}
_MBPP: dict[str, Rule] = {
    "are_equivalent": "anything",
    "sum_div": "zero",
    "surface_Area": "slant",
    "digit_distance_nums": "padded",
    **dict.fromkeys(
        (
            "similar_elements",
            "find_char_long",
            "common_in_nested_lists",
            "extract_singly",
            "larg_nnum",
            "intersection_array",
            "find_dissimilar",
            "Diff",
        ),
        "set",
    ),
    **dict.fromkeys(("check_str", "text_match_three", "text_starta_endb"), "present"),
}


class Foreign:
    """An output of another type than Python's own, of which no more is known: it equals nothing."""


FOREIGN = Foreign()


def rule_of(task_id: str, entry_point: str) -> Rule:
    """The rule of a task of EvalPlus, by its id (``HumanEval/32``) and its function; of any other, ``equal``."""
    known = {"HumanEval": _HUMANEVAL, "Mbpp": _MBPP}.get(task_id.partition("/")[0], {})
    return known.get(entry_point, "equal")


def tolerances(expected: Sequence[Any], atol: float) -> list[float]:
    """The absolute tolerance of each output of a series, 0 for none.

    A task that states none has `FLOATS` from the first output on that is a float, or a list or tuple of nothing else:
    so EvalPlus goes through a series.
    """
    steps = [atol or (FLOATS if _floats(each) else 0.0) for each in expected]
    return list(accumulate(steps, max))


def matches(
    got: Any,
    expected: Any,
    arguments: Sequence[Any],
    *,
    rule: Rule = "equal",
    atol: float = 0.0,
) -> bool:
    """Whether ``got`` counts as ``expected``. ``atol`` is the output's own, of `tolerances`.

    Equality is Python's: ``1 == True``, ``(1,) != [1]``. Where it fails and there is a tolerance, outputs of one type
    (of one length) are compared as arrays of numbers.
    """
    try:
        if rule == "root":
            (coefficients,) = arguments
            return abs(_polynomial(coefficients, got)) <= atol
        equal = _equal(got, expected, arguments, rule, atol)
        if equal or not atol:
            return equal
        if type(got) is not type(expected):
            return False
        if isinstance(expected, list | tuple) and len(got) != len(expected):
            return False
        return _close(got, expected, atol)
    except Exception:  # what cannot be compared does not match
        return False


def _equal(got: Any, expected: Any, arguments: Sequence[Any], rule: Rule, atol: float) -> bool:
    if rule == "set":
        return set(got) == set(expected)
    if rule == "present":
        return bool(expected == (got if isinstance(got, bool) else got is not None))
    if got == expected or rule == "anything":
        return True
    if rule == "zero":
        return bool(got == 0)
    also = _ALSO.get(rule)
    return also is not None and bool(abs(got - also(*arguments)) <= atol)


def _surface(base: float, height: float) -> int:
    return round(base**2 + 2 * base * math.hypot(base / 2, height))


def _distance(one: object, other: object) -> int:
    texts = str(one), str(other)
    width = max(map(len, texts))
    pairs = zip(*(text.zfill(width) for text in texts), strict=True)
    return sum(abs(int(a) - int(b)) for a, b in pairs)


_ALSO: dict[Rule, Callable[..., float]] = {"slant": _surface, "padded": _distance}


def _polynomial(coefficients: Sequence[float], x: float) -> float:
    return sum(each * math.pow(x, power) for power, each in enumerate(coefficients))


def _floats(value: Any) -> bool:
    if isinstance(value, list | tuple):
        return bool(value) and all(isinstance(each, float) for each in value)
    return isinstance(value, float)


def _close(got: Any, expected: Any, atol: float) -> bool:
    # NumPy's own notion decides, ragged lists (which it refuses) included.
    import numpy as np  # noqa: PLC0415  (0.1 s that most commands can do without)

    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        return bool(np.allclose(got, expected, rtol=_RELATIVE, atol=atol))
