"""Functions of the modules ``math`` and ``re``."""

from __future__ import annotations

import math
import re

from solexp.violations.python import arith
from solexp.violations.python.calls import positional
from solexp.violations.python.conversions import natively
from solexp.violations.python.evaluation import Evaluation
from solexp.violations.python.functions import Given, Keywords
from solexp.violations.python.logic import not_
from solexp.violations.python.regex import NotRegular, matches
from solexp.violations.python.rounding import absolute, truncated
from solexp.violations.python.values import (
    NOTHING,
    Opaque,
    Value,
    floating,
    grid_of,
    integer,
    is_number,
    is_text,
    real_term,
)

CONSTANTS = {"inf": math.inf, "nan": math.nan, "pi": math.pi, "e": math.e}


def call_module(ev: Evaluation, name: str, given: Given, keywords: Keywords) -> Value:
    """A function of ``math`` or ``re``, such as ``math.isnan``."""
    if name in ("re.match", "re.fullmatch", "re.search"):
        arguments = positional(ev, given, keywords, "pattern string flags", 0)
        if arguments is None:
            return NOTHING
        return ev.lift(lambda *each: _matched(ev, name[3:], *each), *arguments)
    if name.startswith("math.") and not keywords:
        return ev.lift(lambda *each: _math(ev, name[5:], *each), *given)
    return ev.refuse(f"call of {name}")


def _matched(ev: Evaluation, mode: str, pattern: Value, value: Value, flags: Value) -> Value:
    if not isinstance(pattern, str) or not isinstance(flags, int):
        return ev.refuse("an unknown regular expression")
    if not is_text(value):
        return ev.fail(TypeError)
    try:
        found = matches(pattern, value, mode, flags)
    except NotRegular as error:
        return ev.refuse(str(error))
    except re.error:
        return ev.fail(re.error)
    return ev.join([(found, Opaque("a match", true=True)), (not_(found), None)])


def _math(ev: Evaluation, name: str, *given: Value) -> Value:  # noqa: PLR0911
    if all(isinstance(each, bool | int | float) for each in given) and hasattr(math, name):
        return natively(ev, getattr(math, name), *given)
    if not all(is_number(each) for each in given):
        return ev.fail(TypeError) if hasattr(math, name) else ev.refuse(f"call of math.{name}")
    value = given[0] if len(given) == 1 else None
    if value is not None and name in ("isnan", "isinf"):
        return False
    if value is not None and name == "isfinite":
        return True
    if value is not None and name in ("floor", "ceil", "trunc") and grid_of(value) is not None:
        term = real_term(value)
        up = arith.scale(-1, arith.floor(arith.scale(-1, term)))
        return integer({"floor": arith.floor(term), "ceil": up, "trunc": truncated(term)}[name])
    if value is not None and name == "fabs":
        return floating(real_term(absolute(ev, value)), grid_of(value))
    return ev.refuse(f"call of math.{name}")
