"""Models by trial, where Z3 gives up: one parameter after the other is set to what satisfies most of a formula."""

from __future__ import annotations

import random
from collections.abc import Sequence

from solexp.violations.solidity.attempts import Known, Model
from solexp.violations.solidity.evaluation import evaluate
from solexp.violations.solidity.recording import Parameter
from solexp.violations.solidity.terms import BOOL, Term, nodes

MOST_TRIES = 320
VALUES_EACH = 14
_NUMBERS = (1, 0, 2, 3, 10, 100, 1000, 10**6, 10**18)


def climb(known: Known, formula: Term, avoided: Sequence[Model], seed: int) -> Model | None:
    """A model of a formula other than those ``avoided``, or None where this way finds none. Reproducible."""
    chosen = random.Random(seed)
    parts = formula.args if formula.op == "and" else (formula,)
    names = {str(t.data) for t in _variables(formula)}
    parameters = [p for p in known.parameters.values() if p.name in names]
    pools = {p.name: _pool(known, p) for p in parameters}
    tries = 0
    while tries < MOST_TRIES and parameters:
        model = {name: chosen.choice(pool[:4]) for name, pool in pools.items()}
        best = _score(known, parts, model)
        better = True
        while better and tries < MOST_TRIES:
            better = False
            for parameter in chosen.sample(parameters, len(parameters)):
                for value in pools[parameter.name]:
                    if best == len(parts):
                        break
                    tries += 1
                    changed = {**model, parameter.name: value}
                    score = _score(known, parts, changed)
                    if score > best:
                        model, best, better = changed, score, True
            if best == len(parts) and model not in avoided:
                return model
    return None


def _variables(formula: Term) -> list[Term]:
    return [term for term in nodes([formula]) if term.op == "var"]


def _score(known: Known, parts: Sequence[Term], model: Model) -> int:
    return sum(evaluate(parts, model, known.tables.value))


def _pool(known: Known, parameter: Parameter) -> list[int]:
    """Values worth trying for a parameter."""
    state = known.state
    match parameter.role:
        case "sender" | "address":
            return known.tables.pool(160)[:VALUES_EACH]
        case "bool" | "dirty":
            return [0, 1]
        case "time":
            return [state.timestamp + after for after in (12, 0, 86400, 365 * 86400)]
        case "number":
            return [state.block_number + after for after in (1, 0, 7200)]
    values = [*_NUMBERS, *known.tables.pool(parameter.width)]
    most = parameter.limit or 1 << max(1, parameter.width)
    assert parameter.width != BOOL
    return [value for value in dict.fromkeys(values) if value < most][:VALUES_EACH]
