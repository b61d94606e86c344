"""Contracts with their functions' bodies taken out: what no oracle may pass."""

from __future__ import annotations

from typing import Literal

from solexp.core import Task
from solexp.solidity.functions.heads import parentheses, read_head
from solexp.solidity.lexing import mask
from solexp.solidity.parsing import definition

Kind = Literal["empty", "revert"]
_BODIES: dict[Kind, bytes] = {"empty": b"{}", "revert": b"{ revert(); }"}
_MODIFIERS: dict[Kind, str] = {"empty": "{ _; }", "revert": "{ revert(); _; }"}


def stub_of(task: Task, kind: Kind) -> str:
    """The task's reference without what it does: `stubbed`, or `stubbed_function` where the target is one function.

    Raises ValueError when the target is not in the reference.
    """
    if task.target.member:
        return stubbed_function(task.reference, kind)
    return stubbed(task.reference, task.target.contract, kind)


def stubbed_function(code: str, kind: Kind) -> str:
    """``code``, one function, with its body emptied or replaced by a plain revert; a modifier keeps its ``_``.

    Constructors are emptied too. Raises ValueError when the code is no function with a body.
    """
    masked = mask(code)
    head = read_head(masked, 0, parentheses(masked))
    if head is None or head.brace is None:
        raise ValueError(f"no function with a body: {code[:40]!r}")
    body = _MODIFIERS[kind] if head.kind == "modifier" else _BODIES[kind].decode()
    return code[: head.brace] + body


def stubbed(code: str, contract: str, kind: Kind) -> str:
    """``code`` with every function body of ``contract`` emptied, or replaced by a plain revert.

    Constructors (those named after the contract too) and modifiers keep theirs, so that the stub
    deploys like the original and differs only in what its functions do. Raises ValueError when the
    contract is not in the code.
    """
    found = definition(code, contract)
    if found is None:
        raise ValueError(f"{contract} is not in the code")
    data = code.encode()
    for function in sorted(found.functions, key=lambda each: each.start, reverse=True):
        if function.kind in ("constructor", "modifier") or function.name == contract:
            continue
        if function.body_start is not None:
            data = data[: function.body_start] + _BODIES[kind] + data[function.end :]
    return data.decode()
