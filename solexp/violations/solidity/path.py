"""What holds at one point of a symbolic execution, and how two ways to the same point become one."""

from __future__ import annotations

from typing import Any

from solexp.violations.solidity import storage, terms
from solexp.violations.solidity.storage import BALANCE, Array, Leaf, Spot
from solexp.violations.solidity.terms import FALSE, TRUE, Term
from solexp.violations.solidity.values import Broken, Elements, Members, choose

Variable = tuple[int, int | str]
"""Frame and AST id, or a name of our own."""


class Path:
    """Values of everything, under a condition; never changed but by who holds it."""

    __slots__ = ("condition", "heap", "lost", "storage", "variables")

    def __init__(self) -> None:
        self.condition = TRUE
        self.lost = FALSE
        """When the state of the contract cannot be told any more: after a call to somebody else."""
        self.variables: dict[Variable, Any] = {}
        self.heap: dict[int, Elements | Members | Broken] = {}
        self.storage: dict[Leaf, Array] = {}

    def copy(self) -> Path:
        found = Path()
        found.condition, found.lost = self.condition, self.lost
        found.variables = dict(self.variables)
        found.heap = dict(self.heap)
        found.storage = dict(self.storage)
        return found

    @property
    def dead(self) -> bool:
        return self.condition is FALSE

    def under(self, condition: Term) -> Path:
        """A copy for where a condition holds besides."""
        found = self.copy()
        found.condition = terms.and_(self.condition, condition)
        return found


class Memory:
    """Reads and writes of a path's storage; ``initial`` makes arrays of what is there before the call."""

    def __init__(self, state: Any) -> None:
        self.state = state
        self._initial: dict[Leaf, Array] = {}

    def array(self, path: Path, leaf: Leaf) -> Array:
        found = path.storage.get(leaf)
        if found is None:
            found = self._initial.setdefault(leaf, storage.Initial(leaf, self.state))
        return found

    def read(self, path: Path, spot: Spot, size: int, form: storage.Form = "value") -> Term:
        return storage.read(self.array(path, spot.leaf(size, form)), spot.keys)

    def write(
        self, path: Path, spot: Spot, size: int, value: Term, form: storage.Form = "value"
    ) -> None:
        leaf = spot.leaf(size, form)
        path.storage[leaf] = storage.Written(self.array(path, leaf), spot.keys, value, None)

    def clear(
        self, path: Path, leaf: Leaf, keys: tuple[Term, ...], floor: Term | None = None
    ) -> None:
        """Zeros all places of a leaf whose keys begin so, from an index ``floor`` on where that is given."""
        zero = terms.const(0, leaf.width)
        path.storage[leaf] = storage.Written(self.array(path, leaf), keys, zero, floor)

    def balance(self, path: Path, account: Term) -> Term:
        return storage.read(self.array(path, BALANCE), (account,))

    def pay(self, path: Path, account: Term, amount: Term) -> None:
        """Adds to an account's balance."""
        old = self.balance(path, account)
        array = self.array(path, BALANCE)
        path.storage[BALANCE] = storage.Written(array, (account,), terms.add(old, amount), None)

    def merge(self, condition: Term, yes: Path, no: Path) -> Path:
        """The path that is ``yes`` where the condition holds, else ``no``."""
        if yes.dead:
            return no
        if no.dead:
            return yes
        found = Path()
        found.condition = terms.or_(yes.condition, no.condition)
        found.lost = terms.ite(condition, yes.lost, no.lost)
        for variable, value in yes.variables.items():
            other = no.variables.get(variable, value)
            found.variables[variable] = choose(condition, value, other)
        for variable, value in no.variables.items():
            found.variables.setdefault(variable, value)
        for number, thing in yes.heap.items():
            found.heap[number] = choose(condition, thing, no.heap.get(number, thing))
        for number, thing in no.heap.items():
            found.heap.setdefault(number, thing)
        for leaf in {**yes.storage, **no.storage}:
            found.storage[leaf] = storage.merged(
                condition, self.array(yes, leaf), self.array(no, leaf)
            )
        return found

    def join(self, paths: list[Path]) -> Path | None:
        """One path of several whose conditions exclude each other; None of none."""
        living = [path for path in paths if not path.dead]
        if not living:
            return None
        # What holds on all of them need not be asked.
        shared = set.intersection(*({part.number for part in _parts(p.condition)} for p in living))
        found = living[-1]
        for path in reversed(living[:-1]):
            parts = [each for each in _parts(path.condition) if each.number not in shared]
            found = self.merge(terms.and_(*parts), path, found)
        return found


def _parts(condition: Term) -> tuple[Term, ...]:
    return condition.args if condition.op == "and" else (condition,)
