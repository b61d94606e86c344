"""What a run would ask, and what that would take, before anything is paid for."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from solexp.config import RunSpec
from solexp.core import Batch, Completion, Prompt
from solexp.generating.engine import Wanted
from solexp.llm.forecast import Forecast, foresee
from solexp.llm.model import Request, generation_key
from solexp.store import Store


def forecast(
    spec: RunSpec,
    wanted: Iterable[Wanted],
    store: Store,
    show: Callable[[Prompt], None] = lambda _: None,
) -> Forecast:
    """Requests, tokens and money for the samples that are ``wanted`` and not kept yet.

    First requests are known; a strategy that asks several times a sample is taken to ask alike each
    time, and rounds of refinement, which depend on the answers, are named and not counted. ``show``
    is told each first prompt once.
    """

    def missing() -> Iterator[tuple[Prompt, Batch, int]]:
        shown: set[str] = set()
        for each in wanted:
            ask = next(each.begin(0))
            if ask.prompt.key not in shown:
                shown.add(ask.prompt.key)
                show(ask.prompt)
            batch = ask.batch or each.batch
            count = sum(
                store.get(_key(spec, each, ask.prompt, batch, index), Completion) is None
                for index in ((0,) if ask.shared else each.indices)
            )
            turns = spec.strategy.turns(each.task)
            if count:
                yield ask.prompt, batch, count * turns

    return foresee(spec.model, missing(), rounds=spec.strategy.refine.rounds)


def _key(spec: RunSpec, wanted: Wanted, prompt: Prompt, batch: Batch, index: int) -> str:
    request = Request(
        task=wanted.task, prompt=prompt, batch=batch, repeat=wanted.repeat, index=index
    )
    return generation_key(spec.model, request)
