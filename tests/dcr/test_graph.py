"""Graphs in JSON: what is read, what is written, and which field a fault is laid to."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest
from hypothesis import given, settings

from solexp.core.errors import DataError
from solexp.dcr import Graph, read, write
from tests.dcr.made_graphs import graphs

VAULT: dict[str, Any] = {
    "contract": "Vault",
    "events": [
        {"id": "initialize", "function": "initialize()", "once": True},
        {
            "id": "withdraw",
            "function": "withdraw(uint256)",
            "guard": "balances[msg.sender] >= amount",
            "arguments": [["1000"]],
            "sender": "owner",
            "value": "0",
        },
    ],
    "relations": [
        {"type": "condition", "source": "initialize", "target": "withdraw", "why": "a flag"}
    ],
}


def vault(path: str = "", value: object = None) -> str:
    """The vault's JSON, with what a path such as ``events.0.id`` names replaced."""
    made = copy.deepcopy(VAULT)
    *above, last = path.split(".")
    part: Any = made
    for step in above:
        part = part[int(step) if step.isdigit() else step]
    if last:
        part[int(last) if last.isdigit() else last] = value
    return json.dumps(made)


def test_a_graph_without_a_marking_starts_with_everything_included_and_nothing_done() -> None:
    marking = read(vault(), "graph.json").marking
    assert marking.included == {"initialize", "withdraw"}
    assert not marking.executed | marking.pending


def test_an_event_that_is_only_ever_included_waits_for_it() -> None:
    relations = [{"type": "include", "source": "initialize", "target": "withdraw"}]
    assert read(vault("relations", relations), "graph.json").marking.included == {"initialize"}
    relations.append({"type": "exclude", "source": "withdraw", "target": "withdraw"})
    assert "withdraw" in read(vault("relations", relations), "graph.json").marking.included


@settings(max_examples=50)
@given(graphs(facts=True))
def test_what_is_written_is_read_as_the_same_graph(made: Graph) -> None:
    assert read(write(made), "graph.json") == made


@pytest.mark.parametrize(
    ("path", "value", "told"),
    [
        ("contract", "", "contract: name the contract"),
        ("contrat", "Vault", "unknown field `contrat`; did you mean 'contract'?"),
        ("events.0.onc", True, "events[0]: object contains unknown field `onc`; did you mean"),
        ("events.0.once", 1, "events[0].once: expected `bool`, got `int`"),
        ("events.0.id", "with draw", "events[0].id: 'with draw' must be a word without blanks"),
        ("events.0.id", "withdraw", "events[0].id: 'withdraw' is there 2 times"),
        ("events.1.function", "withdraw(uint a)", "events[1].function: 'withdraw(uint a)' is no"),
        ("events.1.guard", "amount >", "events[1].guard: 'amount >' is no Solidity expression"),
        ("events.1.guard", "paused = true", "events[1].guard: 'paused = true' is no Solidity"),
        ("events.1.arguments", [["1"], []], "events[1].arguments[1]: 0 values for withdraw"),
        ("events.1.sender", "0x12", "events[1].sender: '0x12' is neither"),
        ("events.1.value", "1 ether", "events[1].value: '1 ether' must be wei"),
        ("relations.0.type", "milestone", "relations[0].type: invalid enum value 'milestone'; ch"),
        ("relations.0.source", "initialise", "relations[0].source: no event 'initialise'; did"),
        ("relations.0.guard", "", "relations[0].guard: '' is no Solidity expression"),
        ("marking", {"pending": ["x"]}, "marking.pending: no event 'x'; choose from: initialize"),
        ("marking", {"owed": []}, "marking: object contains unknown field `owed`; choose from"),
    ],
)
def test_a_fault_is_told_in_one_line_with_its_field_and_the_mend(
    path: str, value: object, told: str
) -> None:
    with pytest.raises(DataError) as error:
        read(vault(path, value), "graph.json")
    assert str(error.value).startswith("graph.json: ")
    assert told in str(error.value)
    assert "\n" not in str(error.value)


def test_what_is_no_json_is_told_with_its_place() -> None:
    with pytest.raises(DataError, match=r"graph\.json: not JSON: "):
        read(b'{"contract": "\xff"', "graph.json")
