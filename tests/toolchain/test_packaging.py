"""What is shipped and pinned: the lock, the wheel, and set-up's first words."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PINNED = re.compile(r"^([a-z0-9][a-z0-9._-]*)==(\S+)", re.MULTILINE)


def pins(name: str) -> dict[str, set[str]]:
    """Versions by package; some packages have one for each of several Pythons."""
    found: dict[str, set[str]] = {}
    for package, version in PINNED.findall((ROOT / "requirements" / name).read_text()):
        found.setdefault(package, set()).add(version)
    return found


@pytest.mark.parametrize("name", ["build.txt", "lock.txt"])
def test_every_pinned_package_has_hashes_and_no_address(name: str) -> None:
    text = (ROOT / "requirements" / name).read_text()
    blocks = re.split(r"\n(?=[a-z0-9])", re.sub(r"^#.*\n", "", text, flags=re.MULTILINE))
    assert len(blocks) == sum(map(len, pins(name).values()))
    for block in blocks:
        assert re.search(r"--hash=sha256:[0-9a-f]{64}\b", block), block
    assert "://" not in text
    assert "--index" not in text


def test_every_declared_dependency_is_pinned() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    # torch alone takes 5.6 GB with its libraries for GPUs.
    assert "hf" in extras
    wanted = project["dependencies"] + [
        line for name, extra in extras.items() if name != "hf" for line in extra
    ]
    names = {re.split(r"[\[<>=!]", line)[0].lower() for line in wanted} - {"solexp"}
    assert names <= set(pins("lock.txt"))


def test_build_tools_and_packages_agree_on_what_they_share() -> None:
    build, lock = pins("build.txt"), pins("lock.txt")
    shared = set(build) & set(lock)
    assert {package: build[package] for package in shared} == {
        package: lock[package] for package in shared
    }


def test_the_wheel_carries_configuration_presets_tables_and_tasks(tmp_path: Path) -> None:
    pytest.importorskip("hatchling")
    command = [sys.executable, "-m", "hatchling", "build", "--target", "wheel"]
    subprocess.run([*command, "--directory", str(tmp_path)], cwd=ROOT, check=True)
    (wheel,) = tmp_path.glob("*.whl")
    names = set(zipfile.ZipFile(wheel).namelist())
    assert {
        "solexp/py.typed",
        "solexp/conf/config.yaml",
        "solexp/experiments/demo.yaml",
        "solexp/solidity/soljson_worker.js",
        "solexp/toolchain/foundry.json",
        "solexp/toolchain/node.lock",
        "solexp/toolchain/soljson.json",
    } <= names
    assert any(re.fullmatch(r"solexp/benchmarks/starter/tasks/.*\.sol", name) for name in names)
    assert not [name for name in names if name.startswith(("tests/", "tools/", "bench/"))]


def test_set_up_names_what_it_needs_when_no_python_fits(tmp_path: Path) -> None:
    done = subprocess.run(
        ["sh", "tools/setup.sh"],
        cwd=ROOT,
        env={**os.environ, "PYTHON": "false python2.7", "VENV": str(tmp_path / "venv")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert "needs Python 3.11, 3.12 (not 3.12.0) or 3.13" in done.stderr
    assert "make setup PYTHON=" in done.stderr
    assert not (tmp_path / "venv").exists()


def test_make_alone_says_what_there_is() -> None:
    said = subprocess.check_output(["make", "--silent"], cwd=ROOT, text=True)
    targets = {line.split()[1] for line in said.splitlines()}
    assert {"setup", "demo", "test", "test-ui", "lint", "bench-replay", "lock"} <= targets
