"""Comparing a build with the creation code that the chain recorded."""

from __future__ import annotations

import re
from enum import StrEnum

from solexp.core import ContractBuild, Program

# The metadata is a CBOR map. Under ``bzzr0``, ``bzzr1`` or ``ipfs`` it holds a hash that depends on names of files and
# on comments, under ``solc`` the compiler's version. Contracts that create others hold several.
_METADATA = re.compile(
    r"(627a7a723[01]5820|6970667358221220)[0-9a-f]{64}|(64736f6c6343)[0-9a-f]{6}"
)
_PLACEHOLDER = re.compile(r"__.{36}__|__\$[0-9a-f]{34}\$__")


class CreationMatch(StrEnum):
    """How a build's creation code compares with the recorded one."""

    EQUAL = "equal"
    METADATA = "equal but for the metadata"
    NIGHTLY = "different, built by a nightly compiler"
    DIFFERENT = "different"


def compare_creation(
    build: ContractBuild, program: Program, recorded: str, *, nightly: bool = False
) -> CreationMatch:
    """How ``build`` with the program's constructor arguments compares with the input of the recorded creation.

    A compiler of the recorded version makes the same code from the same source, up to the metadata. ``nightly`` says
    that the chain's code came from a nightly compiler, which its release need not equal.
    """
    code = build.creation + program.deployment.constructor_args.removeprefix("0x")
    if code == recorded:
        return CreationMatch.EQUAL
    if without_metadata(code) == without_metadata(recorded):
        return CreationMatch.METADATA
    return CreationMatch.NIGHTLY if nightly else CreationMatch.DIFFERENT


def linked_addresses(unlinked: str, recorded: str) -> dict[str, str]:
    """The addresses that the recorded code holds where the unlinked code has placeholders.

    By placeholder as the compiler writes it (40 characters). Both are hex with ``0x``.
    """
    return {
        match[0]: "0x" + recorded[match.start() : match.end()]
        for match in _PLACEHOLDER.finditer(unlinked)
    }


def without_metadata(code: str) -> str:
    """Code, as hex, without what depends on names of files and on comments."""
    return _METADATA.sub(r"\1\2", code)
