"""A Python function in one reply; a condition says how much of its contract the prompt shows (ContractEval, §4)."""

from __future__ import annotations

import re
from collections.abc import Generator, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import msgspec

from solexp.core import (
    Batch,
    Candidate,
    Completion,
    Generation,
    Message,
    Prompt,
    Task,
    UserError,
)
from solexp.core.reply import without_reasoning
from solexp.python.expected import preconditions_of
from solexp.python.extract import extract_program
from solexp.python.wording import stated
from solexp.python.wording import told as statements
from solexp.strategies.base import Ask, Attempt, Dialogue, Refine
from solexp.strategies.conditions import violating_calls, wrong_outputs
from solexp.strategies.material import Material
from solexp.strategies.preconditions import OfFunctions
from solexp.strategies.reading import read_last
from solexp.strategies.refine.none import NoRefine
from solexp.strategies.templates import Template
from solexp.violations.known import Source

Condition = Literal["standard", "cs", "eas", "negative", "cot", "multi_turn"]
"""What a prompt says of the contract:

- ``standard``: nothing, the description alone;
- ``cs``: the description states it (contract specification);
- ``eas``: the same, and shows a call for each assertion that violates it (example-augmented specification);
- ``negative``: nothing, but outputs that are wrong for valid inputs;
- ``cot``: as ``cs``, with thoughts in writing before the answer;
- ``multi_turn``: as ``standard``, then a second turn that states it.
"""
Rewrite = Literal["template", "model"]
"""Who states the contract: a text made from its assertions, or the description written anew by the model."""
_STATED = ("cs", "eas", "cot")
_WRONG = 3
"""How many wrong outputs a prompt shows."""
_WRITER = Batch(name="rewrite", n=1, temperature=0.0, max_tokens=4096)
"""How a description is written anew: once for all samples of a task."""


@dataclass(kw_only=True, eq=False)
class PythonFunction(OfFunctions):
    """Shows a function's description; wants the function."""

    template: str = "python"
    """The name of a layout, or the path of one of one's own."""
    condition: Condition = "standard"
    rewrite: Rewrite = "template"
    cvts: Source = "z3"
    """Where the tests are from that ``eas`` shows."""
    cot: bool = False
    """Whether to ask for thoughts in writing before the answer, under any condition."""
    refine: Refine = field(default_factory=NoRefine)
    stop: Sequence[str] = ()
    """Sequences at which a reply ends."""

    def __post_init__(self) -> None:
        """Raises UserError."""
        self.layout = Template(self.template)
        if self.condition == "multi_turn":
            if not isinstance(self.refine, NoRefine):
                raise UserError(
                    "strategy/refine: condition=multi_turn has a second turn of its own; "
                    "choose strategy/refine=none, or condition=standard"
                )
            self.refine = ContractTurn(self.rewrite)

    @property
    def reader(self) -> PythonReader:
        return PythonReader()

    def fingerprint(self) -> dict[str, Any]:
        return {
            "reader": self.reader.fingerprint(),
            "template": self.layout.fingerprint(),
            "refine": self.refine.fingerprint(),
            "condition": self.condition,
            "rewrite": self.rewrite if self.condition in _STATED else None,
            "cvts": self.cvts if self.condition == "eas" else None,
            "cot": self.cot,
            "stop": list(self.stop),
        }

    def turns(self, task: Task) -> int:  # noqa: ARG002
        return 1 + (self.condition in _STATED and self.rewrite == "model")

    def dialogue(self, task: Task) -> Dialogue:
        material = self._material(task)
        if self.condition in _STATED:
            material = yield from told(task, material, self.rewrite)
        yield Ask(prompt=self._prompt(material))

    def _prompt(self, material: Material) -> Prompt:
        holds: dict[str, object] = {
            "condition": self.condition,
            "cot": material.cot,
            "refused": list(material.refused),
        }
        return self.layout.prompt(material, stop=self.stop, holds=holds)

    def _material(self, task: Task) -> Material:
        """What the template is given, the contract not yet told."""
        material = _bare(task)
        return msgspec.structs.replace(
            material,
            cot=self.cot or self.condition == "cot",
            refused=violating_calls(task, self.cvts) if self.condition == "eas" else (),
            wrong=wrong_outputs(task, _WRONG) if self.condition == "negative" else (),
        )


class PythonReader:
    """Finds the program in the last reply."""

    def fingerprint(self) -> dict[str, Any]:
        return {"strategy": "python", "extraction": 1}

    def candidate(self, task: Task, generation: Generation) -> Candidate:
        entry_point = preconditions_of(task).entry_point
        return read_last(
            generation,
            lambda reply: extract_program(
                reply.text, entry_point, head=task.framework, finish=reply.finish
            ),
        )


class ContractTurn:
    """A second turn for every answer that holds code, which tells the contract."""

    rounds = 1

    def __init__(self, rewrite: Rewrite = "template") -> None:
        self.rewrite: Rewrite = rewrite
        self.layout = Template("python_contract")

    def fingerprint(self) -> dict[str, Any]:
        return {"refine": self.layout.fingerprint(), "rewrite": self.rewrite}

    def wants(self, attempt: Attempt) -> bool:
        return attempt.candidate.code is not None

    def dialogue(self, attempt: Attempt) -> Dialogue:
        material = yield from told(attempt.task, _bare(attempt.task), self.rewrite)
        answer = Message("assistant", attempt.generation.completion.text)
        yield Ask(
            prompt=self.layout.prompt(
                material,
                earlier=[*attempt.prompt.messages, answer],
                holds={"refine": self.layout.name},
            )
        )


def told(task: Task, material: Material, rewrite: Rewrite) -> Generator[Ask, Completion, Material]:
    """``material`` with the contract stated: by conditions in words, or by a description that the model rewrites."""
    given = preconditions_of(task)
    if rewrite == "template":
        words = stated(given)
        return msgspec.structs.replace(
            material, conditions=words.sentences, condition_code=words.code
        )
    asked = msgspec.structs.replace(_bare(task), condition_code="\n".join(statements(given)))
    reply = yield Ask(prompt=Template("python_rewrite").prompt(asked), batch=_WRITER, shared=True)
    return msgspec.structs.replace(material, framework=_described(reply.text, material.framework))


def _bare(task: Task) -> Material:
    """The function and its description."""
    given = preconditions_of(task)
    return Material(
        task_id=task.id,
        granularity="function",
        contract="",
        version="",
        requirement=task.requirement,
        framework=task.framework.strip(),
        signature=f"{given.entry_point}({', '.join(given.parameters)})",
    )


_FENCED = re.compile(r"```[\w+-]*[ \t]*\n(.*?)\n?```", re.DOTALL)


def _described(reply: str, before: str) -> str:
    """The description in a reply: its longest fence, else all of it; where it is empty the one before."""
    text, _ = without_reasoning(reply)
    fenced = max(_FENCED.findall(text), key=len, default="")
    return (fenced or text).strip() or before
