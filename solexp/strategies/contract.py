"""Whole contracts in one reply (SolContractEval, §3.2: context, framework, task line)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from solexp.core import Candidate, Completion, Generation, Task, UserError
from solexp.core.reply import Extraction
from solexp.solidity.extract import extract_contract
from solexp.strategies.prompted import Prompted
from solexp.strategies.reading import read_last


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
        def extract(reply: Completion) -> Extraction:
            return extract_contract(reply.text, task.target.contract, finish=reply.finish)

        return read_last(generation, extract)
