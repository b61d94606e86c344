"""Many conversations at once with one model, each request's answer kept before it is used."""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

from solexp.core import (
    Batch,
    Completion,
    FinishReason,
    Generation,
    HarnessError,
    ModelGone,
    Prompt,
    RequestFailed,
    Task,
)
from solexp.generating.spending import Spending
from solexp.llm.budget import BudgetReached
from solexp.llm.model import LiveModel, Model, Request, Session, generation_key
from solexp.llm.served.session import answered
from solexp.store import Store
from solexp.strategies import Ask, Dialogue

_LOG = logging.getLogger("solexp")


@dataclass(frozen=True, kw_only=True)
class Wanted:
    """Samples of one task that are drawn alike."""

    task: Task
    batch: Batch
    repeat: int
    indices: tuple[int, ...]
    begin: Callable[[int], Dialogue]
    """The dialogue of a sample, by its index; their first requests are the same."""
    round: int = 0


@dataclass(kw_only=True)
class Halted:
    """What kept a model from giving every sample that was wanted."""

    reason: HarnessError | None = None
    """Why asking was given up altogether; None when it was not."""
    failed: list[str] = field(default_factory=list)
    """Samples that could not be had, each with why."""

    def told(self) -> str | None:
        """One line about it; None when everything was had."""
        if self.reason is not None:
            return f"stopped asking: {self.reason}"
        if self.failed:
            return f"{len(self.failed)} samples could not be had, the first: {self.failed[0]}"
        return None


def generate(
    model: Model | LiveModel,
    wanted: Iterable[Wanted],
    store: Store,
    *,
    keep: Callable[[Generation], None],
    show: Callable[[Prompt], None] = lambda _: None,
) -> Halted:
    """Have every sample that is ``wanted``, and hand each to ``keep`` as soon as it is there, in any order.

    Paid answers are looked up in ``store`` first and kept there, on the disk, before anything is
    made of them: a killed run asks only for what is missing. ``show`` is told every prompt before
    it is sent. A model that answers nothing any more, and a budget that is used up, end the asking
    and leave what there is; UserError is raised for what the user has to mend.
    """
    engine = Engine(model, store, keep, show)
    try:
        # Not its own run(): that would hold Ctrl-C back for as long as a model keeps the loop busy.
        with asyncio.Runner() as runner:
            loop = runner.get_loop()
            try:
                return loop.run_until_complete(engine.run(iter(wanted)))
            except KeyboardInterrupt:
                # What was under way has nobody left to be told.
                loop.set_exception_handler(lambda *_: None)
                raise
    except BaseExceptionGroup as group:
        raise _first(group) from None


@dataclass(frozen=True)
class _Answer:
    key: str
    prompt: str
    """`Prompt.key`."""
    reply: Completion | HarnessError
    """Or why there is none."""
    shared: bool = False
    """`Ask.shared`."""


def _generation(wanted: Wanted, index: int, had: Sequence[_Answer]) -> Generation:
    """A sample from the answers of its whole round."""
    replies = [answer.reply for answer in had if isinstance(answer.reply, Completion)]
    return Generation(
        key=had[-1].key,
        task_id=wanted.task.id,
        batch=wanted.batch.name,
        repeat=wanted.repeat,
        index=index,
        round=wanted.round,
        completion=replies[-1],
        earlier=tuple(replies[:-1]),
        prompts=tuple(answer.prompt for answer in had),
        shared=tuple(answer.prompt for answer in had if answer.shared),
    )


