"""The committed tables are well formed and speak of no registry's address."""

from __future__ import annotations

import base64
import re
from collections.abc import Iterable
from importlib import resources

import pytest

from solexp.core.errors import ToolError, UserError
from solexp.toolchain.install import foundry_platform, soljson_versions
from solexp.toolchain.tables import NpmPackage, foundry, node_lock, soljson, soljson_package


def packages() -> Iterable[NpmPackage]:
    yield from soljson().releases.values()
    yield from foundry().anvil.values()
    yield from foundry().forge.values()
    yield from foundry().old_forks.anvil.values()


def test_every_package_has_an_exact_version_and_a_whole_sha512() -> None:
    for package in packages():
        assert re.fullmatch(r"(@[a-z-]+/)?[a-z0-9-]+@\d+\.\d+\.\d+(-fixed)?", package.npm)
        assert package.integrity.startswith("sha512-")
        assert len(base64.b64decode(package.integrity[7:], validate=True)) == 64


def test_every_compiler_said_that_it_is_the_release_it_is_listed_under() -> None:
    for version, package in soljson().releases.items():
        assert re.fullmatch(
            rf"{re.escape(version)}\+commit\.[0-9a-f]{{8}}\.Emscripten\.clang", package.long_version
        )


def test_releases_are_listed_oldest_first_from_0_4_11_without_gaps_but_those_that_do_not_exist() -> (
    None
):
    versions = soljson_versions()
    keys = [tuple(map(int, version.split("."))) for version in versions]
    assert keys == sorted(set(keys))
    assert versions[0] == "0.4.11"
    assert {"0.4.26", "0.5.17", "0.6.12", "0.7.6", "0.8.7", "0.8.14", "0.8.30"} <= set(versions)
    newest = keys[-1][2]
    assert {(0, 8, n) for n in range(newest + 1)} - set(keys) == {(0, 8, 1)}


def test_packages_that_hold_another_release_are_known_and_passed_over() -> None:
    table = soljson()
    assert table.mislabelled["solc@0.8.7"].startswith("0.7.5+")
    assert table.releases["0.8.7"].npm == "solc@0.8.7-fixed"
    assert not {package.npm for package in table.releases.values()} & set(table.mislabelled)


def test_a_release_that_npm_has_only_by_name_says_so() -> None:
    with pytest.raises(ToolError, match=r"'solc@0\.8\.1' holds 0\.8\.0\+"):
        soljson_package("0.8.1")


def test_an_unknown_release_names_the_nearest() -> None:
    with pytest.raises(
        UserError, match=r"'0\.8\.99' \(there are 0\.4\.11 to .*did you mean '0\.8\."
    ):
        soljson_package("0.8.99")


def test_foundry_covers_the_usual_platforms_and_this_one() -> None:
    usual = {"linux-amd64", "linux-arm64", "darwin-amd64", "darwin-arm64", "win32-amd64"}
    assert usual | {foundry_platform()} == set(foundry().anvil) == set(foundry().forge)


def test_node_is_pinned_with_hashes() -> None:
    version, lock = node_lock()
    assert re.fullmatch(r"\d+\.\d+\.\d+", version)
    assert len(re.findall(r"--hash=sha256:[0-9a-f]{64}\b", lock)) >= 6


@pytest.mark.parametrize("name", ["soljson.json", "foundry.json", "node.lock"])
def test_no_table_names_an_address(name: str) -> None:
    text = (resources.files("solexp.toolchain") / name).read_text()
    assert "//" not in re.sub(r'"sha512-[^"]*"', "", text)
