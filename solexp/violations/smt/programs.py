"""From a model's translation of a contract to tests: the program is put together, and solved for each combination."""

from __future__ import annotations

import atexit
import functools
import re
from collections.abc import Sequence

import msgspec

from solexp.core.preconditions import Preconditions
from solexp.violations.cvts import Asked, Cvt, CvtSet, NotRead, Translation, combinations
from solexp.violations.forking import Done, Server
from solexp.violations.smt.commands import DEFINITIONS, only

MODELS = 5
"""Distinct inputs for a combination, at most."""
EXHAUSTIVE_TO = 8
"""Assertions up to which all combinations are solved for."""

_SORT = """(declare-datatypes ((Value 0)) ((
  (IntVal (ival Int)) (FloatVal (fval Real)) (StrVal (sval String)) (BoolVal (bval Bool))
  (Nil) (Cons (head Value) (tail Value)))))"""
"""Python values as the paper's programs have them."""

_INPUT = re.compile(r"\(\s*declare-(?:const|fun)\s+(\|[^|]*\||[^\s()]+)")
_PREDICATE = re.compile(r"\(\s*define-fun(?:-rec)?\s+(\|[^|]*\||[^\s()]+)\s+\(\s*\)\s+Bool\b")


def program(translation: Translation, pre: Preconditions) -> str:
    """The program without what is asserted of a combination: predicates ``C0``, ``C1``, … over the inputs.

    Raises NotRead for a translation that misses a part, or holds commands that do more than define.
    """
    for number in range(len(pre.assertions)):
        if number not in translation.contract_defs:
            raise NotRead(f"assertion {number} is not translated")
    declared = {name.strip("|") for name in _INPUT.findall(translation.inputs)}
    for name in pre.parameters:
        if name not in declared:
            raise NotRead(f"the parameter {name} is not declared")
    parts = [
        _SORT,
        only(translation.helper_functions, DEFINITIONS, "helper_functions"),
        only(translation.inputs, DEFINITIONS, "inputs"),
        only(translation.basic_structure, DEFINITIONS | {"assert"}, "basic_structure"),
    ]
    for number, text in translation.contract_defs.items():
        parts.append(only(text, DEFINITIONS | {"assert"}, f"assertion {number}"))
        if f"C{number}" not in {name.strip("|") for name in _PREDICATE.findall(text)}:
            raise NotRead(f"assertion {number} defines no predicate C{number}")
    return "\n".join(part for part in parts if part)


def solve(
    translation: Translation, pre: Preconditions, *, seconds: float, memory_mb: int = 2048
) -> CvtSet:
    """The tests that a translation gives; one that cannot be put together has none, and says why.

    ``seconds`` are of CPU time, and ``memory_mb`` MiB, for each combination. Raises HarnessError when no solver can be
    started.
    """
    count = len(pre.assertions)
    try:
        text = program(translation, pre)
    except NotRead as error:
        return CvtSet(unsupported=dict.fromkeys(range(count), str(error)))
    cvts: list[Cvt] = []
    asked: list[Asked] = []
    unreadable: list[str] = []
    for violated in combinations(count, EXHAUSTIVE_TO):
        claims = [
            f"(assert (not C{n}))" if n in violated else f"(assert C{n})" for n in range(count)
        ]
        job = {
            "program": "\n".join([text, *claims]),
            "inputs": pre.parameters,
            "models": MODELS,
        }
        done = _solver().ask(job, seconds=seconds, memory_mb=memory_mb)
        answers = [msgspec.json.decode(line, type=_Answer) for line in done.lines]
        if answers and answers[0].status == "error":
            said = f"Z3 refuses it: {answers[0].reason}"
            return CvtSet(unsupported=dict.fromkeys(range(count), said))
        asked.append(_asked(violated, answers, done))
        for model in (each.model for each in answers if each.model is not None):
            if model.args is None:
                unreadable.append(f"a model for {list(violated)}: {model.reason}")
            else:
                cvts.append(Cvt(violated=violated, args=model.args))
    return CvtSet(cvts=tuple(cvts), asked=tuple(asked), unreadable=tuple(unreadable))


class _Model(msgspec.Struct, frozen=True, kw_only=True):
    """As `solexp.violations.smt.solving` has it, which loads Z3."""

    args: str | None = None
    reason: str = ""


class _Answer(msgspec.Struct, frozen=True, kw_only=True):
    status: str
    model: _Model | None = None
    reason: str = ""


def _asked(violated: tuple[int, ...], answers: Sequence[_Answer], done: Done) -> Asked:
    """What is said of one combination; models that were found before the time was up count."""
    if answers:
        return Asked(violated=violated, status=answers[0].status, reason=answers[0].reason)
    if done.ended == "timeout":
        return Asked(violated=violated, status="timeout", reason="its CPU time was used up")
    return Asked(violated=violated, status="unknown", reason=f"the solver ended {done.ended}")


@functools.cache
def _solver() -> Server:
    """This process's solver, kept from one program to the next. Raises HarnessError when it cannot be started."""
    solver = Server("solexp.violations.smt.solving")
    atexit.register(solver.close)
    return solver
