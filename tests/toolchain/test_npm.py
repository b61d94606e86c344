"""Files out of npm packages are what was pinned, or are refused."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from solexp.core.errors import ToolError
from solexp.toolchain.node import node_environment, npm_command
from solexp.toolchain.npm import fetch_file, integrity_of
from solexp.toolchain.tables import NpmPackage


@pytest.fixture
def package(tmp_path: Path) -> NpmPackage:
    """A package in a folder, which npm packs without any registry."""
    folder = tmp_path / "package"
    (folder / "bin").mkdir(parents=True)
    (folder / "package.json").write_text(json.dumps({"name": "hammer", "version": "1.0.0"}))
    (folder / "bin" / "hammer").write_text("#!/bin/sh\necho bang\n")
    command = [*npm_command(), "pack", str(folder), "--silent"]
    subprocess.run(command, cwd=tmp_path, env=node_environment(), check=True, capture_output=True)
    return NpmPackage(npm=str(folder), integrity=integrity_of(tmp_path / "hammer-1.0.0.tgz"))


def test_the_file_is_taken_out_and_can_be_run(package: NpmPackage, tmp_path: Path) -> None:
    place = tmp_path / "place" / "hammer"
    fetch_file(package, "hammer", place, executable=True)
    assert subprocess.check_output([place], text=True) == "bang\n"
    assert [p.name for p in place.parent.iterdir()] == ["hammer"]


def test_a_package_with_another_hash_is_refused_in_one_line(
    package: NpmPackage, tmp_path: Path
) -> None:
    other = NpmPackage(npm=package.npm, integrity="sha512-AAAA")
    with pytest.raises(ToolError) as refusal:
        fetch_file(other, "hammer", tmp_path / "place" / "hammer")
    assert f"npm package '{package.npm}' is not the one that was pinned" in str(refusal.value)
    assert package.integrity in str(refusal.value)
    assert "\n" not in str(refusal.value)
    assert not (tmp_path / "place" / "hammer").exists()


def test_a_package_without_the_file_is_named(package: NpmPackage, tmp_path: Path) -> None:
    with pytest.raises(ToolError, match="holds no file 'anvil'"):
        fetch_file(package, "anvil", tmp_path / "place" / "anvil")


def test_what_npm_says_of_its_failure_is_passed_on_in_one_line(tmp_path: Path) -> None:
    missing = NpmPackage(npm=f"file:{tmp_path}/nothing.tgz", integrity="sha512-AAAA")
    with pytest.raises(ToolError, match=r"could not fetch '.*nothing\.tgz': .*ENOENT") as failure:
        fetch_file(missing, "hammer", tmp_path / "place" / "hammer")
    assert "\n" not in str(failure.value)
