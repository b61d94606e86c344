"""Where compilers that solexp did not install itself may be: native ones on this machine, and py-solc-x's host."""

from __future__ import annotations

import shutil
import threading
from pathlib import Path
from urllib.parse import urlsplit

REACH_SECONDS = 2.0
"""What py-solc-x's host is given to answer; looking up its name may take as long again."""


def native_compilers() -> list[tuple[str | None, Path]]:
    """Files that should be native compilers, each with its release (None: unknown): on PATH, of svm, of py-solc-x."""
    home = Path.home()
    on_path = shutil.which("solc")
    places: list[tuple[str | None, Path]] = [(None, Path(on_path))] if on_path else []
    places += [
        (path.name.removeprefix("solc-"), path) for path in sorted(home.glob(".svm/*/solc-*"))
    ]
    for path in sorted(home.glob(".solcx/solc-v*")):
        # Some releases of py-solc-x keep the program in a folder of this name.
        program = path / "solc" if path.is_dir() else path
        places.append((path.name.removeprefix("solc-v"), program))
    return [(release, path) for release, path in places if path.is_file()]


def solcx_unreachable() -> str | None:
    """Why py-solc-x cannot download compilers, in words; None when it can."""
    try:
        # Both take a third of a second to import.
        import requests  # noqa: PLC0415
        from solcx.install import BINARY_DOWNLOAD_BASE  # noqa: PLC0415
    except ImportError as error:
        return f"py-solc-x is not installed ({error})"
    url = BINARY_DOWNLOAD_BASE.format("linux", "list.json")
    answers: list[str | None] = []

    def ask() -> None:
        try:
            requests.head(url, timeout=REACH_SECONDS)
            answers.append(None)
        except OSError as error:
            answers.append(type(error).__name__)

    # A thread that is left behind, since nothing else bounds the time that looking up a name may take.
    thread = threading.Thread(target=ask, daemon=True)
    thread.start()
    thread.join(2 * REACH_SECONDS)
    reason = answers[0] if answers else f"no answer in {2 * REACH_SECONDS:g} s"
    return None if reason is None else f"{urlsplit(url).hostname} cannot be reached ({reason})"
