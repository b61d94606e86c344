"""How a contract is deployed of which nobody has said how: arguments for its constructor, by their types alone."""

from __future__ import annotations

import re
from typing import Any

import msgspec

from solexp.core import Deployment, Program
from solexp.solidity.functions import members
from solexp.solidity.lexing import mask
from solexp.solidity.parsing import outline

HARDFORK = "prague"
"""Newest fork that charges transactions as the older ones do: whatever the newest compilers make runs on it."""

_SENDER = "0x00000000000000000000000000000000deb10ce4"
_BLOCK, _TIME = 22_600_000, 1_748_500_000
_ARRAY = re.compile(r"(?P<item>.+)\[(?P<size>\d*)\]")
_ELEMENTARY = re.compile(r"address|bool|string|u?int\d+|bytes(?:[1-9]|[12]\d|3[0-2])?")
_DECLARED = re.compile(
    r"\b(?P<kind>enum|struct|type)\s+(?P<name>[\w$]+)(?:\s+is\s+(?P<under>\w+))?"
)
_LIST = 2
"""Elements of a list."""


def deployment(source: str, contract: str) -> Deployment | None:
    """A deployment of ``contract``, the same every time; None where its constructor takes what cannot be made up.

    Addresses are distinct and not zero, numbers small and not zero, lists have two elements: constructors refuse zero
    and nothing more often than they refuse something.
    """
    constructor = next(
        (each for each in members(source, contract) if each.kind == "constructor"), None
    )
    types = () if constructor is None else constructor.types
    kinds = _user_types(source)
    try:
        elementary = [_resolved(kind, kinds) for kind in types]
    except ValueError:
        return None
    values = [_value(kind, place) for place, kind in enumerate(elementary, 1)]
    return standing(contract, f"0x{_encoded(elementary, values)}")


class Standing(msgspec.Struct, frozen=True):
    """How a contract stands on a chain for those who call it."""

    program: Program | None
    """Its deployment alone, without any calls; None where there is none."""
    contract: str | None
    """What is deployed."""
    why_not: str | None


def stand(source: str, contract: str, known: Deployment | None) -> Standing:
    """How the code of ``contract`` is made to stand: as is ``known``, or else as may be made up."""
    if known is not None:
        return Standing(Program(deployment=known, hardfork=HARDFORK), known.contract, None)
    chosen = deployed_contract(source, contract)
    if chosen is None:
        why = f"{contract} cannot be deployed, and nothing that can inherits it"
        return Standing(None, None, why)
    found = deployment(source, chosen)
    if found is None:
        why = f"what the constructor of {chosen} takes is not known"
        return Standing(None, chosen, why)
    return Standing(Program(deployment=found, hardfork=HARDFORK), chosen, None)


def standing(contract: str, constructor_args: str) -> Deployment:
    """A deployment with these arguments, by a sender and in a block that mean nothing."""
    return Deployment(
        contract=contract,
        constructor_args=constructor_args,
        sender=_SENDER,
        block_number=_BLOCK,
        timestamp=_TIME,
    )


def deployed_contract(source: str, contract: str) -> str | None:
    """The contract to deploy so that the code of ``contract`` can be called.

    Itself, or, where it is abstract, the first one behind it in the source that is not and inherits it. None where
    there is none, as for libraries and interfaces.
    """
    known = outline(source)
    own = next((each for each in known if each.name == contract), None)
    if own is None or own.kind != "contract":
        return None
    if not own.abstract:
        return contract
    heirs = {contract}
    for each in known:
        if each.kind == "contract" and heirs & {base.rpartition(".")[2] for base in each.inherits}:
            if not each.abstract:
                return each.name
            heirs.add(each.name)
    return None


def _user_types(source: str) -> dict[str, str]:
    """What is encoded in the place of each type of the source's own, by name; a struct's is empty."""
    kinds = {each.name: "address" for each in outline(source)}
    for match in _DECLARED.finditer(mask(source)):
        if match["kind"] == "enum":
            kinds[match["name"]] = "enum"
        elif match["kind"] == "struct":
            kinds[match["name"]] = ""
        elif match["under"]:
            kinds[match["name"]] = match["under"]
    return kinds


def _resolved(kind: str, kinds: dict[str, str]) -> str:
    array = _ARRAY.fullmatch(kind)
    if array:
        return f"{_resolved(array['item'], kinds)}[{array['size']}]"
    if _ELEMENTARY.fullmatch(kind):
        return kind
    found = kinds.get(kind.rpartition(".")[2], "")
    if found in ("enum", "address") or _ELEMENTARY.fullmatch(found):
        return found
    raise ValueError(kind)


def _value(kind: str, place: int) -> Any:
    array = _ARRAY.fullmatch(kind)
    if array:
        count = int(array["size"] or _LIST)
        return [_value(array["item"], 16 * place + each) for each in range(count)]
    if kind == "address":
        return f"0x{0x1000 + place:040x}"
    if kind in ("enum", "bool"):
        return kind == "bool"
    if kind == "string":
        return f"Name {place}"
    if kind.startswith("bytes"):
        return b"\1" * int(kind[5:] or 0)
    return 18 if kind == "uint8" else 100 if kind.endswith("int8") else 1_000


def _encoded(types: list[str], values: list[Any]) -> str:
    from eth_abi.abi import encode  # noqa: PLC0415  (the codec takes a while to import)

    return encode([kind.replace("enum", "uint8") for kind in types], values).hex()
