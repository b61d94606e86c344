"""Many requests through many faults: nothing is lost, nothing is answered twice, no connection is used up."""

from __future__ import annotations

import asyncio
import gc
import random

import psutil

from solexp.core import Batch, Completion
from tests.llm.served.asking import ask_each, chat, model_of, requests_for
from tests.llm.served.server import (
    HALF_A_BODY,
    NO_CHOICES,
    NOT_JSON,
    RESET,
    TORN_JSON,
    Asked,
    Fault,
    LoopbackServer,
    status,
    too_many,
)

FAULTS = (
    HALF_A_BODY,
    NO_CHOICES,
    NOT_JSON,
    RESET,
    TORN_JSON,
    Fault(stall_s=30),
    Fault(trickle_s=0.2),
    status(500),
    status(503),
    too_many("0.01"),
    too_many(),
)


def reply(asked: Asked, _: int) -> str:
    return f"answer to {asked.text}"


def test_every_request_gets_its_own_answer_through_a_storm_of_faults() -> None:
    drawn = random.Random(4)
    script = tuple(drawn.choice(FAULTS) if drawn.random() < 0.3 else None for _ in range(400))
    with LoopbackServer(reply, script=script) as server:
        model = model_of(server, concurrency=16, timeout_s=1.0, tries=20, max_backoff_s=0.05)
        replies = ask_each(model, [f"q{at}" for at in range(250)])
    texts = [each.text if isinstance(each, Completion) else repr(each) for each in replies]
    assert texts == [f"answer to q{at}" for at in range(250)]


def test_requests_that_were_given_up_use_up_no_connections() -> None:
    with LoopbackServer(reply, script=(Fault(stall_s=30),) * 40) as server:
        model = model_of(server, concurrency=2, timeout_s=0.05, tries=99, max_backoff_s=0.01)
        replies = ask_each(model, ["a", "b", "c"])
    assert all(isinstance(each, Completion) for each in replies)


def test_a_run_that_is_interrupted_closes_its_connections() -> None:
    def open_ones(port: int) -> int:
        return sum(
            bool(each.raddr) and each.raddr.port == port and each.status == "ESTABLISHED"
            for each in psutil.Process().net_connections("tcp")
        )

    async def run() -> None:
        model = model_of(server, concurrency=8)
        async with model.session() as session:
            one = Batch(name="one", n=1)
            tasks = [
                asyncio.create_task(session.complete(requests_for(chat(f"q{at}"), one, [0])))
                for at in range(8)
            ]
            while server.count < 8:
                await asyncio.sleep(0.01)
            assert open_ones(server.port) >= 8
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    with LoopbackServer(reply, delay_s=30) as server:
        asyncio.run(run())
        gc.collect()
        assert open_ones(server.port) == 0
