"""Extraction by a language model: what it is asked, and reading its answer."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from solexp.core import Message, Prompt
from solexp.core.errors import DataError, nearest
from solexp.core.reply import json_object
from solexp.dcr.graph import Graph, read

VERSION = 1
"""Of the wording."""

_SYSTEM = (
    "You model the life cycle of smart contracts as Dynamic Condition Response (DCR) graphs. "
    "You answer with one JSON object and nothing else."
)
_ASKED = """\
Here is the source of the contract `{contract}`:

```solidity
{source}
```

These are its functions that may change state, by its ABI:

{functions}

Write the contract's life cycle as a DCR graph.

Events: one for each of these functions. Where a function does different things that a user would call by different \
names, such as switching on and switching off, one event for each, with the id `name/words-for-the-branch`. Give
- `id`: the function's name, or the name with its branch;
- `function`: its signature exactly as listed above;
- `guard`: a Solidity expression that has to hold for a call to succeed, over state variables, msg.sender, msg.value, \
block.timestamp and the function's parameters; null if there is none;
- `once`: true if it can succeed only once in the life of the contract;
- `ownership`: true if it hands ownership of the contract over;
- `sender`: a word for who has to call, such as "owner", or null;
- `arguments`: up to three lists of arguments that make a call succeed, each value as text;
- `value`: the wei to send with it, as decimal text, or null.

Relations: each with `type`, `source` and `target` (ids of events), and `guard` (an expression over state variables \
under which the relation is there, or null). The types:
- `condition`: no call of the target can succeed before the source has succeeded once;
- `response`: after the source something is owed that the target settles, such as a payment that can be claimed;
- `exclude`: after the source no call of the target can succeed, until something includes it again;
- `include`: the source makes the target possible that was excluded, or that begins excluded.

`marking` lists under `included` the ids of the events that are not excluded when the contract has just been deployed.

Answer in this form:

{form}
"""
_FORM = json.dumps(
    {
        "contract": "Vault",
        "events": [
            {"id": "initialize", "function": "initialize()", "guard": "!initialized", "once": True},
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
            {"type": "condition", "source": "initialize", "target": "withdraw", "guard": None}
        ],
        "marking": {"included": ["initialize", "withdraw"]},
    }
)
_AGAIN = (
    "That graph cannot be used: {fault}. Answer again, with the whole graph as one JSON object alone, "
    "in the form that I described."
)
_PLACE = "the answer"


def question(task_id: str, contract: str, source: str, functions: Sequence[str]) -> Prompt:
    """The first request; ``functions`` are canonical signatures of what may change state."""
    asked = _ASKED.format(
        contract=contract,
        source=source.strip(),
        functions="\n".join(f"- {each}" for each in functions),
        form=_FORM,
    )
    return Prompt(task_id=task_id, messages=(Message("system", _SYSTEM), Message("user", asked)))


def again(prompt: Prompt, reply: str, fault: str) -> Prompt:
    """The request for another graph in place of one with a fault."""
    asked = _AGAIN.format(fault=fault)
    return Prompt(
        task_id=prompt.task_id,
        messages=(*prompt.messages, Message("assistant", reply), Message("user", asked)),
    )


def read_graph(reply: str, functions: Sequence[str]) -> Graph:
    """The graph in a reply.

    Raises DataError, with the faulty field, for a reply without one, for one that is not valid, and for one whose
    events are of functions that the contract does not have.
    """
    try:
        found = json_object(reply, dict[str, Any])
    except ValueError as error:
        raise DataError(f"{_PLACE}: {error}") from None
    graph = read(json.dumps(found), _PLACE)
    for number, event in enumerate(graph.events):
        if event.function not in functions:
            raise DataError(
                f"{_PLACE}: events[{number}].function: the contract has no '{event.function}'; "
                f"{nearest(event.function, functions)}"
            )
    if not graph.events and functions:
        raise DataError(f"{_PLACE}: events: there are none")
    return graph
