"""What a symbolic execution leaves: the guards it met, with the conditions under which each is reached and holds."""

from __future__ import annotations

from typing import NamedTuple

import msgspec

from solexp.violations.solidity import terms
from solexp.violations.solidity.guards import Expected, Guard, Kind, Step
from solexp.violations.solidity.path import Path
from solexp.violations.solidity.terms import FALSE, TRUE, Term
from solexp.violations.solidity.unit import Node, Unit


class Event(NamedTuple):
    """A guard met once, or a condition that bounds what is looked at; in order of execution."""

    guard: int | None
    """Number of the guard; None for a bound."""
    reached: Term
    holds: Term
    lost: Term
    """Where the contract's state is not known any more, and so whether it holds is not."""
    at: Term = TRUE
    """Under which condition the author's own one is asked; where it ends an `if`, that before it."""
    test: Term = TRUE
    """The author's condition; a constant where there is none."""

    @property
    def fine(self) -> Term:
        return terms.implies(self.reached, self.holds)

    @property
    def fails(self) -> Term:
        return terms.and_(self.reached, terms.not_(self.holds))


class Parameter(msgspec.Struct, frozen=True):
    """A variable of the solver."""

    name: str
    width: int
    role: str
    """``sender``, ``value``, ``time``, ``number``, ``address``, ``uint``, ``int``, ``bool``, ``bytes``, ``enum``,
    ``length``, ``dirty``."""
    limit: int | None = None
    """Values are below this."""


class Recorder:
    """The guards of one function."""

    def __init__(self, unit: Unit) -> None:
        self.unit = unit
        self.guards: list[Guard] = []
        self.events: list[Event] = []
        self.unknown: dict[str, str] = {}
        """Why a variable has no known value, by its name."""
        self.unsupported: dict[str, None] = {}
        self.lost: dict[str, None] = {}
        """Why the contract's state is not known, where it is not."""
        self.bounds: dict[str, None] = {}
        self.parameters: dict[str, Parameter] = {}
        self._numbers: dict[tuple[object, ...], int] = {}

    def guard(
        self,
        path: Path,
        kind: Kind,
        node: Node,
        holds: Term,
        expected: Expected,
        *,
        chain: tuple[Step, ...],
        shown: Node | None = None,
        test: tuple[Term, Term] | None = None,
    ) -> None:
        """A guard at ``node`` (``shown`` with what is around it).

        ``test``: where and what the author asks, if it is not ``holds`` itself.
        """
        if terms.and_(path.condition, terms.not_(holds)) is FALSE:
            return
        place = self.unit.place(shown or node)
        if node["nodeType"] == "FunctionDefinition" and node.get("body"):
            place = msgspec.structs.replace(place, end=self.unit.place(node["body"]).start)
        key = kind, place.path, node["src"], chain
        number = self._numbers.get(key)
        if number is None:
            number = self._numbers[key] = len(self.guards)
            self.guards.append(
                Guard(
                    number=number,
                    kind=kind,
                    path=place.path,
                    start=place.start,
                    end=place.end,
                    line=place.line,
                    text=self.unit.text(place.path, place.start, place.end),
                    expected=expected,
                    chain=chain,
                )
            )
        at, asked = test or (path.condition, holds)
        self.events.append(Event(number, path.condition, holds, path.lost, at, asked))

    def key(self, guard: Guard) -> tuple[object, ...]:
        """What is the same in every execution."""
        return guard.kind, guard.path, guard.start, guard.end, guard.chain

    def bound(self, path: Path, holds: Term, what: str) -> None:
        """Only calls for which a condition holds are looked at further."""
        if holds is not TRUE and not path.dead:
            self.bounds[what] = None
            self.events.append(Event(None, path.condition, holds, FALSE))

    def unknown_value(self, width: int, reason: str) -> Term:
        """A fresh variable of which nothing is known."""
        name = f"?{len(self.unknown)}"
        self.unknown[name] = reason
        return terms.var(name, width)

    def parameter(self, name: str, width: int, role: str, limit: int | None = None) -> Term:
        """A variable that the solver may choose."""
        self.parameters[name] = Parameter(name, width, role, limit)
        return terms.var(name, width)

    def reasons(self, *roots: Term) -> list[str]:
        """Why terms are unknown; none when they are known."""
        found: dict[str, None] = {}
        for node in terms.nodes(roots):
            if node.op == "var" and node.data in self.unknown:
                found[self.unknown[str(node.data)]] = None
        return list(found)
