"""Where a protection is not to be had, the others hold, and calls answer all the same."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from solexp.sandbox import Ended, Limits
from solexp.sandbox.box import Sandbox
from solexp.sandbox.protections import check

LIMITS = Limits(cpu_s=0.15, wall_s=0.2, memory_mb=128)
PROGRAM = """
import os, sys, time
def answers(x): return x + 1
def spins():
    while True: pass
def sleeps(): time.sleep(1000)
def dies(): os._exit(0)
def grows():
    kept = []
    while True: kept.append(bytearray(10**7))
def connects():
    import _socket
    _socket.socket()
def forks():
    if os.fork() == 0: os._exit(0)
def reads(path): return len(open(path).read())
def writes(path): return open(path, "w").write("x")
def imports():
    import sqlite3, xml.dom.minidom, zoneinfo
    return xml.dom.minidom.parseString("<a/>").documentElement.tagName
def kills():
    for pid in (os.getppid(), 1, -1):
        try: os.kill(pid, 9)
        except OSError: pass
    return 1
"""
LEFT_OUT = [
    (),
    ("user", "clocks"),
    ("filter",),
    ("namespaces",),
    ("namespaces", "user"),
    ("namespaces", "landlock"),
]


def behaves(sandbox: Sandbox, tmp_path: Path) -> None:
    """What must hold whatever protections there are."""
    here = set(sandbox.protections)
    limits = LIMITS

    def one(function: str, arguments: str = "[]") -> tuple[str, str | None]:
        (result,) = sandbox.ask(PROGRAM, function, [arguments], limits)
        return result.ended, result.value or result.exception

    assert one("answers", "[1]") == ("returned", "2")
    assert one("spins")[0] == Ended.TIMEOUT
    assert one("dies")[0] == Ended.DIED
    assert one("grows") == ("raised", "MemoryError")
    if "clocks" in here:
        assert one("sleeps")[0] == Ended.TIMEOUT
    if "filter" in here:
        assert one("connects")[0] == Ended.RAISED
        assert one("forks") == ("raised", "PermissionError")
    assert one("kills")[0] in {Ended.RETURNED, Ended.DIED}
    if {"namespaces", "landlock"} & here:
        assert one("reads", f"[{__file__!r}]")[0] == Ended.RAISED
        assert one("writes", f"[{str(tmp_path / 'x')!r}]")[0] == Ended.RAISED
        assert not (tmp_path / "x").exists()
    assert one("answers", "[2]") == ("returned", "3")


@pytest.mark.parametrize("without", LEFT_OUT, ids=lambda names: "-".join(names) or "none")
def test_calls_are_answered_without(without: Sequence[str], tmp_path: Path) -> None:
    tmp_path.chmod(0o777)
    with Sandbox(without=without) as sandbox:
        assert not set(without) & set(sandbox.protections)
        behaves(sandbox, tmp_path)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root has something to lose")
def test_root_that_may_not_mount_has_namespaces_of_users_or_does_without(tmp_path: Path) -> None:
    setpriv = shutil.which("setpriv")
    if setpriv is None:
        pytest.skip("no setpriv")
    script = tmp_path / "python"
    python = getattr(sys, "_base_executable", sys.executable)
    script.write_text(f'#!/bin/sh\nexec {setpriv} --bounding-set=-sys_admin {python} "$@"\n')
    script.chmod(0o755)
    with Sandbox(python=str(script)) as sandbox:
        assert set(sandbox.protections) & {"namespaces", "landlock"}
        behaves(sandbox, tmp_path)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")
@pytest.mark.parametrize("without", [(), ("namespaces",)])
def test_calls_are_answered_where_solexp_is_not_root(
    without: Sequence[str], tmp_path: Path
) -> None:
    setpriv, python = shutil.which("setpriv"), Path("/usr/bin/python3")
    if setpriv is None or not python.exists():
        pytest.skip("no setpriv, or no Python that others may run")
    script = tmp_path / "python"
    script.write_text(
        f'#!/bin/sh\nexec {setpriv} --reuid=12345 --regid=12345 --clear-groups {python} "$@"\n'
    )
    script.chmod(0o755)
    with Sandbox(without=without, python=str(script)) as sandbox:
        assert "user" not in sandbox.protections
        assert "filter" in sandbox.protections
        assert set(sandbox.protections) & {"namespaces", "landlock"}
        behaves(sandbox, tmp_path)


def test_modules_that_are_not_warm_are_found(tmp_path: Path) -> None:
    del tmp_path
    with Sandbox() as sandbox:
        (result,) = sandbox.ask(PROGRAM, "imports", ["[]"], Limits())
    assert result.value == "'a'", result
    assert sys.platform == "linux" or "namespaces" not in sandbox.protections


@pytest.mark.skipif(sys.platform != "linux", reason="walls are of Linux")
def test_an_interpreter_with_all_modules_built_in_reads_its_library(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from solexp.sandbox.inside import walls  # noqa: PLC0415  (Linux only)

    library = str(Path(os.__file__).parent)
    assert any(library.startswith(f"{folder}/") for folder in walls.readable())
    monkeypatch.setattr(walls, "_ctypes", object())
    assert any(library.startswith(f"{folder}/") for folder in walls.readable())


def test_the_doctor_says_which_protections_there_are(protections: tuple[str, ...]) -> None:
    found = check()
    assert found.name == "sandbox"
    assert found.where == ", ".join(protections)
    assert found.ok is ({"namespaces", "filter", "clocks"} <= set(protections))
    assert bool(found.mend) is not found.ok
