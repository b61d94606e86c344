"""Tools come from PATH when they are good enough, else they are installed: each really, once."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from solexp.core.errors import UserError
from solexp.toolchain import listing
from solexp.toolchain.install import ensure_anvil, ensure_soljson
from solexp.toolchain.shelf import intact

Python = Callable[..., subprocess.Popen[str]]
INSTALL = "from solexp.toolchain.install import ensure_soljson; print(ensure_soljson('0.4.11'))"


def program(folder: Path, name: str, answer: str) -> Path:
    """A program that answers to everything with one line."""
    folder.mkdir(exist_ok=True)
    path = folder / name
    path.write_text(f"#!/bin/sh\necho '{answer}'\n")
    path.chmod(0o755)
    return path


@pytest.mark.usefixtures("registry")
def test_two_processes_install_the_same_compiler_into_an_empty_home(
    tools_home: Path, python: Python
) -> None:
    both = [python(INSTALL), python(INSTALL)]
    answers = [child.communicate(timeout=120) for child in both]
    assert [child.returncode for child in both] == [0, 0], answers
    path = tools_home / "soljson" / "0.4.11" / "soljson.js"
    assert {out.strip() for out, _ in answers} == {str(path)}
    assert sum("installing from npm package solc@0.4.11" in err for _, err in answers) == 1
    assert intact(path.parent, thorough=True)


@pytest.mark.usefixtures("registry")
def test_a_truncated_compiler_is_fetched_again(tools_home: Path) -> None:
    path = ensure_soljson("0.4.11")
    whole = path.stat().st_size
    os.truncate(path, whole // 2)
    assert ensure_soljson("0.4.11").stat().st_size == whole
    assert path.is_relative_to(tools_home)


@pytest.mark.usefixtures("registry", "tools_home")
def test_anvil_is_installed_where_path_has_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = program(tmp_path / "old", "anvil", "anvil 0.2.0 (e6f4b7d)")
    monkeypatch.setenv("PATH", f"{old.parent}{os.pathsep}{os.environ['PATH']}")
    path = ensure_anvil()
    assert path != old
    answer = subprocess.check_output([path, "--version"], text=True)
    assert answer.startswith("anvil Version: 1.7.1")


def test_anvil_on_path_is_taken_when_it_is_new_enough(
    tools_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    new = program(tmp_path / "new", "anvil", "anvil Version: 1.9.0")
    monkeypatch.setenv("PATH", str(new.parent))
    assert ensure_anvil() == new
    assert not tools_home.exists()


@pytest.mark.usefixtures("registry")
def test_without_node_on_path_a_pinned_one_is_installed_and_its_npm_serves(
    tools_home: Path, python: Python, tmp_path: Path
) -> None:
    (tmp_path / "empty").mkdir()
    old = program(tmp_path / "old", "node", "v16.20.0")
    code = INSTALL + "; from solexp.toolchain.node import ensure_node; print(ensure_node())"
    child = python(code, PATH=f"{tmp_path / 'empty'}{os.pathsep}{old.parent}")
    out, err = child.communicate(timeout=300)
    assert child.returncode == 0, err
    soljson, node = map(Path, out.split())
    assert soljson.is_file()
    assert node.is_relative_to(tools_home)
    answer = subprocess.check_output(
        [node, "-p", "require(process.argv[1]).cwrap('version', 'string', [])()", soljson],
        text=True,
    )
    assert answer.startswith("0.4.11+commit")


def test_words_that_name_no_tool_are_refused_before_anything_is_installed(
    tools_home: Path,
) -> None:
    with pytest.raises(UserError, match="no tool 'fuondry'; did you mean 'foundry'"):
        listing.install(["node", "fuondry"])
    with pytest.raises(UserError, match=r"no Solidity compiler '0\.9\.9'"):
        listing.install(["foundry", "solc", "0.9.9"])
    with pytest.raises(UserError, match="solc: which release"):
        listing.install(["solc"])
    assert not tools_home.exists()


@pytest.mark.usefixtures("registry", "tools_home")
def test_tools_install_and_list_agree() -> None:
    tools = listing.install(["solc", "0.4.11"])
    assert [(t.name, t.version, t.source) for t in tools if t.name == "soljson"] == [
        ("soljson", "0.4.11", "npm package solc@0.4.11")
    ]
    assert any("solc@0.4.11" in line for line in listing.render(tools))
