"""Sandboxes with and without some of their protections."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from solexp.sandbox import CallResult, Limits, call_python
from solexp.sandbox.box import Sandbox

Ask = Callable[..., CallResult]


@pytest.fixture(scope="session")
def protections() -> tuple[str, ...]:
    """What this machine allows."""
    with Sandbox() as sandbox:
        return sandbox.protections


@pytest.fixture
def ask() -> Ask:
    """Call ``f`` of a program once."""

    def asked(program: str, arguments: str = "[]", **limits: float) -> CallResult:
        given = Limits(**{"cpu_s": 1.0, "wall_s": 1.0, **limits})  # type: ignore[arg-type]
        (result,) = call_python(program, "f", [arguments], given)
        return result

    return asked


@pytest.fixture
def sandbox() -> Iterator[Sandbox]:
    """One of its own, for tests that harm it."""
    with Sandbox() as made:
        yield made
