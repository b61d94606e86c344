"""What every strategy does, and the seams that strategies are composed along."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from typing import Any, Literal, Protocol

import msgspec

from solexp.core import Batch, Candidate, Completion, Generation, Prompt, Task, Verdict


class Ask(msgspec.Struct, frozen=True, kw_only=True):
    """One request that a strategy wants made."""

    prompt: Prompt
    batch: Batch | None = None
    """How to sample; None is as the run's sampling says for this sample."""
    shared: bool = False
    """Whether all samples share one reply, such as documentation that is written once for a task; never the last."""
    works: bool = False
    """Whether what is made of its reply takes time, so that it is made in a thread while others are asked."""


Dialogue = Generator[Ask, Completion, None]
"""Yields requests and is sent their replies. What it asks depends on nothing but the replies so far, so that a run
that was killed asks again what it asked before, and finds the answers kept."""


class Reader(Protocol):
    """Finds the candidate in replies. Small, since it travels to the processes that judge."""

    def fingerprint(self) -> dict[str, Any]:
        """Everything that decides how replies become a candidate."""
        ...

    def candidate(self, task: Task, generation: Generation) -> Candidate:
        """The candidate in the replies of one round, or the reason why there is none."""
        ...


class Context(Protocol):
    """Chooses what a prompt shows of the code around the target."""

    def fingerprint(self) -> dict[str, Any]: ...

    def text(self, task: Task) -> str:
        """Solidity to show; empty for nothing. No original of the target's bodies is in it."""
        ...


class Example(msgspec.Struct, frozen=True, kw_only=True):
    """A solved task that a prompt may show."""

    id: str
    requirement: str
    """What is asked for: its documentation, comment marks taken off."""
    signature: str
    """The header without its body."""
    code: str
    """The whole of it, header included."""
    context: str = ""


Kind = Literal["contract", "function"]
"""What an example is one of."""


class Examples(Protocol):
    """Chooses the shots of a prompt from a pool."""

    def fingerprint(self) -> dict[str, Any]: ...

    def prepare(
        self, tasks: Sequence[Task], pool: Sequence[Task], kind: Kind | None = None
    ) -> None:
        """Told once, before anything is chosen: the ``tasks`` that are evaluated, and all the benchmark's tasks.

        ``kind`` is what examples are wanted of; None is what the tasks ask for.
        """
        ...

    def choose(self, task: Task, shots: int) -> Sequence[Example]:
        """At most ``shots`` examples, the best fitting last. Never the target, its like, or an evaluated task."""
        ...


class Attempt(msgspec.Struct, frozen=True, kw_only=True):
    """What came of a round: what refinement is given."""

    task: Task
    prompt: Prompt
    """The first request of the first round."""
    generation: Generation
    candidate: Candidate
    verdicts: tuple[Verdict, ...]
    """One an oracle."""
    batch: Batch = Batch(name="sample", n=1)
    """How the sample was drawn."""


class Refine(Protocol):
    """Asks again, with what came of the last answer."""

    rounds: int
    """How often at most; 0 for never."""

    def fingerprint(self) -> dict[str, Any]: ...

    def wants(self, attempt: Attempt) -> bool:
        """Whether another round is worth asking for."""
        ...

    def dialogue(self, attempt: Attempt) -> Dialogue:
        """The requests of the next round; the last reply holds the new answer."""
        ...


class Strategy(Protocol):
    """Asks for a task's target, and finds it in the replies."""

    refine: Refine
    shots: int
    """Examples that a prompt shows at most."""

    @property
    def reader(self) -> Reader:
        """Finds the candidate in the replies."""
        ...

    def fingerprint(self) -> dict[str, Any]:
        """Everything that decides what is asked, and how replies are read."""
        ...

    def expand(self, tasks: Sequence[Task]) -> list[Task]:
        """The tasks as this strategy poses them: the same, or one for each function."""
        ...

    def prepare(self, tasks: Sequence[Task], pool: Sequence[Task]) -> None:
        """Told once, before anything is asked: the ``tasks`` that are evaluated, and all the benchmark's tasks."""
        ...

    def turns(self, task: Task) -> int:
        """About how many requests a sample of ``task`` takes in its first round."""
        ...

    def dialogue(self, task: Task) -> Dialogue:
        """The requests of the first round; the same for every sample until replies differ."""
        ...
