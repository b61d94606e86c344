"""Borders: inputs of a trail changed so that what its last call compares is equal, or only just not.

Comparisons tell what inputs would have to be, as in fuzzers that look for inputs among the operands of comparisons
(REDQUEEN, Aschermann et al., NDSS 2019) and that climb along distances (Angora, Chen and Chen, S&P 2018). Here each
input is changed once, and how the distance of two operands follows says how far it has to be moved.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from random import Random
from typing import Any, NamedTuple

from solexp.core import Program
from solexp.evm.abi import split_types
from solexp.fuzzing.drawing import Step, program
from solexp.fuzzing.settings import RECEIVE
from solexp.fuzzing.tracing import Site, Watched, Watching, World
from solexp.fuzzing.trails import Trail

_ARRAY = re.compile(r"^(.*)\[(\d*)\]$")
_LEAVES = 12
_MOST_INPUTS = 12
_LONG_S = 1 << 33
_MANY_BLOCKS = 1 << 31
_WEI_BITS = 88
_ODD = 1 << 200
"""Distances that jump by more are of hashes and the like."""
_LAST_LOOKED_AT = 6
_LENGTH = (0, 0, 0)
"""Stands for where it is compared how much there is of something."""

Watch = Sequence[tuple[Watched, World]]


class Input(NamedTuple):
    """A number that a trail's caller chooses."""

    step: int
    kind: str
    """``argument``, ``value``, ``seconds`` or ``blocks``."""
    path: tuple[int, ...]
    """Where in the arguments."""
    least: int
    most: int


class Border(NamedTuple):
    """A trail at or beside a border."""

    trail: Trail
    input: Input
    site: Site
    exact: bool
    """Whether the operands should be equal."""
    by: int
    """How far the input was moved."""


class Slopes(NamedTuple):
    """How the distances of operands follow inputs."""

    by_input: dict[Input, dict[tuple[int, Site], tuple[int, int]]]
    """For step and site: change of the distance, and of the input."""


def inputs(trail: Trail, watched: Sequence[Watched]) -> list[Input]:
    """The numbers of a trail that can matter, those of the last call first."""
    found: list[Input] = []
    last = len(trail) - 1
    if watched[last].timely:
        found.append(Input(last, "seconds", (), 0, _LONG_S))
    if watched[last].blocks:
        found.append(Input(last, "blocks", (), 0, _MANY_BLOCKS))
    for at in range(last, -1, -1):
        step = trail[at]
        if step.entry.payable or step.entry is RECEIVE:
            found.append(Input(at, "value", (), 0, (1 << _WEI_BITS) - 1))
        leaves: list[Input] = []
        for place, (kind, value) in enumerate(zip(step.entry.types, step.values, strict=True)):
            leaves += (
                Input(at, "argument", path, least, most)
                for path, least, most in _leaves(kind, value, (place,))
            )
        found += leaves[:_LEAVES]
    return found


def _leaves(
    kind: str, value: Any, path: tuple[int, ...]
) -> Iterator[tuple[tuple[int, ...], int, int]]:
    array = _ARRAY.match(kind)
    if array:
        for at, each in enumerate(value):
            yield from _leaves(array[1], each, (*path, at))
    elif kind.endswith(")"):
        for at, (inner, each) in enumerate(zip(split_types(kind[1:-1]), value, strict=True)):
            yield from _leaves(inner, each, (*path, at))
    elif kind == "bytes32":
        yield path, 0, (1 << 256) - 1
    elif kind.startswith("uint"):
        yield path, 0, (1 << int(kind[4:])) - 1
    elif kind.startswith("int"):
        half = 1 << (int(kind[3:]) - 1)
        yield path, -half, half - 1


def read(trail: Trail, which: Input) -> int:
    """What an input is."""
    step = trail[which.step]
    if which.kind != "argument":
        found: int = getattr(step, which.kind)
        return found
    value: Any = step.values
    for at in which.path:
        value = value[at]
    return int.from_bytes(value) if isinstance(value, bytes) else int(value)


