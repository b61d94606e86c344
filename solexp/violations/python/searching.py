"""The search for inputs: one query a combination, then as many distinct models as are wanted.

A combination without an input is asked again within larger bounds. What cannot hold together (an unsatisfiable core)
answers every later combination that contains it.
"""

from __future__ import annotations

from collections.abc import Sequence

from solexp.core.preconditions import Preconditions
from solexp.python.literals import write
from solexp.violations.python.answers import Combination, Settings, Status
from solexp.violations.python.inputs import Bounds
from solexp.violations.python.logic import and_, not_, or_
from solexp.violations.python.preferring import VARIED, Preference, differs, preferences
from solexp.violations.python.reading import MISSING, Collision, Reader
from solexp.violations.python.seeds import kind_of, seeds_of, shape_of, smaller
from solexp.violations.python.solving import Reply, Solver
from solexp.violations.python.terms import Bool, Pool, bool_var
from solexp.violations.python.translating import TERMS, Translation, translate


class Level:
    """One translation and its solver: a contract within one set of bounds."""

    def __init__(self, pre: Preconditions, settings: Settings, level: int, pool: Pool) -> None:
        self._settings = settings
        self.seeds = seeds_of(pre, settings.models)
        wanted = shape_of(pre, self.seeds, settings, level)
        shapes = (wanted, smaller(wanted, 3), smaller(wanted, 2)) if level == 0 else (wanted,)
        for shape in shapes:
            most = 10 * TERMS if level == 0 else 2 * TERMS
            self.translation: Translation = translate(pre, shape, self.seeds, most)
            self.bounds: Bounds = shape.bounds
            if not self.translation.too_large:
                break
        self.solver = Solver(
            pool, budget=settings.query_budget, backstop_s=settings.backstop_s, seed=settings.seed
        )
        for formula in self.translation.well_formed:
            self.solver.add(formula)
        self._choices = [
            tuple(
                self._named(f"{name}{n}", term)
                for name, term in (("violates", f.violated), ("satisfies", f.satisfied))
            )
            for n, f in enumerate(self.translation.formulas)
        ]
        self._wishes: dict[int, list[Preference]] = {}
        self._unseeded = [MISSING] * len(self.translation.roots)
        self._hopeless: list[frozenset[tuple[int, bool]]] = []

    def _named(self, name: str, term: Bool) -> Bool:
        if isinstance(term, bool):
            return term
        found = bool_var(name)
        self.solver.add(or_(not_(found), term))
        return found

    def unsupported(self) -> dict[int, str]:
        """By number: assertions that can meet a construct which is not expressed."""
        found = {}
        for number, formulas in enumerate(self.translation.formulas):
            if formulas.refused is False:
                continue
            if self.solver.check([formulas.refused]).reply is not Reply.UNSAT:
                found[number] = f"Unsupported: {', '.join(formulas.constructs)}"
        return found

    def assumptions(self, violated: Sequence[int]) -> list[Bool]:
        return [self._choices[n][n not in violated] for n in range(len(self._choices))]

    def ask(self, violated: tuple[int, ...]) -> Combination:
        """The combination's answer within these bounds."""
        signs = frozenset((n, n in violated) for n in range(len(self._choices)))
        before, asked = self.solver.cpu_s, self.solver.queries
        models: tuple[str, ...] = ()
        if any(core <= signs for core in self._hopeless):
            status, reason = Status.UNSAT, ""
        else:
            given = self.assumptions(violated)
            answer = self.solver.check(given)
            reason = answer.reason
            status = Status.SAT
            if answer.reply is Reply.UNSAT:
                status = Status.UNSAT
                self._hopeless.append(frozenset((n, n in violated) for n in answer.core))
            elif answer.reply is not Reply.SAT:
                status = Status.TIMEOUT if answer.reply is Reply.BUDGET else Status.UNKNOWN
            else:
                models = tuple(self._models(given))
        if status is Status.UNSAT:
            reason = "no input within the bounds"
        return Combination(
            violated=violated,
            status=status,
            reason=reason,
            bounds=self.bounds.tuple(),
            seconds=round(self.solver.cpu_s - before, 6),
            queries=self.solver.queries - asked,
            models=models,
        )

    # Models

    def _models(self, given: list[Bool]) -> list[str]:
        found: list[str] = []
        blocked: list[Bool] = []
        varied: list[Bool] = []
        seeds = self.seeds or [self._unseeded]
        tries = 0
        while len(found) < self._settings.models and tries < 2 * self._settings.models:
            seed = seeds[tries % len(seeds)]
            if not self._nearest(given + blocked, varied, seed, tries):
                break
            tries += 1
            reader = Reader(self.solver)
            try:
                values = [
                    reader.read(root, hint)
                    for root, hint in zip(self.translation.roots, seed, strict=True)
                ]
            except Collision:
                values = None
            if values is None:
                continue
            text = write(values)
            if text not in found:
                found.append(text)
            roots = self.translation.roots
            blocked.append(
                or_(*(differs(root, value) for root, value in zip(roots, values, strict=True)))
            )
            varied.append(self._other_kinds(values, seed))
        return found

    def _other_kinds(self, values: Sequence[object], seed: Sequence[object]) -> Bool:
        """Whether what is of another kind than the seed's is of yet another kind."""
        pairs = []
        for root, value, hint in zip(self.translation.roots, values, seed, strict=True):
            kind = kind_of(value)
            if kind != kind_of(hint) and kind in root.kinds:
                pairs.append(root.is_kind(kind))
        return not_(and_(*pairs)) if pairs else True

    def _wishes_for(self, seed: Sequence[object]) -> list[Preference]:
        """What makes an input like the seed."""
        known = self._wishes.get(id(seed))
        if known is None:
            known = [
                wish
                for root, hint in zip(self.translation.roots, seed, strict=True)
                if hint is not MISSING
                for wish in preferences(root, hint)
                if not isinstance(wish.term, bool)
            ]
            self._wishes[id(seed)] = known
        return known

    def _nearest(
        self, given: list[Bool], varied: list[Bool], seed: Sequence[object], turn: int
    ) -> bool:
        """Find a model that keeps as much of the preferences as matters; False where there is none at all."""
        wishes = [Preference(VARIED, each, "") for each in varied if not isinstance(each, bool)]
        wishes += self._wishes_for(seed)
        while True:
            answer = self.solver.check(given + [wish.term for wish in wishes])
            if answer.reply is Reply.SAT:
                return True
            if answer.reply is not Reply.UNSAT:
                return self.solver.check(given).reply is Reply.SAT
            conflict = [place - len(given) for place in answer.core if place >= len(given)]
            if not conflict:
                return False
            least = min(wishes[place].rank for place in conflict)
            worst = [place for place in conflict if wishes[place].rank == least]
            dropped = worst[turn % len(worst)]
            wishes = [wish for place, wish in enumerate(wishes) if place != dropped]
