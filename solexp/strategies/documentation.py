"""Documentation that a model writes freshly, put where the data set's own stood."""

from __future__ import annotations

import msgspec

from solexp.core import Task
from solexp.solidity.comments import without_comments
from solexp.solidity.extract import extract_contract
from solexp.solidity.functions import documented, members


def with_documentation(task: Task, reply: str) -> Task:
    """The task whose outline has the documentation of ``reply`` and no other comment, its requirement likewise.

    A function that the reply says nothing of has no documentation.
    """
    contract = task.target.contract
    written = documented(extract_contract(reply, contract).code or reply, contract)
    outline = without_comments(task.framework)
    data = outline.encode()
    parts, position = [], 0
    for member in members(outline, contract):
        said = written.get(member.signature)
        line = data.rfind(b"\n", 0, member.start) + 1
        indent = data[line : member.start]
        if said and not indent.strip():
            comment = "".join(f"/// {each.strip()}\n" for each in said.splitlines() if each.strip())
            parts += [data[position:line], _indented(comment, indent.decode()).encode()]
            position = line
    return msgspec.structs.replace(
        task,
        framework=b"".join((*parts, data[position:])).decode(),
        requirement=written.get(str(task.facts.get("signature")), ""),
    )


def without_documentation(task: Task) -> Task:
    """The task with no comment in its outline, and nothing said of what it has to do."""
    return msgspec.structs.replace(task, framework=without_comments(task.framework), requirement="")


def _indented(lines: str, indent: str) -> str:
    return "".join(indent + line for line in lines.splitlines(keepends=True))
