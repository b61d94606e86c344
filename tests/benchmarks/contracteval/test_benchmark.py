"""HumanEval+ and MBPP+ as tasks."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from solexp.benchmarks.contracteval import ContractEval
from solexp.benchmarks.contracteval.inputs import restored
from solexp.core import DataError, Preconditions, Task, UserError
from solexp.python.contracts import with_contract
from solexp.python.literals import read
from tests.benchmarks.contracteval.made import HALF, PAIRS, changed, written


def tasks(folder: Path, **words: Any) -> tuple[Task, ...]:
    return ContractEval(path=str(folder), **words).tasks()


def preconditions(task: Task) -> Preconditions:
    assert isinstance(task.preconditions, Preconditions)
    return task.preconditions


def test_a_prompt_of_humaneval_is_the_head_of_the_function(tmp_path: Path) -> None:
    task, _ = tasks(written(tmp_path))
    assert (task.id, task.language, task.compiler.version) == ("HumanEval/900", "python", "")
    assert task.framework == HALF["prompt"]
    assert task.requirement == "Half of x, rounded down.\n\n>>> half(5, 9)\n2"
    assert task.reference == (HALF["prompt"] + HALF["canonical_solution"]).strip()
    assert (task.target.member, task.target.contract, task.category) == ("half", "", "HumanEval+")


def test_a_prompt_of_mbpp_is_a_text_above_the_program(tmp_path: Path) -> None:
    _, task = tasks(written(tmp_path))
    assert task.reference == PAIRS["canonical_solution"].strip()
    assert task.sources["extend.py"].startswith('"""\nWrite a function')
    assert task.requirement.endswith("assert extend([1], (2,)) == [1, 2]")


def test_contract_and_inputs_come_as_source_text(tmp_path: Path) -> None:
    half, extend = (preconditions(task) for task in tasks(written(tmp_path)))
    assert half.statements == (
        'assert isinstance(x, int), "invalid inputs"',
        "top = max(limit, 0)",
        'assert 0 <= x <= top, "invalid inputs"',
    )
    assert half.assertions == (0, 2)
    assert half.parameters == ("x", "limit")
    assert half.plus == ("[0, 0]", f"[7, {10**30}]")
    assert (extend.base, extend.plus) == (("[[1], (2,)]",), ())
    assert half.aligned is None


def test_parts_and_tasks_can_be_chosen(tmp_path: Path) -> None:
    written(tmp_path)
    assert [task.id for task in tasks(tmp_path, part="mbpp")] == ["Mbpp/750"]
    assert [task.id for task in tasks(tmp_path, filter={"part": "humaneval"})] == ["HumanEval/900"]
    assert [task.id for task in tasks(tmp_path, ids=["Mbpp/750"])] == ["Mbpp/750"]
    assert len(tasks(tmp_path, limit=1)) == 1
    (tmp_path / "HumanEvalPlus.jsonl.gz").unlink()
    assert len(tasks(tmp_path, part="mbpp")) == 1
    with pytest.raises(UserError, match=r"HumanEvalPlus.jsonl.gz: no such file; run: solexp data"):
        tasks(tmp_path)
    with pytest.raises(UserError, match=r"benchmark.part: no 'bmpp'; did you mean 'mbpp'\?"):
        ContractEval(part="bmpp")  # type: ignore[arg-type]


def test_the_hashes_are_those_of_the_files_that_are_read(tmp_path: Path) -> None:
    written(tmp_path)
    benchmark = ContractEval(path=str(tmp_path), part="mbpp")
    assert list(benchmark.data_hashes()) == ["MbppPlus.jsonl.gz"]


