"""Models that need no language model: they calibrate the harness."""

from __future__ import annotations

import random

from solexp.core import Completion, Preconditions, Task, UserError
from solexp.core.errors import nearest
from solexp.core.mutation import Mutation, shuffled
from solexp.llm.model import Request
from solexp.python import mutation as python
from solexp.python.contracts import with_contract
from solexp.python.stubs import stubbed_program
from solexp.solidity.mutation import VERSION, Checked
from solexp.solidity.stubs import Kind, stub_of


def _fenced(task: Task, code: str) -> str:
    return f"```{task.language}\n{code}\n```\n"


class Reference:
    """Answers with the reference. Every oracle must pass it; where one does not, the harness is at fault."""

    paid = False
    answers = "code"

    def __init__(self, preconditions: bool = False) -> None:
        """``preconditions``: whether a Python function's contract stands at its entry; its reference is without."""
        self.preconditions = preconditions

    def fingerprint(self, task: Task) -> dict[str, object]:
        aware = {"preconditions": True} if self.preconditions else {}
        return {"model": "reference", "task": task.content_hash, **aware}

    def complete(self, request: Request) -> Completion:
        """Raises UserError for a task without preconditions where they are wanted."""
        task = request.task
        if not self.preconditions:
            return Completion(text=_fenced(task, task.reference))
        given = task.preconditions
        if not isinstance(given, Preconditions):
            raise UserError(
                f"model.preconditions: task {task.id} states none; leave it false, or choose benchmark=contracteval"
            )
        aware = with_contract(task.reference, given.entry_point, given.statements)
        return Completion(text=_fenced(task, aware))


class Mutants:
    """Answers with the reference or with one of the task's mutants, by a seeded draw, or with each of them in turn.

    A calibration model: what an oracle ought to say of each answer is known beforehand, where the benchmark labels its
    mutants. Of a function without any, mutants are made (`solexp.solidity.mutation`, `solexp.python.mutation`): those
    compile, none repeats within a batch and repeat before all have been drawn, and which of them do what the reference
    does is not known.
    """

    paid = False
    answers = "code"

    def __init__(
        self,
        reference_share: float = 0.5,
        only: str | None = None,
        seed: int = 0,
        each: bool = False,
    ) -> None:
        """``reference_share`` is the probability of the reference; the mutant named ``only`` answers always.

        ``each``: nothing is drawn. Sample 0 of a batch is the reference, sample i the i-th mutant by name, and all
        after the last mutant are the reference again. Raises UserError where settings contradict each other.
        """
        if each and only is not None:
            raise UserError(
                f"model.each: asks for every mutant, and model.only for '{only}' alone; leave one of them out"
            )
        if not 0 <= reference_share <= 1:
            raise UserError(
                f"model.reference_share: must lie between 0 and 1, got {reference_share}"
            )
        self.reference_share = reference_share
        self.only = only
        self.seed = seed
        self.each = each
        self._made = Checked(seed)

    def fingerprint(self, task: Task) -> dict[str, object]:
        return {
            "model": "mutants",
            "task": task.content_hash,
            "reference_share": self.reference_share,
            "only": self.only,
            "seed": self.seed,
            "made": python.VERSION if task.language == "python" else VERSION,
            **({"each": True} if self.each else {}),
        }

    def choose(self, request: Request) -> str:
        """The name of the mutant that answers, or ``reference``. Raises UserError when the task lacks the only one."""
        return self._chosen(request)[0]

    def complete(self, request: Request) -> Completion:
        name, code = self._chosen(request)
        return Completion(text=_fenced(request.task, code), label=name)

    def _chosen(self, request: Request) -> tuple[str, str]:
        """Name and code of what answers."""
        task = request.task
        if self.only is not None:
            return self.only, self._named(task, self.only)
        if self.each:
            return self._in_turn(task, request.index)
        draw = self._draw(request, request.index)
        if draw.random() < self.reference_share:
            return "reference", task.reference
        if task.mutants:
            name = draw.choice(sorted(task.mutants))
            return name, task.mutants[name]
        mutation = self._made_for(request)
        if mutation is None:
            return "reference", task.reference
        return mutation.name, mutation.applied(task.reference)

    def _in_turn(self, task: Task, index: int) -> tuple[str, str]:
        names = sorted(task.mutants or (made.name for made in self._every(task)))
        if not 1 <= index <= len(names):
            return "reference", task.reference
        return names[index - 1], self._named(task, names[index - 1])

    def _draw(self, request: Request, index: int) -> random.Random:
        return random.Random(
            f"{self.seed}/{request.task.id}/{request.batch.name}/{request.repeat}/{index}"
        )

    def _named(self, task: Task, name: str) -> str:
        made = {} if task.mutants else {each.name: each for each in self._every(task)}
        if name in made:
            return made[name].applied(task.reference)
        if name in task.mutants:
            return task.mutants[name]
        raise UserError(
            f"model.only: task {task.id} has no mutant '{name}'; "
            f"{nearest(name, sorted({*task.mutants, *made}))}"
        )

    def _made_for(self, request: Request) -> Mutation | None:
        """The made mutant of a sample: each sample that gets one takes the next of its batch's order."""
        earlier = sum(
            self._draw(request, index).random() >= self.reference_share
            for index in range(request.index)
        )
        stream = f"{request.batch.name}/{request.repeat}"
        task = request.task
        if task.language != "python":
            return self._made.mutant(task, stream, earlier)
        order = tuple(shuffled(self._every(task), f"{self.seed}/{task.id}/{stream}"))
        return order[earlier % len(order)] if order else None

    def _every(self, task: Task) -> tuple[Mutation, ...]:
        """All made mutants of a task."""
        if task.language == "python":
            return python.mutations(task.reference, task.target.member)
        return self._made.mutants(task)


class Stubs:
    """Answers with the reference, its functions' bodies taken out: what no oracle may pass.

    A task whose stub passes tests nothing.
    """

    paid = False
    answers = "code"

    def __init__(self, kind: Kind = "empty") -> None:
        """``kind`` is ``empty`` (functions do nothing) or ``revert`` (functions always revert, or raise)."""
        self.kind = kind

    def fingerprint(self, task: Task) -> dict[str, object]:
        return {"model": "stubs", "task": task.content_hash, "kind": self.kind}

    def complete(self, request: Request) -> Completion:
        task = request.task
        return Completion(text=_fenced(task, self._stub(task)))

    def _stub(self, task: Task) -> str:
        if task.language == "python":
            return stubbed_program(task.reference, task.target.member, self.kind)
        return stub_of(task, self.kind)
