"""What a prompt for a Python function can show beside its description: calls to refuse, and wrong outputs."""

from __future__ import annotations

from solexp.core import Task
from solexp.python.expected import expected, preconditions_of
from solexp.python.literals import read, write
from solexp.python.matching import rule_of, tolerances
from solexp.python.wording import call_of
from solexp.python.wrong import wrong
from solexp.violations.known import Source, known
from solexp.violations.shown import shown

_LONGEST = 300
"""Characters of a call or an output that a prompt shows, at most."""


def violating_calls(task: Task, source: Source) -> tuple[str, ...]:
    """A call for each assertion of which there is a test that violates it. Raises as `known` does."""
    given = preconditions_of(task)
    chosen = shown(len(given.assertions), known(task, source).cvts)
    return tuple(call_of(given.entry_point, cvt.args) for cvt in chosen if cvt is not None)


def wrong_outputs(task: Task, count: int) -> tuple[tuple[str, str], ...]:
    """Up to ``count`` valid calls, each with an output that it does not have."""
    given = preconditions_of(task)
    rule = rule_of(task.id, given.entry_point)
    answers = expected(task).base
    values = [read(answer.value) for answer in answers]
    found = []
    for answer, value, atol in zip(answers, values, tolerances(values, given.atol), strict=True):
        arguments = read(answer.args)
        assert isinstance(arguments, list | tuple)
        try:
            output = write(wrong(value, arguments, rule=rule, atol=atol))
        except ValueError:
            continue
        call = call_of(given.entry_point, answer.args)
        if len(call) + len(output) <= _LONGEST:
            found.append((call, output))
        if len(found) == count:
            break
    return tuple(found)
