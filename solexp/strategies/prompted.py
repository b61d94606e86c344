"""What the strategies have in common: what a prompt is composed of."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import msgspec

from solexp.core import Batch, Completion, Prompt, PromptForm, Task, UserError
from solexp.llm.tokens import count
from solexp.solidity.comments import without_comments
from solexp.strategies.base import Ask, Context, Dialogue, Example, Examples, Kind, Reader, Refine
from solexp.strategies.context.given import NoContext
from solexp.strategies.documentation import with_documentation, without_documentation
from solexp.strategies.examples.none import NoExamples
from solexp.strategies.material import Granularity, Material, Natspec
from solexp.strategies.refine.none import NoRefine
from solexp.strategies.templates import Template

_MOST_SHOTS = 5
WRITER = Batch(name="natspec", n=1, temperature=0.0, max_tokens=4096)
"""How documentation is sampled: once for all samples of a task."""


@dataclass(kw_only=True, eq=False)
class Prompted(ABC):
    """A prompt from a template, a context, examples and documentation; one reply."""

    granularity: ClassVar[Granularity]
    examples_of: ClassVar[Kind | None] = None
    """What examples are shown of; None is what tasks ask for."""

    template: str
    """The name of a layout, or the path of one of one's own."""
    context: Context = field(default_factory=NoContext)
    """What is shown of the code around the target."""
    examples: Examples = field(default_factory=NoExamples)
    refine: Refine = field(default_factory=NoRefine)
    shots: int = 0
    """Examples that are shown, 0 to 5."""
    natspec: Natspec = "task"
    cot: bool = False
    """Whether to ask for thoughts in writing before the answer."""
    form: PromptForm = "chat"
    stop: Sequence[str] = ()
    """Sequences at which a reply ends."""

    def __post_init__(self) -> None:
        """Raises UserError."""
        if not 0 <= self.shots <= _MOST_SHOTS:
            raise UserError(
                f"strategy.shots: must lie between 0 and {_MOST_SHOTS}, got {self.shots}"
            )
        if self.shots and isinstance(self.examples, NoExamples):
            raise UserError(
                "strategy.shots: there are no examples to show; choose strategy/examples=random or bm25"
            )
        self.layout = Template(self.template)

    @property
    @abstractmethod
    def reader(self) -> Reader:
        """Finds the candidate in the replies."""

    def fingerprint(self) -> dict[str, Any]:
        return {
            "reader": self.reader.fingerprint(),
            "template": self.layout.fingerprint(),
            "context": self.context.fingerprint(),
            "examples": self.examples.fingerprint() if self.shots else None,
            "refine": self.refine.fingerprint(),
            "shots": self.shots,
            "natspec": self.natspec,
            "cot": self.cot,
            "form": self.form,
            "stop": list(self.stop),
        }

    def expand(self, tasks: Sequence[Task]) -> list[Task]:
        """The tasks as they are. Raises UserError for tasks that are single functions, which this cannot pose."""
        check_solidity(tasks)
        single = next((task for task in tasks if task.target.member), None)
        if single is not None:
            raise UserError(
                f"strategy: {single.benchmark}'s tasks are single functions; choose strategy=function"
            )
        return list(tasks)

    def prepare(self, tasks: Sequence[Task], pool: Sequence[Task]) -> None:
        if self.shots:
            self.examples.prepare(tasks, pool, self.examples_of)

    def turns(self, task: Task) -> int:  # noqa: ARG002
        return 1

    def dialogue(self, task: Task) -> Dialogue:
        documented = yield from self.documented(task)
        yield Ask(prompt=self.prompt(documented))

    def documented(self, task: Task) -> Generator[Ask, Completion, Task]:
        """The task with the documentation that is wanted: its own, none, or freshly written."""
        if self.natspec == "task":
            return task
        if self.natspec == "none":
            return without_documentation(task)
        prompt = documentation_prompt(task)
        reply = yield Ask(prompt=prompt, batch=WRITER, shared=True)
        return with_documentation(task, reply.text)

    def prompt(self, task: Task) -> Prompt:
        """The request for the target itself, of a task whose documentation is as wanted."""
        material = self.material(task)
        return self.layout.prompt(material, form=self.form, stop=self.stop, holds=holds(material))

    def material(self, task: Task) -> Material:
        """What the template is given."""
        context = self.context.text(task)
        return Material(
            task_id=task.id,
            granularity=self.granularity,
            contract=task.target.contract,
            version=task.compiler.version,
            requirement=task.requirement,
            context=(context if self.natspec == "task" else without_comments(context)).strip(),
            framework=task.framework.strip(),
            examples=tuple(self._shown(task)),
            cot=self.cot,
        )

    def _shown(self, task: Task) -> Iterator[Example]:
        """The shots; without their context where the target's is not shown either."""
        for example in self.examples.choose(task, self.shots) if self.shots else ():
            bare = isinstance(self.context, NoContext)
            yield msgspec.structs.replace(example, context="") if bare else example


def documentation_prompt(task: Task) -> Prompt:
    """What the writer of documentation is asked. Comments of the original reach nobody, the writer included."""
    material = Material(
        task_id=task.id,
        granularity="contract",
        contract=task.target.contract,
        version=task.compiler.version,
        code=without_comments(task.reference),
    )
    return Template("natspec").prompt(material)


def holds(material: Material) -> dict[str, Any]:
    """What a prompt shows, for those who read it later."""
    return {
        "context_tokens": count(material.context),
        "examples": [example.id for example in material.examples],
        "cot": material.cot,
    }


def check_solidity(tasks: Sequence[Task]) -> None:
    """Raise UserError where a task is in a language whose prompts are others."""
    other = next((task for task in tasks if task.language != "solidity"), None)
    if other is not None:
        raise UserError(
            f"strategy: {other.benchmark}'s tasks are {other.language.capitalize()}; "
            f"choose strategy={other.language}"
        )
