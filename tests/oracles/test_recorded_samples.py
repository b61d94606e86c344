"""EvalPlus's recorded samples on ContractEval's released tests, beside an independent measurement."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from solexp.benchmarks.contracteval import ContractEval
from solexp.core import Task
from solexp.python.contracts import with_contract
from solexp.python.expected import is_refusal, preconditions_of
from solexp.python.extract import extract_program
from solexp.python.series import call_series
from solexp.sandbox import CallResult, Ended, Limits
from solexp.solidity.splice import splice
from solexp.violations.known import known

LIMITS = Limits(cpu_s=2.0, batch_cpu_s=20.0)
SAMPLES = {
    "GPT-4 (HE gpt-4 / MBPP gpt-4-1106-preview)": ("gpt-4_temp_0.0", "gpt-4-1106-preview_temp_0.0"),
    "GPT-3.5 (HE chatgpt / MBPP gpt-3.5-turbo)": ("chatgpt_temp_0.0", "gpt-3.5-turbo_temp_0.0"),
}
UNLIKE = ("loaderr", "timeout", "crash")
"""How a program ended there without a word on its own."""

pytestmark = pytest.mark.slow


def rows(folder: Path, name: str) -> Iterator[dict[str, Any]]:
    path = folder / f"{name}.jsonl.gz"
    if not path.is_file():
        pytest.skip(f"no {path}")
    with gzip.open(path, "rt") as file:
        yield from map(json.loads, file)


@cache
def tasks(folder: Path) -> dict[str, Task]:
    return {task.id: task for task in ContractEval(path=str(folder)).tasks()}


def told(call: CallResult) -> str:
    if call.ended is Ended.RAISED:
        return "AssertionError" if is_refusal(call) else str(call.exception)
    return "ok" if call.ended in (Ended.RETURNED, Ended.UNREADABLE) else call.ended.value


@pytest.mark.parametrize("name", SAMPLES)
def test_recorded_samples_refuse_what_an_independent_measurement_says(
    data_home: Path, name: str
) -> None:
    folder = data_home / "contracteval"
    models = SAMPLES[name]
    texts = {
        row["task_id"]: row["text"]
        for row in rows(folder, "generations_evalplus_temp0")
        if row["model"] in models
    }
    said = {
        row["task_id"]: [text.partition(":")[0] for text in row["results"]]
        for row in rows(folder, "derived_verdicts_on_verified_cvts")
        if row["program"] == name and not any(text in UNLIKE for text in row["results"])
    }
    found: list[str] = []
    for task_id, results in said.items():
        task = tasks(folder)[task_id]
        given = preconditions_of(task)
        code = extract_program(texts[task_id], given.entry_point, head=task.framework).code
        assert code is not None, task_id
        program = splice(task, code)[task.target.path]
        cvts = known(task, "released").cvts
        inputs = [cvt.args for cvt in cvts]
        ours = [told(call) for call in call_series(program, given.entry_point, inputs, LIMITS)]
        assert ours == results, task_id
        found += ours
    assert len(found) > 4000
    assert "AssertionError" not in found
    assert 0.54 < 1 - found.count("ok") / len(found) < 0.60


def test_the_reference_with_its_contract_refuses_every_released_test(data_home: Path) -> None:
    folder = data_home / "contracteval"
    if not (folder / "cvts_smt_verified.jsonl.gz").is_file():
        pytest.skip("no released tests")
    refused = total = 0
    for task in tasks(folder).values():
        given = preconditions_of(task)
        found = known(task, "released")
        program = with_contract(task.sources[task.target.path], given.entry_point, given.statements)
        inputs = [cvt.args for cvt in found.cvts]
        calls = call_series(program, given.entry_point, inputs, LIMITS)
        refused += sum(map(is_refusal, calls))
        total += len(calls) + found.dropped
    assert total > 5000
    assert refused / total >= 0.9999
