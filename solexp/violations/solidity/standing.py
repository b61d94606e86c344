"""What guards ask of the state alone: flags, stages, a pause. These hold or fail by state, whatever a call says."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from solexp.violations.solidity import terms
from solexp.violations.solidity.evaluation import evaluate
from solexp.violations.solidity.guards import FunctionGuards
from solexp.violations.solidity.parts import atoms
from solexp.violations.solidity.recording import Recorder
from solexp.violations.solidity.state import State
from solexp.violations.solidity.storage import Leaf, reader
from solexp.violations.solidity.terms import FALSE, Term

_IMMUTABLE = "immutable "
_BY_STATE = ("this", "timestamp", "number", "code size")


class Standing(NamedTuple):
    """A condition that a state answers, up to who asks."""

    guard: int
    term: Term
    holds: bool | None
    """The value with which it helps the guard to hold; None where it decides whether the guard is reached."""


class Answers(NamedTuple):
    """What a condition can be worth in a state, whoever sends the call."""

    true: bool
    false: bool

    def can(self, value: bool) -> bool:
        """Whether it can have a value."""
        return self.true if value else self.false


def standing(recorder: Recorder, guards: FunctionGuards) -> tuple[Standing, ...]:
    """The conditions of the author's guards that are about the state, its block and at most the sender."""
    found: dict[tuple[int, Term], Standing] = {}
    for event in recorder.events:
        if event.guard is None or not guards.guards[event.guard].kind.stated:
            continue
        for condition, asked in ((event.test, True), (event.at, False)):
            for term, value in atoms(condition).items():
                if _by_state(term):
                    row = Standing(event.guard, term, value if asked else None)
                    found.setdefault((event.guard, term), row)
    return tuple(found.values())


def answers(wanted: Sequence[Term], state: State) -> list[Answers]:
    """What conditions (of `Standing`) can be worth in a state, at the time of the state's block."""
    values = constants(state, wanted)
    values |= {"timestamp": state.timestamp, "number": state.block_number}
    read = reader(state)
    found = [Answers(bool(value), not value) for value in evaluate(wanted, values, read)]
    by_sender = [place for place, term in enumerate(wanted) if _asks_sender(term)]
    if by_sender:
        asked = [wanted[place] for place in by_sender]
        told = [
            evaluate(asked, values | {"sender": int(account, 16)}, read)
            for account in state.accounts
        ]
        for place, each in zip(by_sender, zip(*told, strict=True), strict=True):
            found[place] = Answers(any(each), not all(each))
    return found


def _asks_sender(root: Term) -> bool:
    return any(term.op == "var" and term.data == "sender" for term in terms.nodes([root]))


def constants(state: State, roots: Iterable[Term]) -> dict[str, int]:
    """The variables of terms made in no state which a state fixes; without those that are not known."""
    found: dict[str, int] = {}
    for term in terms.nodes(roots):
        if term.op != "var":
            continue
        name = str(term.data)
        if name == "this":
            found[name] = int(state.address, 16)
        elif name == "code size":
            found[name] = 1
        elif name.startswith(_IMMUTABLE):
            held = state.immutable(name.removeprefix(_IMMUTABLE))
            if held is not None:
                found[name] = held
    return found


def in_state(root: Term, state: State) -> Term:
    """A condition made in no state, with what the state fixes; FALSE where that is not known."""
    values = constants(state, [root])
    parts = [root]
    for term in terms.nodes([root]):
        if term.op == "var" and _fixed(str(term.data)):
            value = values.get(str(term.data))
            if value is None:
                return FALSE
            parts.append(terms.eq(term, terms.const(value, term.width)))
    return terms.and_(*parts)


def _fixed(name: str) -> bool:
    return name in ("this", "code size") or name.startswith(_IMMUTABLE)


def _by_state(root: Term) -> bool:
    """Whether a term depends on the state, and on nothing else but the block and the sender."""
    reads = False
    for term in terms.nodes([root]):
        if term.op == "var":
            name = str(term.data)
            if name != "sender" and name not in _BY_STATE and not name.startswith(_IMMUTABLE):
                return False
            reads |= name != "sender"
        elif term.op == "load":
            place = term.data
            if place == ("code",) or not isinstance(place, tuple):
                return False
            leaf = place[0]
            if not isinstance(leaf, Leaf) or leaf.space != "storage" or leaf.form == "data":
                return False
            if any(each.op == "var" for each in terms.nodes(term.args)):
                return False
            reads = True
    return reads
