"""The repositories that SolEval's functions come from, and how each is built."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from solexp.core import CompilerSettings


class Repository(msgspec.Struct, frozen=True, kw_only=True):
    """A repository: what its own configuration says, made explicit."""

    compiler: CompilerSettings
    source_folder: str = "src"
    library_folders: tuple[str, ...] = ("lib",)
    readable: tuple[str, ...] = ()
    gas_limit: int | None = None
    later: Mapping[str, str] = {}
    """Versions of the EVM by a word in the test file's path, for tests that need a later one."""

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
    ),
}
"""By the name of their archive. All but Ethernaut are built by one release of the compiler."""
