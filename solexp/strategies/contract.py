"""Whole contracts in one reply (SolContractEval, §3.2: context, framework, task line)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from solexp.core import Candidate, FinishReason, Generation, NoCode, Task, UserError
from solexp.solidity.extract import extract_contract
from solexp.strategies.prompted import Prompted


@dataclass(kw_only=True, eq=False)
class WholeContract(Prompted):
    """Shows the definitions the target needs and the target's outline; wants the whole target back."""

    granularity = "contract"

    template: str = "solcontracteval"

    def __post_init__(self) -> None:
        """Raises UserError."""
        super().__post_init__()
        if self.form == "infill":
            raise UserError(
                "strategy.form: a whole contract leaves no gap to fill; choose chat or completion, "
                "or strategy=function"
            )

    @property
    def reader(self) -> ContractReader:
        return ContractReader()


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
