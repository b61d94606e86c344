"""What an agent is told at the beginning."""

from __future__ import annotations

from solexp.core import Message, Task
from solexp.strategies.agent.actions import TOOLS, Protocol

_SYSTEM = """\
You are a Solidity developer at work in a project. The body of one function is missing; you write it.

- The project is a workspace that you reach by tools. Paths are relative to it.
- Replace the stub `{stub}` by code that does what the documentation and the rest of the contract ask for.
  Nothing else that the contract does may change.
- It is built by forge with solc {version}. Settings in foundry.toml and in comments are not followed, there is no
  network, and tests cannot reach programs and files.
- Nothing can be imported but the workspace's own files; there is no forge-std. A test is a contract in test/NAME.t.sol
  with functions whose names begin with test; it fails when it reverts.
- When the contract compiles and you are content with it, call done. You are judged by what the contract does then."""
_TEXT = """

Each of your replies does one thing: it holds one JSON object in a fence, which names a tool and its arguments, such as

```json
{"tool": "read", "path": "src/Vault.sol"}
```

You are then told what came of it. The tools:
"""
_AFTER = (
    "\nFor write, the content may stand in a second fence after the JSON in place of within it."
)
_USER = """\
Write the body of `{signature}` of the contract {contract} in {path}.{said}"""


def opening(task: Task, stub: str, protocol: Protocol) -> tuple[Message, ...]:
    """The first messages of every conversation about a task."""
    system = _SYSTEM.format(stub=stub, version=task.compiler.version)
    if protocol == "text":
        system += _TEXT + "\n".join(map(_listed, range(len(TOOLS)))) + _AFTER
    said = f"\n\nIts documentation:\n\n{task.requirement}" if task.requirement else ""
    user = _USER.format(
        signature=task.facts.get("signature") or task.target.member or "the missing function",
        contract=task.target.contract,
        path=task.target.path,
        said=said,
    )
    return (Message("system", system), Message("user", user))


def nothing_asked(protocol: Protocol) -> str:
    """What a reply without an action is told."""
    if protocol == "native":
        return "You called no tool. Go on, or call done when the work is finished."
    return (
        'There is no JSON object with a key "tool" in your reply. Go on with one in a fence, or with {"tool": "done"} '
        "when the work is finished."
    )


def _listed(number: int) -> str:
    tool = TOOLS[number]
    needed = tool.parameters["required"]
    words = [
        name if name in needed else f"{name} (may be left out)"
        for name in tool.parameters["properties"]
    ]
    return f"- {tool.name}{': ' if words else ''}{', '.join(words)}. {tool.description}"
