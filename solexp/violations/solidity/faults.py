"""What cannot be expressed."""

from __future__ import annotations


class Unsupported(Exception):
    """A construct without a translation; the message is its name."""

    def __str__(self) -> str:
        return f"Unsupported: {super().__str__()}"
