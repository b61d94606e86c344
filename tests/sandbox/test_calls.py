"""Each call of a function answers for itself, and is told exactly."""

from __future__ import annotations

import subprocess
import sys
import threading
from pathlib import Path

import pytest

from solexp.python.literals import read
from solexp.sandbox import CallResult, Check, Ended, Limits, call_python, run_checks
from tests.sandbox.conftest import Ask

QUICK = Limits(cpu_s=1.0, wall_s=1.0)


def test_each_argument_list_has_its_result_in_order() -> None:
    program = "def f(a, b=1):\n    return a // b"
    results = call_python(program, "f", ["[7, 2]", "[7]", "[1, 0]", "(9, 3)"], QUICK)
    assert [result.ended for result in results] == ["returned", "returned", "raised", "returned"]
    assert [result.value for result in results] == ["3", "7", None, "3"]
    assert results[2].exception == "ZeroDivisionError"
    assert results[2].message == "integer division or modulo by zero"
    assert all(0 < result.cpu_s < 1 for result in results)


def test_no_argument_lists_are_no_results() -> None:
    assert call_python("def f(): pass", "f", [], QUICK) == []


def test_nothing_is_left_of_one_call_in_the_next() -> None:
    program = """
import random, math
seen = []
def f(x, memory=[]):
    seen.append(x); memory.append(x); x.append(0)
    math.pi = math.pi + 1
    open("kept", "a").write("x")
    return len(seen), memory, math.pi < 5, open("kept").read(), random.random()
"""
    first, *others = call_python(program, "f", ["[[1]]"] * 3, QUICK)
    assert first.value is not None
    assert first.value.startswith("(1, [[1, 0]], True, 'x', 0.")
    assert [other.value for other in others] == [first.value] * 2


def test_values_keep_their_types() -> None:
    literals = [
        "[[1, 1.0, True, None, 'ä\\n', b'x', (1,), (), [], {}, set(), frozenset(), ...]]",
        "[{(1, 2): {3}, None: frozenset({4})}]",
        "[float('inf'), -float('inf'), float('nan'), -0.0]",
        "[complex(1, -2.5), bytearray(b'x'), 0x10]",
        "['it''s', \"'\", '\\'', '''a'b''', '#']",
        f"[{10**100}]",
    ]
    for result, literal in zip(
        call_python("def f(*xs): return list(xs)", "f", literals, QUICK), literals, strict=True
    ):
        assert result.ended == Ended.RETURNED, result
        assert result.value is not None
        assert repr(read(result.value)) == repr(read(literal))


def test_long_integers_come_back(ask: Ask) -> None:
    result = ask("def f(x): return -x * 3", f"[{hex(10**5000)}]")
    assert read(result.value or "") == -3 * 10**5000


@pytest.mark.parametrize(
    ("made", "value"),
    [
        ("collections.Counter('aab')", "{'a': 2, 'b': 1}"),
        ("collections.OrderedDict(b=1, a=2)", "{'b': 1, 'a': 2}"),
        ("collections.defaultdict(list, {1: [2]})", "{1: [2]}"),
        ("collections.namedtuple('P', 'x y')(1, 2)", "(1, 2)"),
        ("enum.IntEnum('E', 'A B').B", "2"),
        ("type('L', (list,), {})([1])", "[1]"),
    ],
)
def test_what_equals_a_plain_value_is_told_as_one(ask: Ask, made: str, value: str) -> None:
    assert ask(f"import collections, enum\ndef f(): return {made}").value == value


@pytest.mark.parametrize(
    ("made", "why"),
    [
        ("object()", "a object"),
        ("(x for x in [])", "a generator"),
        ("f", "a function"),
        ("[range(3)]", "a range"),
        ("type('L', (list,), {'__eq__': lambda *_: True})()", "compares in its own way"),
        ("loop", "nested more than"),
        ("deep", "nested more than"),
        ("wide", "larger than"),
        ("'x' * 2_000_000", "larger than"),
        ("1 << 10_000_000", "larger than"),
    ],
)
def test_what_is_no_plain_value_is_unreadable(ask: Ask, made: str, why: str) -> None:
    program = f"""
loop = []
loop.append(loop)
deep = wide = 0
for _ in range(100): deep = [deep]
for _ in range(60): wide = (wide, wide)
def f(): return {made}
"""
    result = ask(program)
    assert result.ended == Ended.UNREADABLE
    assert why in (result.message or "")
    assert result.value is None


@pytest.mark.parametrize(
    ("program", "exception"),
    [
        ("def f(:", "SyntaxError"),
        ("def f(): return '\0'", "ValueError|SyntaxError"),
        ("import nothing_like_it", "ModuleNotFoundError"),
        ("assert False", "AssertionError"),
        ("def g(): pass", "NameError"),
        ("f = 5", "NameError"),
        ("raise SystemExit", "SystemExit"),
        ("(" * 1000, "SyntaxError"),
        ("x = " + "-" * 100_000 + "1", "RecursionError|MemoryError"),
    ],
)
def test_a_program_that_does_not_load_was_not_called(
    ask: Ask, program: str, exception: str
) -> None:
    result = ask(program)
    assert result.ended == Ended.UNLOADED
    assert result.exception in exception.split("|")
    assert not result.assertion


