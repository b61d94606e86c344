"""Each assertion as formulas: when it fails, when it holds, and when neither can be told.

An assertion stands alone: the helper statements before it are executed, the other assertions are left out. It is
violated where it is evaluated without an exception, to false; it is satisfied where every evaluation gives true.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from solexp.core.preconditions import Preconditions
from solexp.python.contracts import standing_alone
from solexp.violations.python.evaluation import Limits
from solexp.violations.python.inputs import Node, Shape, all_well_formed
from solexp.violations.python.logic import and_, not_, or_
from solexp.violations.python.paths import Exit
from solexp.violations.python.statements import Program
from solexp.violations.python.terms import POOL, Bool, TooLarge

TERMS = 40_000
"""New terms that one assertion may come to."""
TOO_LARGE = "too many alternatives"


class Formulas(msgspec.Struct, frozen=True):
    """One assertion. The conditions are over the inputs' variables."""

    violated: Bool
    satisfied: Bool
    refused: Bool
    """Where something that cannot be expressed is met."""
    constructs: tuple[str, ...]
    """What that is."""
    beyond: Bool = False
    """Where evaluating would leave the bounds."""


class Translation(msgspec.Struct, frozen=True):
    """A contract, translated within one shape."""

    roots: tuple[Node, ...]
    """The parameters."""
    formulas: tuple[Formulas, ...]
    well_formed: tuple[Bool, ...]

    @property
    def too_large(self) -> bool:
        """Whether the shape has too many alternatives for an assertion."""
        return any(TOO_LARGE in each.constructs for each in self.formulas)


def translate(
    pre: Preconditions, shape: Shape, seeds: Sequence[Sequence[object]], most: int = 10 * TERMS
) -> Translation:
    """The contract's assertions over inputs of a shape, in about ``most`` terms or marked as too large.

    Within a pool of terms.
    """
    roots = tuple(
        Node(name, shape, shape.bounds.depth, [seed[n] for seed in seeds])
        for n, name in enumerate(pre.parameters)
    )
    names = {name: root.value for name, root in zip(pre.parameters, roots, strict=True)}
    pool = POOL.get()
    most += len(pool.known)
    formulas = []
    for number in range(len(pre.assertions)):
        pool.limit = min(len(pool.known) + TERMS, most)
        formulas.append(_formulas(pre, number, names))
        if formulas[-1].constructs == (TOO_LARGE,):
            # There is no use in the others then, but to say what of them is not expressed.
            most = len(pool.known) + TERMS
    pool.limit = None
    return Translation(roots, tuple(formulas), tuple(all_well_formed(roots)))


def _formulas(pre: Preconditions, number: int, names: dict[str, object]) -> Formulas:
    statements, kept = standing_alone(pre.statements, pre.assertions, number)
    program = Program(Limits(), names, kept)
    try:
        exits = program.run(statements)
        return _known(program, exits)
    except (TooLarge, RecursionError):
        return Formulas(False, False, True, (TOO_LARGE,))


def _known(program: Program, exits: list[Exit]) -> Formulas:
    """What has come out of a program."""
    trouble = program.trouble
    refused = or_(*(guard for guard, _ in trouble.refused))
    beyond = or_(*(guard for guard, _ in trouble.beyond))
    known = and_(not_(refused), not_(beyond))
    fails = or_(*(each.guard for each in exits if each.asserted))
    constructs = tuple(dict.fromkeys(what for _, what in trouble.refused))
    return Formulas(
        violated=and_(fails, known),
        satisfied=and_(program.path, known),
        refused=refused,
        constructs=constructs,
        beyond=beyond,
    )
