"""What a preset declares about its comparison, before anything is run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from solexp.core import UserError
from solexp.core.errors import nearest


class Plan(msgspec.Struct, frozen=True, kw_only=True):
    """The setting ``compare``."""

    baseline: dict[str, str] = {}
    """The baseline cell's levels by factor; without, the first cell."""
    factors: tuple[str, ...] = ()
    """The settings whose effects are wanted; without, all that vary."""
    metrics: tuple[str, ...] = ()
    """What is compared, a table each; without, pass@k for the smallest k."""
    family: tuple[str, ...] = ("differences",)
    """What Holm's correction is over in each table: ``differences`` (all cells to the baseline), ``effects``,
    ``interactions``, a factor, ``factor*factor``, or cells as ``factor=level,…``."""

    @property
    def order(self) -> int:
        """Interactions of so many factors are wanted: of two, or of as many as the family names."""
        return max([2, *(name.count("*") + 1 for name in self.family)])

    @classmethod
    def of(cls, setting: Any) -> Plan:
        """From the configuration, where None declares nothing. Raises UserError naming what is wrong."""
        if setting is None:
            return cls()
        if not isinstance(setting, Mapping):
            raise UserError("compare: wants baseline, factors, metrics and family, or null")
        for key in setting:
            if key not in cls.__struct_fields__:
                raise UserError(
                    f"compare.{key}: no such setting; {nearest(key, cls.__struct_fields__)}"
                )
        given: dict[str, Any] = {key: value for key, value in setting.items() if value is not None}
        baseline = given.get("baseline", {})
        if not isinstance(baseline, Mapping):
            raise UserError(
                "compare.baseline: wants a level for each factor, such as {strategy.shots: 0}"
            )
        given["baseline"] = {str(name): _level(level) for name, level in baseline.items()}
        try:
            return msgspec.convert(given, cls)
        except msgspec.ValidationError as error:
            raise UserError(f"compare: {error}") from None


def _level(value: Any) -> str:
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()
