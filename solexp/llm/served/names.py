"""Whether two names mean the same model."""

from __future__ import annotations

import re

_SUFFIX = re.compile(
    r"(?:[-@:_](?:latest|free|preview|exp|\d{3,4}|\d{6}|\d{8}|\d{4}-\d\d-\d\d|\d\d-\d\d|\d\d-\d{4}))*"
)


def same_model(asked: str, served: str) -> bool:
    """Whether ``served`` is ``asked``, an alias of it with a date, or its file.

    >>> same_model("gpt-4o", "gpt-4o-2024-08-06"), same_model("gpt-4o", "gpt-4o-mini")
    (True, False)
    """
    one, other = _plain(asked), _plain(served)
    shorter, longer = sorted((one, other), key=len)
    return longer.startswith(shorter) and _SUFFIX.fullmatch(longer[len(shorter) :]) is not None


def undated(name: str) -> str:
    """A model's name without the date or ``latest`` at its end."""
    return re.sub(r"[-@](?:latest|\d{8}|\d{4}-\d\d-\d\d|\d{4})$", "", name)


def _plain(name: str) -> str:
    name = name.lower().replace("\\", "/").rstrip("/").rpartition("/")[2].removesuffix(".gguf")
    return re.sub(r"[-@:_](?:latest|free)$", "", name)
