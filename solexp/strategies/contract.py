"""Whole contracts in one reply (SolContractEval, §3.2: context, framework, task line)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from solexp.core import Candidate, FinishReason, Generation, NoCode, PromptForm, Task
from solexp.solidity.extract import extract_contract
from solexp.strategies.base import Context, Examples, Refine
from solexp.strategies.material import Natspec
from solexp.strategies.prompted import Prompted


class WholeContract(Prompted):
    """Shows the definitions the target needs and the target's outline; wants the whole target back."""

    granularity = "contract"

    def __init__(
        self,
        *,
        context: Context | None = None,
        examples: Examples | None = None,
        refine: Refine | None = None,
        shots: int = 0,
        natspec: Natspec = "task",
        template: str = "solcontracteval",
        cot: bool = False,
        form: PromptForm = "chat",
        stop: Sequence[str] = (),
    ) -> None:
        """See `Prompted`; without ``context``, no code around the target is shown."""
        self.reader = ContractReader()
        super().__init__(
            template=template,
            context=context,
            examples=examples,
            refine=refine,
            shots=shots,
            natspec=natspec,
            cot=cot,
            form=form,
            stop=stop,
        )


class ContractReader:
    """Finds the whole contract in the last reply."""

    def fingerprint(self) -> dict[str, Any]:
        return {"strategy": "contract", "extraction": 2}

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
            round=generation.round,
            code=code,
            no_code=no_code,
            notes=notes,
        )
