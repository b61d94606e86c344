"""Making a program that shows something as small as can be: fewest calls, then smallest values.

The first part is delta debugging (Zeller and Hildebrandt, 2002), whose questions are asked many at a time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import msgspec

from solexp.core import Call, ContractBuild, Program
from solexp.evm.abi import selectors, split_types
from solexp.evm.encoding import calldata

Fails = Callable[[Sequence[Program]], Sequence[bool]]
"""Which of some programs still show it."""

MOST = 1200
"""Programs that are tried, about."""

_STEPS = (2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192)
_TOGETHER = 32
"""Prefixes that are asked about at a time."""


def shrink(
    program: Program,
    fails: Fails,
    *,
    contract: ContractBuild | None = None,
    values: bool = True,
    most: int = MOST,
) -> Program:
    """The smallest program to be found that still fails; ``program`` itself must.

    It is cut behind the first call at which it fails, loses what calls it can, and then, with ``values``, gets smaller
    arguments, ether, pauses and simpler senders, the deployer the simplest. ``contract`` names the arguments' types;
    without it they stay. The same questions get the same answer: nothing is random.
    """
    budget = _Budget(fails, most)
    program = _shortest(program, budget)
    program = _fewest(program, budget)
    if values:
        program = _simplest(program, budget, contract)
        program = _fewest(program, budget)
    return program


class _Budget:
    def __init__(self, fails: Fails, most: int) -> None:
        self.fails = fails
        self.left = most

    def ask(self, programs: Sequence[Program]) -> list[bool]:
        """Which programs fail; none do once too many have been tried."""
        if self.left <= 0 or not programs:
            return [False] * len(programs)
        self.left -= len(programs)
        return list(self.fails(programs))


def _with(program: Program, calls: Sequence[Call]) -> Program:
    return msgspec.structs.replace(program, calls=tuple(calls))


def _shortest(program: Program, budget: _Budget) -> Program:
    """The shortest failing beginning. Whatever begins with a failing one fails."""
    low, high = 0, len(program.calls)
    while high - low > 1:
        step = max(1, -(-(high - low) // _TOGETHER))
        ends = list(range(low + step, high, step))
        if not ends:
            break
        found = budget.ask([_with(program, program.calls[:end]) for end in ends])
        first = next((place for place, failed in enumerate(found) if failed), None)
        if first is None:
            low = ends[-1]
        else:
            high = ends[first]
            low = ends[first - 1] if first else low
        if step == 1:
            break
    return _with(program, program.calls[:high])


def _fewest(program: Program, budget: _Budget) -> Program:
    """Without calls that are not needed; the last one is."""
    size = max(1, (len(program.calls) - 1) // 2)
    while len(program.calls) > 1 and budget.left > 0:
        count = len(program.calls) - 1
        chunks = [range(at, min(at + size, count)) for at in range(0, count, size)]
        found = budget.ask([_without(program, chunk) for chunk in chunks])
        spare = [chunk for chunk, failed in zip(chunks, found, strict=True) if failed]
        if spare:
            program = _all_or_one(program, spare, budget)
        elif size == 1:
            break
        else:
            size = max(1, size // 2)
        size = min(size, max(1, len(program.calls) - 1))
    return program


def _all_or_one(program: Program, spare: Sequence[range], budget: _Budget) -> Program:
    """Without as many chunks as go together, of those that can go alone."""
    parts = [spare]
    while len(parts[-1]) > 2:
        parts.append(parts[-1][: len(parts[-1]) // 2])
    tries = [_without(program, [at for chunk in part for at in chunk]) for part in parts]
    found = budget.ask(tries) if len(spare) > 1 else [True]
    for tried, failed in zip(tries, found, strict=True):
        if failed:
            return tried
    return _without(program, spare[0])


def _without(program: Program, places: Sequence[int]) -> Program:
    gone = set(places)
    return _with(program, [call for at, call in enumerate(program.calls) if at not in gone])


class _Known:
    """A contract's functions, and accounts in order of their simplicity."""

    def __init__(self, program: Program, contract: ContractBuild | None) -> None:
        self.types = {
            selector: split_types(signature[signature.index("(") + 1 : -1])
            for selector, signature in (selectors(contract) if contract else {}).items()
        }
        senders = (program.deployment.sender, *(call.sender for call in program.calls))
        self.accounts = list(dict.fromkeys(senders))

    def simpler_accounts(self, account: str) -> list[str]:
        known = self.accounts
        return known[: known.index(account)] if account in known else known


