"""What a run would ask, and what that would take, before anything is paid for."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from solexp.config import RunSpec
from solexp.core import Batch, Completion, Prompt
from solexp.generating.engine import Wanted
from solexp.llm.forecast import Forecast, foresee
from solexp.llm.model import Request, generation_key
from solexp.store import Store
from solexp.strategies import Ask

Missing = tuple[Prompt, Batch, int, int]
"""A prompt, how it is sampled, how many samples are asked for at once, and how many times."""


def forecast(
    spec: RunSpec,
    wanted: Iterable[Wanted],
    store: Store,
    show: Callable[[Prompt], None] = lambda _: None,
) -> Forecast:
    """Requests, tokens and money for the samples that are ``wanted`` and not kept yet.

    Kept replies are followed to the first that is missing. A strategy that asks several times a
    sample is taken to go on alike, and what is asked once for all samples to leave the request
    behind it as it would be without. Rounds of refinement, which depend on the answers, are named
    and not counted. ``show`` is told each first prompt once.
    """
    return foresee(
        spec.model, _Walk(spec, store, show).missing(wanted), rounds=spec.strategy.refine.rounds
    )


class _Walk:
    """Goes through dialogues as far as their replies are kept."""

    def __init__(self, spec: RunSpec, store: Store, show: Callable[[Prompt], None]) -> None:
        self._spec = spec
        self._store = store
        self._show = show
        self._shown: set[str] = set()
        self._shared: set[str] = set()

    def missing(self, wanted: Iterable[Wanted]) -> Iterator[Missing]:
        """What is not kept."""
        for each in wanted:
            dialogue = each.begin(each.indices[0])
            ask = next(dialogue)
            if ask.prompt.key not in self._shown:
                self._shown.add(ask.prompt.key)
                self._show(ask.prompt)
            while ask.shared:
                key = self._key(each, ask, 0)
                known = self._store.get(key, Completion)
                if known is None and key not in self._shared:
                    self._shared.add(key)
                    yield ask.prompt, ask.batch or each.batch, 1, 1
                ask = dialogue.send(known or Completion(text=""))
            turns = self._spec.strategy.turns(each.task)
            open_ = [i for i in each.indices if self._known(each, ask, i) is None]
            if open_:
                batch = ask.batch or each.batch
                yield ask.prompt, batch, len(open_), 1
                # From here on each sample goes its own way.
                yield ask.prompt, batch, 1, len(open_) * (turns - 1)
            if turns > 1:
                for index in each.indices:
                    if index not in open_:
                        yield from self._rest(each, index, turns)

    def _rest(self, wanted: Wanted, index: int, turns: int) -> Iterator[Missing]:
        """What a sample whose first reply is kept has yet to ask."""
        dialogue = wanted.begin(index)
        ask, asked = next(dialogue), 0
        while (known := self._known(wanted, ask, index)) is not None or ask.shared:
            asked += not ask.shared
            try:
                ask = dialogue.send(known or Completion(text=""))
            except StopIteration:
                return
        yield ask.prompt, ask.batch or wanted.batch, 1, max(1, turns - asked)

    def _known(self, wanted: Wanted, ask: Ask, index: int) -> Completion | None:
        return self._store.get(self._key(wanted, ask, index), Completion)

    def _key(self, wanted: Wanted, ask: Ask, index: int) -> str:
        request = Request(
            task=wanted.task,
            prompt=ask.prompt,
            batch=ask.batch or wanted.batch,
            repeat=0 if ask.shared else wanted.repeat,
            index=0 if ask.shared else index,
        )
        return generation_key(self._spec.model, request)
