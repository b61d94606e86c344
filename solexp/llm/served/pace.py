"""How fast requests may follow each other."""

from __future__ import annotations

import asyncio
import random
import time


class Bucket:
    """So much a minute, evenly: at most a second's worth at once.

    What is larger than a second's worth is admitted when the bucket is full, and the next wait the longer. Under
    a minute's limit m no window of a minute then holds more than m and a second's worth, and one admission.
    """

    def __init__(self, per_minute: float) -> None:
        self._rate = per_minute / 60
        self._capacity = max(1.0, self._rate)
        self._level = self._capacity
        self._at = time.monotonic()
        self._line = asyncio.Lock()

    async def take(self, amount: float) -> None:
        """Wait, in the order of coming, until ``amount`` may pass."""
        async with self._line:
            while True:
                self._fill()
                missing = min(amount, self._capacity) - self._level
                if missing <= 0:
                    break
                await asyncio.sleep(missing / self._rate)
            self._level -= amount

    def give_back(self, amount: float) -> None:
        """Return what was taken and not used."""
        self._fill()
        self._level = min(self._capacity, self._level + amount)

    def _fill(self) -> None:
        now = time.monotonic()
        self._level = min(self._capacity, self._level + (now - self._at) * self._rate)
        self._at = now


class Pace:
    """Requests and tokens a minute, and the pauses that the server asks for."""

    def __init__(self, requests_per_minute: float | None, tokens_per_minute: float | None) -> None:
        self._requests = None if requests_per_minute is None else Bucket(requests_per_minute)
        self._tokens = None if tokens_per_minute is None else Bucket(tokens_per_minute)
        self._until = 0.0

    @property
    def counts_tokens(self) -> bool:
        """Whether `admit` needs to know how many tokens a request may take."""
        return self._tokens is not None

    async def admit(self, tokens: int) -> None:
        """Wait until a request that takes ``tokens`` at most may be sent."""
        if self._requests is not None:
            await self._requests.take(1)
        if self._tokens is not None:
            await self._tokens.take(tokens)
        while (left := self._until - time.monotonic()) > 0:
            # All that were held back must not come in the same instant.
            await asyncio.sleep(left + random.uniform(0, min(1.0, 0.1 * left)))

    def used(self, reserved: int, tokens: int | None) -> None:
        """A request that might have taken ``reserved`` tokens took ``tokens``; None where unknown."""
        if self._tokens is not None and tokens is not None and tokens < reserved:
            self._tokens.give_back(reserved - tokens)

    def pause(self, seconds: float) -> None:
        """Hold back every request for so long."""
        self._until = max(self._until, time.monotonic() + seconds)
