"""What asking costs beyond the SDK itself: CPU time a request and memory, against a fast loopback server.

Either side asks 2,000 requests (a prompt of 8 kB, a reply of 3 kB) with 64 in flight, in a process of its own; the
server runs in another, so that its CPU time is not counted. ``sdk`` is the bare ``AsyncOpenAI`` behind a semaphore,
its own retries and models on; ``session`` is a session of `solexp.llm.served` as a run has it; ``run`` is what a
run does: dialogues, and every reply written down before it is used. The sides take turns. The last
line is one JSON object; ratios are CPU time over the SDK's, and below 1 where leaving out the SDK's models saves more
than everything else costs.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any

import psutil

ROOT = Path(__file__).resolve().parent.parent
REQUESTS = 2000
CONCURRENCY = 64
WARM_UP = 300
PASSES = 3
REPLY_CHARS = 3000
TEXT = "function transfer(address to, uint256 value) public returns (bool) {\n" * 118

Many = Callable[[Sequence[int]], Awaitable[None]]


def rss_mb() -> float:
    """Resident memory of this process, in MB."""
    return float(psutil.Process().memory_info().rss) / 1e6


async def measured(many: Many) -> dict[str, float]:
    """CPU and wall-clock time of all requests after a warm-up, and how much memory grew meanwhile."""
    await many(range(REQUESTS, REQUESTS + WARM_UP))
    memory, cpu, wall = rss_mb(), time.process_time(), time.perf_counter()
    half = REQUESTS // 2
    await many(range(half))
    between = rss_mb()
    await many(range(half, REQUESTS))
    return {
        "cpu_ms_per_request": (time.process_time() - cpu) * 1000 / REQUESTS,
        "wall_s": time.perf_counter() - wall,
        "rss_growth_mb": rss_mb() - memory,
        "rss_growth_second_half_mb": rss_mb() - between,
    }


async def every(one: Callable[[int], Awaitable[None]], numbers: Sequence[int]) -> None:
    """All of them at once; each waits for its turn by itself."""
    await asyncio.gather(*(one(at) for at in numbers))


async def with_sdk(base_url: str) -> dict[str, float]:
    """The bare SDK behind a semaphore."""
    from openai import AsyncOpenAI  # noqa: PLC0415

    slots = asyncio.Semaphore(CONCURRENCY)
    async with AsyncOpenAI(api_key="none", base_url=base_url) as client:

        async def one(number: int) -> None:
            async with slots:
                reply = await client.chat.completions.create(
                    model="loopback",
                    messages=[{"role": "user", "content": f"{TEXT}{number}"}],
                    max_tokens=8192,
                    temperature=0.0,
                )
            if len(reply.choices[0].message.content or "") != REPLY_CHARS:
                raise SystemExit("a reply is not what was sent")

        return await measured(lambda numbers: every(one, numbers))


def asked_of(base_url: str) -> tuple[Any, Any, Any]:
    """A task, how it is sampled, and the model that is asked. The bare SDK's side imports nothing of solexp."""
    from solexp.core import Batch, CompilerSettings, Target, Task  # noqa: PLC0415
    from solexp.llm.served import OpenAICompatible  # noqa: PLC0415

    task = Task(
        id="one",
        benchmark="none",
        compiler=CompilerSettings(version="0.8.19"),
        sources={"a.sol": ""},
        target=Target(path="a.sol", contract="A", start=0, end=0),
        framework="",
    )
    batch = Batch(name="greedy", n=1)
    model = OpenAICompatible(
        name="loopback",
        base_url=base_url,
        concurrency=CONCURRENCY,
        requests_per_minute=1e9,
        prices={"input": 1, "output": 2},
    )
    return task, batch, model


