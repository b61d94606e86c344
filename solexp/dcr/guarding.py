"""Guards of a graph in the present state of a node: those of the state, of the time, and about one call."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

import msgspec

from solexp.core import Call, CallResult
from solexp.dcr.graph import Event, Graph
from solexp.dcr.watching import Declared, Watched, all_states, one_state, parts_of
from solexp.evm.stepping import Stepping

GAS = 10_000_000
"""Limit of a call while it is tried, in units of gas."""


class Guards:
    """Evaluates guards on the contract of ``watched``, which stands on ``node``."""

    def __init__(
        self, graph: Graph, watched: Watched, declared: Declared, node: Stepping, asking: str
    ) -> None:
        """``asking`` is the account that asks about the state."""
        self._graph = graph
        self._watched = watched
        self._node = node
        self._sender = asking
        self._parts = {
            event.id: parts_of(event, declared.names.get(event.function, ()))
            for event in graph.events
        }
        self._bits = {guard: place for place, guard in enumerate(watched.states)}
        self._events_of = Counter(event.function for event in graph.events)
        self._states = -1

    def look(self) -> bool:
        """Read what the guards of the state are worth in the next block; False where the contract is gone."""
        if not self._bits:
            return self._node.alive()
        [found] = self._node.tried([self._asking(all_states())])
        if found.status:
            self._states = int(found.output[2:], 16) if len(found.output) > 2 else 0
            return len(found.output) > 2
        # One of them reverts, and then does not hold.
        places = range(len(self._watched.states))
        answers = self._node.tried([self._asking(one_state(place)) for place in places])
        self._states = sum(_true(answer) << place for place, answer in enumerate(answers))
        return True

    def holds(self, guard: str, event: Event) -> bool:
        """What the state says of a guard, of an event's own what it asks of the state; unknown ones hold."""
        if guard == event.guard:
            state = self._parts[event.id].state
            return state is None or self._bit(state, self._states)
        return self._bit(guard, self._states)

    def in_time(self, event: Event) -> bool:
        """Whether what the event's guard asks of the time holds in the next block."""
        return self._in_time(event, self._states)

    def due(self, event: Event, moments: Callable[[], Sequence[int]]) -> int:
        """The first of some moments at which that holds, seconds since 1970; 0 for now, and where none is known."""
        if self.in_time(event):
            return 0
        chosen = moments()
        answers = self._node.tried([self._asking(all_states(), moment) for moment in chosen])
        for moment, answer in zip(chosen, answers, strict=True):
            if answer.status and self._in_time(event, int(answer.output, 16)):
                return moment
        return 0

    def holding(self, event: Event, calls: Sequence[Call]) -> list[bool]:
        """Whether the event's guard holds of each call: success says so, but for functions that are several events."""
        selector = self._watched.calls.get(self._watched.key(event.function, event.guard or ""))
        if self._events_of[event.function] < 2 or selector is None:
            return [True] * len(calls)
        asked = [
            msgspec.structs.replace(call, input=f"0x{selector}{call.input[10:]}") for call in calls
        ]
        return list(map(_true, self._node.tried(asked)))

    def about(self, event: Event, call: Call) -> dict[str, bool]:
        """Guards of the event's relations that speak of its call, which has just been made."""
        guards = {
            relation.guard
            for relation in self._graph.from_source[event.id]
            if relation.guard and relation.guard not in self._bits
        }
        found = {}
        for guard in sorted(guards):
            selector = self._watched.calls.get(self._watched.key(event.function, guard))
            if selector is not None:
                data = f"0x{selector}{call.input[10:]}"
                asked = self._node.next(sender=call.sender, value=call.value, input=data, gas=GAS)
                [answer] = self._node.tried([asked])
                found[guard] = _true(answer)
        return found

    def _in_time(self, event: Event, states: int) -> bool:
        time = self._parts[event.id].time
        return time is None or self._bit(time, states)

    def _bit(self, guard: str, states: int) -> bool:
        place = self._bits.get(guard)
        return place is None or bool(states >> place & 1)

    def _asking(self, data: str, timestamp: int = 0) -> Call:
        return self._node.next(sender=self._sender, input=data, gas=GAS, timestamp=timestamp)


def _true(answer: CallResult) -> bool:
    return answer.status and len(answer.output) > 2 and int(answer.output, 16) == 1
