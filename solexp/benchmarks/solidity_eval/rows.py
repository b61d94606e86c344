"""Rows of Solidity Eval (2026): exactly the fields that its card names."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from solexp.core import DataError

_MINOR = re.compile(r"\d+\.\d+")
_RELEASE = re.compile(r"\d+\.\d+\.\d+")
_CONTRACT = re.compile(r"[A-Za-z_$][\w$]*")
_ADDRESS = re.compile(r"(?:0x[0-9a-fA-F]{40})?")
_SHOWN = 60


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """One function to write. Every field is what the card says of it; what it leaves open is said here."""

    task_id: str
    domain: str
    """What kind of contract it is; empty where nobody has said."""
    contract_name: str
    """The contract that holds the function; its file is ``src/NAME.sol``."""
    contract_address: str
    """``0x`` and 40 hex digits; empty for a contract that is on no chain."""
    pragma: str
    """The text of the source's version pragma, such as ``^0.8.0``."""
    pragma_major_minor: str
    """The series that the pragma names first, such as ``0.8``."""
    resolved_solc_version: str
    """The release that compiles it: the highest installed one that the pragma allows."""
    target_function_signature: str
    """``name(type,type)`` with canonical types; or the function's head as written."""
    prompt_context: str
    workspace_tar: str
    """Base64 of a ``.tar.gz``: ``foundry.toml`` and ``src/NAME.sol`` with a stub for a body."""
    scoring_tar: str
    """The same of ``manifest.json`` and ``origin/NAME.sol``."""
    canary_substrings: tuple[str, ...]
    """Texts that occur in the deleted body and nowhere in the workspace."""


COLUMNS: tuple[str, ...] = Row.__struct_fields__
_MAY_BE_NULL = ("domain", "contract_address", "prompt_context")
_FORMS: dict[str, tuple[re.Pattern[str], str]] = {
    "contract_name": (_CONTRACT, "a contract's name"),
    "contract_address": (_ADDRESS, "an address, 0x and 40 hex digits, or empty"),
    "pragma_major_minor": (_MINOR, "two numbers such as 0.8"),
    "resolved_solc_version": (_RELEASE, "a release such as 0.8.17"),
}
_FILLED = ("task_id", "target_function_signature", "workspace_tar", "scoring_tar")


def read_row(values: Mapping[str, Any], place: str) -> Row:
    """The row with these values by field.

    ``place`` says where it stands, for messages. Raises DataError that names row and field for a field that is missing,
    of the wrong type or malformed. Further fields are nobody's business here.
    """
    filled = {key: values[key] for key in COLUMNS if key in values}
    filled |= {key: "" for key in _MAY_BE_NULL if key in filled and filled[key] is None}
    if filled.get("canary_substrings", ()) is None:
        filled["canary_substrings"] = ()
    for key in COLUMNS:
        if key not in filled:
            raise DataError(f"{place}: {key} is missing")
        value = filled[key]
        if key == "canary_substrings":
            _check(_is_texts(value), place, key, "a list of texts", value)
            continue
        _check(isinstance(value, str), place, key, "a text", value)
        if key in _FORMS:
            pattern, form = _FORMS[key]
            _check(pattern.fullmatch(value) is not None, place, key, form, value)
        if key in _FILLED:
            _check(bool(value.strip()), place, key, "filled", value)
    row = msgspec.convert(filled, Row)
    # An empty canary is found everywhere.
    return msgspec.structs.replace(
        row, canary_substrings=tuple(text for text in row.canary_substrings if text.strip())
    )


def _is_texts(value: Any) -> bool:
    return isinstance(value, list | tuple) and all(isinstance(each, str) for each in value)


def _check(holds: bool, place: str, key: str, wanted: str, value: Any) -> None:
    if not holds:
        shown = repr(value)
        raise DataError(
            f"{place}: {key} must be {wanted}, got {shown[:_SHOWN]}{'…' * (len(shown) > _SHOWN)}"
        )


Malformed = Callable[[str], None]
"""Is told of each malformed row, in one line with its place."""
