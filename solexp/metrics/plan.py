"""What a preset declares about its comparison, before anything is run."""

from __future__ import annotations

import itertools
import math
import re
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

    def contrasts(self, levels: Mapping[str, int]) -> int:
        """How many contrasts the family has at most in a full grid with so many levels of each factor."""
        steps = {name: count - 1 for name, count in levels.items() if count > 1}
        short = {re.split(r"[./]", name)[-1]: name for name in steps}
        wanted = [short.get(name, name) for name in self.factors]
        own = [name for name in steps if name in wanted or not wanted]
        cells, crossed = 0, set[frozenset[str]]()
        for entry in self.family:
            if entry == "differences":
                cells = math.prod(count + 1 for count in steps.values()) - 1
            elif entry == "effects":
                crossed |= {frozenset([name]) for name in own}
            elif entry == "interactions":
                sizes = range(2, self.order + 1)
                crossed |= {frozenset(c) for n in sizes for c in itertools.combinations(own, n)}
            elif "=" not in entry:
                names = (name.strip() for name in entry.split("*"))
                crossed.add(frozenset(short.get(name, name) for name in names))
        named = sum("=" in entry for entry in self.family)
        effects = (math.prod(steps.get(name, 0) for name in names) for names in crossed)
        return (cells or named) + sum(effects)

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
