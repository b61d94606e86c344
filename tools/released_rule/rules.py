"""The released rule and its faults, each alone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence

from solexp.core import Outcome
from tools.released_rule.judging import Row

Rule = Callable[[Row, Row], Sequence[bool]]
"""Which candidates of a task pass; the second row is of the last task that shares its patch file."""


def ours(row: Row, _: Row) -> list[bool]:
    return [each.ours is Outcome.PASS for each in row.judged]


def overloads(row: Row, last: Row) -> list[bool]:
    """Tasks of one name in one file have one patch file: the last one's candidate is judged."""
    return [
        last.judged[index % len(last.judged)].ours is Outcome.PASS
        for index in range(len(row.judged))
    ]


def unreached(row: Row, _: Row) -> list[bool]:
    """A function that no test reaches or can tell is judged all the same."""
    return ours(row, row) if row.decidable else [each.whole for each in row.judged]


def whole_file(row: Row, _: Row) -> list[bool]:
    """All tests of the file decide."""
    return [each.whole and row.decidable for each in row.judged]


def sticky(row: Row, _: Row) -> list[bool]:
    """What has passed once passes from there on."""
    return _stuck(ours(row, row))


def released(row: Row, last: Row) -> list[bool]:
    """All four at once."""
    return _stuck([last.judged[index % len(last.judged)].whole for index in range(len(row.judged))])


def _stuck(passed: Sequence[bool]) -> list[bool]:
    return [any(passed[: index + 1]) for index in range(len(passed))]


RULES: Mapping[str, Rule] = {
    "another overload's candidate is judged": overloads,
    "functions that no test reaches count": unreached,
    "the whole test file decides": whole_file,
    "a pass sticks to the samples after it": sticky,
    "all four": released,
}


def table(rows: Mapping[str, Row], last: Mapping[str, str], chosen: Sequence[str]) -> Iterator[str]:
    """The table, as Markdown."""
    yield "| rule | passes | verdicts changed | to a pass | to no pass |"
    yield "|---|---|---|---|---|"
    pairs = [(rows[name], rows[last[name]]) for name in chosen]
    base = [each for row, other in pairs for each in ours(row, other)]
    yield f"| ours | {sum(base)} of {len(base)} | | | |"
    for name, rule in RULES.items():
        found = [each for row, other in pairs for each in rule(row, other)]
        changes = Counter(zip(base, found, strict=True))
        up, down = changes[False, True], changes[True, False]
        yield f"| {name} | {sum(found)} | {up + down} | {up} | {down} |"
