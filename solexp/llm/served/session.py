"""A server being asked: many requests at a time, faults tried again, limits kept."""

from __future__ import annotations

import asyncio
import logging
import random
import time
from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Self

from solexp.core import Completion, FinishReason, Usage, UserError
from solexp.core.errors import ModelGone, RequestFailed, SolexpError, nearest
from solexp.llm.budget import BudgetReached
from solexp.llm.model import Request
from solexp.llm.served.faults import Fault, Kind, context_of, mend_of
from solexp.llm.served.names import same_model
from solexp.llm.served.pace import Pace
from solexp.llm.served.reading import Reply, decoded, reply_of
from solexp.llm.served.sharing import shares
from solexp.llm.served.wire import output_tokens, wire

if TYPE_CHECKING:
    from solexp.llm.served.connection import Connection
    from solexp.llm.served.model import OpenAICompatible

_LOG = logging.getLogger("solexp.llm")

_LOOK_AGAIN_S = 0.05

_OUTCOMES = {Kind.CONTEXT: FinishReason.CONTEXT, Kind.REFUSED: FinishReason.REFUSED}


def answered(error: BaseException) -> Mapping[int, Completion]:
    """The replies that `ServedSession.complete` had got when it failed, by their place among the requests."""
    got: Mapping[int, Completion] = getattr(error, "answered", {})
    return got


