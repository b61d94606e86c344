"""Documentation that a model writes freshly, put where the data set's own stood."""

from __future__ import annotations

import msgspec

from solexp.core import Task
from solexp.solidity.comments import without_comments
from solexp.solidity.extract import extract_contract
from solexp.solidity.frameworks import redocumented
from solexp.solidity.functions import documented


def with_documentation(task: Task, reply: str) -> Task:
    """The task whose outline has the documentation of ``reply`` and no other comment, its requirement likewise.

    A function that the reply says nothing of has no documentation.
    """
    contract = task.target.contract
    written = documentation_in(reply, contract)
    return msgspec.structs.replace(
        task,
        framework=redocumented(without_comments(task.framework), contract, written),
        requirement=written.get(str(task.facts.get("signature")), ""),
    )


def documentation_in(reply: str, contract: str) -> dict[str, str]:
    """What a reply says of each function of ``contract``, by signature, comment marks off."""
    return documented(extract_contract(reply, contract).code or reply, contract)


def without_documentation(task: Task) -> Task:
    """The task with no comment in its outline, and nothing said of what it has to do."""
    return msgspec.structs.replace(task, framework=without_comments(task.framework), requirement="")
