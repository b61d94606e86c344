"""The process that becomes one command in a workspace: walls, files, limits, then the command itself.

What is to be done is read from standard input, as JSON; standard output and error are the command's. A byte on a
descriptor of its own says that all of it stands and the command begins.
"""

# Paths are strings here, as the kernel takes them.
# ruff: noqa: PTH103, PTH118, PTH120, PTH123

from __future__ import annotations

import contextlib
import json
import os
import sys
from typing import Any

from solexp.sandbox.inside import confine, kernel, walls

_STACKS = 4 << 30
"""Address space that programs of many threads set aside and never touch."""
_FOLDERS = ("project", "home", "tmp")


def main() -> None:
    """Do what standard input says. Ends by an exception when something does not stand."""
    asked = json.load(sys.stdin)
    sign = asked["sign"]
    os.set_inheritable(sign, False)
    user = confine.unprivileged_user(os.getpid())
    box = asked["box"]
    if asked["walls"]:
        by_right = walls.enter(asked["parent"], channels=(sign,))
        user = user if by_right else None
        walls.raise_walls(asked["disk"], asked["readable"], inodes=asked["inodes"])
        box = walls.BOX
        _fill(box, asked["files"], user)
    else:
        # Nothing tells a program's children from others of this user, who may need its files.
        user = None
        kernel.die_with_parent()
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    if not asked["walls"]:
        _become(asked, box, user)
    # A first process has to wait for all that others leave behind; the command shall not have to know.
    command = os.fork()
    if command == 0:
        kernel.die_with_parent()
        _become(asked, box, user)
    os.close(sign)
    os._exit(_status(command))


def _fill(box: str, files: dict[str, str], user: int | None) -> None:
    made = {box}
    for folder in _FOLDERS:
        os.makedirs(os.path.join(box, folder))
        made.add(os.path.join(box, folder))
    for name, text in files.items():
        path = os.path.join(box, "project", name)
        folder = os.path.dirname(path)
        os.makedirs(folder, exist_ok=True)
        while folder not in made:
            made.add(folder)
            folder = os.path.dirname(folder)
        with open(path, "w", encoding="utf-8", errors="replace", newline="") as file:
            file.write(text)
        made.add(path)
    if user is not None:
        for path in made:
            os.chown(path, user, user)


def _become(asked: dict[str, Any], box: str, user: int | None) -> None:
    """Never returns: this process is the command from here on."""
    with contextlib.suppress(PermissionError):  # it is a session's first already
        os.setsid()
    os.chdir(os.path.join(box, "project"))
    bounds = {
        "CORE": 0,
        "CPU": asked["cpu_s"],
        "AS": 2 * asked["memory"] + _STACKS,
        "FSIZE": asked["file"],
        "NOFILE": 1024,
    }
    if asked["counted"]:
        # Elsewhere all processes of the user count, and the limit would be anybody's guess.
        bounds["NPROC"] = asked["processes"]
    for bound in confine.limits(bounds):
        confine.set_bound(bound)
    if user is not None:
        confine.forget_groups(user)
        os.setuid(user)
    elif kernel.MACHINE in kernel.NUMBERS:
        with contextlib.suppress(OSError):
            kernel.no_capabilities()
    kernel.no_new_privileges()
    environment = {
        **asked["environment"],
        "HOME": os.path.join(box, "home"),
        "TMPDIR": os.path.join(box, "tmp"),
    }
    os.write(asked["sign"], b"1")
    os.execve(asked["command"][0], asked["command"], environment)


def _status(command: int) -> int:
    """How the command ended, once it has: as a shell says it."""
    while True:
        pid, status = os.wait()
        if pid == command:
            code = os.waitstatus_to_exitcode(status)
            return code if code >= 0 else 128 - code
