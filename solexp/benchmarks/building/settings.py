"""What a builder is asked to do: the filters of the papers, each a setting."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from typing import Literal, TypeVar

import msgspec

from solexp.core import UserError
from solexp.core.errors import nearest
from solexp.core.settings import at_least
from solexp.solidity.functions.heads import Kind
from solexp.solidity.versions import parse_range

Visibility = Literal["external", "public", "internal", "private"]
Which = Literal["given", "drawn", "deployed"]
Around = Literal["needed", "rest", "none"]
VISIBILITIES: tuple[Visibility, ...] = ("external", "public", "internal", "private")

_LISTS = frozenset({"visibility", "keep"})
_MOST_BITS = 20
"""Two texts that have nothing in common differ in 32 bits."""


class Filters(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What every build filters by. None sets no bound."""

    seed: int = 0
    compilers: str = ">=0.5.0 <=0.8.34"
    """Releases that count as installed (the card's). A pragma is resolved to the highest of them that it allows."""
    min_changing: int | None = None
    max_changing: int | None = None
    """Functions of a contract's interface that change state (SolBehave: 1 to 20)."""
    min_transactions: int = 0
    """Recorded transactions that a contract must have (SolContractEval: 1,000; SolBehave: 200)."""
    verified: bool = False
    """Whether sources go of which nobody says that they are verified; those said not to be go anyway."""
    proxies: bool = False
    """Whether contracts stay that pass calls on to another's code."""
    duplicates: int = 3
    """Sources whose SimHash of 64 bits differs in at most so many bits are one; −1 leaves all in."""
    per_series: int | None = None
    """Sources of a compiler series, at most (SolContractEval: 50)."""
    rows: int | None = None
    """Rows or tasks at most, drawn by the seed."""

    def __post_init__(self) -> None:
        """Raises UserError for a number that is out of bounds, and for a range of compilers that is none."""
        for key in ("per_series", "rows"):
            at_least(key, getattr(self, key))
        for key in ("min_transactions", "min_changing", "max_changing"):
            at_least(key, getattr(self, key), 0)
        at_least("duplicates", self.duplicates, -1)
        if self.duplicates > _MOST_BITS:
            raise UserError(f"duplicates: must be at most {_MOST_BITS} of 64 bits")
        parse_range(self.compilers)


class Settings(Filters, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Settings of a build of rows, a function each."""

    min_lines: int = 5
    """Lines that a function must have, its head included (SolEval, §3.1)."""
    max_lines: int | None = None
    visibility: tuple[Visibility, ...] = VISIBILITIES
    functions: int = 1
    """Functions chosen of a contract, at most."""
    lite: int = 200
    """Rows of ``lite``, drawn in proportion to the series of the pragma."""
    canaries: int = 8
    """Canaries of a row, at most; the longest."""
    canary_chars: int = 5
    """Characters that a canary must have: shorter ones are written by anybody."""
    canary_lines: int | None = None
    """Whole lines of at least so many characters are canaries, too; None for no lines."""
    context_tokens: int = 4096
    """Tokens of the file before the function in a row's context (RACR-4k)."""

    def __post_init__(self) -> None:
        """Raises UserError as for every build."""
        super().__post_init__()
        for key in ("min_lines", "max_lines", "functions", "lite", "canary_chars", "canary_lines"):
            at_least(key, getattr(self, key))
        for key in ("canaries", "context_tokens"):
            at_least(key, getattr(self, key), 0)


class ContractSettings(Filters, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Settings of a build of tasks, a whole contract each."""

    compilers: str = ">=0.4.11 <=0.8.34"
    target: Which = "given"
    """``given``: the contract that the source names, else one that is drawn. ``drawn``: one with a function to write,
    no interface and not abstract (SolContractEval). ``deployed``: the one that is deployed (SolBehave)."""
    keep: tuple[Kind, ...] = ("constructor", "modifier", "fallback", "receive")
    """Kinds of functions whose bodies stay in the framework."""
    context: Around = "needed"
    """``needed``: the least definitions with which the target builds. ``rest``: the rest of the file. ``none``."""
    history: bool = False
    """Whether sources without a recorded history go."""
    calls: int | None = 1000
    """Recorded calls of a task, at most."""
    deploys: bool = False
    """Whether contracts go that cannot be deployed afresh."""
    reproduces: float | None = None
    """Share of the first recorded calls whose status a fresh deployment must reproduce (SolBehave: 0.8)."""
    reproduced_calls: int = 200
    """How many these are."""
    graphs: bool = False
    """Whether the life cycle of each contract is extracted from its syntax tree, too."""

    def __post_init__(self) -> None:
        """Raises UserError as for every build, and for a share that is none."""
        super().__post_init__()
        for key in ("calls", "reproduced_calls"):
            at_least(key, getattr(self, key))
        if self.reproduces is not None and not 0 <= self.reproduces <= 1:
            raise UserError(f"reproduces: must be a share from 0 to 1, got {self.reproduces}")


PRESETS: Mapping[str, Mapping[str, str]] = {
    "solcontracteval": {
        "verified": "true",
        "min_transactions": "1000",
        "proxies": "true",
        "per_series": "50",
        "target": "drawn",
        "history": "true",
    },
    "solbehave": {
        "verified": "true",
        "min_transactions": "200",
        "min_changing": "1",
        "max_changing": "20",
        "target": "deployed",
        "history": "true",
        "deploys": "true",
        "reproduces": "0.8",
        "graphs": "true",
    },
    "solidity_eval": {"compilers": ">=0.5.0 <=0.8.34", "min_lines": "5"},
}
"""The filters of the papers and of Solidity Eval's card; what a build does not know of them is left aside."""


F = TypeVar("F", bound=Filters)


def read_settings(given: Sequence[str], kind: type[F]) -> F:
    """Settings from ``KEY=VALUE`` words; lists are written with commas, and ``filters=NAME`` takes a preset's.

    What is given beside a preset goes before it. Raises UserError for what is none.
    """
    known = {field.name: field for field in msgspec.structs.fields(kind)}
    values: dict[str, object] = {}
    for word in _expanded(given, known):
        key, equals, value = word.partition("=")
        if key not in known or not equals:
            raise UserError(
                f"data build: '{word}' is no setting; {nearest(key, {*known, 'filters'})}"
            )
        if key in _LISTS:
            values[key] = [part for part in value.strip("[]").replace(" ", "").split(",") if part]
        else:
            values[key] = None if value in ("null", "none") and key != "context" else value
    try:
        return msgspec.convert(values, kind, strict=False)
    except msgspec.ValidationError as error:
        raise UserError(f"data build: {error}") from None


def _expanded(given: Sequence[str], known: Container[str]) -> Iterator[str]:
    for word in given:
        key, _, name = word.partition("=")
        if key == "filters":
            if name not in PRESETS:
                raise UserError(f"data build: no filters '{name}'; {nearest(name, PRESETS)}")
            yield from (f"{own}={value}" for own, value in PRESETS[name].items() if own in known)
    yield from (word for word in given if word.partition("=")[0] != "filters")
