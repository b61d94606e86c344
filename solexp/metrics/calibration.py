"""Whether the oracles said of labelled answers what was known beforehand."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import msgspec

from solexp.core import Generation, Outcome, Task, Verdict


class Calibration(msgspec.Struct, frozen=True, kw_only=True):
    """Labelled answers of a calibration model, and what became of them. Counts are of candidates."""

    right: int
    """References and equivalent mutants that were decided."""
    false_alarms: int
    """... of which did not pass."""
    wrong: int
    """Mutants that the recorded calls show to be wrong, and that were decided."""
    caught: int
    """... of which did not pass."""
    hidden: int
    """Wrong mutants that the recorded calls cannot show."""
    unknown: int = 0
    """Mutants without a label that were decided: nobody knows whether they do what the reference does."""
    unknown_caught: int = 0
    """... of which did not pass."""

    def told(self) -> str:
        """One line for a person."""
        alarms = f"{self.false_alarms} false alarms on {self.right} right"
        if self.wrong or not self.unknown:
            alarms = f"{self.caught} of {self.wrong} wrong answers caught, {alarms} ones"
        else:
            alarms += " answers"
        return f"calibration: {alarms}" + "".join(
            (
                f"; {self.hidden} wrong in ways that no recorded call shows" if self.hidden else "",
                f"; {self.unknown_caught} of {self.unknown} mutants that are wrong or equivalent do not pass"
                if self.unknown
                else "",
            )
        )


def calibrate(
    tasks: Iterable[Task],
    generations: Iterable[Generation],
    verdicts: Sequence[Verdict],
    oracles: Mapping[str, bool],
) -> Calibration | None:
    """Compare verdicts with labels; None when no answer is labelled. ``oracles`` tells by name which decide."""
    labels = {task.id: task.mutant_labels for task in tasks}
    rows: dict[tuple[str, str, int, int, int], list[Outcome]] = {}
    for row in verdicts:
        if oracles.get(row.oracle):
            place = (row.task_id, row.batch, row.repeat, row.index, row.round)
            rows.setdefault(place, []).append(row.outcome)
    right = false_alarms = wrong = caught = hidden = unknown = unknown_caught = 0
    for each in generations:
        name = each.completion.label
        outcomes = rows.get((each.task_id, each.batch, each.repeat, each.index, each.round), [])
        if name is None or not outcomes or not all(outcome.decided for outcome in outcomes):
            continue
        label = "equivalent" if name == "reference" else labels.get(each.task_id, {}).get(name)
        passed = all(outcome is Outcome.PASS for outcome in outcomes)
        if label == "equivalent":
            right += 1
            false_alarms += not passed
        elif label == "shown":
            wrong += 1
            caught += not passed
        elif label == "hidden":
            hidden += 1
        else:
            unknown += 1
            unknown_caught += not passed
    if not right + wrong + hidden:
        return None
    return Calibration(
        right=right,
        false_alarms=false_alarms,
        wrong=wrong,
        caught=caught,
        hidden=hidden,
        unknown=unknown,
        unknown_caught=unknown_caught,
    )