class _Draft(NamedTuple):
    """A call in parts that can be made smaller, each by itself."""

    call: Call
    types: tuple[str, ...]
    values: tuple[Any, ...] | None
    """Its arguments; None where they cannot be read."""
    blocks: int
    """Blocks and seconds since the call before, or since the first moment that there can be one."""
    seconds: int


_Edit = tuple[int, str | int, Any]
"""Of which call, which part (or which argument), and what takes its place."""


def _simplest(program: Program, budget: _Budget, contract: ContractBuild | None) -> Program:
    known = _Known(program, contract)
    drafts = _drafts(program, known)
    while budget.left > 0:
        parts: dict[tuple[int, str | int], list[_Edit]] = {}
        for place, draft in enumerate(drafts):
            for part, new in _smaller_parts(draft, known):
                parts.setdefault((place, part), []).append((place, part, new))
        first = _first_of_each(program, drafts, list(parts.values()), budget)
        if not first:
            break
        drafts = _as_many(program, drafts, first, budget)
    return _written(program, drafts)


def _first_of_each(
    program: Program, drafts: list[_Draft], parts: Sequence[Sequence[_Edit]], budget: _Budget
) -> list[_Edit]:
    """The simplest value for each part under which the program still fails, of those parts that have any.

    All values count as tried, though those behind the first are not, so that what is found does not hang on the order.
    Where no more may be tried then, one part is all that can change, and only the first matters.
    """
    budget.left -= sum(map(len, parts))
    found: dict[int, _Edit] = {}
    waiting = list(range(len(parts)))
    start, size = 0, 1
    while waiting:
        tried = [(part, edit) for part in waiting for edit in parts[part][start : start + size]]
        failed = budget.fails([_written(program, _edited(drafts, [edit])) for _, edit in tried])
        for (part, edit), fails in zip(tried, failed, strict=True):
            if fails:
                found.setdefault(part, edit)
        start, size = start + size, 2 * size
        end = min(found, default=len(parts)) if budget.left <= 0 else len(parts)
        waiting = [
            part
            for part in waiting
            if part not in found and part < end and len(parts[part]) > start
        ]
    return [found[part] for part in sorted(found)]


