"""What compilers make of a source, kept once for all tests."""

from __future__ import annotations

from pathlib import Path

from solexp.toolchain.homes import cache_home


def share_builds(cache: Path) -> None:
    """Let a cache home of a test's own find the builds of the tests' common one: the compilers are not under test."""
    common = cache_home() / "builds"
    common.mkdir(parents=True, exist_ok=True)
    cache.mkdir(parents=True)
    (cache / "builds").symlink_to(common, target_is_directory=True)
