"""Mutants and stubs of Python functions."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from solexp.benchmarks.contracteval import ContractEval
from solexp.python.mutation import mutations
from solexp.python.stubs import stubbed_program

PROGRAM = '''import math

LIMIT = 3

def étage(n: int, m=1) -> int:
    """Says 1 + 1."""
    if n < 0 and not m:
        raise ValueError("no")
    total = 0
    for i in range(n, m):  # + and -
        total += (i  # odd
                  % 2)
    return math.pow(total, -n) if n is not m else [x for x in (1,) if x]

def other():
    return 1 + 1
'''


def changes(program: str, name: str) -> list[str]:
    return [
        each.name.partition("@")[0] + each.name.partition(":")[2]
        for each in mutations(program, name)
    ]


def test_every_kind_of_change_is_made_and_nothing_else_is_touched() -> None:
    found = changes(PROGRAM, "étage")
    assert found == [
        "condition n < 0 and not m -> (not (n < 0 and not m))",
        "comparison < -> <=",
        "comparison < -> >",
        "constant 0 -> -1",
        "constant 0 -> 1",
        "logical and -> or",
        "logical not m -> (m)",
        'check raise ValueError("no") -> pass',
        "constant \"no\" -> ''",
        "statement total = 0 -> pass",
        "constant 0 -> -1",
        "constant 0 -> 1",
        "swapped n, m -> m, n",
        "statement total += (i # odd % 2) -> pass",
        "arithmetic + -> -",
        "arithmetic % -> *",
        "constant 2 -> 0",
        "constant 2 -> 1",
        "constant 2 -> 3",
        "returned math.pow(total, -n) if n is not m else [x for x in (1,) if x] -> None",
        "swapped total, -n -> -n, total",
        "arithmetic -n -> (n)",
        "condition n is not m -> (not (n is not m))",
        "comparison is not -> is",
        "constant 1 -> 0",
        "constant 1 -> 2",
        "condition x -> (not (x))",
    ]


def test_no_two_mutants_are_alike_and_each_differs_in_one_place() -> None:
    every = mutations(PROGRAM, "étage")
    dumps = [ast.dump(ast.parse(each.applied(PROGRAM))) for each in every]
    assert len({*dumps, ast.dump(ast.parse(PROGRAM))}) == len(every) + 1
    for each in every:
        data = PROGRAM.encode()
        assert data[each.start : each.end].decode() == each.old
        assert PROGRAM.splitlines()[each.line - 1].strip()
        assert "def other():\n    return 1 + 1" in each.applied(PROGRAM)


@pytest.mark.parametrize(
    ("body", "wanted"),
    [
        ("return x not   in y", "comparison not in -> in"),
        ("return x in y", "comparison in -> not in"),
        ("return x//y", "arithmetic // -> *"),
        ("return ((x)\n        + (y))", "arithmetic + -> -"),
        ("return x ^ y", "bitwise ^ -> &"),
        ("x -= y", "arithmetic - -> +"),
        ("x[0] <<= y", "bitwise << -> >>"),
        ("return x <= y", "comparison <= -> >="),
        ("while x: break", "statement break -> pass"),
        ("assert x", "check assert x -> pass"),
        ("return True", "constant True -> False"),
        ("del x", "statement del x -> pass"),
    ],
)
def test_operators_are_found_wherever_they_stand(body: str, wanted: str) -> None:
    assert wanted in changes(f"def f(x, y):\n    {body}\n", "f")


@pytest.mark.parametrize("body", ["pass", "'only words'", "return f'{x} and {y}'.format", "x: int"])
def test_what_has_no_meaning_stays(body: str) -> None:
    assert {each.split()[0] for each in changes(f"def f(x, y):\n    {body}\n", "f")} <= {"returned"}


@pytest.mark.parametrize(("kind", "raised"), [("empty", None), ("revert", NotImplementedError)])
def test_a_stub_does_nothing(kind: str, raised: type[Exception] | None) -> None:
    namespace: dict[str, object] = {}
    exec(stubbed_program(PROGRAM, "étage", kind), namespace)  # type: ignore[arg-type]
    call = namespace["étage"]
    assert callable(call) and call.__doc__ == "Says 1 + 1."
    if raised is None:
        assert call(1) is None
    else:
        with pytest.raises(raised):
            call(1)


def test_every_reference_has_mutants(data_home: Path) -> None:
    tasks = ContractEval(path=str(data_home / "contracteval"), part="mbpp", limit=40).tasks()
    assert all(mutations(task.reference, task.target.member) for task in tasks)