def moved(trail: Trail, which: Input, number: int) -> Trail:
    """The trail with another number for an input."""
    step = trail[which.step]
    if which.kind == "argument":
        step = step._replace(values=_placed(step.values, which.path, number))
    elif which.kind == "value":
        step = step._replace(value=number)
    elif which.kind == "seconds":
        step = step._replace(seconds=number)
    else:
        step = step._replace(blocks=number)
    return (*trail[: which.step], step, *trail[which.step + 1 :])


def emptied(trail: Trail) -> list[Border]:
    """The trail with each of its last call's arrays, bytes and texts empty, one at a time."""
    last = trail[-1]
    found = []
    for at, (kind, value) in enumerate(zip(last.entry.types, last.values, strict=True)):
        if value and (kind.endswith("[]") or kind in ("bytes", "string")):
            values = (*last.values[:at], type(value)(), *last.values[at + 1 :])
            which = Input(len(trail) - 1, "argument", (at,), 0, 0)
            changed = (*trail[:-1], last._replace(values=values))
            found.append(Border(changed, which, _LENGTH, exact=True, by=0))
    return found


def earlier(trail: Trail, kind: str, by: int) -> Trail | None:
    """The trail with its last call so many ``seconds`` or ``blocks`` earlier, without the calls that come later then;
    None where it would come before the deployment.
    """
    pauses = [getattr(each, kind) for each in trail]
    left = sum(pauses) - by
    if left < 0:
        return None
    kept = 0
    while kept < len(trail) - 1 and pauses[kept] <= left:
        left -= pauses[kept]
        kept += 1
    last = trail[-1]
    last = last._replace(seconds=left) if kind == "seconds" else last._replace(blocks=left)
    return (*trail[:kept], last)


def _placed(values: Any, path: tuple[int, ...], number: int) -> Any:
    if not path:
        return number.to_bytes(32) if isinstance(values, bytes) else number
    found = list(values)
    found[path[0]] = _placed(found[path[0]], path[1:], number)
    return found if isinstance(values, list) else tuple(found)


