"""Series of calls come to what the calls come to by themselves."""

from __future__ import annotations

import msgspec
import pytest

from solexp.python.series import call_series
from solexp.sandbox import CallResult, Ended, Limits, call_python

LIMITS = Limits(cpu_s=0.3, batch_cpu_s=1.0)

MANY = """
import os, sys
from collections import Counter

class Own(AssertionError):
    pass

class Odd(Exception):
    pass

def f(kind):
    match kind:
        case "sum":
            return 1 + 1
        case "counter":
            return Counter("aab")
        case "assert":
            assert kind == "x", "invalid inputs"
        case "own":
            raise Own("mine")
        case "odd":
            raise Odd(5)
        case "exit":
            sys.exit(3)
        case "deep":
            return f(kind)
        case "lambda":
            return lambda: 1
        case "gone":
            os._exit(0)
        case "loop":
            while True:
                pass
    return [kind, (1,), {2}]
"""


def told(calls: list[CallResult]) -> list[CallResult]:
    return [msgspec.structs.replace(call, cpu_s=0.0, message=None) for call in calls]


@pytest.mark.parametrize(
    "kinds",
    [
        ["sum", "counter", "else", "assert", "own", "odd", "exit", "deep", "sum"],
        ["sum", "lambda", "assert"],
        ["sum", "gone", "assert"],
        ["loop", "sum"],
    ],
)
def test_a_series_is_as_its_calls(kinds: list[str]) -> None:
    inputs = [f"[{kind!r}]" for kind in kinds]
    assert told(call_series(MANY, "f", inputs, LIMITS)) == told(
        call_python(MANY, "f", inputs, LIMITS)
    )


@pytest.mark.parametrize("program", ["def f(:", "def g(x): pass", "1 / 0\ndef f(x): pass"])
def test_what_does_not_load_is_not_called(program: str) -> None:
    calls = call_series(program, "f", ["[1]", "[2]"], LIMITS)
    assert [call.ended for call in calls] == [Ended.UNLOADED] * 2


def test_a_returned_list_is_as_it_was_returned_and_arguments_are_fresh() -> None:
    program = "kept = []\ndef f(x):\n    x.append(0)\n    kept.append(len(x))\n    return kept\n"
    calls = call_series(program, "f", ["[[1]]", "[[1]]"], LIMITS)
    assert [call.value for call in calls] == ["[2]", "[2, 2]"]


def test_more_calls_than_one_process_makes_keep_their_order() -> None:
    calls = call_series("def f(x): return x", "f", [f"[{n}]" for n in range(250)], LIMITS)
    assert [call.value for call in calls] == [str(n) for n in range(250)]


def test_what_the_calls_use_together_is_limited() -> None:
    program = "def f(x):\n    while True: pass\n"
    calls = call_series(program, "f", ["[1]"] * 150, LIMITS)
    assert {call.ended for call in calls} == {Ended.TIMEOUT}
    assert sum(call.cpu_s for call in calls) < 2


@pytest.mark.parametrize(
    "before",
    [
        "class Odd(Exception):\n    __class__ = property(lambda self: AssertionError)",
        "Odd = ValueError\nisinstance = lambda one, kind: True",
        "Odd = ValueError\ntype = lambda one: ValueError",
    ],
)
def test_what_only_says_that_it_is_an_assertion_error_is_none(before: str) -> None:
    program = f"{before}\ndef f(x):\n    assert x\n    raise Odd('no')\n"
    calls = call_series(program, "f", ["[0]", "[1]"], LIMITS)
    assert [(call.ended, call.assertion) for call in calls] == [
        (Ended.RAISED, True),
        (Ended.RAISED, False),
    ]


def test_what_the_calls_return_together_is_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("solexp.python.series._ROOM", 30_000_000)
    limits = Limits(cpu_s=1.0, batch_cpu_s=20.0, output_mb=4.0)
    calls = call_series("def f(x): return 'a' * 3_000_000", "f", ["[1]"] * 30, limits)
    assert [call.value is None for call in calls] == [False] * 10 + [True] * 20
    assert {call.ended for call in calls[10:]} == {Ended.UNREADABLE}
