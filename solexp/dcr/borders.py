"""Where a limit lies: between a call that the original takes and one that differs in a number and that it rejects."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from solexp.core import CallResult
from solexp.dcr.drafts import Draft
from solexp.evm.abi import decoded
from solexp.evm.encoding import calldata
from solexp.fuzzing.settings import Entry

_STEPS = 8
"""Steps away from a number that are tried at once, each four times as long as the one before."""
_PARTS = 4
"""Into so many parts what lies between is cut at a time."""
_MOST_WEI = 10**26
_MOST_SECONDS = 3 * 366 * 86_400
_TIMES = 2
"""How often the limit of a number is looked for in a search, the second time in a later state."""

Tried = Callable[[Sequence[Draft]], list[CallResult]]
Place = int | str
"""Of a number in a call: an argument's place, ``value`` or ``time``."""


class Border(NamedTuple):
    """Two calls that differ by one in a number."""

    taken: Draft
    answer: CallResult
    refused: Draft


class Borders:
    """Looks for the limits of the numbers in successful calls, one number at a time and each a few times."""

    def __init__(self, tried: Tried, most: int) -> None:
        """``tried`` says what calls would do in the present state; ``most`` of them are tried in all, about."""
        self._tried = tried
        self._left = most
        self._due: dict[str, list[tuple[Place, bool]]] = {}

    def beside(self, entry: Entry, draft: Draft, now: int) -> Border | None:
        """The border of the number whose turn it is, beside a call that succeeds in the present state.

        ``draft`` has the time at which it is made, ``now`` is the earliest at which it could be, both in seconds.
        """
        if entry.signature not in self._due:
            self._due[entry.signature] = list(_numbers(entry)) * _TIMES
        due = self._due[entry.signature]
        if not due or self._left <= 0:
            return None
        place, up = due.pop(0)
        values = decoded(list(entry.types), draft.input[10:]) if entry.types else ()
        if values is None or self._made(entry, draft, values, None, 0) != draft:
            return None
        end = _range(entry, draft, place, now)[up]
        number = draft.timestamp if place == "time" else draft.value
        number = number if isinstance(place, str) else values[place]

        def tried(numbers: Sequence[int]) -> list[CallResult]:
            self._left -= len(numbers)
            return self._tried([self._made(entry, draft, values, place, each) for each in numbers])

        found = _border(number, end, tried)
        if found is None:
            return None
        good, answer, bad = found
        taken, refused = (self._made(entry, draft, values, place, each) for each in (good, bad))
        return Border(taken, answer, refused)

    @staticmethod
    def _made(
        entry: Entry, draft: Draft, values: Sequence[object], place: Place | None, number: int
    ) -> Draft:
        """The call with a number in the place of another."""
        if place == "time":
            return draft._replace(timestamp=number)
        if place == "value":
            return draft._replace(value=number)
        changed = [number if at == place else value for at, value in enumerate(values)]
        if not entry.selector:
            return draft
        return draft._replace(input=calldata(entry.selector, entry.types, changed))


def _numbers(entry: Entry) -> Iterator[tuple[Place, bool]]:
    """The numbers of a call of a function, and whether a limit above or below is looked for."""
    places: list[Place] = [at for at, kind in enumerate(entry.types) if _bits(kind)]
    if entry.payable or not entry.selector:
        places.append("value")
    for up in (True, False):
        for place in (*places, "time"):
            yield place, up


def _bits(kind: str) -> int:
    """Bits of a number's type; 0 for other types."""
    if kind.endswith("]") or not kind.startswith(("uint", "int")):
        return 0
    return int(kind.removeprefix("u").removeprefix("int"))


def _range(entry: Entry, draft: Draft, place: Place, now: int) -> tuple[int, int]:
    """The least and the greatest that a number can be."""
    if place == "time":
        return now, max(now, draft.timestamp) + _MOST_SECONDS
    if place == "value":
        return 0, max(draft.value, _MOST_WEI)
    assert isinstance(place, int)
    kind = entry.types[place]
    bits = _bits(kind)
    return (0, (1 << bits) - 1) if kind[0] == "u" else (-(1 << bits - 1), (1 << bits - 1) - 1)


def _border(
    number: int, end: int, tried: Callable[[Sequence[int]], list[CallResult]]
) -> tuple[int, CallResult, int] | None:
    """Neighbours between ``number``, which is taken, and ``end``: one that is taken, and one that is not.

    None where ``end`` is taken, too.
    """
    if number == end or tried([end])[0].status:
        return None
    way = 1 if end > number else -1
    good, answer, bad = number, None, end
    step = 1
    while abs(bad - good) > 1:
        # First further and further away, and then closer and closer.
        reach = [step * 4**power for power in range(_STEPS)] if step else []
        if not step:
            width = abs(bad - good)
            reach = sorted({width * part // _PARTS for part in range(1, _PARTS)} - {0})
        numbers = [good + way * each for each in reach if each < abs(bad - good)]
        if not numbers:
            step = 0
            continue
        for each, result in zip(numbers, tried(numbers), strict=True):
            if not result.status:
                bad = each
                step = 0
                break
            good, answer = each, result
        else:
            step = step and step * 4**_STEPS
    if answer is None:
        [answer] = tried([good])
    return (good, answer, bad) if answer.status else None
