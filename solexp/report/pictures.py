"""Pictures drawn by matplotlib: equal data give equal bytes."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from solexp.core import UserError

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FORMATS = ("svg", "png", "pdf")

_NO_DATE: dict[str, dict[str, Any]] = {
    "svg": {"Date": None},
    "pdf": {"CreationDate": None},
    "png": {"Software": None},
}


def picture_format(name: str) -> str:
    """The one of `FORMATS` that a file's name ends in. Raises UserError where it ends otherwise."""
    kind = Path(name).suffix.lstrip(".").lower()
    if kind not in FORMATS:
        raise UserError(f"--plot {name}: the file's name must end in .svg, .png or .pdf")
    return kind


def image(size: tuple[float, float], kind: str, paint: Callable[[Figure], None]) -> bytes:
    """A figure of ``size`` (width and height in inches) that ``paint`` fills, as ``kind``, one of `FORMATS`."""
    import matplotlib as mpl  # noqa: PLC0415  (half a second)
    from matplotlib.backends.backend_agg import FigureCanvasAgg  # noqa: PLC0415
    from matplotlib.figure import Figure  # noqa: PLC0415

    with mpl.rc_context({"svg.hashsalt": "solexp", "svg.fonttype": "none", "font.size": 9}):
        figure = Figure(figsize=size, layout="constrained")
        FigureCanvasAgg(figure)
        paint(figure)
        out = io.BytesIO()
        figure.savefig(out, format=kind, dpi=150, metadata=_NO_DATE[kind])
    return out.getvalue()
