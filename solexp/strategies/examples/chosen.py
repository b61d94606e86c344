"""Examples from a pool, without any that would give an evaluated task away."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from solexp.core import Task, UserError
from solexp.core.settings import above
from solexp.llm.tokens import count
from solexp.solidity.similarity import Originals, tokens
from solexp.strategies.base import Example, Kind
from solexp.strategies.examples import pools
from solexp.strategies.examples.extracting import Entry, Granularity, granularity, wanted
from solexp.strategies.examples.ranking import Ranking

_LOG = logging.getLogger("solexp.strategies")


class Chosen:
    """The examples of a pool that fit a task best."""

    def __init__(
        self,
        by: Ranking,
        *,
        pool: pools.PoolName = "tasks",
        path: str | None = None,
        fields: Mapping[str, str | None] | None = None,
        max_similarity: float = 0.7,
        max_tokens: int | None = None,
    ) -> None:
        """``pool`` is ``tasks`` (the benchmark's that are not evaluated), ``file`` or ``folder``, which ``path`` names.

        ``fields`` says under which keys of a file's rows the parts stand. An example that gives away more than
        ``max_similarity`` of an evaluated task's reference is never shown (`solexp.solidity.similarity`), nor one of
        more than ``max_tokens``; one whose context alone gives that away is shown without it.
        """
        if pool != "tasks" and path is None:
            raise UserError(f"strategy.examples.path: pool={pool} needs the {pool}'s path")
        if pool == "tasks" and path is not None:
            raise UserError("strategy.examples.path: is for pool=file or pool=folder; choose one")
        if not 0 < max_similarity <= 1:
            raise UserError(
                f"strategy.examples.max_similarity: must be above 0 and at most 1, got {max_similarity:g}"
            )
        above("strategy.examples.max_tokens", max_tokens)
        self.by = by
        self.pool = pool
        self.path = None if path is None else Path(path).expanduser()
        self.fields = {part: key for part, key in (fields or {}).items() if key is not None}
        self.max_similarity = max_similarity
        self.max_tokens = max_tokens
        self._tasks: dict[str, Task] = {}
        self._all: Sequence[Task] = ()
        self._entries: list[Entry] | None = None
        self._kind: Kind | None = None
        self._order = np.empty(0, dtype=np.int64)
        self._warned = False

    def fingerprint(self) -> dict[str, Any]:
        return {
            "examples": self.by.fingerprint(),
            "pool": self.pool,
            "hash": pools.hash_of(self.pool, self.path),
            "fields": self.fields,
            "max_similarity": self.max_similarity,
            "max_tokens": self.max_tokens,
        }

    def prepare(
        self, tasks: Sequence[Task], pool: Sequence[Task], kind: Kind | None = None
    ) -> None:
        """Note what is evaluated; the pool is read when the first example is wanted."""
        self._kind = kind
        self._tasks = {task.id: task for task in tasks}
        self._all = pool
        self._entries = None

    def choose(self, task: Task, shots: int) -> Sequence[Example]:
        """At most ``shots`` examples, the best fitting last; fewer where no more may be shown, which is logged once.

        Raises UserError when the pool cannot be read.
        """
        if shots <= 0:
            return ()
        entries = self._eligible(task)
        if len(entries) < shots and not self._warned:
            self._warned = True
            _LOG.warning(
                "strategy.shots: %d wanted, but only %d examples of the pool may be shown",
                shots,
                len(entries),
            )
        scores = self.by.scores(task.id, wanted(task))
        best = np.lexsort((self._order, -scores))[:shots]
        return tuple(entries[place].example for place in reversed(best))

    def _eligible(self, task: Task) -> list[Entry]:
        if self._entries is None or task.id not in self._tasks:
            self._tasks[task.id] = task
            self._entries = self._harmless(self._read(self._kind or granularity(task)))
            self.by.index(self._entries, [wanted(each) for each in self._tasks.values()])
            ids = np.array([entry.example.id for entry in self._entries], dtype=np.str_)
            self._order = np.argsort(np.argsort(ids, kind="stable"), kind="stable")
        return self._entries

    def _read(self, kind: Granularity) -> list[Entry]:
        if self.path is None:
            return pools.of_tasks(self._all, list(self._tasks.values()), kind)
        if self.pool == "file":
            return pools.of_file(self.path, kind, self.fields)
        return pools.of_folder(self.path, kind)

    def _harmless(self, entries: Sequence[Entry]) -> list[Entry]:
        """Without what is too long, what gives an evaluated task away, and what was there before."""
        seen: set[tuple[str, ...]] = set()
        short = []
        for entry in entries:
            same = tuple(tokens(entry.example.code.lower()))
            if same not in seen and (
                self.max_tokens is None or _length(entry.example) <= self.max_tokens
            ):
                seen.add(same)
                short.append(entry)
        originals = Originals([task.reference for task in self._tasks.values()])
        alone = originals.shown_by([entry.example.code for entry in short])
        around = originals.shown_by([f"{e.example.context}\n{e.example.code}" for e in short])
        kept = [
            entry if most < self.max_similarity else _without_context(entry)
            for entry, least, most in zip(short, alone, around, strict=True)
            if least < self.max_similarity and entry.example.id not in self._tasks
        ]
        _LOG.info(
            "examples: %d in the pool, %d repeated or too long, %d would give a task away, %d left",
            len(entries),
            len(entries) - len(short),
            len(short) - len(kept),
            len(kept),
        )
        return kept


def _without_context(entry: Entry) -> Entry:
    example = msgspec.structs.replace(entry.example, context="")
    return msgspec.structs.replace(entry, example=example)


def _length(example: Example) -> int:
    """Tokens of all that a prompt may show of an example."""
    return sum(map(count, (example.requirement, example.code, example.context)))
