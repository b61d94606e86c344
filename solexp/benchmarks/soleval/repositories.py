"""The repositories that SolEval's functions come from, and how each is built."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from solexp.core import CompilerSettings
from solexp.solidity.foundry.settings import Profile
from solexp.toolchain.tables import NpmPackage


class Repository(msgspec.Struct, frozen=True, kw_only=True):
    """A repository: what its own configuration says, made explicit."""

    compiler: CompilerSettings
    source_folder: str = "src"
    library_folders: tuple[str, ...] = ("lib",)
    readable: tuple[str, ...] = ()
    gas_limit: int | None = None
    later: Mapping[str, str] = {}
    """Versions of the EVM by a word in the test file's path, for tests that need a later one."""
    several: bool = False
    """Whether its files are for several releases of the compiler."""
    prefix: str
    """What stands before a path of it in the release, below the home folder of its authors' machine."""
    upstream: str
    commit: str
    """The commit at which every released body stands at its lines."""
    folder: str = ""
    """The project's folder within the upstream repository."""
    packages: Mapping[str, NpmPackage] = {}
    """What its tests import from npm, by folder."""

    def profile(self, evm_version: str | None) -> Profile:
        """As of a foundry.toml, for tests that need this version of the EVM.

        Where files are for several releases of the compiler, each of them chooses.
        """
        return Profile(
            source_folder=self.source_folder,
            library_folders=self.library_folders,
            solc=None if self.several else self.compiler.version,
            optimizer=self.compiler.optimizer,
            runs=self.compiler.runs,
            evm_version=evm_version,
            remappings=self.compiler.remappings,
        )

    def settings(self, test_file: str) -> CompilerSettings:
        """The compiler's settings for the tests in a file."""
        for word, evm_version in self.later.items():
            if word in test_file:
                return msgspec.structs.replace(self.compiler, evm_version=evm_version)
        return self.compiler


REPOSITORIES: Mapping[str, Repository] = {
    "solady": Repository(
        compiler=CompilerSettings(
            version="0.8.28",
            optimizer=True,
            runs=1000,
            evm_version="paris",
            remappings=("forge-std/=test/utils/forge-std/",),
        ),
        readable=("test/data",),
        gas_limit=100_000_000,
        prefix="solady/lib/solady/",
        upstream="https://github.com/Vectorized/solady",
        commit="717c0a860a83dc9a1520d32384577aec51cecd84",
        later={"Transient": "cancun", "/ithaca/": "prague"},
    ),
    "oz": Repository(
        compiler=CompilerSettings(
            version="0.8.24",
            optimizer=True,
            evm_version="cancun",
            remappings=("@openzeppelin/contracts/=contracts/", "forge-std/=lib/forge-std/src/"),
        ),
        source_folder="contracts",
        library_folders=("node_modules", "lib"),
        readable=("test/bin",),
        prefix="openzeppelin-contracts/",
        upstream="https://github.com/OpenZeppelin/openzeppelin-contracts",
        commit="3b240d7e6ab5978fb1fa13f5b66f39a90dcce450",
    ),
    "ethernaut": Repository(
        compiler=CompilerSettings(
            version="0.8.28",
            optimizer=True,
            runs=1000,
            evm_version="shanghai",
            remappings=(
                "forge-std/=lib/forge-std/src/",
                "openzeppelin-contracts-06/=lib/openzeppelin-contracts-06/contracts/",
                "openzeppelin-contracts-08/=lib/openzeppelin-contracts-08/contracts/",
                "openzeppelin-upgradeable/=lib/openzeppelin-contracts-upgradeable/contracts/",
            ),
        ),
        readable=(".",),
        several=True,
        prefix="ethernaut/lib/ethernaut.git/contracts/",
        upstream="https://github.com/OpenZeppelin/ethernaut",
        commit="fba7fed00e069c04610f07a0ffe0a2d72390e90e",
        folder="contracts",
    ),
    "foundry-upgrades": Repository(
        compiler=CompilerSettings(
            version="0.8.28",
            remappings=(
                "openzeppelin-foundry-upgrades/=src/",
                "@openzeppelin/contracts/=node_modules/@openzeppelin/contracts/",
                "@openzeppelin/contracts-upgradeable/="
                "node_modules/@openzeppelin/contracts-upgradeable/",
                "solidity-stringutils/=lib/solidity-stringutils/",
                "forge-std/=lib/forge-std/src/",
            ),
        ),
        library_folders=("node_modules", "lib"),
        readable=(".",),
        prefix="openzeppelin-foundry-upgrades/lib/openzeppelin-foundry-upgrades/",
        upstream="https://github.com/OpenZeppelin/openzeppelin-foundry-upgrades",
        commit="6461ba3851dea1fa4381a0fb1477c669279cdd44",
        packages={
            "node_modules/@openzeppelin/contracts": NpmPackage(
                npm="@openzeppelin/contracts@5.0.2",
                integrity="sha512-ytPc6eLGcHHnapAZ9S+5qsdomhjo6QBHTDRRBFfTxXIpsicMhVPouPgmUPebZZZGX7vt9USA+Z+0M0dSVtSUEA==",
            ),
            "node_modules/@openzeppelin/contracts-upgradeable": NpmPackage(
                npm="@openzeppelin/contracts-upgradeable@5.0.2",
                integrity="sha512-0MmkHSHiW2NRFiT9/r5Lu4eJq5UJ4/tzlOgYXNAIj/ONkQTVnz22pLxDvp4C4uZ9he7ZFvGn3Driptn1/iU7tQ==",
            ),
            "node_modules/@openzeppelin/contracts-v4": NpmPackage(
                npm="@openzeppelin/contracts@4.9.6",
                integrity="sha512-xSmezSupL+y9VkHZJGDoCBpmnB2ogM13ccaYDWqJTfS3dbuHkgjuwDFUmaFauBCboQMGB/S5UqUl2y54X99BmA==",
            ),
            "node_modules/@openzeppelin/contracts-upgradeable-v4": NpmPackage(
                npm="@openzeppelin/contracts-upgradeable@4.9.6",
                integrity="sha512-m4iHazOsOCv1DgM7eD7GupTJ+NFVujRZt1wzddDPSVGpWdKq1SKkla5htKG7+IS4d2XOCtzkUNwRZ7Vq5aEUMA==",
            ),
        },
    ),
    "community": Repository(
        compiler=CompilerSettings(
            version="0.8.27",
            evm_version="cancun",
            remappings=(
                "@openzeppelin/contracts/=lib/@openzeppelin-contracts/contracts/",
                "@openzeppelin/contracts-upgradeable/="
                "lib/@openzeppelin-contracts-upgradeable/contracts/",
                "@openzeppelin/community-contracts/=contracts/",
                "forge-std/=lib/forge-std/src/",
            ),
        ),
        source_folder="contracts",
        library_folders=("node_modules", "lib"),
        prefix="openzeppelin-community-contracts/lib/openzeppelin-community-contracts/",
        upstream="https://github.com/OpenZeppelin/openzeppelin-community-contracts",
        commit="85e3c198493ba498fd9da64bfb0f1a8219ac2242",
    ),
}
"""By the name of their archive. All but Ethernaut are built by one release of the compiler."""