async def with_solexp(base_url: str) -> dict[str, float]:
    """A session of solexp's, as a run would have it."""
    from solexp.core import Message, Prompt  # noqa: PLC0415
    from solexp.llm.model import Request  # noqa: PLC0415

    task, batch, model = asked_of(base_url)
    async with model.session() as session:

        async def one(number: int) -> None:
            messages = (Message("user", f"{TEXT}{number}"),)
            prompt = Prompt(task_id="one", messages=messages)
            request = Request(task=task, prompt=prompt, batch=batch, repeat=0, index=0)
            (reply,) = await session.complete([request])
            if len(reply.text) != REPLY_CHARS:
                raise SystemExit("a reply is not what was sent")

        return await measured(lambda numbers: every(one, numbers))


async def with_run(base_url: str) -> dict[str, float]:
    """As a run asks: dialogues, and every reply on the disk before it is used."""
    from solexp.core import Generation, Message, Prompt  # noqa: PLC0415
    from solexp.generating.engine import Engine, Wanted  # noqa: PLC0415
    from solexp.store import Store  # noqa: PLC0415
    from solexp.strategies import Ask, Dialogue  # noqa: PLC0415

    task, batch, model = asked_of(base_url)

    def begin(number: int) -> Dialogue:
        messages = (Message("user", f"{TEXT}{number}"),)
        yield Ask(prompt=Prompt(task_id="one", messages=messages))

    def keep(generation: Generation) -> None:
        if len(generation.completion.text) != REPLY_CHARS:
            raise SystemExit("a reply is not what was sent")

    with tempfile.TemporaryDirectory() as folder:

        async def many(numbers: Sequence[int]) -> None:
            wanted = (
                Wanted(
                    task=task,
                    batch=batch,
                    repeat=0,
                    indices=(0,),
                    begin=lambda _, number=number: begin(number),  # type: ignore[misc]
                )
                for number in numbers
            )
            await Engine(model, Store(Path(folder)), keep, lambda _: None).run(wanted)

        return await measured(many)


SIDES = {"sdk": with_sdk, "session": with_solexp, "run": with_run}


def side(name: str, base_url: str) -> dict[str, float]:
    """One side's figures, from a process of its own."""
    command = [sys.executable, __file__, "--side", name, "--base-url", base_url]
    done = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True)
    figures: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return figures


def middle(figures: Sequence[dict[str, float]], name: str) -> float:
    return round(statistics.median(each[name] for each in figures), 3)


def main() -> None:
    given = argparse.ArgumentParser(description=__doc__)
    given.add_argument("--side", choices=sorted(SIDES))
    given.add_argument("--base-url")
    arguments = given.parse_args()
    if arguments.side:
        print(json.dumps(asyncio.run(SIDES[arguments.side](arguments.base_url))))
        return
    command = [sys.executable, "-m", "tests.llm.served.server", "--reply-chars", str(REPLY_CHARS)]
    with subprocess.Popen(
        command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as server:
        assert server.stdout is not None and server.stdin is not None
        base_url = server.stdout.readline().strip()
        found: dict[str, list[dict[str, float]]] = {name: [] for name in SIDES}
        for at in range(PASSES):
            for name in SIDES:
                found[name].append(side(name, base_url))
                print(f"pass {at + 1}, {name}: {found[name][-1]}")
        server.stdin.close()
    cpu = {name: middle(figures, "cpu_ms_per_request") for name, figures in found.items()}
    report = {
        "requests": REQUESTS,
        "concurrency": CONCURRENCY,
        "cpu_ms_per_request": cpu,
        "session_beyond_sdk_ms": round(cpu["session"] - cpu["sdk"], 3),
        "run_beyond_sdk_ms": round(cpu["run"] - cpu["sdk"], 3),
        "ratio_session": round(cpu["session"] / cpu["sdk"], 3),
        "ratio_run": round(cpu["run"] / cpu["sdk"], 3),
        "rss_growth_mb": {name: middle(each, "rss_growth_mb") for name, each in found.items()},
        "rss_growth_second_half_mb": {
            name: middle(each, "rss_growth_second_half_mb") for name, each in found.items()
        },
        "wall_s": {name: middle(each, "wall_s") for name, each in found.items()},
    }
    print(json.dumps(report))


if __name__ == "__main__":
    main()
