"""A tool is complete on its shelf, or not there at all."""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from solexp.core.errors import ToolError
from solexp.toolchain.shelf import intact, place, shelve, shelved

Python = Callable[..., subprocess.Popen[str]]

SLOW_FILL = """
import time
from solexp.toolchain.shelf import shelve

def fill(folder):
    (folder / "tool").write_text("half")
    print("half way", flush=True)
    time.sleep({seconds})
    (folder / "tool").write_text("whole")
    return ["tool"]

print(shelve("hammer", "1.0", "nowhere", fill))
"""


def fill(folder: Path) -> Sequence[str]:
    (folder / "tool").write_text("whole")
    return ["tool"]


def never(folder: Path) -> Sequence[str]:
    raise AssertionError(folder)


def test_a_complete_tool_is_not_installed_again(tools_home: Path) -> None:
    folder = shelve("hammer", "1.0", "nowhere", fill)
    assert folder == place("hammer", "1.0") == tools_home / "hammer" / "1.0"
    assert shelve("hammer", "1.0", "nowhere", never) == folder
    assert shelved("hammer") == ("1.0",)


def test_a_process_killed_while_installing_leaves_nothing_that_counts(
    tools_home: Path, python: Python, capsys: pytest.CaptureFixture[str]
) -> None:
    child = python(SLOW_FILL.format(seconds=60))
    assert child.stdout is not None
    assert child.stdout.readline() == "half way\n"
    os.kill(child.pid, signal.SIGKILL)
    child.communicate()
    assert shelved("hammer") == ()

    folder = shelve("hammer", "1.0", "nowhere", fill)
    assert (folder / "tool").read_text() == "whole"
    assert "an install that was not finished" in capsys.readouterr().err
    assert [p.name for p in (tools_home / "hammer").iterdir() if "partial" in p.name] == []


@pytest.mark.usefixtures("tools_home")
@pytest.mark.parametrize("damage", ["truncated", "missing", "no manifest", "torn manifest"])
def test_a_damaged_install_is_noticed_and_repaired(damage: str) -> None:
    folder = shelve("hammer", "1.0", "nowhere", fill)
    match damage:
        case "truncated":
            (folder / "tool").write_text("wh")
        case "missing":
            (folder / "tool").unlink()
        case "no manifest":
            (folder / "manifest.json").unlink()
        case _:
            (folder / "manifest.json").write_text('{"tool": "ham')
    assert intact(folder) is None
    assert (shelve("hammer", "1.0", "nowhere", fill) / "tool").read_text() == "whole"
    assert intact(folder)


@pytest.mark.usefixtures("tools_home")
def test_a_changed_byte_is_noticed_by_a_thorough_look() -> None:
    folder = shelve("hammer", "1.0", "nowhere", fill)
    (folder / "tool").write_text("whelp")
    assert intact(folder)
    assert intact(folder, thorough=True) is None


def test_a_fill_that_fails_leaves_nothing_behind(tools_home: Path) -> None:
    def fail(folder: Path) -> Sequence[str]:
        (folder / "tool").write_text("half")
        raise ToolError("no network")

    with pytest.raises(ToolError, match="no network"):
        shelve("hammer", "1.0", "nowhere", fail)
    assert not place("hammer", "1.0").exists()
    assert list((tools_home / "hammer").glob("*.partial")) == []


def test_of_two_processes_one_installs_and_the_other_waits(
    tools_home: Path, python: Python
) -> None:
    first, second = (python(SLOW_FILL.format(seconds=2)) for _ in range(2))
    answers = [first.communicate(timeout=30), second.communicate(timeout=30)]
    assert [first.returncode, second.returncode] == [0, 0]
    assert sum(out.count("half way") for out, _ in answers) == 1
    assert sum("waiting for another process" in err for _, err in answers) == 1
    assert (tools_home / "hammer" / "1.0" / "tool").read_text() == "whole"


def test_the_one_that_waits_installs_when_the_other_is_killed(
    tools_home: Path, python: Python
) -> None:
    first = python(SLOW_FILL.format(seconds=60))
    assert first.stdout is not None
    assert first.stdout.readline() == "half way\n"
    second = python(SLOW_FILL.format(seconds=0))
    time.sleep(0.3)
    os.kill(first.pid, signal.SIGKILL)
    first.communicate()
    out, _ = second.communicate(timeout=30)
    assert second.returncode == 0, out
    assert (tools_home / "hammer" / "1.0" / "tool").read_text() == "whole"


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_tools_home_that_cannot_be_written_is_named_with_the_mend(tools_home: Path) -> None:
    tools_home.mkdir()
    tools_home.chmod(stat.S_IRUSR | stat.S_IXUSR)
    with pytest.raises(ToolError, match=r"can't write .*hammer.*SOLEXP_TOOLS"):
        shelve("hammer", "1.0", "nowhere", fill)


def test_a_tools_home_that_is_a_file_is_named_with_the_mend(tools_home: Path) -> None:
    tools_home.write_text("")
    with pytest.raises(ToolError, match="SOLEXP_TOOLS"):
        shelve("hammer", "1.0", "nowhere", fill)
