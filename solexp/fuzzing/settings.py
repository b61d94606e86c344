"""What a fuzzing is asked to do, and what it is asked about."""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from solexp.core import ContractBuild
from solexp.evm.abi import input_types, split_types
from solexp.evm.encoding import is_primitive

Scope = Literal["function", "contract"]
"""``function``: sequences of one function, each from a fresh deployment (SolBehave's O1). ``contract``: of all."""

Arguments = Literal["primitive", "all"]
"""``primitive``: functions whose parameters are all numbers, addresses, booleans and fixed bytes (SolBehave's O1).
``all``: arrays, strings, bytes and structs too."""

Corpus = Literal["history", "none"]
"""``history``: sequences of all functions also go on from the task's own calls. ``none``: from the deployment alone."""

Feedback = Literal["comparisons", "none"]
"""``comparisons``: in sequences of all functions numbers are moved to where what the original compares is equal."""


class Settings(msgspec.Struct, frozen=True):
    """How much, and of what."""

    scope: Scope = "function"
    arguments: Arguments = "primitive"
    calls: int = 10_000
    """Calls of each function, or of the contract."""
    length: int = 20
    """Calls of a sequence, at most."""
    gas: int = 20_000_000_000
    """Gas that the original may use for a function or contract; what it has left by then is not called."""
    seed: int = 0
    corpus: Corpus = "history"
    feedback: Feedback = "comparisons"

    @property
    def directed(self) -> bool:
        """Whether the search has an aim beyond what is new."""
        return self.scope == "contract" and (self.corpus, self.feedback) != ("none", "none")


class Entry(msgspec.Struct, frozen=True):
    """A function that can be called from outside; or none, for ether without data and data without a function."""

    signature: str
    selector: str
    """8 hex digits; empty for what is no function."""
    types: tuple[str, ...] = ()
    payable: bool = False
    view: bool = False

    @property
    def primitive(self) -> bool:
        """Whether every argument is one word."""
        return all(map(is_primitive, self.types))


RECEIVE = Entry("receive()", "")
FALLBACK = Entry("fallback()", "deadbeef")
"""A selector that nobody uses."""


def can_be_drawn(kind: str) -> bool:
    """Whether there are values of a canonical type to be had: not of functions or of fixed point numbers."""
    if kind.endswith("]"):
        return can_be_drawn(kind[: kind.rindex("[")])
    if kind.endswith(")"):
        return all(map(can_be_drawn, split_types(kind[1:-1])))
    return kind != "function" and "fixed" not in kind


def entries(contract: ContractBuild) -> tuple[Entry, ...]:
    """The functions of a contract's ABI, in its order."""
    found = []
    for entry in contract.abi:
        if entry.get("type") != "function":
            continue
        types = tuple(input_types(entry))
        signature = f"{entry['name']}({','.join(types)})"
        selector = contract.methods.get(signature)
        if selector is not None:
            found.append(Entry(signature, selector, types, _payable(entry), _view(entry)))
    return tuple(found)


def _payable(entry: dict[str, Any]) -> bool:
    return entry.get("stateMutability") == "payable" or entry.get("payable") is True


def _view(entry: dict[str, Any]) -> bool:
    return entry.get("stateMutability") in ("view", "pure") or entry.get("constant") is True


class Constants(msgspec.Struct, frozen=True):
    """What the original's source states."""

    numbers: tuple[int, ...] = ()
    addresses: tuple[str, ...] = ()
    texts: tuple[bytes, ...] = ()


class Unit(msgspec.Struct, frozen=True):
    """What is fuzzed in one go: a function, or a contract with all its functions."""

    name: str
    """A function's signature, or the contract's name."""
    entries: tuple[Entry, ...]
    """What is called to see what it does."""
    views: tuple[Entry, ...] = ()
    """What is called to see the state."""
    getters: tuple[Entry, ...] = ()
    """Views without arguments: what they answer at first is worth trying."""
    loose: bool = False
    """Whether ether without data and data without a function are sent, too."""


def units(contract: ContractBuild, settings: Settings) -> tuple[tuple[Unit, ...], tuple[str, ...]]:
    """What there is to fuzz of a contract, and the signatures of the functions that are left out."""
    known = entries(contract)
    usable = [
        entry
        for entry in known
        if (entry.primitive or settings.arguments == "all") and all(map(can_be_drawn, entry.types))
    ]
    changing = [entry for entry in usable if not entry.view]
    left_out = tuple(e.signature for e in known if not e.view and e not in changing)
    getters = tuple(entry for entry in known if entry.view and not entry.types)
    if settings.scope == "function":
        each = (Unit(entry.signature, (entry,), getters=getters) for entry in changing)
        return tuple(each), left_out
    views = tuple(entry for entry in usable if entry.view)
    if not (changing or views):
        return (), left_out
    return (Unit(contract.name, tuple(changing), views, getters, loose=True),), left_out
