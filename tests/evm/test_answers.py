"""Answers of a node that are not what was asked for."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from solexp.core import ToolError
from solexp.evm import answers
from solexp.evm.machine import Observation
from solexp.evm.script import write
from solexp.evm.storage import plan_slots
from solexp.evm.words import word
from tests.evm.boxes import HERE, program, put

PLAN = Observation(storage=False)
DONE = {"status": "0x1", "gasUsed": "0x5208", "returnData": "0x" + word(1)}


def _read(blocks: list[dict[str, Any]]) -> None:
    script = write(program(put(1)), HERE, [90_000], PLAN, "london")
    answer = msgspec.json.encode({"result": blocks})
    slots = plan_slots(None, PLAN)
    answers.read(answer, script, gas=[90_000], stop=1, plan=PLAN, slots=slots, known={})


def test_a_whole_answer_is_read() -> None:
    _read([{"calls": [DONE]}] * 3)


@pytest.mark.parametrize(
    ("blocks", "said"),
    [
        ([{"calls": [DONE]}] * 2, "answered 2 blocks, not 3"),
        ([{"calls": []}] * 3, "answered 0 calls of a block, not 1"),
        ([{"calls": [DONE]}] * 2 + [{"calls": []}], "answered 1 and 0 calls of a reading"),
        ([{"calls": [DONE]}] * 2 + [{"calls": [DONE | {"returnData": "0x"}]}], "read less"),
    ],
)
def test_a_short_answer_is_the_tools_fault_and_said_so(
    blocks: list[dict[str, Any]], said: str
) -> None:
    with pytest.raises(ToolError, match=said):
        _read(blocks)


def test_no_block_at_all_is_the_tools_fault_too() -> None:
    with pytest.raises(ToolError, match="no block"):
        answers.first_block(b'{"result":[]}')