class Borders:
    """Finds borders on an original."""

    def __init__(self, watching: Watching, base: Program, random: Random) -> None:
        self._watching = watching
        self._base = base
        self._random = random
        self.watched = 0
        """Calls that were watched step by step."""

    def slopes(self, trail: Trail, watch: Watch) -> Slopes:
        """How what a trail's calls compare follows its inputs, each of them changed once."""
        known = [each[0] for each in watch]
        chosen = inputs(trail, known)
        if len(chosen) > _MOST_INPUTS:
            own = [each for each in chosen if each.step == len(trail) - 1][:_MOST_INPUTS]
            rest = [each for each in chosen if each.step != len(trail) - 1]
            self._random.shuffle(rest)
            chosen = own + rest[: _MOST_INPUTS - len(own)]
        found: dict[Input, dict[tuple[int, Site], tuple[int, int]]] = {each: {} for each in chosen}
        # Where a call then fails, nothing can be said of those behind it: once more, the other way.
        for nudge in (_nudge, _other_nudge):
            changed = [(each, nudge(read(trail, each), each)) for each in chosen]
            changed = [each for each in changed if each[0].least <= each[1] <= each[0].most]
            chosen = self._follow(trail, watch, changed, found)
            if not chosen:
                break
        return Slopes(found)

    def _follow(
        self,
        trail: Trail,
        watch: Watch,
        changed: Sequence[tuple[Input, int]],
        found: dict[Input, dict[tuple[int, Site], tuple[int, int]]],
    ) -> list[Input]:
        """Watch a trail with each of these inputs changed. Those with which a call ends otherwise, before the last."""
        calls = [program(self._base, moved(trail, *each)).calls for each in changed]
        worlds = [
            watch[each.step - 1][1] if each.step else self._watching.start for each, _ in changed
        ]
        unlike: dict[int, Input] = {}
        for at in range(len(trail)):
            running = [
                place
                for place, (each, _) in enumerate(changed)
                if each.step <= at and place not in unlike
            ]
            asked = [(worlds[place], calls[place][at]) for place in running]
            self.watched += len(asked)
            told = self._watching.after(asked, last=at == len(trail) - 1)
            for place, (seen, world) in zip(running, told, strict=True):
                worlds[place] = world
                which, number = changed[place]
                by = number - read(trail, which)
                for site, (left, right) in watch[at][0].compared.items():
                    other = seen.compared.get(site)
                    if other is None:
                        continue
                    change = (other[0] - other[1]) - (left - right)
                    if change and abs(change) < _ODD:
                        found[which].setdefault((at, site), (change, by))
                if seen.status != watch[at][0].status:
                    unlike[place] = which
        return list(unlike.values())

    def near(self, trail: Trail, watch: Watch, slopes: Slopes) -> Iterator[list[Border]]:
        """The trail with one input at each border of its last call, and beside it."""
        last = len(trail) - 1
        for site, (left, right) in watch[last][0].compared.items():
            for which, known in slopes.by_input.items():
                slope = known.get((last, site))
                if slope is None:
                    continue
                ways = _ways(left - right, *slope)
                made = (_border(trail, which, site, *way) for way in ways)
                found = [each for each in made if each is not None]
                if found:
                    yield found

    def mending(
        self, border: Border, watch: Watch, slopes: Slopes, status: Sequence[bool]
    ) -> tuple[Input, int] | None:
        """One more input, and what it has to be for a call to hold that fails at a border and did not before.

        What that call compared last is then equal. ``watch`` is of the border's trail, ``status`` of the calls before.
        """
        at = next((n for n, (seen, _) in enumerate(watch) if seen.status != status[n]), None)
        if at is None:
            return None
        compared = list(watch[at][0].compared.items())
        for site, (left, right) in reversed(compared[-_LAST_LOOKED_AT:]):
            for which, known in slopes.by_input.items():
                slope = known.get((at, site))
                if slope is None or which == border.input or left == right:
                    continue
                present = read(border.trail, which)
                for by, _ in _ways(left - right, *slope):
                    if by and which.least <= present + by <= which.most:
                        return which, present + by
        return None


def _border(trail: Trail, which: Input, site: Site, by: int, exact: bool) -> Border | None:
    """The trail with an input moved; None where it cannot be."""
    number = read(trail, which) + by
    if not by:
        return Border(trail, which, site, exact, by)
    if which.least <= number <= which.most:
        return Border(moved(trail, which, number), which, site, exact, by)
    if which.kind not in ("seconds", "blocks") or number > 0:
        return None
    made = earlier(trail, which.kind, -by)
    if made is None:
        return None
    return Border(made, which._replace(step=len(made) - 1), site, exact, by)


def _nudge(number: int, which: Input) -> int:
    if which.kind in ("seconds", "blocks") or not 1 << 10 <= number < _ODD:
        return number + 1 if number < which.most else number - 1
    return number - (number >> 6)


def _other_nudge(number: int, which: Input) -> int:
    return 2 * number - _nudge(number, which)


def _ways(distance: int, change: int, by: int) -> Iterator[tuple[int, bool]]:
    """By how much an input is to be moved to bring a distance to zero, and to either side of it."""
    whole, rest = divmod(-distance * by, change)
    if rest:
        yield whole, False
        yield whole + 1, False
        return
    yield whole, True
    yield whole - 1, False
    yield whole + 1, False


def same_input(border: Border) -> tuple[object, ...]:
    """What two borders share that are likely the same: the site, and the function's input that moves it."""
    step: Step = border.trail[border.input.step]
    path = border.input.path[:1]
    goal = border.trail[-1].entry.signature
    return border.site[:2], goal, step.entry.signature, border.input.kind, path
