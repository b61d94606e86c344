"""What a builder is asked to do: the filters of the papers, each a setting."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import msgspec

from solexp.core import UserError
from solexp.core.errors import nearest
from solexp.core.settings import at_least
from solexp.solidity.versions import parse_range

Visibility = Literal["external", "public", "internal", "private"]
VISIBILITIES: tuple[Visibility, ...] = ("external", "public", "internal", "private")

_MOST_BITS = 20
"""Two texts that have nothing in common differ in 32 bits."""


class Settings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Settings of a build. None sets no bound."""

    seed: int = 0
    compilers: str = ">=0.5.0 <=0.8.34"
    """Releases that count as installed (the card's). A pragma is resolved to the highest of them that it allows."""
    min_lines: int = 5
    """Lines that a function must have, its head included (SolEval, §3.1)."""
    max_lines: int | None = None
    visibility: tuple[Visibility, ...] = VISIBILITIES
    functions: int = 1
    """Functions chosen of a contract, at most."""
    min_changing: int | None = None
    max_changing: int | None = None
    """Functions of a contract's interface that change state (SolBehave: 1 to 20)."""
    min_transactions: int = 0
    """Recorded transactions that a contract must have (SolContractEval: 1,000; SolBehave: 200)."""
    proxies: bool = False
    """Whether contracts stay that pass calls on to another's code."""
    duplicates: int = 3
    """Sources whose SimHash of 64 bits differs in at most so many bits are one; −1 leaves all in."""
    per_series: int | None = None
    """Sources of a compiler series, at most (SolContractEval: 50)."""
    rows: int | None = None
    """Rows at most, drawn by the seed."""
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
        """Raises UserError for a number that is out of bounds, and for a range of compilers that is none."""
        for key in (
            "min_lines",
            "max_lines",
            "functions",
            "per_series",
            "rows",
            "lite",
            "canary_chars",
            "canary_lines",
        ):
            at_least(key, getattr(self, key))
        for key in ("min_transactions", "canaries", "context_tokens"):
            at_least(key, getattr(self, key), 0)
        at_least("duplicates", self.duplicates, -1)
        if self.duplicates > _MOST_BITS:
            raise UserError(f"duplicates: must be at most {_MOST_BITS} of 64 bits")
        parse_range(self.compilers)


def read_settings(given: Sequence[str]) -> Settings:
    """Settings from ``KEY=VALUE`` words; lists are written with commas. Raises UserError for what is none."""
    known = {field.name: field for field in msgspec.structs.fields(Settings)}
    values: dict[str, object] = {}
    for word in given:
        key, equals, value = word.partition("=")
        if key not in known or not equals:
            raise UserError(f"data build: '{word}' is no setting; {nearest(key, known)}")
        if key == "visibility":
            values[key] = [part for part in value.strip("[]").replace(" ", "").split(",") if part]
        else:
            values[key] = None if value in ("null", "none") else value
    try:
        return msgspec.convert(values, Settings, strict=False)
    except msgspec.ValidationError as error:
        raise UserError(f"data build: {error}") from None
