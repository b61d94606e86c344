"""From the last reply of a round to its candidate."""

from __future__ import annotations

from collections.abc import Callable

from solexp.core import Candidate, Completion, FinishReason, Generation, NoCode
from solexp.core.reply import Extraction


def read_last(generation: Generation, extract: Callable[[Completion], Extraction]) -> Candidate:
    """What ``extract`` finds in the last reply; a prompt that was too long has none, and nothing to look through."""
    completion = generation.completion
    if completion.finish is FinishReason.CONTEXT:
        found = Extraction(no_code=NoCode.PROMPT_TOO_LONG)
    else:
        found = extract(completion)
    return Candidate.of(generation, found.code, found.no_code, found.notes)