class ServedSession:
    """Implements `solexp.llm.model.Session`."""

    def __init__(self, model: OpenAICompatible) -> None:
        self._model = model
        self._random = random.Random()
        self._slots = asyncio.Semaphore(model.concurrency)
        self._pace = Pace(model.requests_per_minute, model.tokens_per_minute)
        self._over = asyncio.Event()
        self._end: SolexpError | None = None
        self._failed_in_row = 0
        self._working = 0
        """Requests in flight that may yet cost less than was put aside for them."""
        self._n_works = True
        self._warned: set[str] = set()
        self._connection: Connection

    async def __aenter__(self) -> Self:
        """Connect. Raises UserError when the key is missing, or a limit of cost is set and the price unknown."""
        self._connection = self._model.connect()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self._connection.close()

    async def complete(self, requests: Sequence[Request]) -> Sequence[Completion]:
        """The replies to requests that differ in nothing but their index, in their order.

        They are asked for in requests of ``n_per_request``. Where some fail, all are awaited before the first
        error is raised; `answered` tells what came of the others.

        Raises UserError, RequestFailed, ModelGone, or BudgetReached when the next request might pass a limit.
        """
        size = self._model.n_per_request
        if len(requests) <= size:
            return await self._group(requests)
        groups = [requests[at : at + size] for at in range(0, len(requests), size)]
        return await self._all(groups)

    async def _all(self, groups: Sequence[Sequence[Request]]) -> Sequence[Completion]:
        results = await asyncio.gather(
            *(self._group(group) for group in groups), return_exceptions=True
        )
        got: dict[int, Completion] = {}
        first: BaseException | None = None
        at = 0
        for group, result in zip(groups, results, strict=True):
            if isinstance(result, BaseException):
                first = first or result
                got.update({at + place: reply for place, reply in answered(result).items()})
            else:
                got.update(enumerate(result, start=at))
            at += len(group)
        if first is not None:
            first.answered = got  # type: ignore[attr-defined]
            raise first
        return [got[place] for place in range(at)]

    async def _group(self, requests: Sequence[Request]) -> Sequence[Completion]:
        """The replies to requests that fit into one, if the server takes n; else to one after the other."""
        if len(requests) > 1 and not self._n_works:
            return await self._all([[request] for request in requests])
        try:
            reply = await self._ask(requests[0], len(requests))
        except Fault as fault:
            return [Completion(text="", finish=_OUTCOMES[fault.kind]) for _ in requests]
        got = reply.completions[: len(requests)]
        if len(got) == len(requests):
            return got
        if self._n_works:
            self._n_works = False
            _LOG.warning(
                "%s answers %d of %d samples asked for at once: from now on they are asked for singly",
                self._model.address,
                len(got),
                len(requests),
            )
        try:
            rest = await self._all([[request] for request in requests[len(got) :]])
        except SolexpError as error:
            late = {place + len(got): reply for place, reply in answered(error).items()}
            error.answered = {**dict(enumerate(got)), **late}  # type: ignore[attr-defined]
            raise
        return [*got, *rest]

    async def _ask(self, request: Request, n: int) -> Reply:
        """One request, until it is answered. Raises Fault for an outcome, SolexpError for everything else."""
        # The slot is kept while waiting to try again: a server in trouble is asked for less.
        async with self._slots:
            self._working += 1
            try:
                return await self._until_answered(request, n)
            finally:
                self._working -= 1

    async def _until_answered(self, request: Request, n: int) -> Reply:
        model = self._model
        faults, refusals, waited = 0, 0, 0.0
        while True:
            self._raise_if_over()
            try:
                reply = await self._try(request, n)
            except Fault as fault:
                if self._is_outcome(fault, request):
                    raise
                if fault.kind is Kind.RATE:
                    refusals += 1
                    pause = self._told_to_wait(fault, refusals, waited)
                    waited += pause
                elif fault.kind is Kind.PASSING:
                    faults += 1
                    if faults >= model.tries:
                        tried = f"{fault.message}; tried {faults} times"
                        raise self._gave_up(tried) from None
                    pause = self._backoff(faults, fault.wait_s)
                elif fault.kind is Kind.HOPELESS:
                    raise self._gave_up(fault.message) from None
                else:
                    raise await self._stop(fault) from None
                _LOG.info("%s: %s; again in %.1f s", model.address, fault.message, pause)
                await self._sleep(pause)
            else:
                self._failed_in_row = 0
                return reply

    def _is_outcome(self, fault: Fault, request: Request) -> bool:
        if fault.kind is not Kind.CONTEXT:
            return fault.kind in _OUTCOMES
        # A limit of replies that alone fills the context is no task's fault.
        context = context_of(fault.message)
        return context is None or output_tokens(self._model.dialect, request.batch) < context

    async def _try(self, request: Request, n: int) -> Reply:
        model, prompt, batch = self._model, request.prompt, request.batch
        tokens = model.at_most(prompt, batch, n)[0] if self._pace.counts_tokens else 0
        await self._pace.admit(tokens)
        self._raise_if_over()
        sent = wire(
            model.dialect, model.name, prompt, batch, n=n, repeat=request.repeat, index=request.index
        )  # fmt: skip
        start = time.perf_counter()
        try:
            body = await self._connection.post(sent)
            reply = reply_of(
                decoded(body),
                prompt.form,
                prompt.stop,
                seconds=time.perf_counter() - start,
                max_chars=model.max_reply_chars,
            )
        except Fault as fault:
            if fault.lost:
                await self._charge(request, n)
            else:
                self._pace.used(tokens, 0)
            raise
        usage = model.priced(reply)
        if usage.prompt_tokens is not None and usage.completion_tokens is not None:
            self._pace.used(tokens, usage.prompt_tokens + usage.completion_tokens)
        self._note_server(reply.completions[0].served_by)
        return Reply(completions=shares(reply.completions, usage, n), usage=usage)

    async def _charge(self, request: Request, n: int) -> None:
        """Count a reply that never arrived at its dearest: it was probably written, and billed.

        Raises BudgetReached when that leaves too little to try again with, whatever the requests in flight will cost.
        """
        budget = self._model.budget
        tokens, cost = self._model.at_most(request.prompt, request.batch, n)
        self._working -= 1
        try:
            while True:
                try:
                    number = budget.reserve(tokens, cost)
                except BudgetReached:
                    if not self._working:
                        budget.tokens += tokens
                        budget.cost_usd += cost or 0.0
                        raise
                    await asyncio.sleep(_LOOK_AGAIN_S)
                else:
                    budget.settle(number, [Usage()])
                    return
        finally:
            self._working += 1

    def _backoff(self, faults: int, wait_s: float | None) -> float:
        model = self._model
        grown = min(model.max_backoff_s, model.backoff_s * 2.0 ** (faults - 1))
        pause = grown * self._random.uniform(0.5, 1.0)
        return pause if wait_s is None else max(pause, min(wait_s, model.patience_s))

    def _told_to_wait(self, fault: Fault, refusals: int, waited: float) -> float:
        """Seconds until a request that was one too many is sent again; the others wait as well."""
        model = self._model
        asked = fault.wait_s
        if asked is not None and asked > model.patience_s:
            raise self._gone(
                f"{model.address} asks to be left alone for {asked:.0f} s, which is more than "
                f"model.patience_s={model.patience_s:g}: {fault.message}"
            )
        if waited > model.patience_s:
            raise self._gave_up(f"{fault.message}; waited {waited:.0f} s")
        if not asked:
            # Servers that say 0 mean that they do not know.
            return self._backoff(refusals, None)
        self._pace.pause(asked)
        # All that were held back must not come back in the same instant.
        return asked + self._random.uniform(0, min(model.backoff_s, 0.1 * asked + 0.05))

    async def _sleep(self, seconds: float) -> None:
        """Wait, but no longer than the server is given a chance."""
        try:
            async with asyncio.timeout(seconds):
                await self._over.wait()
        except TimeoutError:
            pass

    def _raise_if_over(self) -> None:
        if self._end is not None:
            # A fresh one each time: an exception that is raised twice gathers both tracebacks.
            raise type(self._end)(*self._end.args)

    def _gave_up(self, message: str) -> SolexpError:
        """A request failed; the circuit opens when so many in a row have."""
        self._failed_in_row += 1
        if self._failed_in_row >= self._model.circuit:
            return self._gone(
                f"{self._model.address} failed {self._failed_in_row} requests in a row, the last with: {message}"
            )
        return RequestFailed(f"{self._model.address}: {message}")

    def _gone(self, message: str) -> SolexpError:
        return self._close(ModelGone(message))

    def _close(self, error: SolexpError) -> SolexpError:
        if self._end is None:
            self._end = error
            self._over.set()
        return error

    async def _stop(self, fault: Fault) -> SolexpError:
        """What no further try can mend."""
        model, where = self._model, self._model.address
        if fault.kind is Kind.KEY:
            named = model.api_key_env
            mend = f"check the key in {named}" if named else "name the variable that holds a key"
            return self._close(
                UserError(f"model.api_key_env: {where} refuses the key: {fault.message}; {mend}")
            )
        if fault.kind is Kind.MODEL:
            known = await self._connection.models()
            near = f"; {nearest(model.name, known)}" if 0 < len(known) <= 400 else ""
            return self._close(
                UserError(f"model.name: {where} has no '{model.name}': {fault.message}{near}")
            )
        if fault.kind is Kind.QUOTA:
            return self._close(
                UserError(
                    f"model: the account at {where} is used up: {fault.message}; top it up and start the run "
                    "again: what was answered is kept"
                )
            )
        mend = mend_of(fault.message)
        if fault.kind is Kind.CONTEXT:
            mend = "; lower model.max_output_tokens, or the batch's max_tokens, below that context"
        return self._close(UserError(f"model: {where} refuses the request: {fault.message}{mend}"))

    def _note_server(self, served_by: str | None) -> None:
        if (
            served_by is None
            or served_by in self._warned
            or same_model(self._model.name, served_by)
        ):
            return
        self._warned.add(served_by)
        _LOG.warning(
            "%s was asked for '%s' and says that '%s' has answered",
            self._model.address,
            self._model.name,
            served_by,
        )
