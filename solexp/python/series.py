"""Series of calls of one function: many inputs in one process, as EvalPlus runs them, and many times as fast."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from solexp.python.literals import read, write
from solexp.sandbox import CallResult, Ended, Limits, call_python

_TOGETHER = 100
"""Calls that one process makes."""
_OUTPUT_MB = 2.0
"""What they may return together; more is read call by call, since reading takes a hundred times its size."""
_ALONE = 10
"""Calls that are asked for at a time where each has a process of its own; their outputs are held until all are read."""
_ROOM = 512 << 20
"""Characters that the outputs of a series may take as literals; those of a reference take up to 150 million."""
_ENTRY = "_solexp_series"

_SERIES = """
_solexp_function = {entry_point}

def _solexp_series(inputs):
    from copy import deepcopy
    # The program may have given any name another meaning; neither of these asks for one.
    try:
        assert False
    except BaseException as error:
        refusal = error.__class__

    def told(error, refused):
        name = type(error).__name__
        text = error.args[0] if error.args and type(error.args[0]) is str else None
        return (1, name[:200], refused, text and text[:200])

    said = []
    for arguments in inputs:
        try:
            value = _solexp_function(*arguments)
        except refusal as error:
            said.append(told(error, True))
        except BaseException as error:
            said.append(told(error, False))
        else:
            # A later call may change what this one returned.
            simple = value is None or type(value) in (bool, int, float, str)
            said.append((0, value if simple else deepcopy(value)))
    return said
"""


def call_series(
    program: str, entry_point: str, inputs: Sequence[str], limits: Limits
) -> list[CallResult]:
    """What each call came to, in order, as `solexp.sandbox.call_python` has it, with fresh arguments for each.

    A function that keeps something between calls finds it again in the next one, which EvalPlus counts and
    `call_python` with ``together`` would hide. Calls that cannot be made together
    (one does not end, ends the process, or returns what is no plain value) are each made in a process of their own.
    ``limits.cpu_s`` is of one call; once all together have used ``limits.batch_cpu_s``, the rest are timeouts. Once
    their outputs take half a billion characters, the rest are not called and count as unreadable.
    """
    together = f"{program.rstrip()}\n{_SERIES.format(entry_point=entry_point)}"
    few = msgspec.structs.replace(limits, output_mb=min(limits.output_mb, _OUTPUT_MB))
    series = _Series(limits)
    for start in range(0, len(inputs), _TOGETHER):
        part = inputs[start : start + _TOGETHER]
        if series.over(len(part)):
            continue
        (whole,) = call_python(together, _ENTRY, [f"[[{', '.join(part)}]]"], few)
        found = list(_told(whole)) if whole.ended is Ended.RETURNED else []
        series.left -= whole.cpu_s
        if len(found) == len(part):
            series.add(found)
            continue
        if whole.ended is Ended.UNLOADED:
            return [whole] * len(inputs)
        for first in range(0, len(part), _ALONE):
            some = part[first : first + _ALONE]
            if not series.over(len(some)):
                each = msgspec.structs.replace(limits, batch_cpu_s=series.left)
                found = call_python(program, entry_point, some, each)
                series.left -= sum(call.cpu_s for call in found)
                series.add(found)
    return series.results


class _Series:
    """What has been found of a series, and what is left for the rest."""

    def __init__(self, limits: Limits) -> None:
        self.results: list[CallResult] = []
        self.left = self._whole = limits.batch_cpu_s
        """CPU seconds."""
        self._room = _ROOM

    def add(self, found: Sequence[CallResult]) -> None:
        """The next calls have been made."""
        self._room -= sum(len(call.value or "") for call in found)
        self.results += found

    def over(self, count: int) -> bool:
        """Whether nothing is left for the next calls, which are so many: they are then not made."""
        if self.left <= 0:
            said = f"not called: the calls before used up {self._whole:g} s of CPU time"
            self.results += [CallResult(ended=Ended.TIMEOUT, message=said)] * count
        elif self._room <= 0:
            said = f"not called: the calls before returned {_ROOM >> 20} million characters"
            self.results += [CallResult(ended=Ended.UNREADABLE, message=said)] * count
        return self.left <= 0 or self._room <= 0


def _told(whole: CallResult) -> Iterator[CallResult]:
    """The calls in what a series returned; none, or fewer, where that is not as it was made."""
    rows = read(whole.value or "")
    for row in rows if isinstance(rows, list) else ():
        match row:
            case (0, value):
                yield CallResult(ended=Ended.RETURNED, value=write(value))
            case (1, str(name), bool(refusal), None | str() as text):
                yield CallResult(
                    ended=Ended.RAISED, exception=name, assertion=refusal, message=text
                )
            case _:
                return
