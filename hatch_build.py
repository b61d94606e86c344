"""Puts the configuration into the wheel, where it is found as part of the package."""

from __future__ import annotations

from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class ShipConfiguration(BuildHookInterface):  # type: ignore[type-arg]
    """An editable install reads both folders where they stand, so it gets no copies that could grow old."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if version == "standard":
            build_data["force_include"].update(
                {"conf": "solexp/conf", "experiments": "solexp/experiments"}
            )
