"""A Foundry or Hardhat project as a source of contracts: each of its own as one file, imports and all."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import msgspec

from solexp.benchmarks.building.flat import one_file
from solexp.benchmarks.building.sources import Source, written
from solexp.core import CompilerSettings, DataError, UserError
from solexp.solidity.compiler import Compiler
from solexp.solidity.flattening import CannotFlatten
from solexp.solidity.foundry.files import MOST_BYTES, MOST_FILES, Files
from solexp.solidity.foundry.folders import MADE
from solexp.solidity.foundry.imports import closure
from solexp.solidity.foundry.remappings import all_remappings
from solexp.solidity.foundry.settings import CONFIG, Profile, read_profile
from solexp.solidity.parsing import outline
from solexp.toolchain.install import soljson_versions

HARDHAT = ("hardhat.config.ts", "hardhat.config.js", "hardhat.config.cjs", "hardhat.config.mjs")

_WANTED = (".sol", CONFIG, "remappings.txt")
_VERSION = re.compile(r"""(?:\bsolidity\s*:\s*|\bversion\s*:\s*)["'](\d+\.\d+\.\d+)["']""")
_OPTIMIZER = re.compile(r"\boptimizer\s*:\s*\{([^{}]*)\}")
_RUNS = re.compile(r"\bruns\s*:\s*(\d[\d_]{0,12})(?![\d_])")
_ENABLED = re.compile(r"\benabled\s*:\s*true\b")
_EVM = re.compile(r"""\bevmVersion\s*:\s*["'](\w+)["']""")
_SOURCES = re.compile(r"""\bsources\s*:\s*["']\.?/?([\w./-]+?)/?["']""")
_COMMENT = re.compile(r"/\*.*?\*/|(?<![:\w])//[^\n]*", re.DOTALL)
_VIA_IR = re.compile(r"\bviaIR\s*:\s*true\b")


class Project(msgspec.Struct, frozen=True, kw_only=True):
    """A project's own files and how they are compiled."""

    name: str
    files: Files
    profile: Profile

    def own(self) -> list[str]:
        """The files that the project's sources are in, without libraries, tests and scripts."""
        profile = self.profile
        inside = "" if profile.source_folder == "." else f"{profile.source_folder}/"
        others = (
            *profile.library_folders,
            *({profile.test_folder, profile.script_folder} - {profile.source_folder}),
            "node_modules",
        )
        return sorted(
            path
            for path in self.files
            if path.endswith(".sol")
            and path.startswith(inside)
            and not path.endswith((".t.sol", ".s.sol"))
            and not any(path.startswith(f"{folder}/") for folder in others)
        )

    def settings(self, path: str) -> CompilerSettings:
        """How a file is compiled. Raises UserError where no compiler suits all that it imports."""
        found = closure(self.files, [path], self.profile.remappings)
        texts = {each: data.decode(errors="replace") for each, data in found.items()}
        return self.profile.compiler(texts, soljson_versions())


def is_project(folder: Path) -> bool:
    """Whether a folder is the top of a Foundry or Hardhat project."""
    return any((folder / name).is_file() for name in (CONFIG, *HARDHAT))


def from_project(folder: Path, compiler: Compiler) -> tuple[list[Source], list[tuple[str, str]]]:
    """The contracts of a project's own files that can be deployed, each as one file; and what cannot, with the reason.

    ``node_modules`` and library folders must be there, as the project's own tools put them. Nothing of the project is
    executed: of a Hardhat configuration only plain words are read. Raises UserError where it has no sources.
    """
    project = read_project(folder)
    sources: list[Source] = []
    unfit: list[tuple[str, str]] = []
    own = project.own()
    if not own:
        raise UserError(
            f"data build: {folder} has no .sol file in {project.profile.source_folder}/"
        )
    for path in own:
        text = project.files[path].decode(errors="replace")
        for contract in deployable(text):
            name = f"{path.removesuffix('.sol')}:{contract}"
            try:
                settings = project.settings(path)
                flat = one_file(project.files, path, contract, settings, compiler)
            except (CannotFlatten, UserError) as error:
                unfit.append((name, f"cannot be one file: {error}"))
                continue
            sources.append(
                Source(
                    id=name,
                    text=flat,
                    contract=contract,
                    optimizer=settings.optimizer,
                    runs=settings.runs,
                )
            )
    return sources, unfit


def deployable(text: str) -> list[str]:
    """The contracts of a file that are neither abstract, nor interfaces or libraries, nor bases of others in it."""
    known = outline(text)
    bases = {base.rpartition(".")[2] for each in known for base in each.inherits}
    return [
        each.name
        for each in known
        if each.kind == "contract" and not each.abstract and each.name not in bases
    ]


def read_project(folder: Path) -> Project:
    """A project's files and settings. Raises UserError where it is none, DataError where it is malformed."""
    files = _read(folder)
    if CONFIG in files:
        return Project(name=folder.name, files=files, profile=read_profile(files, str(folder)))
    config = next((name for name in HARDHAT if name in files), None)
    if config is None:
        raise UserError(f"{folder} has neither {CONFIG} nor hardhat.config.js")
    return Project(name=folder.name, files=files, profile=hardhat(files, config))


def _read(folder: Path) -> dict[str, bytes]:
    """The files of a project that say anything, by path: of what tools install mostly the least part.

    Links are followed where they stay within the project, since some tools install packages by them.
    """
    files: dict[str, bytes] = {}
    size = 0
    try:
        for name, path in _walk(folder, "", folder.resolve(), frozenset()):
            data = path.read_bytes()
            size += len(data)
            if len(files) >= MOST_FILES or size > MOST_BYTES:
                raise DataError(
                    f"{folder} holds more than {MOST_FILES} sources or {MOST_BYTES >> 20} MB"
                )
            files[name] = data
    except OSError as error:
        raise DataError(f"{folder} cannot be read: {error}") from None
    return files


def _walk(
    folder: Path, start: str, top: Path, above: frozenset[Path]
) -> Iterator[tuple[str, Path]]:
    """Wanted files below a folder, with their names from the project's; ``above`` are the folders that it is in."""
    above |= {Path(os.path.realpath(folder))}
    for path in sorted(folder.iterdir()):
        name = f"{start}{written(path.name)}"
        if path.name.startswith(".") or (not start and path.name in MADE):
            continue
        # Unlike `Path.resolve` this does not mind links that lead round in a circle, which are no files.
        there = Path(os.path.realpath(path))
        if path.is_symlink() and not there.is_relative_to(top):
            continue
        if path.is_dir():
            if there not in above:
                yield from _walk(path, f"{name}/", top, above)
        elif path.is_file() and (path.name.endswith(_WANTED) or name in HARDHAT):
            yield name, path


def hardhat(files: Mapping[str, bytes], config: str) -> Profile:
    """What the plain words of a Hardhat configuration say. Where they name several compilers, pragmas choose."""
    text = files[config].decode(errors="replace")
    code = _COMMENT.sub("", text)
    versions = list(dict.fromkeys(_VERSION.findall(code)))
    optimizer = _OPTIMIZER.search(code)
    runs = _RUNS.search(optimizer[1]) if optimizer else None
    evm = _EVM.search(code)
    sources = _SOURCES.search(code)
    return Profile(
        source_folder=sources[1] if sources else "contracts",
        test_folder="test",
        script_folder="scripts",
        library_folders=("node_modules",),
        solc=versions[0] if len(versions) == 1 else None,
        optimizer=bool(optimizer and _ENABLED.search(optimizer[1])),
        runs=int(runs[1].replace("_", "")) if runs else 200,
        evm_version=evm[1] if evm else None,
        via_ir=bool(_VIA_IR.search(code)),
        remappings=_modules(files),
    )


def _modules(files: Mapping[str, bytes]) -> tuple[str, ...]:
    """Where Hardhat finds what an import names: in node_modules, by the package's own name and layout."""
    names = {
        path.split("/")[1]
        for path in files
        if path.startswith("node_modules/") and path.endswith(".sol")
    }
    lines: Sequence[str] = [f"{name}/=node_modules/{name}/" for name in sorted(names)]
    return all_remappings(files, lines, (), detect=False)
