"""Reading graphs that a model writes."""

from __future__ import annotations

import pytest

from solexp.core.errors import DataError
from solexp.dcr.extraction.prompted import again, question, read_graph

FUNCTIONS = ("mint(address,uint256)", "burn(uint256)")
EVENT = '{"id": "mint", "function": "mint(address,uint256)"}'


def test_a_graph_is_found_among_words_and_thoughts() -> None:
    reply = f'<think>{{}}</think>Well:\n```json\n{{"contract": "C", "events": [{EVENT}], "relations": []}}\n```'
    assert list(read_graph(reply, FUNCTIONS).by_id) == ["mint"]


@pytest.mark.parametrize(
    ("reply", "told"),
    [
        ("No.", "the answer: there is no JSON object in it"),
        ('{"contract": "C"}', "the answer: the whole file: object missing required field `events`"),
        ('{"contract": "C", "events": [], "relations": []}', "the answer: events: there are none"),
        (
            '{"contract": "C", "events": ['
            + EVENT.replace("mint(", "mnt(")
            + '], "relations": []}',
            "events[0].function: the contract has no 'mnt(address,uint256)'; did you mean 'mint(",
        ),
    ],
)
def test_what_is_no_graph_of_the_contract_is_told(reply: str, told: str) -> None:
    with pytest.raises(DataError) as error:
        read_graph(reply, FUNCTIONS)
    assert told in str(error.value)


def test_a_repair_shows_the_answer_and_its_fault() -> None:
    first = question("T", "C", "contract C {}", FUNCTIONS)
    second = again(first, "an answer", "relations[0].source: no event 'x'")
    assert [message.role for message in second.messages] == ["system", "user", "assistant", "user"]
    assert second.messages[2].content == "an answer"
    assert "no event 'x'" in second.messages[3].content
