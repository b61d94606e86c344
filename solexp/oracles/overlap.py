"""How much of the reference a candidate repeats. Decides nothing: it is there to be read beside the scores."""

from __future__ import annotations

from typing import Any

from solexp.core import Candidate, Outcome, Verdict
from solexp.oracles.base import Case, verdict
from solexp.oracles.compile import no_code
from solexp.solidity.overlap import NGRAM, Reference, body_tokens


class Overlap:
    """Measures what each candidate's bodies have in common with the reference's; every candidate with code passes.

    Measures ``overlap.longest_run`` (tokens), ``overlap.longest_run_share`` (of the reference's tokens) and
    ``overlap.ngram_share`` (of the candidate's n-grams); see `solexp.solidity.overlap`.
    """

    name = "overlap"
    language = "solidity"
    decides = False

    def fingerprint(self) -> dict[str, Any]:
        return {"oracle": self.name, "version": 1, "ngram": NGRAM}

    def judge(self, case: Case) -> list[Verdict]:
        reference = Reference(body_tokens(case.task.reference))
        return [self._judge(reference, candidate) for candidate in case.candidates]

    def _judge(self, reference: Reference, candidate: Candidate) -> Verdict:
        if candidate.code is None:
            return no_code(self.name, candidate)
        found = reference.overlap(body_tokens(candidate.code))
        return verdict(
            self.name,
            candidate,
            Outcome.PASS,
            measures={
                "overlap.longest_run": found.longest_run,
                "overlap.longest_run_share": found.longest_run_share,
                "overlap.ngram_share": found.ngram_share,
            },
        )
