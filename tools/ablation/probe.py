"""A model that is right with a probability that depends on what its prompt holds, and on nothing else."""

from __future__ import annotations

import random
import re
import threading
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import msgspec

from solexp.core import Task
from solexp.core.hashing import content_hash

EXAMPLES = Path(__file__).parent / "examples.jsonl"
"""The pool of examples: one that is related to each task of the embedded benchmark."""

_DECLARED = re.compile(r"^[ \t]*(?:abstract[ \t]+)?(?:contract|interface|library)[ \t]+(\w+)", re.M)
_FENCED = "```solidity\n{}\n```\n"


class Example(msgspec.Struct, frozen=True):
    """A row of the pool, as far as a prompt is searched for it."""

    id: str
    """The name of its contract."""
    kin: str
    """The task that it is related to."""


class Holds(msgspec.Struct, frozen=True, kw_only=True):
    """What a prompt holds for its task."""

    definitions: bool
    """Every contract, interface and library that the target needs."""
    related: bool
    """An example that is related to the task."""
    shots: int
    """Examples, related or not."""
    thinking: bool
    """A request to think first."""


class Chances(msgspec.Struct, frozen=True, kw_only=True):
    """How the probability of a right answer is made up."""

    base: float = 0.15
    definitions: float = 0.2
    related: float = 0.1
    shot: float = 0.05
    """Each example adds so much."""
    thinking: float = 0.0
    """Nothing: asking for it must be found to do nothing."""
    both: float = 0.25
    """What definitions and a related example add together, beyond what each adds by itself."""

    def of(self, holds: Holds) -> float:
        """The probability of a right answer to a prompt that ``holds`` this."""
        return (
            self.base
            + self.definitions * holds.definitions
            + self.related * holds.related
            + self.shot * holds.shots
            + self.thinking * holds.thinking
            + self.both * (holds.definitions and holds.related)
        )


class Probe:
    """Answers prompts for tasks whose references and wrong variants it knows."""

    def __init__(
        self,
        tasks: Sequence[Task],
        chances: Chances | None = None,
        *,
        variants: int = 4,
        seed: int = 42,
    ) -> None:
        """``variants`` is how many wrong answers a task has at most: each costs a judgement."""
        self.tasks = {task.target.contract: task for task in tasks}
        self.chances = chances or Chances()
        self.variants = variants
        self.seed = seed
        self.examples = examples()
        self._answered: Counter[str] = Counter()
        self._lock = threading.Lock()

    @property
    def name(self) -> str:
        """Tells models that answer otherwise apart, so that no answer is taken for another's."""
        return f"probe-{content_hash(self.chances, self.variants, self.seed)[:8]}"

    def task(self, prompt: str) -> Task:
        """The task that is asked for: the last that the prompt wants written."""
        *_, name = re.findall(r"Write the complete contract (\w+)", prompt)
        return self.tasks[name]

    def holds(self, prompt: str, task: Task) -> Holds:
        """What the words of a prompt hold; how they got there is no matter."""
        declared = set(_DECLARED.findall(prompt))
        shown = [example for example in self.examples if example.id in declared]
        return Holds(
            definitions=needed(task) <= declared,
            related=any(example.kin == task.id for example in shown),
            shots=len(shown),
            thinking="<think>" in prompt,
        )

    def chance(self, prompt: str) -> float:
        """The probability of a right answer."""
        return self.chances.of(self.holds(prompt, self.task(prompt)))

    def answer(self, prompt: str) -> str:
        """The next answer to a prompt: the reference, or one of the variants that recorded calls show to be wrong.

        The draws depend on the seed, the prompt, and how often it was asked before.
        """
        with self._lock:
            number = self._answered[prompt]
            self._answered[prompt] += 1
        task = self.task(prompt)
        draw = random.Random(f"{self.seed}/{content_hash(prompt)}/{number}")
        if draw.random() < self.chance(prompt):
            return _FENCED.format(task.reference)
        wrong = sorted(name for name, label in task.mutant_labels.items() if label == "shown")
        return _FENCED.format(task.mutants[draw.choice(wrong[: self.variants])])


def examples() -> list[Example]:
    """The pool."""
    return [msgspec.json.decode(line, type=Example) for line in EXAMPLES.read_bytes().splitlines()]


def needed(task: Task) -> set[str]:
    """The names declared beside the target that its reference uses."""
    used = set(re.findall(r"\w+", task.reference))
    return {name for name in _DECLARED.findall(task.context) if name in used}
