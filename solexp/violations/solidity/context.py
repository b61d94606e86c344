"""The state of a symbolic execution: the path it is on, the calls it is in, and what it may still spend."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import msgspec

from solexp.violations.solidity import terms
from solexp.violations.solidity.faults import Unsupported
from solexp.violations.solidity.guards import Expected, Kind, Step
from solexp.violations.solidity.layout import Layout
from solexp.violations.solidity.path import Memory, Path
from solexp.violations.solidity.recording import Recorder
from solexp.violations.solidity.terms import Term
from solexp.violations.solidity.types import Type
from solexp.violations.solidity.unit import Node, Unit
from solexp.violations.solidity.values import (
    Broken,
    Elements,
    Members,
    Pointer,
    Word,
    choose,
    whole,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from solexp.violations.solidity.state import State


class Limits(msgspec.Struct, frozen=True, kw_only=True):
    """How far a symbolic execution goes."""

    depth: int = 16
    """Calls inside each other."""
    rounds: int = 8
    """Of a loop whose end depends on what is not known."""
    known_rounds: int = 80
    """Of a loop whose end is known."""
    elements: int = 2
    """Of an array or of 32 bytes each of a text among the arguments."""
    steps: int = 12_000
    """Statements."""


class Frame:
    """A function, modifier or getter that is being executed."""

    def __init__(self, number: int, contract: Node | None, checked: bool) -> None:
        self.number = number
        self.contract = contract
        """The contract in which it stands; None for a free function."""
        self.checked = checked
        self.ended: list[Path] = []
        """Paths that left by ``return``."""
        self.broken: list[Path] = []
        self.continued: list[Path] = []
        self.returns: list[tuple[tuple[int, int | str], Type]] = []
        self.rest: list[Any] = []
        """Modifiers still to be entered, of a function."""


class Context:
    """What expressions and statements share."""

    def __init__(self, unit: Unit, contract: Node, state: State | None, limits: Limits) -> None:
        self.unit = unit
        self.contract = contract
        self.lineage = unit.lineage(contract)
        self.layout = Layout(unit, contract)
        self.state = state
        self.limits = limits
        self.memory = Memory(state)
        self.recorder = Recorder(unit)
        self.path = Path()
        self.frame = Frame(0, contract, unit.checked)
        self.chain: tuple[Step, ...] = ()
        self.quiet = 0
        """Above 0 while what is evaluated cannot decide between success and revert."""
        self._frames = 0
        self._objects = 0
        self._steps = 0
        self.this = terms.const(int(state.address, 16), 160) if state else terms.var("this", 160)
        self.sender = self.recorder.parameter("sender", 160, "sender")
        self.amount = self.recorder.parameter("value", 256, "value")
        self.message = self.sender, self.amount
        """Sender and value of the call that is being executed."""
        self.selector = 0
        self.time = self.recorder.parameter("timestamp", 256, "time")
        self.number = self.recorder.parameter("number", 256, "number")

    # Paths

    @contextmanager
    def under(self, condition: Term) -> Iterator[None]:
        """Goes on for the while only where a condition holds, then everywhere, with what was changed on the way."""
        before = self.path
        if condition.constant and condition.value:
            yield
            return
        self.path = before.under(condition)
        try:
            yield
        finally:
            other = before.under(terms.not_(condition))
            self.path = self.memory.merge(condition, self.path, other)

    def step(self) -> None:
        self._steps += 1
        if self._steps > self.limits.steps:
            raise Exhausted(f"more than {self.limits.steps} statements")

    # Guards

    def guard(  # noqa: PLR0917
        self,
        kind: Kind,
        node: Node,
        holds: Term,
        expected: Expected,
        shown: Node | None = None,
        test: tuple[Term, Term] | None = None,
    ) -> None:
        """Meets a guard; execution goes on as though it had held."""
        if not self.quiet:
            self.recorder.guard(
                self.path,
                kind,
                node,
                holds,
                expected,
                chain=self.chain,
                shown=shown,
                test=test,
            )

    def panic(self, kind: Kind, node: Node, holds: Term, code: int) -> None:
        """A check of the compiler's, which before 0.8 ends in an invalid instruction."""
        if self.unit.checked:
            self.guard(kind, node, holds, Expected(data="panic", panic=code))
        else:
            self.guard(kind, node, holds, Expected(data="invalid"))

    def refuse(self, fault: Unsupported | str, node: Node) -> str:
        """Notes what is unsupported; the reason."""
        reason = str(fault) if isinstance(fault, Unsupported) else f"Unsupported: {fault}"
        if "line " not in reason:
            reason = f"{reason} (line {self.unit.place(node).line})"
        if not self.path.dead:
            self.recorder.unsupported[reason] = None
        return reason

    def unknown(self, kind: Type, reason: str) -> Any:
        """A value of which nothing is known but its type."""
        kind = self.unit.plain(kind)
        if kind.scalar:
            return Word(self.recorder.unknown_value(kind.bits, reason), kind)
        return Broken(reason.removeprefix("Unsupported: "))

    def lose(self, reason: str) -> None:
        """From here on nothing is known of the contract's state."""
        if not self.path.dead:
            self.recorder.lost[reason] = None
            self.path.lost = terms.TRUE

    # Objects in memory

    def allocate(self, thing: Elements | Members, kind: Type) -> Pointer:
        self._objects += 1
        self.path.heap[self._objects] = thing
        return Pointer(self._objects, kind)

    def held(self, pointer: Pointer) -> Elements | Members:
        """The object that a pointer means."""
        if pointer.choice is None:
            found = whole(self.path.heap[pointer.number])
        else:
            condition, yes, no = pointer.choice
            found = whole(choose(condition, self.held(yes), self.held(no)))
        assert isinstance(found, Elements | Members)
        return found

    def elements(self, pointer: Pointer) -> Elements:
        found = self.held(pointer)
        assert isinstance(found, Elements)
        return found

    def members(self, pointer: Pointer) -> Members:
        found = self.held(pointer)
        assert isinstance(found, Members)
        return found

    def replace(self, pointer: Pointer, change: Callable[[Any], Any]) -> None:
        """Writes to the object that a pointer means; ``change`` makes the new one of the old."""
        if pointer.choice is None:
            old = whole(self.path.heap[pointer.number])
            self.path.heap[pointer.number] = change(old)
            return
        condition, yes, no = pointer.choice
        self.replace(yes, lambda old: choose(condition, change(old), old))
        self.replace(no, lambda old: choose(condition, old, change(old)))

    # Frames

    def new_frame(self, contract: Node | None) -> Frame:
        self._frames += 1
        return Frame(self._frames, contract, self.unit.checked)


class Exhausted(Exception):
    """The function is too large to be executed symbolically."""
