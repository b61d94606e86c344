"""References compile to the code that the chain recorded."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import msgspec
import pytest

from solexp.benchmarks.solcontracteval import SolContractEval
from solexp.benchmarks.solcontracteval.creation import (
    CreationMatch,
    compare_creation,
)
from solexp.benchmarks.solcontracteval.linking import linked, may_need_linking
from solexp.core import Task
from solexp.solidity.compiler import Compiler
from solexp.solidity.extract import extract_contract
from solexp.solidity.splice import splice
from tests.solidity.replies import fenced


def matches(benchmark: SolContractEval, tasks: Sequence[Task]) -> dict[str, CreationMatch]:
    """How the build of each task's reference, extracted from a reply, compares with the chain's code."""
    recorded = benchmark.creation_inputs()
    found = {}
    with Compiler() as compiler:
        for task in sorted(tasks, key=lambda task: task.compiler.version):
            program = task.program
            if program is None:
                continue
            code = extract_contract(fenced(task.reference), task.target.contract).code
            assert code is not None
            build = compiler.compile(splice(task, code), task.compiler)
            contract = build.contract(program.deployment.contract)
            assert contract is not None, build.errors
            nightly = "nightly" in str(task.facts["compiler_full"])
            found[task.id] = compare_creation(contract, program, recorded[task.id], nightly=nightly)
    return found


def test_a_plain_a_linked_and_an_older_evms_build_equal_the_chains_code(data_home: Path) -> None:
    benchmark = SolContractEval(
        path=str(data_home / "solcontracteval"),
        ids=["WhiteList", "Presale", "ElementixExchange"],
        calls=0,
    )
    found = matches(benchmark, benchmark.tasks())
    assert len(found) == 3
    assert set(found.values()) == {CreationMatch.METADATA}


def test_the_addresses_of_libraries_are_found_in_the_recorded_code(data_home: Path) -> None:
    benchmark = SolContractEval(
        path=str(data_home / "solcontracteval"), ids=["Presale", "UnicodeForGeeks"], calls=0
    )
    recorded = benchmark.creation_inputs()
    with Compiler() as compiler:
        for task in benchmark.tasks():
            assert task.compiler.libraries
            assert not may_need_linking(task)
            settings = msgspec.structs.replace(task.compiler, libraries={})
            unlinked = msgspec.structs.replace(task, compiler=settings)
            assert may_need_linking(unlinked)
            assert linked(unlinked, recorded[task.id], compiler) == task


def test_few_tasks_need_a_compiler_to_be_imported(data_home: Path) -> None:
    benchmark = SolContractEval(path=str(data_home / "solcontracteval"), calls=0)
    names = [task.id.partition("_0x")[0] for task in benchmark.tasks() if may_need_linking(task)]
    assert names == []


@pytest.mark.slow
def test_every_reference_compiles_to_the_chains_code_but_for_one_nightly(data_home: Path) -> None:
    benchmark = SolContractEval(path=str(data_home / "solcontracteval"), calls=0)
    found = matches(benchmark, benchmark.tasks())
    assert Counter(found.values()) == {CreationMatch.METADATA: 81, CreationMatch.NIGHTLY: 1}
    (nightly,) = [task for task, match in found.items() if match is CreationMatch.NIGHTLY]
    assert nightly.startswith("PortalToken_")