class Engine:
    """What `generate` runs in an event loop of its own."""

    def __init__(
        self,
        model: Model | LiveModel,
        store: Store,
        keep: Callable[[Generation], None],
        show: Callable[[Prompt], None],
    ) -> None:
        self._model = model
        self._store = store
        self._keep = keep
        self._show = show
        live = model if isinstance(model, LiveModel) else None
        # Twice what a session lets through: while one writes its replies down, the next waits for its slot.
        self._lanes = 2 * live.concurrency if live else 1
        self._chunk = live.n_per_request if live else 1
        self._spending = Spending(model)
        self._under_way: dict[str, asyncio.Future[Completion]] = {}
        self._halted = Halted()
        self._workers = ThreadPoolExecutor(os.cpu_count() or 1, "solexp-dialogue")
        """What is made of replies, where that takes time."""
        self._session = _LazySession(model)

    async def run(self, wanted: Iterator[Wanted]) -> Halted:
        """Have every sample; a later group is begun when an earlier one is done."""
        try:
            async with self._session, asyncio.TaskGroup() as group:
                for _ in range(self._lanes):
                    group.create_task(self._lane(wanted))
        finally:
            self._workers.shutdown(wait=False, cancel_futures=True)
        return self._halted

    async def _lane(self, wanted: Iterator[Wanted]) -> None:
        """Take one group of samples after the other, until there are no more or asking is useless."""
        for samples in wanted:
            if self._halted.reason is not None:
                return
            await self._samples(samples)

    async def _samples(self, wanted: Wanted) -> None:
        """Go through the dialogues of all samples of a group, which begin alike."""
        dialogues = {index: wanted.begin(index) for index in wanted.indices}
        asks = [next(dialogue) for dialogue in dialogues.values()]
        answers = await self._answers(wanted, asks[0], wanted.indices)
        had: list[_Answer] = []
        while asks[0].shared and self._halted.reason is None:
            answer = answers[wanted.indices[0]]
            if not isinstance(answer.reply, Completion):
                break
            had.append(answer)
            asks = [dialogue.send(answer.reply) for dialogue in dialogues.values()]
            answers = await self._answers(wanted, asks[0], wanted.indices)
        # What halts the asking cancels nothing: requests under way are paid for.
        async with asyncio.TaskGroup() as group:
            for index, answer in answers.items():
                dialogue = _Advancing(dialogues[index], asks[0], self._workers)
                group.create_task(self._follow(wanted, index, dialogue, had, answer))

    async def _follow(
        self,
        wanted: Wanted,
        index: int,
        dialogue: _Advancing,
        before: Sequence[_Answer],
        answer: _Answer,
    ) -> None:
        """Go through one sample's dialogue, from its first answer of its own to its end."""
        had = list(before)
        while isinstance(answer.reply, Completion):
            had.append(answer)
            ask = await dialogue.send(answer.reply)
            if ask is None:
                self._keep(_generation(wanted, index, had))
                return
            if self._halted.reason is not None:
                return
            answer = (await self._answers(wanted, ask, (index,)))[index]
        self._missed(wanted, index, answer.reply)

    async def _answers(
        self, wanted: Wanted, ask: Ask, indices: Sequence[int]
    ) -> dict[int, _Answer]:
        """The answers to one request by sample."""
        self._show(ask.prompt)
        requests = {
            index: Request(
                task=wanted.task,
                prompt=ask.prompt,
                batch=ask.batch or wanted.batch,
                repeat=0 if ask.shared else wanted.repeat,
                index=0 if ask.shared else index,
            )
            for index in indices
        }
        keys = {index: generation_key(self._model, requests[index]) for index in indices}
        replies: dict[int, Completion | HarnessError] = {}
        missing: dict[str, Request] = {}
        waiting: dict[int, asyncio.Future[Completion]] = {}
        for index, key in keys.items():
            known = self._store.get(key, Completion) if self._model.paid else None
            if known is not None:
                replies[index] = known
                continue
            if key not in self._under_way:
                self._under_way[key] = asyncio.get_running_loop().create_future()
                missing[key] = requests[index]
            waiting[index] = self._under_way[key]
        # Each request's answers are kept by themselves, so that a kill costs what is under way and no more.
        keys_left = list(missing)
        chunks = [keys_left[at : at + self._chunk] for at in range(0, len(keys_left), self._chunk)]
        await asyncio.gather(
            *(self._request({key: missing[key] for key in chunk}) for chunk in chunks)
        )
        for index, future in waiting.items():
            try:
                replies[index] = await future
            except (RequestFailed, ModelGone, BudgetReached) as error:
                replies[index] = error
        return {
            index: _Answer(key, ask.prompt.key, replies[index], ask.shared)
            for index, key in keys.items()
        }

    async def _request(self, missing: dict[str, Request]) -> None:
        """Ask for what is missing; every future gets an answer or an error."""
        keys, requests = list(missing), list(missing.values())
        try:
            async with self._spending.reserved(requests) as settle:
                try:
                    replies = await self._session.complete(requests)
                except BaseException as error:
                    settle(list(answered(error).values()))
                    raise
                settle(replies)
            self._keep_replies(dict(zip(keys, replies, strict=True)))
        except BaseException as error:
            self._keep_replies({keys[place]: reply for place, reply in answered(error).items()})
            for key in keys:
                future = self._under_way.pop(key, None)
                if future is not None and not future.done():
                    future.set_exception(_said(error))
                    future.exception()  # it may have nobody who waits
            if not isinstance(error, RequestFailed | ModelGone | BudgetReached):
                raise

    def _keep_replies(self, replies: Mapping[str, Completion]) -> None:
        """Write replies down before anything is made of them."""
        for key, reply in replies.items():
            # That a prompt is too long costs nothing to hear again, and servers change.
            if self._model.paid and reply.finish is not FinishReason.CONTEXT:
                # Out of this process, so that a kill loses nothing. To wait for the disk as well would cost a
                # request more than all else here, and save the last seconds before a power cut.
                self._store.put(key, reply)
            self._under_way.pop(key).set_result(reply)

    def _missed(self, wanted: Wanted, index: int, error: HarnessError) -> None:
        if not isinstance(error, RequestFailed):
            self._halted.reason = self._halted.reason or error
            return
        where = f"{wanted.task.id} {wanted.batch.name}/{wanted.repeat}/{index}"
        _LOG.warning("%s: no sample: %s", where, error)
        self._halted.failed.append(f"{where}: {error}")


