from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from solexp.benchmarks.solcontracteval import SolContractEval
from solexp.core import CompilerSettings, Target, Task
from solexp.solidity.extract import extract_contract
from solexp.solidity.splice import splice
from tests.solidity.replies import CODE, FILE, fenced


def task(before: str, target: str, after: str) -> Task:
    start = len(before.encode())
    return Task(
        id="vault",
        benchmark="test",
        compiler=CompilerSettings(version="0.8.20"),
        sources={"Vault.sol": before + target + after, "Other.sol": "contract Other {}"},
        target=Target(
            path="Vault.sol", contract="Vault", start=start, end=start + len(target.encode())
        ),
        framework="contract Vault {}",
    )


@given(st.text(), st.text(), st.text(), st.text())
def test_every_byte_but_the_targets_stays(before: str, target: str, after: str, code: str) -> None:
    one = task(before, target, after)
    assert splice(one, code) == {**one.sources, "Vault.sol": before + code + after}


@given(st.text(), st.text(), st.text())
def test_splicing_the_reference_gives_the_original(before: str, target: str, after: str) -> None:
    one = task(before, target, after)
    assert splice(one, one.reference) == one.sources


def test_a_lone_surrogate_in_the_code_is_spliced_as_the_sign_for_what_cannot_be_read() -> None:
    one = task("// é\n", CODE, "\n// ü")
    assert splice(one, "contract Vault {} // \ud800")["Vault.sol"] == (
        "// é\ncontract Vault {} // \ufffd\n// ü"
    )


def test_the_tasks_own_sources_are_left_alone() -> None:
    one = task("", CODE, "")
    sources = dict(one.sources)
    splice(one, "contract Vault {}")
    assert one.sources == sources


def test_a_range_that_does_not_fit_is_refused() -> None:
    one = task("", CODE, "")
    wrong = msgspec.structs.replace(one, target=msgspec.structs.replace(one.target, end=10**6))
    with pytest.raises(ValueError, match=r"does not fit Vault\.sol"):
        splice(wrong, CODE)


def test_a_reply_that_holds_the_whole_file_gives_the_file_back() -> None:
    before, after = FILE.split(CODE)
    one = task(before, CODE, after)
    code = extract_contract(fenced(FILE), "Vault").code
    assert code is not None
    assert splice(one, code)["Vault.sol"] == FILE


def test_every_reference_of_solcontracteval_comes_back_from_a_reply(data_home: Path) -> None:
    for one in SolContractEval(path=str(data_home / "solcontracteval"), calls=0).tasks():
        for reply in (
            f"Here's the contract:\n\n{fenced(one.reference)}\nIt's complete.",
            fenced(one.sources[one.target.path]),
            f"{one.context}\n{one.reference}",
        ):
            code = extract_contract(reply, one.target.contract).code
            assert code == one.reference, one.id
            assert splice(one, code) == one.sources
