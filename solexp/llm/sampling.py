"""How many samples are drawn, and how."""

from __future__ import annotations

from typing import Any

import msgspec

from solexp.core import Batch, UserError
from solexp.core.settings import at_least


class Sampling:
    """Batches of samples and how often the whole is repeated independently."""

    def __init__(self, batches: dict[str, dict[str, Any]], repeats: int = 1) -> None:
        """``batches`` maps a name to the fields of `Batch`. Raises UserError when they contradict each other."""
        at_least("sampling.repeats", repeats)
        self.repeats = repeats
        self.batches = tuple(_batch(name, fields) for name, fields in batches.items() if fields)
        if not self.batches:
            raise UserError("sampling.batches: name at least one batch")
        served: dict[int, str] = {}
        for batch in self.batches:
            for k in batch.ks:
                if k in served:
                    raise UserError(
                        f"sampling.batches: k = {k} is served by both '{served[k]}' and "
                        f"'{batch.name}'; leave it in one of their ks"
                    )
                served[k] = batch.name


def _batch(name: str, fields: dict[str, Any]) -> Batch:
    where = f"sampling.batches.{name}"
    try:
        batch = msgspec.convert({"name": name, **fields}, Batch)
    except msgspec.ValidationError as error:
        raise UserError(f"{where}: {error}") from None
    at_least(f"{where}.n", batch.n)
    if not 0 <= batch.temperature <= 2:
        raise UserError(f"{where}.temperature: must lie between 0 and 2, got {batch.temperature}")
    if not 0 < batch.top_p <= 1:
        raise UserError(f"{where}.top_p: must lie above 0 and at most at 1, got {batch.top_p}")
    if any(k < 1 for k in batch.ks):
        raise UserError(f"{where}.ks: every k must be at least 1, got {list(batch.ks)}")
    if max(batch.ks, default=1) > batch.n:
        raise UserError(
            f"{where}.ks: k = {max(batch.ks)} needs at least that many samples, n is {batch.n}; "
            "raise n, or take it out of ks"
        )
    if batch.temperature > 0 and 1 in batch.ks and batch.n > 1 and name != "mean_of_n":
        raise UserError(
            f"{where}.ks: k = 1 comes from a greedy sample; take 1 out of ks, or call the batch "
            "'mean_of_n' to say that pass@1 is a mean over samples"
        )
    return batch
