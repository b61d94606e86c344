"""Whether the oracles said of labelled answers what was known beforehand."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import msgspec

from solexp.core import Generation, Outcome, Task, Verdict
from solexp.metrics.estimators import wilson

REFERENCE = "reference"
"""The label of an answer that is the reference itself."""
UNSAID = "unsaid"
"""The fault, or the kind, of a mutant of which nobody has said it."""
COMPILE = "compile"
"""The one oracle whose pass says nothing of what a candidate does."""

Place = tuple[str, str, int, int, int]
"""Task, batch, repeat, index and round."""


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
    not_drawn: int = 0
    """Labelled mutants that no sample was, where every one was asked for."""

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
                f"; {self.not_drawn} labelled mutants were not drawn: raise the sampling's n"
                if self.not_drawn
                else "",
            )
        )


def calibrate(
    tasks: Iterable[Task],
    generations: Iterable[Generation],
    verdicts: Sequence[Verdict],
    oracles: Mapping[str, bool],
    *,
    each: bool = False,
) -> Calibration | None:
    """Compare verdicts with labels; None when no answer is labelled. ``oracles`` tells by name which decide.

    ``each``: every labelled mutant was asked for, so that those not drawn are counted.
    """
    tasks = list(tasks)
    labels = {task.id: task.mutant_labels for task in tasks}
    rows: dict[Place, list[Outcome]] = {}
    drawn: set[tuple[str, str]] = set()
    for row in verdicts:
        if oracles.get(row.oracle):
            rows.setdefault(_place(row), []).append(row.outcome)
    right = false_alarms = wrong = caught = hidden = unknown = unknown_caught = 0
    for answer in generations:
        name = answer.completion.label
        outcomes = rows.get(_place(answer), [])
        if name is not None:
            drawn.add((answer.task_id, name))
        if name is None or not outcomes or not all(outcome.decided for outcome in outcomes):
            continue
        label = "equivalent" if name == REFERENCE else labels.get(answer.task_id, {}).get(name)
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
        not_drawn=len(_labelled(tasks) - drawn) if each else 0,
    )


def _place(row: Generation | Verdict) -> Place:
    return row.task_id, row.batch, row.repeat, row.index, row.round


def _labelled(tasks: Iterable[Task]) -> set[tuple[str, str]]:
    """(task, mutant) of every mutant with a label."""
    return {(task.id, name) for task in tasks for name in task.mutant_labels}


class Caught(msgspec.Struct, frozen=True, kw_only=True):
    """How many of some candidates an oracle flags, that is, does not pass."""

    caught: int
    n: int
    """Of so many."""
    open: int = 0
    """Of which the oracle said nothing: ``vacuous``, ``undecidable`` or ``harness_error``. Among wrong candidates they
    are in ``n``, since nothing was caught; among right ones they are not, since no alarm could come."""
    lo: float | None = None
    hi: float | None = None
    """Wilson's 95 % interval of ``caught / n``; None where n is 0."""


class OracleRecall(msgspec.Struct, frozen=True, kw_only=True):
    """What one oracle, or several together, said of labelled answers. Each mutant of a task counts once."""

    wrong: Caught
    """Mutants that do not do what the reference does."""
    faults: dict[str, Caught]
    """The same by fault."""
    shown: Caught
    """The same, of those that the recorded calls show."""
    hidden: Caught
    """The same, of those that the recorded calls cannot show."""
    equivalent: Caught
    """Mutants that do what the reference does: all caught are false alarms."""
    kinds: dict[str, Caught]
    """The same by how they differ."""
    references: Caught
    """References, one a task: all caught are false alarms."""
    missed: tuple[str, ...]
    """Wrong mutants that are not caught, as ``TASK/MUTANT``."""
    false_alarms: tuple[str, ...]
    """Equivalent mutants and references that are."""


class Case(msgspec.Struct, frozen=True, kw_only=True):
    """A labelled answer to explain: missed by all, or a false alarm of some."""

    name: str
    """``TASK/MUTANT``."""
    about: str
    """Its fault, or how it differs from the reference."""
    said: dict[str, Outcome]
    """By oracle."""


class OracleCalibration(msgspec.Struct, frozen=True, kw_only=True):
    """Which oracle catches what. Counts are of (task, mutant), each once."""

    oracles: dict[str, OracleRecall]
    """Each oracle by itself, those that decide nothing, too."""
    together: OracleRecall
    """All that decide: caught is what one of them catches."""
    missed: tuple[Case, ...]
    """Wrong mutants that they miss together."""
    false_alarms: tuple[Case, ...]
    """Right answers that an oracle flags, whether it decides or not."""
    unlabelled: int = 0
    """Mutants of which nothing is known; in no other count."""
    not_drawn: tuple[str, ...] = ()
    """Labelled mutants that no sample was."""


class _Answer(msgspec.Struct, frozen=True, kw_only=True):
    """A labelled answer and what each oracle said of it."""

    name: str
    label: str
    about: str
    said: dict[str, Outcome]


