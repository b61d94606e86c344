"""Trails: calls that lead an original to something, those of its task's own history among them, and how few will do."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from itertools import pairwise

from solexp.core import Call, CallResult, Program
from solexp.evm.abi import decoded
from solexp.evm.encoding import calldata
from solexp.fuzzing.drawing import BLOCK_S, Step, program
from solexp.fuzzing.settings import RECEIVE, Entry
from solexp.fuzzing.tracing import MOST_GAS, REFUSED, Watched, Watching, World

Trail = tuple[Step, ...]
"""Calls from the deployment on, of which the last is what it is about."""

Results = tuple[CallResult, ...]

Ask = Callable[[Sequence[Trail]], list[Results]]
"""What the original does in trails, one after another; fewer than were asked when it may do no more."""

_SMALL = 12
_WORDS = 4
_LEVELS = 5
LONGEST = 24
"""Calls of a trail that is gone on with."""


def steps_of(base: Program, calls: Sequence[Call], entries: Collection[Entry]) -> Trail:
    """The calls of a history that are of these functions, or ether alone, with the time between them."""
    known = {entry.selector: entry for entry in entries}
    number, time = base.deployment.block_number + 1, base.deployment.timestamp + BLOCK_S
    found = []
    for call in calls:
        entry = RECEIVE if call.input == "0x" else known.get(call.input[2:10])
        if entry is None or call.to is not None:
            continue
        values = decoded(list(entry.types), call.input[10:])
        if values is None or (
            entry.selector and calldata(entry.selector, entry.types, values) != call.input
        ):
            continue
        blocks, seconds = max(0, call.block_number - number), max(0, call.timestamp - time)
        found.append(Step(entry, call.sender, values, call.value, blocks, seconds))
        number, time = number + blocks, time + seconds
    return tuple(found)


def part(steps: Sequence[Step], places: Sequence[int]) -> Trail:
    """Only the steps at these places, each at its own time still."""
    found = []
    for before, place in pairwise((-1, *places)):
        between = steps[before + 1 : place + 1]
        found.append(
            steps[place]._replace(
                blocks=sum(each.blocks for each in between),
                seconds=sum(each.seconds for each in between),
            )
        )
    return tuple(found)


def outcome(result: CallResult) -> tuple[object, ...]:
    """What kind of end a call has: what it answers and tells of, numbers by their size only, or why it fails."""
    if not result.status:
        return False, result.output[:256]
    told = tuple(
        (log.topics[:1], *map(magnitude, words(log.data[2:])[:_WORDS])) for log in result.logs
    )
    return True, len(result.output), *map(magnitude, words(result.output[2:])[:_WORDS]), told


def magnitude(digits: str) -> int:
    """A small number (64 hex digits) as it is, and of others roughly how big they are."""
    number = int(digits, 16) if len(digits) == 64 else 0
    return number if number < _SMALL else _SMALL + number.bit_length() // 32


def words(data: str) -> list[str]:
    """The first 64 words of data, as 64 hex digits each."""
    return [data[at : at + 64] for at in range(0, min(len(data), 64 * 64) - 63, 64)]


def watch(
    watching: Watching, base: Program, steps: Trail, results: Results
) -> list[tuple[Watched, World]]:
    """What happens in each call of a trail that had ``results``."""
    found: list[tuple[Watched, World]] = []
    world = watching.start
    for call, result in zip(program(base, steps).calls, results, strict=False):
        if result.gas_used <= MOST_GAS:
            # What fails changes nothing.
            [one] = watching.after([(world, call)], last=not result.status)
        elif result.status:
            one = watching.heavy(world, call)
        else:
            one = REFUSED, world
        found.append(one)
        world = one[1]
    return found


def needed(watched: Sequence[Watched], last: int) -> list[int]:
    """The places of the calls that a call may depend on by way of storage or ether, and its own, in order."""
    wanted = set(watched[last].reads)
    places = [last]
    for place in range(last - 1, -1, -1):
        writes = watched[place].writes
        if wanted & writes:
            places.append(place)
            wanted = (wanted - writes) | watched[place].reads
    return places[::-1]


def fewer(trails: Sequence[Trail], wanted: Sequence[tuple[object, ...]], ask: Ask) -> list[Trail]:
    """Trails with as few calls as it takes for their last calls to end as is ``wanted``.

    Parts are left out as long as that changes nothing: halves of what comes before the last call, quarters, eighths, or
    what is small, single calls.
    """
    kept = list(trails)
    sizes = [max(1, (len(trail) - 1) // 2) for trail in kept]
    going = list(range(len(kept)))
    for _ in range(_LEVELS):
        tries: list[tuple[int, list[int]]] = []
        for which in going:
            before = len(kept[which]) - 1
            for start in range(0, before, sizes[which]):
                gone = range(start, min(before, start + sizes[which]))
                tries.append((which, [at for at in range(before + 1) if at not in gone]))
        results = ask([part(kept[which], places) for which, places in tries])
        good: dict[int, list[list[int]]] = {}
        for (which, places), ended in zip(tries, results, strict=False):
            if outcome(ended[-1]) == wanted[which]:
                good.setdefault(which, []).append(places)
        # What can be left out alone can mostly be left out together.
        together = {
            which: [at for at in range(len(kept[which])) if all(at in each for each in found)]
            for which, found in good.items()
        }
        asked = ask([part(kept[which], places) for which, places in together.items()])
        for (which, places), ended in zip(together.items(), asked, strict=False):
            alike = outcome(ended[-1]) == wanted[which]
            kept[which] = part(kept[which], places if alike else min(good[which], key=len))
        if len(results) < len(tries):
            break
        going = [
            which for which in going if which in good or sizes[which] > _least(len(kept[which]))
        ]
        for which in going:
            least = _least(len(kept[which]))
            sizes[which] = max(least, min(sizes[which] // 2, (len(kept[which]) - 1) // 2))
    return kept


def _least(calls: int) -> int:
    """The smallest parts of a trail that are tried: of a long one there would be too many."""
    return max(1, calls // 8)
