"""Calls that share a process come to what they come to alone."""

from __future__ import annotations

import pytest

from solexp.sandbox import Ended, Limits, call_python

QUICK = Limits(cpu_s=0.2, wall_s=0.5, memory_mb=256)

PROGRAMS = {
    "plain": "def f(x): return [x, {x: (x,)}]",
    "raises": "def f(x):\n    assert x % 3, 'three'\n    return 1 // (x % 5)",
    "counts": "n = 0\ndef f(x):\n    global n\n    n += 1\n    return n",
    "remembers": "def f(x, seen=[]):\n    seen.append(x)\n    return seen",
    "changes its arguments": "def f(x, y=[[1]]):\n    y[0].append(x)\n    return y",
    "dies once": "import os\ndef f(x):\n    if x == 7: os._exit(3)\n    return x",
    "returns no plain value": "def f(x): return x if x % 4 else object()",
    "fails after ten": "left = list(range(10))\ndef f(x): return left.pop() * 0",
    "breaks its runner": "import builtins, sys\ndef f(x): sys.modules.clear(); builtins.len = None",
    "is no function": "f = 1",
    "does not parse": "def f(",
    "rebinds AssertionError": "import builtins\ndef f(x):\n"
    "    builtins.AssertionError = ValueError\n    raise AssertionError",
    "writes files": "import os\ndef f(x):\n    open(str(x), 'w').close()\n    return os.listdir('.')",
    "has every third wrong": "n = 0\ndef f(x):\n    global n\n    n += 1\n    return n % 3 == 0",
    "knows the one before": "last = [0]\ndef f(x):\n    last.append(x)\n    return last[-2] > x",
    "draws numbers": "import random\ndef f(x): return random.random()",
}  # fmt: skip


@pytest.mark.parametrize("name", PROGRAMS)
def test_sharing_a_process_changes_no_answer(name: str) -> None:
    given = [f"[{n}]" for n in range(25)]
    alone = call_python(PROGRAMS[name], "f", given, QUICK)
    shared = call_python(PROGRAMS[name], "f", given, QUICK, together=10)
    for one, other in zip(alone, shared, strict=True):
        assert (one.ended, one.value, one.exception, one.assertion, one.message) == (
            other.ended,
            other.value,
            other.exception,
            other.assertion,
            other.message,
        )


def test_one_call_that_does_not_end_costs_its_own_time_once() -> None:
    program = "def f(x):\n    while x == 3: pass\n    return x"
    results = call_python(program, "f", [f"[{n}]" for n in range(20)], QUICK, together=100)
    assert [result.ended for result in results].count(Ended.TIMEOUT) == 1
    assert results[3].ended == Ended.TIMEOUT
    assert 0.2 <= results[3].cpu_s < 1.5
    assert [result.value for result in results if result.value] == [
        str(n) for n in range(20) if n != 3
    ]


def test_no_call_is_charged_with_the_time_of_the_others() -> None:
    program = """
import time
def f(x):
    began = time.process_time()
    while time.process_time() - began < 0.02: pass
    return x
"""
    results = call_python(program, "f", [f"[{n}]" for n in range(12)], QUICK, together=100)
    assert [result.value for result in results] == [str(n) for n in range(12)]
    assert all(0.02 <= result.cpu_s < 0.5 for result in results)


def test_sleep_of_many_calls_is_not_added_up() -> None:
    program = "import time\ndef f(x):\n    time.sleep(0.1)\n    return x"
    results = call_python(program, "f", [f"[{n}]" for n in range(8)], QUICK, together=100)
    assert [result.value for result in results] == [str(n) for n in range(8)]


def test_all_calls_together_have_their_limit_too() -> None:
    program = "def f(x):\n    for _ in range(10**9): pass"
    limits = Limits(cpu_s=0.1, batch_cpu_s=0.25)
    results = call_python(program, "f", [f"[{n}]" for n in range(20)], limits, together=100)
    assert {result.ended for result in results} == {Ended.TIMEOUT}
    assert sum(result.cpu_s for result in results) < 2
    assert (results[-1].message or "").startswith("not asked")


def test_memory_of_many_calls_is_not_added_up() -> None:
    program = "kept = []\ndef f(x):\n    kept.append(bytearray(30 << 20))\n    return x"
    results = call_python(program, "f", [f"[{n}]" for n in range(8)], QUICK, together=100)
    assert [result.value for result in results] == [str(n) for n in range(8)]


def test_bad_arguments_do_not_harm_those_they_would_share_with() -> None:
    results = call_python("def f(x): return x", "f", ["[1]", "nonsense", "[2]"], QUICK, together=9)
    assert [result.value for result in results] == ["1", None, "2"]
    assert results[1].ended == Ended.UNASKED