def calibrate_oracles(
    tasks: Iterable[Task],
    generations: Iterable[Generation],
    verdicts: Iterable[Verdict],
    oracles: Mapping[str, bool],
) -> OracleCalibration | None:
    """Recall by fault and false alarms of each oracle and of all together; None when no answer is labelled.

    ``oracles`` tells by name which decide; ``together`` are those, or all where none does. Where several samples of a
    task are the same mutant, the first that an oracle decided counts for it.
    """
    posed = {task.id: task for task in tasks}
    rows: dict[Place, dict[str, Outcome]] = {}
    for row in verdicts:
        rows.setdefault(_place(row), {})[row.oracle] = row.outcome
    said: dict[tuple[str, str], dict[str, Outcome]] = {}
    for generation in sorted(generations, key=_place):
        name = generation.completion.label
        if name is not None and generation.task_id in posed:
            known = said.setdefault((generation.task_id, name), {})
            for oracle, outcome in rows.get(_place(generation), {}).items():
                if oracle not in known or (outcome.decided and not known[oracle].decided):
                    known[oracle] = outcome
    answers, unlabelled = [], 0
    for (task_id, name), outcomes in sorted(said.items()):
        task = posed[task_id]
        label = REFERENCE if name == REFERENCE else task.mutant_labels.get(name)
        if label is None:
            unlabelled += 1
        elif outcomes:
            about = REFERENCE if name == REFERENCE else (task.mutant_faults or {}).get(name, UNSAID)
            answers.append(
                _Answer(name=f"{task_id}/{name}", label=label, about=about, said=outcomes)
            )
    if not answers:
        return None
    deciding = [name for name, decides in oracles.items() if decides] or list(oracles)
    missed, _ = _wrongly_seen(answers, deciding)
    alarms = {each.name for name in oracles for each in _wrongly_seen(answers, [name])[1]}
    return OracleCalibration(
        oracles={name: _recall(answers, [name]) for name in oracles},
        together=_recall(answers, deciding),
        missed=tuple(map(_case, missed)),
        false_alarms=tuple(_case(each) for each in answers if each.name in alarms),
        unlabelled=unlabelled,
        not_drawn=tuple("/".join(each) for each in sorted(_labelled(posed.values()) - said.keys())),
    )


def _case(answer: _Answer) -> Case:
    return Case(name=answer.name, about=answer.about, said=answer.said)


def _flagged(answer: _Answer, oracles: Sequence[str]) -> bool | None:
    """Whether one of the oracles does not pass the answer; None where none of them decided anything."""
    outcomes = {name: answer.said[name] for name in oracles if name in answer.said}
    if any(each.decided and each is not Outcome.PASS for each in outcomes.values()):
        return True
    telling = [each for name, each in outcomes.items() if name != COMPILE or len(oracles) == 1]
    return False if any(each.decided for each in telling) else None


def _wrongly_seen(
    answers: Iterable[_Answer], oracles: Sequence[str]
) -> tuple[list[_Answer], list[_Answer]]:
    """Wrong answers that the oracles together do not flag, and right ones that they do."""
    missed, alarms = [], []
    for each in answers:
        flagged = _flagged(each, oracles)
        if each.label in ("shown", "hidden"):
            missed += [] if flagged else [each]
        else:
            alarms += [each] if flagged else []
    return missed, alarms


def _recall(answers: Sequence[_Answer], oracles: Sequence[str]) -> OracleRecall:
    wrong = [each for each in answers if each.label in ("shown", "hidden")]
    equivalent = [each for each in answers if each.label == "equivalent"]
    missed, alarms = _wrongly_seen(answers, oracles)

    def counted(rows: Iterable[_Answer], are_wrong: bool) -> Caught:
        return _caught([_flagged(each, oracles) for each in rows], are_wrong)

    def parts(rows: Sequence[_Answer], are_wrong: bool) -> dict[str, Caught]:
        return {
            name: counted([each for each in rows if each.about == name], are_wrong)
            for name in sorted({each.about for each in rows})
        }

    return OracleRecall(
        wrong=counted(wrong, True),
        faults=parts(wrong, True),
        shown=counted([each for each in wrong if each.label == "shown"], True),
        hidden=counted([each for each in wrong if each.label == "hidden"], True),
        equivalent=counted(equivalent, False),
        kinds=parts(equivalent, False),
        references=counted([each for each in answers if each.label == REFERENCE], False),
        missed=tuple(each.name for each in missed),
        false_alarms=tuple(each.name for each in alarms),
    )


def _caught(flags: Sequence[bool | None], are_wrong: bool) -> Caught:
    undecided = flags.count(None)
    n = len(flags) if are_wrong else len(flags) - undecided
    caught = flags.count(True)
    lo, hi = wilson(caught, n) if n else (None, None)
    return Caught(caught=caught, n=n, open=undecided, lo=lo, hi=hi)
