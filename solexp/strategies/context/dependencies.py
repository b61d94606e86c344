"""Context made of a task's own sources: what the target needs, in full or by its signatures."""

from __future__ import annotations

from typing import Any, Literal

from solexp.core import Task, UserError
from solexp.core.errors import nearest
from solexp.solidity.definitions.needed import SCHEMA, surroundings
from solexp.solidity.definitions.render import render, render_headers

Natspec = Literal["keep", "strip"]
"""Whether the comments of what is shown stay."""


class Dependencies:
    """The least code with which the target builds (SolContractEval, Algorithm 1).

    For a contract: everything outside it that it calls, inherits or uses, and what that needs in turn; contracts hold
    only the members that are needed. Put before the reference it compiles, and without any one definition it does not.
    For a function: those of the same definitions that the function needs. The rest of its contract is not among them,
    since the framework shows it.
    """

    def __init__(self, natspec: Natspec = "keep") -> None:
        """``natspec`` keeps the comments of what is shown, or strips them. Raises UserError."""
        if natspec not in ("keep", "strip"):
            raise UserError(
                f"strategy.context.natspec: got {natspec!r}; {nearest(natspec, ('keep', 'strip'))}"
            )
        self.natspec = natspec

    def fingerprint(self) -> dict[str, Any]:
        return {"context": "dependencies", "natspec": self.natspec, "schema": SCHEMA}

    def text(self, task: Task) -> str:
        """The definitions in source order. Raises UserError when the task's sources do not compile, HarnessError."""
        around = surroundings(task)
        return render(around.index, around.dependencies(), comments=self.natspec == "keep")


class Signatures:
    """The signatures of what the target invokes and inherits, grouped by contract (SolEval, §3.2).

    For a contract: what it names outside itself, and all that it inherits. For a function: what it names outside
    itself, its own contract's members included; SolEval's context for a function is no more than that.
    """

    def fingerprint(self) -> dict[str, Any]:
        return {"context": "signatures", "schema": SCHEMA}

    def text(self, task: Task) -> str:
        """Headers without bodies, structs and enums in full. Raises as `Dependencies.text` does."""
        around = surroundings(task)
        shown = around.invoked()
        if around.member is None:
            shown |= around.inherited()
        return render_headers(around.index, shown)
