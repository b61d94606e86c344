"""Documentation that a model writes freshly, put where the data set's own stood."""

from __future__ import annotations

import re

import msgspec

from solexp.core import Task
from solexp.solidity.comments import without_comments
from solexp.solidity.contracts import Function
from solexp.solidity.extract import extract_contract
from solexp.solidity.parsing import functions

_ABOVE = re.compile(
    rb"(?:(?:^[ \t]*///[^\n]*\n)+|^[ \t]*/\*\*(?:(?!\*/).)*\*/[ \t]*\n)[ \t]*\Z",
    re.MULTILINE | re.DOTALL,
)
_MARKS = re.compile(r"^[ \t]*(?:///?|/\*\*|\*/|\*)[ \t]?|[ \t]*\*/[ \t]*$", re.MULTILINE)

Name = tuple[str, str, tuple[str, ...]]
"""What tells a function from its overloads: kind, name, types of the parameters."""


def written_for(reply: str, contract: str) -> dict[Name, str]:
    """The documentation in a reply, by function: the text of the NatSpec comment above each header, marks off."""
    code = extract_contract(reply, contract).code or reply
    data = code.encode()
    found = {}
    for function in functions(code):
        above = _ABOVE.search(data[: function.start])
        if above is not None:
            text = _MARKS.sub("", above[0].decode(errors="replace"))
            lines = [line.strip() for line in text.splitlines()]
            found[_name(function)] = "\n".join(filter(None, lines))
    return found


def with_documentation(task: Task, reply: str) -> Task:
    """The task whose outline has the documentation of ``reply`` and no other comment, its requirement likewise.

    A function that the reply says nothing of has no documentation.
    """
    written = written_for(reply, task.target.contract)
    data = without_comments(task.framework).encode()
    parts, position = [], 0
    for function in functions(data.decode()):
        text = written.get(_name(function))
        if text:
            line = data.rfind(b"\n", 0, function.start) + 1
            indent = data[line : function.start]
            if not indent.strip():
                comment = b"".join(
                    indent + b"/// " + each.encode() + b"\n" for each in text.split("\n")
                )
                parts += [data[position:line], comment]
                position = line
    framework = b"".join((*parts, data[position:])).decode()
    wanted = next(iter(functions(task.reference)), None) if "parent" in task.facts else None
    requirement = written.get(_name(wanted), "") if wanted is not None else ""
    return msgspec.structs.replace(task, framework=framework, requirement=requirement)


def without_documentation(task: Task) -> Task:
    """The task with no comment in its outline, and nothing said of what it has to do."""
    return msgspec.structs.replace(task, framework=without_comments(task.framework), requirement="")


def _name(function: Function) -> Name:
    return function.kind, function.name, function.parameters
