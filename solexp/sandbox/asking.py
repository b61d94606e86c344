"""Which calls share a process, and which answers count."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec

from solexp.sandbox.limits import CallResult, Ended, Limits
from solexp.sandbox.records import Report

FIRST = 8
"""Calls of the first portion, which shows how long they take."""
_SLOW_S = 0.005
"""CPU seconds from which on a call is not worth sharing a process: starting one costs less."""


class Asking:
    """The calls of one program."""

    def __init__(
        self,
        ask: Callable[[Sequence[bytes], Limits], Report],
        prepared: Sequence[bytes | CallResult],
        limits: Limits,
    ) -> None:
        """``prepared`` has for each call what makes its arguments, or its result where nothing does."""
        self._ask = ask
        self._limits = limits
        self._found = [one if isinstance(one, CallResult) else None for one in prepared]
        self._codes = {at: one for at, one in enumerate(prepared) if isinstance(one, bytes)}
        self._spent = 0.0
        self._unloaded: CallResult | None = None

    def results(self, together: int) -> list[CallResult]:
        """Of all calls, in order."""
        self._share(together)
        for at in self._codes:
            if self._found[at] is None:
                self._found[at] = self._alone(at)
        return [found for found in self._found if found is not None]

    def _share(self, together: int) -> None:
        """Find what can be found by calls that share a process."""
        left = list(self._codes)
        size = min(together, FIRST) // 2 * 2
        while size > 1 and len(left) > 1 and self._unloaded is None:
            # An even number, so that in the opposite order none has its old place.
            size = min(size, len(left) // 2 * 2)
            portion, left = left[:size], left[size:]
            size = together // 2 * 2 if self._shared(portion) else 0

    def _alone(self, at: int) -> CallResult:
        if self._unloaded is not None:
            return self._unloaded
        if self._spent > self._limits.batch_cpu_s:
            said = f"not asked: the calls before used up {self._limits.batch_cpu_s:g} s of CPU time"
            return CallResult(ended=Ended.TIMEOUT, message=said)
        report = self._report([at])
        return report.rest or msgspec.structs.replace(report.results[0], cpu_s=report.cpu_s)

    def _report(self, places: Sequence[int]) -> Report:
        report = self._ask([self._codes[at] for at in places], self._limits)
        self._spent += report.cpu_s
        if not report.loaded and report.rest is not None:
            # It knew no argument yet, so it would end alike with any other.
            self._unloaded = msgspec.structs.replace(report.rest, cpu_s=0.0)
        return report

    def _shared(self, places: list[int]) -> bool:
        """Make these calls in one process, and in another in the opposite order; keep what both say alike.

        False when the next calls had better have a process each.
        """
        forth = self._report(places)
        if forth.rest is not None:
            if forth.used_up and forth.loaded and self._spent < self._limits.batch_cpu_s:
                self._found[places[len(forth.results)]] = forth.rest
            return False
        back = self._report(places[::-1])
        if back.rest is not None:
            return False
        pairs = list(zip(places, forth.results, back.results[::-1], strict=True))
        if not all(_alike(one, other) for _, one, other in pairs):
            # It keeps something, which may have shown in other calls too, and in both alike.
            for at in self._codes:
                self._found[at] = None
            return False
        for at, one, _ in pairs:
            if one.exception != "MemoryError":
                self._found[at] = one
        return forth.cpu_s < _SLOW_S * len(places)


def _alike(one: CallResult, other: CallResult) -> bool:
    def said(result: CallResult) -> tuple[object, ...]:
        return result.ended, result.value, result.exception, result.assertion

    return said(one) == said(other)
