"""Contracts with their functions' bodies taken out: what no oracle may pass."""

from __future__ import annotations

from typing import Literal

from solexp.solidity.parsing import definition

Kind = Literal["empty", "revert"]
_BODIES: dict[Kind, bytes] = {"empty": b"{}", "revert": b"{ revert(); }"}


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
