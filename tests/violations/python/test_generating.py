"""The door: every combination is answered, by inputs that do what they claim or by one of four other answers."""

from __future__ import annotations

import ast
from collections.abc import Sequence

import pytest

from solexp.core.preconditions import Preconditions
from solexp.python.contracts import read_contract, standing_alone
from solexp.python.literals import read
from solexp.violations.python import Combination, Generated, Settings, Status, generate


def made(parameters: str, contract: str, base: Sequence[str] = ()) -> Preconditions:
    """Preconditions of a contract in the text."""
    known = read_contract(contract)
    return Preconditions(
        entry_point="f",
        parameters=tuple(parameters.split()),
        statements=known.statements,
        assertions=known.assertions,
        base=tuple(base),
    )


def fired(pre: Preconditions, args: str) -> list[str]:
    """What each assertion does standing alone: ``fires``, nothing, or the exception's name."""
    said = []
    for number in range(len(pre.assertions)):
        statements, kept = standing_alone(pre.statements, pre.assertions, number)
        body = [_Only(kept).visit(each) for each in statements]
        head = ast.parse(f"def alone({', '.join(pre.parameters)}): pass").body[0]
        assert isinstance(head, ast.FunctionDef)
        head.body = body
        names: dict[str, object] = {"re": __import__("re")}
        module = ast.fix_missing_locations(ast.Module(body=[head], type_ignores=[]))
        exec(compile(module, "contract", "exec"), names)
        alone, given = names["alone"], read(args)
        assert callable(alone)
        assert isinstance(given, list)
        try:
            alone(*given)
        except AssertionError:
            said.append("fires")
        except Exception as error:
            said.append(type(error).__name__)
        else:
            said.append("")
    return said


class _Only(ast.NodeTransformer):
    def __init__(self, kept: ast.Assert) -> None:
        self._kept = kept

    def visit_Assert(self, node: ast.Assert) -> ast.stmt:
        return node if node is self._kept else ast.Pass()


def answer(found: Generated, *violated: int) -> Combination:
    return next(each for each in found.combinations if each.violated == violated)


def all_true(pre: Preconditions, found: Generated) -> None:
    """Each model violates exactly what it claims to."""
    for combination in found.combinations:
        assert len(set(combination.models)) == len(combination.models)
        for model in combination.models:
            wanted = [
                "fires" if n in combination.violated else "" for n in range(len(pre.assertions))
            ]
            assert fired(pre, model) == wanted, (combination.violated, model)


CONTRACTS = {
    "types and ranges": ("n", "assert isinstance(n, int)\nassert n > 0", ["[5]", "[12]"]),
    "elements of a list": (
        "numbers threshold",
        "assert isinstance(threshold, float) and threshold > 0\nassert isinstance(numbers, list)\n"
        "assert all([isinstance(v, (int, float)) for v in numbers])",
        ["[[1.0, 2.0], 0.3]"],
    ),
    "a loop with a counter": (
        "text",
        'assert type(text) == str\ncnt = 0\nfor ch in text:\n    assert ch in ["(", ")", " "]\n'
        '    if ch == "(": cnt += 1\n    if ch == ")": cnt -= 1\n    assert cnt >= 0\nassert cnt == 0',
        ["['(()) ()']"],
    ),
    "words of a sentence": (
        "s n",
        'assert type(s) == str and type(n) == int\nwords = s.split(" ")\nassert len(words) == 5\n'
        'assert words[1] == "apples" and words[2] == "and" and words[4] == "oranges"\n'
        "assert words[0].isdigit() and words[3].isdigit()",
        ["['5 apples and 6 oranges', 19]"],
    ),
    "a regular expression": (
        "dt",
        "assert isinstance(dt, str)\nassert re.match(r'\\d{4}-\\d{1,2}-\\d{1,2}', dt)",
        ["['2026-01-02']"],
    ),
    "a function that calls itself": (
        "data",
        "def numeric(l):\n    if not isinstance(l, list):\n        return isinstance(l, (int, float))\n"
        "    else:\n        return all(numeric(item) for item in l)\n"
        "assert isinstance(data, list)\nassert numeric(data)",
        ["[[1, [2, 3]]]"],
    ),
    "a function that asserts": (
        "x n",
        'def contract(x):\n    assert isinstance(x, str)\n    xs = x.split("/")\n    assert len(xs) == 2\n'
        "    assert xs[0].isdigit() and int(xs[0]) > 0\ncontract(x)\ncontract(n)",
        ["['1/5', '5/1']"],
    ),
    "infinities": (
        "x",
        'assert x > 0\nassert isinstance(x, float)\nassert x != float("+inf")',
        ["[3.5]"],
    ),
    "a square of numbers": (
        "grid",
        "assert len(grid) >= 2\nassert all(len(l) == len(grid) for l in grid)\n"
        "assert {x for l in grid for x in l} == set(range(1, len(grid) ** 2 + 1))",
        ["[[[1, 2], [3, 4]]]"],
    ),
    "lists added": (
        "a b",
        "assert isinstance(a, list)\nassert isinstance(b, list)\nassert len(a) > 0\n"
        "assert all(isinstance(x, (int, float)) for x in a + b)",
        ["[[1, 2], [3]]"],
    ),
    "primes": (
        "n",
        "assert isinstance(n, int)\ndef is_prime(a):\n"
        "    return not (a < 2 or any(a % x == 0 for x in range(2, int(a ** 0.5) + 1)))\n"
        "assert n > 1 and not is_prime(n)",
        ["[15]", "[27]"],
    ),
    "long inputs": (
        "s",
        'assert isinstance(s, str)\nassert 1 <= len(s) <= 100\nassert "  " not in s\n'
        'assert all(word.isalpha() for word in s.split(" "))',
        ["['This is a test']"],
    ),
}