@pytest.mark.parametrize(
    ("row", "said"),
    [
        (HALF, "line 2: HumanEval/900: an earlier row has this task already"),
        ("{", "line 2: Expecting property name enclosed in double quotes"),
        ("[]", "line 2: Expected `object`, got `array`"),
        ('{"task_id": "HumanEval/1"}', "line 2: Object missing required field `prompt`"),
        (changed(HALF, atol="x"), r"line 2: Expected `float`, got `str` - at `\$.atol`"),
        (changed(HALF, base_input=[1]), r"line 2: Expected `array`, got `int` - at `\$.base_input"),
        (
            changed(HALF, contract="\n    assert (x\n"),
            r"line 2: HumanEval/900: the contract does not parse: line 2",
        ),
        (
            changed(HALF, contract="\n    assert x.pop()\n"),
            "line 2: HumanEval/900: assertion 0 has a side effect",
        ),
        (
            changed(HALF, contract="\n    assert (y := x)\n"),
            r"assertion 0 has a side effect: \(y := x\) assigns",
        ),
        (
            changed(HALF, contract="\n    assert print(x)\n"),
            "assertion 0 has a side effect: it calls print",
        ),
        (
            changed(HALF, canonical_solution="\n    return ("),
            r"line 2: HumanEval/900: the program does not parse",
        ),
        (changed(HALF, entry_point="third"), "line 2: HumanEval/900: no function third is defined"),
        (changed(HALF, task_id="Mbpp/750", base_input=[[1]]), "base_input 0: not of the form"),
    ],
)
def test_a_malformed_row_ends_the_reading_with_one_line_that_names_it(
    row: dict[str, Any] | str, said: str, tmp_path: Path
) -> None:
    written(tmp_path, humaneval=[HALF, row])
    with pytest.raises(DataError, match=said) as error:
        tasks(tmp_path)
    assert str(error.value).startswith(f"{tmp_path}/HumanEvalPlus.jsonl.gz line 2: ")
    assert "\n" not in str(error.value)


def test_a_damaged_file_is_named_with_the_place(tmp_path: Path) -> None:
    path = written(tmp_path) / "HumanEvalPlus.jsonl.gz"
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(DataError, match=r"HumanEvalPlus.jsonl.gz after line \d"):
        tasks(tmp_path)


@pytest.mark.parametrize(
    ("number", "arguments", "value"),
    [
        (2, [[1, 2], [3]], [(1, 2), (3,)]),
        (63, [[[1, 2], [3, 4]]], [[(1, 2), (3, 4)]]),
        (259, [[[1], [2]], [[3]]], [((1,), (2,)), ((3,),)]),
        (75, [[[1, 2]], 3], [[(1, 2)], 3]),
        (250, [[1], 2], [(1,), 2]),
        (307, [[1, []], 2, [3]], [(1, []), 2, [3]]),
        (106, [[1], [2]], [[1], (2,)]),
        (115, [[[1, 1], [], {}]], [[{1}, {}, {}]]),
        (124, ["1.5", "2j"], [1.5, 2j]),
        (252, ["(1-0j)"], [complex(1, -0.0)]),
        (278, [[1, [2, [3]]]], [(1, (2, [3]))]),
        (580, [[1, [2, [3]]]], [(1, (2, (3,)))]),
        (722, [{"a": [1, 2]}, 3, 4], [{"a": (1, 2)}, 3, 4]),
        (3, [[1]], [[1]]),
    ],
)
def test_inputs_of_mbpp_get_back_the_types_that_json_lacks(
    number: int, arguments: list[Any], value: object
) -> None:
    found = restored(f"Mbpp/{number}", arguments)
    assert found == value
    assert repr(found) == repr(list(value) if isinstance(value, tuple) else value)


@pytest.fixture(scope="module")
def shared(data_home: Path) -> tuple[Task, ...]:
    return tasks(data_home / "contracteval")


def test_the_shared_tasks_have_the_contracts_that_are_listed_for_them(
    shared: tuple[Task, ...], data_home: Path
) -> None:
    with gzip.open(data_home / "contracteval" / "tasks.jsonl.gz") as file:
        listed = {row["task_id"]: row for row in map(json.loads, file)}
    assert len(shared) == 414
    for task in shared:
        known = preconditions(task)
        row = listed[task.id]
        assert (len(known.assertions), list(known.parameters)) == (
            len(row["assertions"]),
            row["params"],
        )
    assert sum(len(preconditions(task).assertions) for task in shared) == 953


@pytest.mark.filterwarnings("ignore:invalid escape sequence")
def test_contracts_of_the_shared_tasks_accept_their_inputs(shared: tuple[Task, ...]) -> None:
    refused: dict[str, int] = {}
    for task in shared:
        known = preconditions(task)
        head = f"def accepts({', '.join(known.parameters)}):\n    pass\n"
        program = f"{task.reference}\n{with_contract(head, 'accepts', known.statements)}"
        namespace: dict[str, Any] = {}
        exec(program, namespace)
        for literal in (*known.base, *known.plus[:20]):
            arguments = read(literal)
            assert isinstance(arguments, list)
            try:
                namespace["accepts"](*arguments)
            except AssertionError:
                refused[task.id] = refused.get(task.id, 0) + 1
    # Faults of the data: inputs that EvalPlus's own contract refuses.
    assert set(refused) <= {"Mbpp/734", "HumanEval/32", "Mbpp/267"}
