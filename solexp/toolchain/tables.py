"""What can be installed: package names and content hashes, committed beside this module.

The tables hold no addresses: packages come from whatever registry the user's own npm and pip settings name, and the
hashes say whether they are the right ones. ``tools/refresh_tables.py`` writes them.
"""

from __future__ import annotations

from functools import cache
from importlib import resources
from typing import TypeVar

import msgspec

from solexp.core.errors import ToolError, UserError, nearest

_T = TypeVar("_T")


class NpmPackage(msgspec.Struct, frozen=True, kw_only=True):
    """One package of the npm registry."""

    npm: str
    """Name and exact version, such as ``solc@0.8.7-fixed``."""
    integrity: str
    """``sha512-`` and the base64 of the tarball's SHA-512."""


class SoljsonPackage(NpmPackage, frozen=True, kw_only=True):
    """The package that holds one release of the compiler."""

    long_version: str
    """What the compiler in it says of itself, such as ``0.8.7+commit.e28d00a7.Emscripten.clang``."""


class Soljson(msgspec.Struct, frozen=True, kw_only=True):
    """The releases of the compiler from 0.4.11 on."""

    releases: dict[str, SoljsonPackage]
    """One package a release, oldest first."""
    mislabelled: dict[str, str]
    """Packages that hold another release than they are called after, with what their compiler says of itself."""


class OldForks(msgspec.Struct, frozen=True, kw_only=True):
    """The release of anvil that prices hard forks before London right, by platform."""

    version: str
    anvil: dict[str, NpmPackage]


class Foundry(msgspec.Struct, frozen=True, kw_only=True):
    """The pinned release of Foundry, its programs by platform (``linux-amd64``)."""

    version: str
    anvil: dict[str, NpmPackage]
    forge: dict[str, NpmPackage]
    old_forks: OldForks


def _read(name: str, kind: type[_T]) -> _T:
    return msgspec.json.decode((resources.files(__package__) / name).read_bytes(), type=kind)


@cache
def foundry() -> Foundry:
    """The pinned release of Foundry."""
    return _read("foundry.json", Foundry)


@cache
def soljson() -> Soljson:
    """The packages of the compiler."""
    return _read("soljson.json", Soljson)


def soljson_package(version: str) -> SoljsonPackage:
    """The package of one release.

    Raises UserError naming the nearest for an unknown release, and ToolError for one that npm has only by name.
    """
    table = soljson()
    if version in table.releases:
        return table.releases[version]
    named = f"solc@{version}"
    if named in table.mislabelled:
        raise ToolError(
            f"Solidity {version} is in no npm package: '{named}' holds {table.mislabelled[named]}; "
            f"install the native compiler: python -m solcx.install v{version}"
        )
    first, *_, last = table.releases
    raise UserError(
        f"no Solidity compiler '{version}' (there are {first} to {last}); "
        f"{nearest(version, table.releases)}"
    )


def node_lock() -> tuple[str, str]:
    """The pinned Node: its version, and the text of a pip requirements file with hashes."""
    text = (resources.files(__package__) / "node.lock").read_text()
    requirement = next(line for line in text.splitlines() if "==" in line)
    return requirement.split("==")[1].split()[0], text
