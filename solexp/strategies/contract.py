"""Whole contracts in one reply (SolContractEval, §3.2: context, framework, task line)."""

from __future__ import annotations

from solexp.core import Candidate, FinishReason, Generation, Message, NoCode, Prompt, Task
from solexp.solidity.extract import extract_contract

_TASK_LINE = (
    "// Write the complete contract {name} for Solidity {version}. Keep to the definitions above "
    "and to the outline below; add no other contract. Reply with the contract's code alone."
)


class WholeContract:
    """Shows the definitions the target needs and the target's outline; wants the whole target back."""

    def __init__(self, context: bool = True) -> None:
        """``context`` says whether the definitions that the target needs are shown."""
        self.context = context

    def fingerprint(self) -> dict[str, object]:
        return {"strategy": "contract", "extraction": 2}

    def prompt(self, task: Task) -> Prompt:
        parts = [
            task.context.strip() if self.context else "",
            _TASK_LINE.format(name=task.target.contract, version=task.compiler.version),
            task.framework.strip(),
        ]
        text = "\n\n".join(part for part in parts if part)
        return Prompt(task_id=task.id, messages=(Message("user", text),))

    def candidate(self, task: Task, generation: Generation) -> Candidate:
        completion = generation.completion
        code: str | None = None
        no_code: NoCode | None = None
        notes: tuple[str, ...] = ()
        if completion.finish is FinishReason.CONTEXT:
            no_code = NoCode.PROMPT_TOO_LONG
        else:
            found = extract_contract(
                completion.text, task.target.contract, finish=completion.finish
            )
            code, no_code, notes = found.code, found.no_code, found.notes
        return Candidate(
            task_id=task.id,
            batch=generation.batch,
            repeat=generation.repeat,
            index=generation.index,
            code=code,
            no_code=no_code,
            notes=notes,
        )