def test_a_program_that_takes_for_ever_to_load_is_asked_once() -> None:
    first, *others = call_python("while True: pass", "f", ["[]"] * 5, Limits(cpu_s=0.2))
    assert first.ended == Ended.TIMEOUT
    assert first.cpu_s >= 0.2
    assert {(each.ended, each.cpu_s) for each in others} == {(Ended.TIMEOUT, 0.0)}


@pytest.mark.parametrize(
    "text",
    [
        "5",
        "{1: 2}",
        "",
        "[1",
        "[x]",
        "[f()]",
        "[().__class__]",
        "[1 if 2 else 3]",
        "[__import__('os')]",
        "[f'{1}']",
        "[[x for x in [1]]]",
        "[10**9]",
        "[lambda: 0]",
        "[1] #",
        "'''0'0''' [1].pop() \"'\" #\"",
        "[float]*2",
        "[set(1)]",
        "[{[]}]",
        "[" * 300,
        "[\ud800]",
    ],
)
def test_arguments_that_are_no_literal_of_a_list_are_not_asked(ask: Ask, text: str) -> None:
    result = ask("def f(*_): return 0", text)
    assert result.ended == Ended.UNASKED
    assert result.message


def test_bad_arguments_do_not_harm_those_beside_them() -> None:
    results = call_python("def f(x): return x", "f", ["[1]", "nonsense", "[2]"], QUICK)
    assert [result.value for result in results] == ["1", None, "2"]


def test_the_main_block_of_a_program_does_not_run(ask: Ask) -> None:
    program = "def f(): return __name__\nif __name__ == '__main__': raise SystemExit"
    assert ask(program).value == "'candidate'"


def test_dataclasses_and_type_hints_find_their_module(ask: Ask) -> None:
    program = """
from __future__ import annotations
import dataclasses, typing
@dataclasses.dataclass
class P:
    x: list[int]
def f():
    return dataclasses.astuple(P([1])), typing.get_type_hints(P)["x"] == list[int]
"""
    assert ask(program).value == "(([1],), True)"


def test_a_function_may_recurse_as_deeply_as_in_a_plain_interpreter(tmp_path: Path) -> None:
    program = "def f(n): return 0 if n == 0 else 1 + f(n - 1)\n"
    script = tmp_path / "script.py"
    script.write_text(
        f"{program}for n in range(900, 1100):\n    try: f(n)\n    except RecursionError: break\nprint(n - 1)\n"
    )
    plain = subprocess.run([sys.executable, script], capture_output=True, text=True, check=True)
    deepest = int(plain.stdout)
    results = call_python(program, "f", [f"[{deepest}]", f"[{deepest + 1}]"], QUICK)
    assert [result.ended for result in results] == [Ended.RETURNED, Ended.RAISED]
    assert results[1].exception == "RecursionError"


def test_sets_of_strings_have_one_order(ask: Ask) -> None:
    program = "def f(): return list(set('abcdefgh')), hash('x')"
    assert ask(program).value == ask(program).value


def test_calls_that_use_up_the_batch_leave_the_others_unasked() -> None:
    limits = Limits(cpu_s=0.1, batch_cpu_s=0.15)
    results = call_python("def f():\n    while True: pass", "f", ["[]"] * 5, limits)
    assert [result.ended for result in results] == [Ended.TIMEOUT] * 5
    assert [(result.message or "").startswith("not asked") for result in results] == [
        False,
        False,
        True,
        True,
        True,
    ]


def test_many_programs_share_one_sandbox() -> None:
    checks = [
        Check(program=f"def f(x): return x + {n}", entry_point="f", arguments=("[1]", "[2]"))
        for n in range(5)
    ]
    values = [[each.value for each in results] for results in run_checks(checks, QUICK)]
    assert values == [[str(1 + n), str(2 + n)] for n in range(5)]


def test_threads_of_the_caller_have_a_sandbox_each() -> None:
    found: dict[int, list[CallResult]] = {}

    def call(number: int) -> None:
        found[number] = call_python(f"def f(x): return x * {number}", "f", ["[2]"] * 5, QUICK)

    threads = [threading.Thread(target=call, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {n: [r.value for r in results] for n, results in found.items()} == {
        n: [str(2 * n)] * 5 for n in range(4)
    }


def test_the_surroundings_of_a_call_tell_nothing_of_the_caller(
    ask: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "secret-of-the-caller")
    program = """
import os, sys
def f(): return sorted(os.environ), sys.argv, [p for p in sys.path if 'solexp' in p], sys.flags.no_site
"""
    known = "['HOME', 'LC_ALL', 'PATH', 'PYTHONHASHSEED', 'TMPDIR', 'TZ']"
    assert ask(program).value == f"({known}, [''], [], 1)"
