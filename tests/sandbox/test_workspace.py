"""A command in a workspace has its own files, no network, and what its limits leave it."""

from __future__ import annotations

import shutil
import sys
import threading
import time
from pathlib import Path

import pytest

from solexp.core import ToolError
from solexp.sandbox.workspace import (
    Limits,
    Ran,
    Walls,
    check_path,
    end_all,
    python,
    run,
    standing,
)

NAMESPACES = pytest.mark.skipif(
    standing() is not Walls.NAMESPACES, reason="this system allows no namespaces"
)


def said(code: str, walls: Walls | None = None, **limits: float) -> Ran:
    words = [python(), "-I", "-S", "-c", code]
    return run(words, {"src/A.sol": "text"}, limits=Limits(**limits), walls=walls)  # type: ignore[arg-type]


@NAMESPACES
def test_it_sees_its_files_and_nothing_else_of_the_machine(tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("x")
    code = (
        "import os, socket\n"
        "print(open('src/A.sol').read(), os.getcwd(), os.path.exists('/home/x'), len(os.environ))\n"
        f"print(os.path.exists({str(secret)!r}), os.path.exists({str(Path.cwd())!r}), os.getuid() == 0)\n"
        "try: socket.create_connection(('192.0.2.1', 80), 2)\n"
        "except OSError as error: print(type(error).__name__, error.errno)\n"
        "try: open('/etc/new', 'w')\n"
        "except OSError as error: print(error.errno)\n"
    )
    ran = said(code)
    assert ran.status == 0, ran.errors
    first, second, network, elsewhere = ran.output.decode().splitlines()
    assert first.startswith("text /box/project False")
    assert second.startswith("False False")
    assert network == "OSError 101"
    assert elsewhere in ("2", "13", "30")


@pytest.mark.skipif(shutil.which("bwrap") is None, reason="bubblewrap is not installed")
def test_bubblewrap_raises_the_same_walls() -> None:
    code = (
        "import os, socket\n"
        f"print(open('src/A.sol').read(), os.getcwd(), os.path.exists({str(Path.cwd() / 'tests')!r}))\n"
        "try: socket.create_connection(('192.0.2.1', 80), 2)\n"
        "except OSError as error: print(error.errno)\n"
        "try: open('/usr/lib/new', 'w')\n"
        "except OSError as error: print(error.errno)\n"
    )
    ran = said(code, Walls.BUBBLEWRAP)
    assert ran.output.decode().split() == ["text", "/box/project", "False", "101", "30"], ran.errors
    assert said("import time; time.sleep(60)", Walls.BUBBLEWRAP, wall_s=1).limit == "time"
    full = (
        "for n in range(99): open(str(n), 'wb').write(b'x' * 900_000)\nimport time; time.sleep(60)"
    )
    assert said(full, Walls.BUBBLEWRAP, disk_mb=2).limit == "disk"


@NAMESPACES
def test_processes_are_limited_and_none_is_left() -> None:
    code = (
        "import os, time\nn = 0\n"
        "try:\n  while True:\n    n += 1\n    if not os.fork(): os.setsid(); time.sleep(77.5)\n"
        "except OSError: print(n)"
    )
    ran = said(code, processes=12, wall_s=5)
    assert ran.status == 0
    assert 0 < int(ran.output) <= 12
    left = [p for p in Path("/proc").glob("[0-9]*/cmdline") if b"sleep(77.5)" in _bytes(p)]
    assert left == []


def _bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        return b""


@NAMESPACES
def test_a_full_disk_is_its_own() -> None:
    ran = said("open('big', 'wb').write(b'x' * 4_000_000)", disk_mb=1)
    assert b"No space left" in ran.errors


@pytest.mark.skipif(sys.platform != "linux", reason="limits are those of Linux")
@pytest.mark.parametrize(
    ("code", "limits", "passed"),
    [
        ("while True: pass", {"cpu_s": 0.3}, "CPU time"),
        ("import time; time.sleep(60)", {"wall_s": 0.4}, "time"),
        ("a = [b'x' * 300_000_000]\nwhile True: pass", {"memory_mb": 100}, "memory"),
        ("while True: print('x' * 9999)", {"output_mb": 1}, "output"),
        (
            "import time\nfor n in range(9): open(str(n), 'wb').write(b'x' * 900_000)\ntime.sleep(60)",
            {"disk_mb": 2},
            "disk",
        ),
    ],
)
def test_what_passes_a_limit_is_ended_with_limits_alone_too(
    code: str, limits: dict[str, float], passed: str
) -> None:
    ran = said(code, Walls.LIMITS, **limits)
    assert (ran.limit, ran.walls) == (passed, Walls.LIMITS)


@pytest.mark.parametrize(
    "path", ["../a", "/a", "a/../b", "", "a//b", ".env", "src/.git/x", "a\\b", "a\nb", "~/a", "x" * 300]
)  # fmt: skip
def test_paths_stay_in_the_workspace(path: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        check_path(path)
    check_path("src/Vault.sol")


def test_what_runs_is_ended_when_all_is_to_end_and_what_comes_after_runs() -> None:
    errors: list[Exception] = []

    def sleeps() -> None:
        try:
            said("import time; time.sleep(60)", Walls.LIMITS)
        except ToolError as error:
            errors.append(error)

    waiting = threading.Thread(target=sleeps)
    waiting.start()
    deadline = time.monotonic() + 30
    while waiting.is_alive() and time.monotonic() < deadline:
        time.sleep(0.1)
        end_all()
    waiting.join(1)
    assert [str(error) for error in errors] == ["interrupted"]
    assert said("print(1)", Walls.LIMITS).output == b"1\n"
