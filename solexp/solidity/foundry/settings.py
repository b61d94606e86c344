"""What a project's foundry.toml says, and which compiler each of its files is for."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from solexp.core import CompilerSettings, DataError, UserError
from solexp.core.errors import nearest
from solexp.core.nesting import refuse_depth
from solexp.solidity.foundry.files import Files
from solexp.solidity.foundry.remappings import all_remappings
from solexp.solidity.versions import parse_range, pragmas, release

CONFIG = "foundry.toml"
_FOLDERS = ("src/", "test/")
"""Where forge looks for tests if nothing is configured."""
_FIRST_VIA_IR = "0.7.5"
"""Releases before it know no such setting (Solidity's changelog); forge leaves it out for them."""
_RELEASE = re.compile(r"[=v^~]*(\d+\.\d+\.\d+)")


EVM_VERSIONS = {
    "homestead": "0.4.11",
    "byzantium": "0.4.21",
    "constantinople": "0.4.21",
    "petersburg": "0.5.5",
    "istanbul": "0.5.14",
    "berlin": "0.8.5",
    "london": "0.8.7",
    "paris": "0.8.18",
    "shanghai": "0.8.20",
    "cancun": "0.8.24",
    "prague": "0.8.27",
    "osaka": "0.8.29",
}
"""Versions of the EVM in order, each with the first compiler that takes it (Solidity's changelog)."""


def evm_for(wanted: str | None, version: str) -> str | None:
    """The EVM for a compiler: the one wanted or, as forge does it, the latest before it that the compiler knows.

    >>> evm_for("shanghai", "0.6.12"), evm_for("paris", "0.8.28"), evm_for(None, "0.8.28")
    ('istanbul', 'paris', None)
    """
    if wanted not in EVM_VERSIONS:
        return wanted
    names = list(EVM_VERSIONS)
    known = [
        name
        for name in names[: names.index(wanted) + 1]
        if release(EVM_VERSIONS[name]) <= release(version)
    ]
    return known[-1] if known else None


class Profile(msgspec.Struct, frozen=True, kw_only=True):
    """A profile of foundry.toml, with forge's defaults where it says nothing."""

    source_folder: str = "src"
    test_folder: str = "test"
    script_folder: str = "script"
    library_folders: tuple[str, ...] = ("lib",)
    solc: str | None = None
    """The release for all files; None chooses one for each test file by the pragmas."""
    optimizer: bool = False
    runs: int = 200
    evm_version: str | None = None
    via_ir: bool = False
    remappings: tuple[str, ...] = ()
    """All of the project's."""
    readable: tuple[str, ...] = ()
    gas_limit: int | None = None
    skip: tuple[str, ...] = ()
    """Patterns of paths that are not built."""
    ignored: tuple[str, ...] = ()
    """Settings that change what is built and are not followed."""

    def compiler(self, sources: Mapping[str, str], available: Iterable[str]) -> CompilerSettings:
        """The compiler for ``sources``: the newest release that all their pragmas allow, where none is set.

        Raises UserError when no release will do, naming the files that disagree.
        """
        version = self.solc or newest(sources, available)
        return CompilerSettings(
            version=version,
            optimizer=self.optimizer,
            runs=self.runs,
            evm_version=evm_for(self.evm_version, version),
            remappings=self.remappings,
            via_ir=True
            if self.via_ir and release(version) >= release(_FIRST_VIA_IR)
            else msgspec.UNSET,
        )


def read_profile(files: Files, place: str, name: str = "default") -> Profile:
    """The profile ``name`` of a project's foundry.toml, on top of the default one.

    A project without one has forge's defaults, as forge has it, where it holds a file of tests (``*.t.sol``): packages
    that are published with their tests leave it out. Raises UserError when the project has neither, or no such profile,
    DataError when the file is malformed.
    """
    published = any(path.startswith(_FOLDERS) and path.endswith(".t.sol") for path in files)
    if CONFIG not in files and not published:
        raise UserError(f"{place} has no {CONFIG}; give the folder of a Foundry project")
    try:
        refuse_depth(files.get(CONFIG, b""))
        read = tomllib.loads(files.get(CONFIG, b"").decode())
    except ValueError as error:
        raise DataError(f"{place}/{CONFIG}: {error}") from None
    profiles = _table(read.get("profile"))
    # Old files have the default profile's name as a table of its own.
    default = {**_table(read.get("default")), **_table(profiles.get("default"))}
    if name != "default" and name not in profiles:
        raise UserError(
            f"{place}/{CONFIG}: no profile '{name}'; {nearest(name, {*profiles, 'default'})}"
        )
    told = {**default, **(_table(profiles.get(name)) if name != "default" else {})}
    told = {key.replace("-", "_"): value for key, value in told.items()}
    try:
        return _profile(files, told)
    except (TypeError, ValueError, AttributeError, KeyError, msgspec.ValidationError) as error:
        raise DataError(f"{place}/{CONFIG}: profile '{name}': {error}") from None


def _table(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


class _Told(msgspec.Struct, kw_only=True):
    """The keys that are followed, and their types."""

    src: str = "src"
    test: str = "test"
    script: str = "script"
    libs: list[str] = msgspec.field(default_factory=lambda: ["lib"])
    solc: str | None = None
    solc_version: str | None = None
    auto_detect_solc: bool = True
    optimizer: bool | None = None
    optimizer_runs: int | None = None
    evm_version: str | None = None
    remappings: list[str] = []
    auto_detect_remappings: bool = True
    gas_limit: int | str | None = None
    fs_permissions: list[dict[str, Any]] = []
    skip: list[str] = []
    via_ir: bool = False


def _profile(files: Files, told: dict[str, Any]) -> Profile:
    found = msgspec.convert(told, _Told)
    libraries = found.libs
    if "libs" not in told and any(path.startswith("node_modules/") for path in files):
        libraries = [*libraries, "node_modules"]
    asked = found.solc or found.solc_version
    match = _RELEASE.fullmatch(asked) if asked else None
    return Profile(
        source_folder=_folder(found.src),
        test_folder=_folder(found.test),
        script_folder=_folder(found.script),
        library_folders=tuple(_folder(each) for each in libraries),
        solc=match[1] if match else None,
        # forge turns it on where only its runs are set.
        optimizer=found.optimizer
        if found.optimizer is not None
        else found.optimizer_runs is not None,
        runs=200 if found.optimizer_runs is None else found.optimizer_runs,
        evm_version=found.evm_version,
        via_ir=found.via_ir,
        remappings=all_remappings(
            files, found.remappings, libraries, detect=found.auto_detect_remappings
        ),
        readable=tuple(
            _folder(str(each["path"]))
            for each in found.fs_permissions
            if "read" in str(each.get("access", True))
        ),
        gas_limit=int(found.gas_limit) if found.gas_limit is not None else None,
        skip=tuple(found.skip),
        ignored=(f"solc = {asked!r}",) if asked and not match else (),
    )


def _folder(path: str) -> str:
    return path.removeprefix("./").strip("/") or "."


def newest(sources: Mapping[str, str], available: Iterable[str]) -> str:
    """The newest release that every pragma of every file allows, as forge chooses it; of all where there is no pragma.

    Raises UserError when there is none, naming two files that no release suits, or the one that none suits.
    """
    known = sorted(available, key=release)
    ranges = [
        (path, text, parse_range(text))
        for path, source in sorted(sources.items())
        for text in pragmas(source)
    ]
    fitting = {
        place: {each for each in known if wanted.allows(release(each))}
        for place, (_, _, wanted) in enumerate(ranges)
    }
    left = set(known)
    for place, (path, text, _) in enumerate(ranges):
        left &= fitting[place]
        if left:
            continue
        if not fitting[place]:
            raise UserError(
                f"{path} asks for solc {text!r}, and there is none ({known[0]} to {known[-1]})"
            )
        for other in range(place):
            if not fitting[other] & fitting[place]:
                there, asked, _ = ranges[other]
                raise UserError(
                    f"no compiler fits both {there} ({asked}) and {path} ({text}), which it is built with"
                )
        raise UserError(f"no compiler fits {path} ({text}) and all that it is built with")
    return max(left, key=release)
