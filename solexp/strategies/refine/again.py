"""Rounds of refinement: repair, self-edit, self-repair, self-refine, self-debug, retrieval-augmented, multi-turn."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from solexp.core import CompileError, Message, UserError
from solexp.core.settings import at_least
from solexp.solidity.definitions import definitions_named, names_in
from solexp.solidity.splice import splice
from solexp.strategies.base import Ask, Attempt, Dialogue
from solexp.strategies.material import Material
from solexp.strategies.refine.feedback import Source, errors_of, feedback, is_wanted
from solexp.strategies.templates import Template


class Again:
    """Up to ``rounds`` more rounds, each asking by one template or by several in turn."""

    def __init__(
        self,
        templates: Sequence[str],
        *,
        source: Source = "oracle",
        conversation: bool = True,
        rounds: int = 1,
        temperature: float | None = None,
        errors: int = 1,
        definitions: bool = False,
    ) -> None:
        """``templates`` are asked in turn, the last one for the code. ``source`` says whose failure asks for a round.

        ``conversation``: whether the earlier prompt and answer are shown before. ``temperature`` stands in place of the
        sampling's own, unless it is None. ``errors``: how many of the compiler's are told. ``definitions``: whether
        definitions that they name are fetched from the task's sources.
        """
        if rounds < 1:
            raise UserError(
                f"strategy.refine.rounds: must be at least 1, got {rounds}; or refine=none"
            )
        at_least("strategy.refine.errors", errors)
        if temperature is not None and not 0 <= temperature <= 2:
            raise UserError(
                f"strategy.refine.temperature: must lie between 0 and 2, or be null, got {temperature:g}"
            )
        if not templates:
            raise UserError("strategy.refine.templates: name at least one")
        self.templates = [Template(name, "strategy.refine.templates") for name in templates]
        self.source: Source = source
        self.conversation = conversation
        self.rounds = rounds
        self.temperature = temperature
        self.errors = errors
        self.definitions = definitions

    def fingerprint(self) -> dict[str, Any]:
        return {
            "refine": [template.fingerprint() for template in self.templates],
            "source": self.source,
            "conversation": self.conversation,
            "rounds": self.rounds,
            "temperature": self.temperature,
            "errors": self.errors,
            "definitions": self.definitions,
        }

    def wants(self, attempt: Attempt) -> bool:
        return is_wanted(attempt, self.source)

    def dialogue(self, attempt: Attempt) -> Dialogue:
        material = self._material(attempt)
        said: list[Message] = list(_conversation(attempt)) if self.conversation else []
        batch = None
        if self.temperature is not None:
            batch = msgspec.structs.replace(attempt.batch, temperature=self.temperature)
        for template in self.templates:
            prompt = template.prompt(material, earlier=said, holds={"refine": template.name})
            reply = yield Ask(prompt=prompt, batch=batch)
            said = [*prompt.messages, Message("assistant", reply.text)]

    def _material(self, attempt: Attempt) -> Material:
        task = attempt.task
        definitions = ""
        if self.definitions:
            errors = [_error(each) for each in errors_of(attempt)]
            sources = splice(task, attempt.candidate.code or "")
            definitions = definitions_named(task, names_in(errors, sources), comments=False)
        return Material(
            task_id=task.id,
            granularity="function" if "parent" in task.facts else "contract",
            contract=task.target.contract,
            version=task.compiler.version,
            code=attempt.candidate.code or "",
            error=feedback(attempt, self.errors),
            definitions=definitions,
        )


def _conversation(attempt: Attempt) -> tuple[Message, ...]:
    """The first request and the last answer; what was pieced together from several replies is shown as it stands."""
    generation = attempt.generation
    answer = generation.completion.text
    pieces = len(generation.completions) - len(generation.shared)
    if pieces > 1 and generation.round == 0:
        answer = f"```solidity\n{attempt.candidate.code}\n```"
    if attempt.prompt.form != "chat":
        # A raw text becomes a conversation's first message.
        return Message("user", attempt.prompt.messages[-1].content), Message("assistant", answer)
    return (*attempt.prompt.messages, Message("assistant", answer))


def _error(told: dict[str, object]) -> CompileError:
    """A compiler's error from a verdict's evidence."""
    path, start, end = told.get("path"), told.get("start"), told.get("end")
    return CompileError(
        type=str(told.get("type")),
        message=str(told.get("message")),
        path=path if isinstance(path, str) else None,
        start=start if isinstance(start, int) else None,
        end=end if isinstance(end, int) else None,
    )