class _Advancing:
    """A dialogue that is sent replies without holding up others."""

    def __init__(self, dialogue: Dialogue, ask: Ask, workers: Executor) -> None:
        self._dialogue = dialogue
        self._ask = ask
        self._workers = workers

    async def send(self, reply: Completion) -> Ask | None:
        """The next request; None when there is none."""
        if self._ask.works:
            loop = asyncio.get_running_loop()
            ask = await loop.run_in_executor(self._workers, self._advance, reply)
        else:
            ask = self._advance(reply)
        if ask is not None:
            self._ask = ask
        return ask

    def _advance(self, reply: Completion) -> Ask | None:
        try:
            return self._dialogue.send(reply)
        except StopIteration:
            return None


def _said(error: BaseException) -> Exception:
    """What others who wait for the same answer are told."""
    return error if isinstance(error, Exception) else ModelGone("the run was interrupted")


def _first(error: BaseException) -> BaseException:
    """The first error of a group that is none itself."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error


class _LazySession:
    """A session that connects when something is asked: answers that are all kept need no server and no key."""

    def __init__(self, model: Model | LiveModel) -> None:
        self._model = model
        self._opening = asyncio.Lock()
        self._context: Any = None
        self._session: Session | None = None

    async def __aenter__(self) -> _LazySession:
        return self

    async def __aexit__(self, *error: Any) -> None:
        if self._context is not None:
            await self._context.__aexit__(*error)

    async def complete(self, requests: Sequence[Request]) -> Sequence[Completion]:
        if not isinstance(self._model, LiveModel):
            return [self._model.complete(request) for request in requests]
        async with self._opening:
            if self._session is None:
                context = self._model.session()
                self._session = await context.__aenter__()
                self._context = context
        return await self._session.complete(requests)