SLOW = ("a square of numbers",)


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=pytest.mark.slow) if name in SLOW else name for name in CONTRACTS],
)
def test_every_model_violates_exactly_what_it_claims(name: str) -> None:
    pre = made(*CONTRACTS[name])
    found = generate(pre, Settings(models=3, levels=1))
    assert found.unsupported == {}
    assert any(each.models for each in found.combinations)
    all_true(pre, found)


def test_all_combinations_are_answered_up_to_a_size_then_singles_and_pairs() -> None:
    pre = made("a b c", "assert a\nassert b\nassert c")
    every = generate(pre, Settings(models=1)).combinations
    assert [each.violated for each in every] == [
        (0,),
        (1,),
        (2,),
        (0, 1),
        (0, 2),
        (1, 2),
        (0, 1, 2),
    ]
    some = generate(pre, Settings(models=1, exhaustive_to=2)).combinations
    assert [each.violated for each in some] == [(0,), (1,), (2,), (0, 1), (0, 2), (1, 2)]


def test_inputs_look_like_the_tasks_own() -> None:
    pre = made("numbers k", "assert isinstance(numbers, list)\nassert k > 0", ["[[4, 8, 15], 2]"])
    found = answer(generate(pre), 1)
    assert [read(model)[0] for model in found.models] == [[4, 8, 15]] * 5  # type: ignore[index]
    assert all(-20 <= read(model)[1] <= 0 for model in found.models)  # type: ignore[index]


def test_types_are_confused_as_a_person_would() -> None:
    found = answer(generate(made("n", "assert isinstance(n, int)", ["[5]"])), 0)
    assert "['5']" in found.models or "[5.5]" in found.models
    kinds = {type(read(model)[0]) for model in found.models}  # type: ignore[index]
    assert len(kinds) == 5


def test_what_no_input_can_do_is_unsat_within_the_bounds() -> None:
    found = answer(generate(made("n", "assert n > 0\nassert n > -1")), 1)
    assert (found.status, found.models) == (Status.UNSAT, ())
    assert found.bounds


def test_bounds_grow_when_there_is_no_input() -> None:
    contract = "assert isinstance(x, list)\nassert not any(isinstance(e, list) and e for e in x)"
    pre = made("x", contract, ["[[1]]"])
    assert answer(generate(pre, Settings(levels=1)), 1).status is Status.UNSAT
    grown = answer(generate(pre, Settings(levels=2)), 1)
    assert (grown.status, grown.bounds[0]) == (Status.SAT, 2)


def test_a_construct_that_is_not_expressed_is_named() -> None:
    found = generate(made("x", "assert isinstance(x, str)\nassert x.zfill(3) == '00a'"))
    assert found.unsupported == {1: "Unsupported: str.zfill"}


def test_a_budget_that_is_used_up_is_a_timeout() -> None:
    contract = "assert x * x * x + y * y * y == 42 * x * y + 17 and x > 9 and y > 9"
    found = generate(made("x y", contract), Settings(levels=1, query_budget=20_000))
    statuses = {each.status for each in found.combinations}
    assert statuses <= {Status.TIMEOUT, Status.UNKNOWN, Status.SAT}


def test_lists_that_are_added_are_no_numbers() -> None:
    """Taking + for a sum would make it look as if no list could do this."""
    found = answer(generate(made("a b", "assert a + b != [1, 2]", ["[[1], [2]]"])), 0)
    assert found.models[0] == "[[1], [2]]"


def test_the_same_is_found_again() -> None:
    pre = made(*CONTRACTS["elements of a list"])
    one, other = generate(pre), generate(pre)
    assert [each.models for each in one.combinations] == [
        each.models for each in other.combinations
    ]


def test_only_what_the_description_asks_for_is_violated() -> None:
    pre = made("n", "assert isinstance(n, int)\nassert n > 0", ["[5]"])
    judged = Preconditions(
        entry_point="f",
        parameters=pre.parameters,
        statements=pre.statements,
        assertions=pre.assertions,
        base=pre.base,
        aligned=(False, True),
    )
    assert [each.violated for each in generate(judged).combinations] == [(1,)]
