"""Models that need no language model: they calibrate the harness."""

from __future__ import annotations

import random

from solexp.core import Completion, Task, UserError
from solexp.core.errors import nearest
from solexp.llm.model import Request
from solexp.solidity.stubs import Kind, stub_of


def _fenced(code: str) -> str:
    return f"```solidity\n{code}\n```\n"


class Reference:
    """Answers with the reference. Every oracle must pass it; where one does not, the harness is at fault."""

    paid = False

    def fingerprint(self, task: Task) -> dict[str, object]:
        return {"model": "reference", "task": task.content_hash}

    def complete(self, request: Request) -> Completion:
        return Completion(text=_fenced(request.task.reference))


class Mutants:
    """Answers with the reference or with one of the task's mutants, by a seeded draw.

    A calibration model: what an oracle ought to say of each answer is known beforehand.
    """

    paid = False

    def __init__(
        self, reference_share: float = 0.5, only: str | None = None, seed: int = 0
    ) -> None:
        """``reference_share`` is the probability of the reference; the mutant named ``only`` answers always."""
        if not 0 <= reference_share <= 1:
            raise UserError(
                f"model.reference_share: must lie between 0 and 1, got {reference_share}"
            )
        self.reference_share = reference_share
        self.only = only
        self.seed = seed

    def fingerprint(self, task: Task) -> dict[str, object]:
        return {
            "model": "mutants",
            "task": task.content_hash,
            "reference_share": self.reference_share,
            "only": self.only,
            "seed": self.seed,
        }

    def choose(self, request: Request) -> str:
        """The name of the mutant that answers, or ``reference``. Raises UserError when the task lacks the only one."""
        mutants = sorted(request.task.mutants)
        if self.only is not None:
            if self.only not in mutants:
                raise UserError(
                    f"model.only: task {request.task.id} has no mutant '{self.only}'; "
                    f"{nearest(self.only, mutants)}"
                )
            return self.only
        draw = random.Random(
            f"{self.seed}/{request.task.id}/{request.batch.name}/{request.repeat}/{request.index}"
        )
        if not mutants or draw.random() < self.reference_share:
            return "reference"
        return draw.choice(mutants)

    def complete(self, request: Request) -> Completion:
        name = self.choose(request)
        task = request.task
        return Completion(text=_fenced(task.mutants.get(name, task.reference)), label=name)


class Stubs:
    """Answers with the reference, its functions' bodies taken out: what no oracle may pass.

    A task whose stub passes tests nothing.
    """

    paid = False

    def __init__(self, kind: Kind = "empty") -> None:
        """``kind`` is ``empty`` (functions do nothing) or ``revert`` (functions always revert)."""
        self.kind = kind

    def fingerprint(self, task: Task) -> dict[str, object]:
        return {"model": "stubs", "task": task.content_hash, "kind": self.kind}

    def complete(self, request: Request) -> Completion:
        task = request.task
        return Completion(text=_fenced(stub_of(task, self.kind)))
