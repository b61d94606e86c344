"""Translations of contracts by language models: put together, refused, solved under limits."""

from __future__ import annotations

import os
import signal
from typing import Any

import msgspec
import pytest

from solexp.python.literals import read
from solexp.violations.checking import check
from solexp.violations.cvts import NotRead, Translation
from solexp.violations.smt import programs, solve
from solexp.violations.smt.commands import DEFINITIONS, commands, only
from tests.made_contracts import preconditions, python_task

TASK = python_task(
    program="def share(part, whole):\n    return part / whole\n",
    contract="assert type(part) == int and type(whole) == int\nassert whole > 0\n",
    entry_point="share",
)
PRE = preconditions(TASK)
GIVEN = Translation(
    helper_functions="(define-fun number ((v Value)) Real (ite (is-IntVal v) (to_real (ival v)) (fval v)))",
    inputs="(declare-const part Value) (declare-const whole Value)",
    basic_structure="(assert (or (is-IntVal whole) (is-FloatVal whole)))",
    contract_defs={
        0: "(define-fun C0 () Bool (and (is-IntVal part) (is-IntVal whole)))",
        1: "(define-fun C1 () Bool (> (number whole) 0))",
    },
)


def changed(**fields: Any) -> Translation:
    return msgspec.structs.replace(GIVEN, **fields)


def test_every_combination_gets_distinct_inputs_that_python_bears_out() -> None:
    found = solve(GIVEN, PRE, seconds=5)
    assert {each.violated: each.status for each in found.asked} == dict.fromkeys(
        [(0,), (1,), (0, 1)], "sat"
    )
    assert len({cvt.args for cvt in found.cvts}) == len(found.cvts) == 15
    tests = check(TASK.sources["a.py"], PRE, found.cvts)
    assert all(test.rejected for test in tests)
    assert sum(test.exact for test in tests) >= 10


def test_values_become_pythons_own() -> None:
    wanted = (
        '(= part (Cons (StrVal "a\\u{e9}""b") (Cons (BoolVal true) (Cons (Cons (IntVal (- 7)) Nil) Nil))))'
        " (= whole (FloatVal (/ 1.0 4.0)))"
    )
    given = changed(basic_structure=f"(assert (and {wanted}))")
    (cvt,) = [each for each in solve(given, PRE, seconds=5).cvts if each.violated == (0,)]
    assert read(cvt.args) == [['aé"b', True, [-7]], 0.25]


def test_a_model_that_is_no_python_value_is_unreadable() -> None:
    given = changed(
        basic_structure="(assert (= part (Cons Nil (IntVal 1)))) (assert (= whole (IntVal 1)))"
    )
    found = solve(given, PRE, seconds=5)
    assert found.unreadable == ("a model for [0]: the tail of a list is IntVal(1)",)


def test_unsat_and_timeout_are_told_apart() -> None:
    contradiction = solve(changed(basic_structure="(assert false)"), PRE, seconds=5)
    assert {each.status for each in contradiction.asked} == {"unsat"}
    endless = changed(
        inputs="(declare-const n Value)",
        contract_defs={0: "(define-fun C0 () Bool (= (down a) 2))"},
        helper_functions="(define-fun-rec down ((n Int)) Int (ite (= n 0) 0 (down (+ n 1))))",
        basic_structure="(declare-const a Int) (declare-const b Int) (declare-const c Int)"
        "(assert (and (> a 2) (> b 2) (> c 2) (= (+ (* a a a) (* b b b)) (* c c c)) (= (down a) 1)))",
    )
    one = preconditions(python_task("def f(n):\n    return n\n", "assert n > 0\n", "f"))
    slow = solve(endless, one, seconds=0.3)
    assert [each.status for each in slow.asked] == ["timeout"]
    assert not slow.cvts


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (changed(contract_defs={0: GIVEN.contract_defs[0]}), "assertion 1 is not translated"),
        (changed(inputs="(declare-const part Value)"), "the parameter whole is not declared"),
        (
            changed(contract_defs=GIVEN.contract_defs | {1: "(define-fun D () Bool true)"}),
            "assertion 1 defines no predicate C1",
        ),
        (changed(helper_functions="(check-sat)"), "must not hold the command 'check-sat'"),
        (
            changed(helper_functions='(set-option :smtlib2_log_path "here")'),
            "must not hold the command 'set-option'",
        ),
        (changed(helper_functions="(assert false)"), "must not hold the command 'assert'"),
        (changed(basic_structure="(assert true"), "never closed"),
        (
            changed(contract_defs=GIVEN.contract_defs | {1: "(define-fun C1 () Bool (> whole 0))"}),
            "Z3 refuses it",
        ),
    ],
)
def test_a_translation_that_cannot_be_used_says_why_in_one_line(
    given: Translation, said: str
) -> None:
    found = solve(given, PRE, seconds=5)
    assert not found.cvts
    assert set(found.unsupported) == {0, 1}
    assert said in found.unsupported[1]
    assert "\n" not in found.unsupported[1]


def test_a_solver_that_was_killed_is_started_anew() -> None:
    os.kill(programs._solver().pid, signal.SIGKILL)
    assert solve(GIVEN, PRE, seconds=5).cvts


def test_commands_are_told_from_texts_comments_and_quoted_names() -> None:
    text = '(declare-const |a (b| Int) ; (exit)\n(define-fun s () String "(pop)"";|")'
    assert [name for name, _ in commands(text)] == ["declare-const", "define-fun"]
    assert "exit" not in only(text, DEFINITIONS, "it")


@pytest.mark.parametrize("text", ["(a))", "(a", '(a "b)', "stray (a)", "(a |b)"])
def test_what_is_no_list_of_commands_is_refused(text: str) -> None:
    with pytest.raises(NotRead):
        list(commands(text))
