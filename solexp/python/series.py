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
_ENTRY = "_solexp_series"

_SERIES = """
_solexp_function = {entry_point}

def _solexp_series(inputs):
    from copy import deepcopy
    try:
        assert False
    except BaseException as error:
        refusal = type(error)
    said = []
    for arguments in inputs:
        try:
            value = _solexp_function(*arguments)
        except BaseException as error:
            name = type(error).__name__
            text = error.args[0] if error.args and type(error.args[0]) is str else None
            said.append((1, name[:200], isinstance(error, refusal), text and text[:200]))
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

    A function that keeps something between calls finds it again in the next one. Calls that cannot be made together
    (one does not end, ends the process, or returns what is no plain value) are each made in a process of their own.
    ``limits.cpu_s`` is of one call; once all together have used ``limits.batch_cpu_s``, the rest are timeouts.
    """
    together = f"{program.rstrip()}\n{_SERIES.format(entry_point=entry_point)}"
    few = msgspec.structs.replace(limits, output_mb=min(limits.output_mb, _OUTPUT_MB))
    results: list[CallResult] = []
    spent = 0.0
    for start in range(0, len(inputs), _TOGETHER):
        part = inputs[start : start + _TOGETHER]
        left = limits.batch_cpu_s - spent
        if left <= 0:
            said = f"not called: the calls before used up {limits.batch_cpu_s:g} s of CPU time"
            results += [CallResult(ended=Ended.TIMEOUT, message=said)] * len(part)
            continue
        (whole,) = call_python(together, _ENTRY, [f"[[{', '.join(part)}]]"], few)
        found = list(_told(whole)) if whole.ended is Ended.RETURNED else []
        spent += whole.cpu_s
        if len(found) != len(part):
            if whole.ended is Ended.UNLOADED:
                return [whole] * len(inputs)
            each = msgspec.structs.replace(limits, batch_cpu_s=left)
            found = call_python(program, entry_point, part, each)
            spent += sum(call.cpu_s for call in found)
        results += found
    return results


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
