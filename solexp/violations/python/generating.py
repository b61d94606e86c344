"""The door: a contract in, one answer for each combination of violated assertions out."""

from __future__ import annotations

import time

import msgspec

from solexp.core.preconditions import Preconditions
from solexp.violations.cvts import combinations
from solexp.violations.python.answers import Combination, Generated, Settings, Status
from solexp.violations.python.searching import Level
from solexp.violations.python.terms import fresh_pool


def generate(pre: Preconditions, settings: Settings | None = None) -> Generated:
    """For every combination of violated and satisfied assertions up to ``settings.models`` distinct inputs.

    Violated are only those that the description asks for, where that was judged. The same contract, inputs and
    settings give the same answer on any machine.
    """
    settings = settings or Settings()
    started = time.process_time()
    free = pre.violable
    open_combinations = [
        tuple(free[place] for place in places)
        for places in combinations(len(free), settings.exhaustive_to)
    ]
    answers: dict[tuple[int, ...], Combination] = {}
    unsupported: dict[int, str] = {}
    spent = 0
    for number in range(settings.levels):
        with fresh_pool() as pool:
            level = Level(pre, settings, number, pool)
            if number and level.translation.too_large:
                break
            if number == 0:
                unsupported = level.unsupported()
            last = number == settings.levels - 1 or bool(unsupported)
            for violated in open_combinations:
                if spent + level.solver.used > settings.task_budget:
                    answers.setdefault(violated, _out_of_budget(violated))
                    continue
                found = level.ask(violated)
                if found.status is Status.UNSAT and unsupported:
                    # An input may be hidden where something is not expressed.
                    reason = "; ".join(dict.fromkeys(unsupported.values()))
                    found = msgspec.structs.replace(found, status=Status.UNSUPPORTED, reason=reason)
                answers[violated] = found
            spent += level.solver.used
        open_combinations = [
            violated for violated in open_combinations if answers[violated].status is not Status.SAT
        ]
        if not open_combinations or last:
            break
    return Generated(
        combinations=tuple(answers.values()),
        unsupported=unsupported,
        cpu_s=round(time.process_time() - started, 6),
    )


def _out_of_budget(violated: tuple[int, ...]) -> Combination:
    reason = "the task's budget is used up"
    return Combination(violated=violated, status=Status.TIMEOUT, reason=reason)
