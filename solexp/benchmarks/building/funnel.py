"""How many survive each filter, and why the others did not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

import msgspec

T = TypeVar("T")


class Stage(msgspec.Struct, frozen=True, kw_only=True):
    """One filter."""

    name: str
    left: int
    """Sources that survive it."""
    dropped: dict[str, int]
    """Sources that do not, by reason."""


class Dropped(msgspec.Struct, frozen=True, kw_only=True):
    """A source that did not survive."""

    source: str
    stage: str
    why: str


class Funnel:
    """Counts what survives, filter by filter."""

    def __init__(self) -> None:
        self._stages: list[Stage] = []
        self._dropped: list[Dropped] = []

    @property
    def stages(self) -> tuple[Stage, ...]:
        return tuple(self._stages)

    @property
    def dropped(self) -> tuple[Dropped, ...]:
        return tuple(self._dropped)

    def stage(self, name: str, left: int, dropped: Sequence[tuple[str, str]]) -> None:
        """Notes a filter: how many it left, and each source it dropped, with the reason.

        What follows a colon in a reason is told of the source, but not counted apart.
        """
        counts = Counter(why.partition(":")[0] for _, why in dropped)
        self._stages.append(Stage(name=name, left=left, dropped=dict(sorted(counts.items()))))
        self._dropped += [Dropped(source=source, stage=name, why=why) for source, why in dropped]

    def keep(
        self,
        name: str,
        items: Iterable[T],
        of: Callable[[T], str],
        why_not: Callable[[T], str | None],
    ) -> list[T]:
        """The items that ``why_not`` has nothing against; the others are noted."""
        left, dropped = [], []
        for item in items:
            why = why_not(item)
            if why is None:
                left.append(item)
            else:
                dropped.append((of(item), why))
        self.stage(name, len(left), dropped)
        return left
