"""The doctor says for each thing where it is, its version, or how to get it."""

from __future__ import annotations

import platform
import sys
import threading
from pathlib import Path
from typing import NoReturn

import pytest
import requests

from solexp.toolchain.doctor import Check, checks, healthy, render
from solexp.toolchain.install import foundry_platform
from solexp.toolchain.shelf import shelve
from solexp.toolchain.solc import native_compilers
from solexp.toolchain.tables import foundry


def by_name(found: list[Check]) -> dict[str, Check]:
    return {check.name: check for check in found}


def test_everything_is_either_found_or_comes_with_a_mend() -> None:
    found = checks()
    for check in found:
        assert check.where or check.mend, check
        assert check.ok or check.mend, check
    names = by_name(found)
    assert names["python"].where == sys.executable
    assert names["python"].version == platform.python_version()
    assert {"node", "npm", "anvil", "forge", "soljson", "mlflow", "data home"} <= set(names)
    assert healthy(found)


def test_missing_tools_say_how_to_get_them(
    tools_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("SOLEXP_DATA", str(tmp_path / "data"))
    names = by_name(checks())
    assert names["node"].mend == "installed when first needed, or by: solexp tools install node"
    assert names["anvil"].mend.endswith("solexp tools install foundry")
    old = names["anvil (old forks)"].mend
    here = foundry_platform() in foundry().old_forks.anvil
    assert old.endswith("solexp tools install foundry") if here else "not exact" in old
    assert not names["soljson"].ok
    assert "solexp data list" in names["data home"].mend
    assert not tools_home.exists()


def test_a_damaged_tool_is_told_apart_from_a_missing_one(
    tools_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fill(folder: Path) -> list[str]:
        (folder / "anvil").write_text("anvil")
        return ["anvil"]

    folder = shelve("anvil", foundry().version, "nowhere", fill)
    (folder / "anvil").write_text("ANVIL")
    monkeypatch.setenv("PATH", str(tmp_path))
    anvil = by_name(checks())["anvil"]
    assert not anvil.ok
    assert "is damaged; run: solexp tools install foundry" in anvil.mend
    assert folder.is_relative_to(tools_home)


def test_a_name_server_that_does_not_answer_holds_nobody_up(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    released = threading.Event()
    asked = threading.Event()
    answered = threading.Event()

    def hang(*_: object, **__: object) -> NoReturn:
        asked.set()
        released.wait(300)
        answered.set()
        raise OSError

    monkeypatch.setattr(requests, "head", hang)
    try:
        solcx = by_name(checks())["py-solc-x"]
        # No clock: however busy the machine is, the doctor was done while the server still hung.
        assert asked.is_set()
        assert not answered.is_set()
    finally:
        released.set()
    assert not solcx.ok
    assert "cannot be reached (no answer in 4 s); soljson serves" in solcx.mend


def test_native_compilers_are_found_where_their_installers_put_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("HOME", str(tmp_path))
    assert not by_name(checks())["solc (native)"].ok
    for place in (".svm/0.8.17/solc-0.8.17", ".solcx/solc-v0.4.26", ".solcx/solc-v0.8.9/solc"):
        (tmp_path / place).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / place).touch()
    assert [release for release, _ in native_compilers()] == ["0.8.17", "0.4.26", "0.8.9"]
    assert all(path.is_file() for _, path in native_compilers())
    assert by_name(checks())["solc (native)"].version == "0.4.26…0.8.17"


def test_lines_are_plain_and_aligned() -> None:
    lines = render(
        [
            Check(name="node", ok=True, where="/usr/bin/node", version="20.1.0"),
            Check(name="anvil", ok=False, mend="installed when first needed"),
            Check(name="python", ok=False, version="3.9.1", mend="use 3.11", needed=True),
        ]
    )
    assert lines == [
        "ok      node    20.1.0  /usr/bin/node",
        "-       anvil           installed when first needed",
        "MISSING python  3.9.1   use 3.11",
    ]
