"""What tests really violate, in the sandbox."""

from __future__ import annotations

import ast

import pytest

from solexp.core import HarnessError, Preconditions
from solexp.sandbox import Limits
from solexp.violations.checking import Checked, alone, check
from solexp.violations.cvts import Cvt
from tests.made_contracts import BALANCED, preconditions, python_task

PRE = preconditions(python_task())


def checked(*tests: tuple[tuple[int, ...], str]) -> list[Checked]:
    return check(BALANCED, PRE, [Cvt(violated=violated, args=args) for violated, args in tests])


def test_each_assertion_stands_alone_after_its_helper_statements() -> None:
    unbalanced, strange, number, both, valid = checked(
        ((2,), "['((']"),
        ((1,), "['(x)']"),
        ((0,), "[5]"),
        ((2, 3), "['(', -1]"),
        ((), "['()', 2]"),
    )
    assert (unbalanced.fired, unbalanced.exact, unbalanced.rejected) == ((2,), True, True)
    # The loop goes on behind the sign that it asserts something of, so that the count is wrong too.
    assert (strange.fired, strange.exact) == ((1, 2), False)
    assert strange.specific() == 1.0
    # A number cannot be gone through: the assertions in and behind the loop raise something else.
    assert number.fired == (0,)
    assert number.others == {1: "TypeError", 2: "TypeError", 3: "TypeError"}
    assert (number.rejected, number.exact, number.true) == (True, False, False)
    assert both.true
    assert (valid.rejected, valid.exact, valid.whole) == (False, True, "returned")


def test_the_share_of_targets_that_fire_is_specific() -> None:
    (half,) = checked(((1, 3), "['x)', 2]"))
    assert half.specific() == 0.5
    assert half.specific((1,)) == 1.0
    assert half.specific(()) == 0.0


def test_another_exception_is_no_rejection() -> None:
    infinite, missing, many = checked(((3,), "['', 'x']"), ((0,), "[]"), ((0,), "[1, 2, 3]"))
    assert (infinite.whole, infinite.others) == ("TypeError", {3: "TypeError"})
    assert (missing.whole, missing.fired) == ("TypeError", ())
    assert (many.whole, many.fired) == ("TypeError", ())


def test_inputs_are_made_anew_for_every_assertion() -> None:
    pre = Preconditions(
        entry_point="last",
        parameters=("items",),
        statements=("first = items.pop()", "assert first > 0", "assert len(items) > 0"),
        assertions=(1, 2),
    )
    program = "def last(items):\n    return items[-1]\n"
    (found,) = check(program, pre, [Cvt(violated=(0,), args="[[1, -1]]")])
    assert found.fired == (0,)
    assert found.true


def test_what_cannot_be_evaluated_is_unreadable() -> None:
    dear, odd = checked(((0,), "[float('x' * 3)]"), ((0,), "[{[]: 1}]"))
    assert dear.unreadable.startswith("it cannot be evaluated: ValueError")
    assert odd.unreadable.startswith("it cannot be evaluated: TypeError")
    assert not dear.rejected
    assert not dear.exact


def test_expressions_mean_what_python_and_json_mean_by_them() -> None:
    task = python_task(
        program="def f(a, b, c, d):\n    return a\n",
        contract="\n".join(
            [
                "assert a is not True",
                "assert b is not None",
                "assert c != float('inf')",
                "assert d != 'aaa'",
            ]
        ),
        entry_point="f",
    )
    (found,) = check(
        task.sources["a.py"],
        preconditions(task),
        [Cvt(violated=(0, 1, 2, 3), args="[true, null, Infinity, 'a' * 3]")],
    )
    assert found.true


def test_an_assertion_that_never_ends_leaves_the_others_their_verdict() -> None:
    task = python_task(
        program="def f(n):\n    return n\n",
        contract="assert n >= 0\nassert all(True for _ in iter(int, n))\n",
        entry_point="f",
    )
    limits = Limits(cpu_s=0.3)
    (found,) = check(
        task.sources["a.py"], preconditions(task), [Cvt(violated=(0,), args="[-1]")], limits
    )
    assert found.alone == ("fires", "timeout")
    assert found.rejected
    assert not found.exact


def test_an_exception_that_is_merely_called_so_is_no_rejection() -> None:
    task = python_task(
        program="class Own(Exception):\n    pass\n\nOwn.__name__ = 'AssertionError'\n\n"
        "def f(n):\n    raise Own\n",
        contract="assert n > 0\n",
        entry_point="f",
    )
    (found,) = check(task.sources["a.py"], preconditions(task), [Cvt(violated=(0,), args="[1]")])
    assert found.whole == "another AssertionError"
    assert not found.rejected


def test_a_contract_that_cannot_be_executed_is_a_fault_of_the_harness() -> None:
    with pytest.raises(HarnessError, match="cannot be executed"):
        check("def g():\n    pass\n", PRE, [Cvt(violated=(0,), args="[1]")])
    with pytest.raises(HarnessError, match="cannot be loaded"):
        check(f"import nowhere\n{BALANCED}", PRE, [Cvt(violated=(0,), args="[1]")])


def test_an_assertion_alone_has_no_other_assertion_and_nothing_behind_it() -> None:
    text = alone(BALANCED, PRE, 1)
    asserted = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Assert)]
    assert len(asserted) == 1
    assert "most=3" in text
    assert "count == 0" not in text