def _as_many(
    program: Program, drafts: list[_Draft], edits: Sequence[_Edit], budget: _Budget
) -> list[_Draft]:
    """As many of the edits, each of which can be made alone, as go together; one at least."""
    parts = [list(edits)]
    while len(parts[-1]) > 1:
        last = parts[-1]
        parts += [last[len(last) // 2 :], last[: (len(last) + 1) // 2]]
    parts.sort(key=len, reverse=True)
    tries = [_edited(drafts, part) for part in parts if len(part) > 1]
    found = budget.ask([_written(program, tried) for tried in tries])
    for tried, failed in zip(tries, found, strict=True):
        if failed:
            return tried
    return _edited(drafts, edits[:1])


def _drafts(program: Program, known: _Known) -> list[_Draft]:
    number, time = program.deployment.block_number + 1, program.deployment.timestamp + 1
    drafts = []
    for call in program.calls:
        types = tuple(known.types.get(call.input[2:10], ()))
        values = _decoded(types, call.input) if types else None
        drafts.append(
            _Draft(call, types, values, call.block_number - number, call.timestamp - time)
        )
        number, time = call.block_number, call.timestamp
    return drafts


def _edited(drafts: Sequence[_Draft], edits: Sequence[_Edit]) -> list[_Draft]:
    result = list(drafts)
    for place, part, new in edits:
        draft = result[place]
        if isinstance(part, int):
            assert draft.values is not None
            values = (*draft.values[:part], new, *draft.values[part + 1 :])
            given = calldata(draft.call.input[2:10], draft.types, values)
            call = msgspec.structs.replace(draft.call, input=given)
            result[place] = draft._replace(values=values, call=call)
        elif part in ("blocks", "seconds"):
            result[place] = draft._replace(**{part: new})
        else:
            call = msgspec.structs.replace(draft.call, **{part: new})
            result[place] = draft._replace(call=call)
    return result


def _written(program: Program, drafts: Sequence[_Draft]) -> Program:
    number, time = program.deployment.block_number + 1, program.deployment.timestamp + 1
    calls = []
    for draft in drafts:
        number += draft.blocks
        time += draft.seconds
        calls.append(msgspec.structs.replace(draft.call, block_number=number, timestamp=time))
    return _with(program, calls)


def _smaller_parts(draft: _Draft, known: _Known) -> Iterator[tuple[str | int, Any]]:
    """What can take a part's place, the simplest first."""
    for value in smaller_numbers(draft.call.value):
        yield "value", value
    for place, kind in enumerate(draft.types if draft.values is not None else ()):
        assert draft.values is not None
        for each in _smaller(kind, draft.values[place], known):
            yield place, each
    for sender in known.simpler_accounts(draft.call.sender):
        yield "sender", sender
    for blocks in smaller_numbers(max(0, draft.blocks)):
        yield "blocks", blocks
    for seconds in smaller_numbers(max(0, draft.seconds)):
        yield "seconds", seconds


def _decoded(types: Sequence[str], data: str) -> tuple[Any, ...] | None:
    from eth_abi.abi import decode  # noqa: PLC0415
    from eth_abi.exceptions import DecodingError  # noqa: PLC0415

    try:
        return tuple(decode(types, bytes.fromhex(data[10:])))
    except (DecodingError, ValueError, OverflowError):
        return None


def smaller_numbers(value: int) -> list[int]:
    """Numbers nearer to zero, the smallest first; enough of them that some are near any bound below ``value``."""
    size = abs(value)
    found = {0, 1, size - 1, size // 10}
    found |= {size >> shift for shift in (1, 2, 4, 8, 16, 32, 64, 128)}
    found |= {size - (size >> shift) for shift in _STEPS if size >> shift}
    nearer = [each for each in sorted(found) if 0 <= each < size]
    return nearer if value >= 0 else [*nearer, *(-each for each in nearer if each), size]


def _smaller(kind: str, value: Any, known: _Known) -> Iterator[Any]:  # noqa: PLR0912
    """Simpler values of a type, the simplest first."""
    if kind.endswith("]"):
        inner = kind[: kind.rindex("[")]
        if kind.endswith("[]"):
            for count in smaller_numbers(len(value)):
                yield list(value[:count])
            for place in range(len(value) - 1):
                yield [*value[:place], *value[place + 1 :]]
        for place, part in enumerate(value):
            for each in _smaller(inner, part, known):
                yield [*value[:place], each, *value[place + 1 :]]
    elif kind.endswith(")"):
        for place, (inner, part) in enumerate(zip(split_types(kind[1:-1]), value, strict=True)):
            for each in _smaller(inner, part, known):
                yield (*value[:place], each, *value[place + 1 :])
    elif kind == "bool":
        if value:
            yield False
    elif kind == "address":
        yield from known.simpler_accounts(value)
    elif kind in ("string", "bytes"):
        for count in smaller_numbers(len(value)):
            yield value[:count]
    elif kind.startswith("bytes"):
        if any(value):
            yield bytes(len(value))
    else:
        yield from smaller_numbers(value)
