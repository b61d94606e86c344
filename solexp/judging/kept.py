"""Verdicts kept under the hash of what they depend on."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from solexp.core import Generation, Outcome, Task, Verdict
from solexp.core.hashing import content_hash
from solexp.judging.task import Judged
from solexp.oracles.base import Oracle
from solexp.store import Store
from solexp.strategies import Reader
from solexp.toolchain.homes import cache_home

SCHEMA = 1

_GAVE_UP = "CompilerAbort"
"""Type of the error of a compiler that ended without an answer."""


class _Kept(msgspec.Struct, frozen=True):
    verdict: Verdict
    tools: dict[str, str]


class KeptVerdicts:
    """Looks verdicts up by (task, reply, how replies are read, oracle's settings and tools).

    What may end otherwise on another day deserves another try, and is not kept: a fault of ours, a
    limit of time or memory, a compiler that gave up, and whatever an oracle says not to keep by the
    measure ``keep``.
    """

    def __init__(self, reader: Reader, oracles: Sequence[Oracle], enabled: bool) -> None:
        self._store = Store(cache_home() / "verdicts", SCHEMA)
        self._enabled = enabled
        self._extraction = reader.fingerprint()
        self._oracles = {
            oracle.name: content_hash(oracle.fingerprint()) for oracle in oracles if enabled
        }
        self._hashes: dict[str, str] = {}

    def _key(self, task: Task, generation: Generation, oracle: str) -> str:
        return content_hash(
            self._hashes.setdefault(task.id, task.content_hash),
            [
                [completion.text, completion.finish, *(completion.calls or ())]
                for completion in generation.completions
            ],
            generation.round > 0,
            self._extraction,
            self._oracles[oracle],
        )

    def look_up(
        self, task: Task, generations: Sequence[Generation]
    ) -> tuple[Judged, list[Generation]]:
        """What is known about these replies, and the replies that some oracle has not judged yet."""
        known: list[Verdict] = []
        tools: dict[str, str] = {}
        missing = []
        for generation in generations:
            found = [
                self._store.get(self._key(task, generation, name), _Kept) for name in self._oracles
            ]
            whole = [kept for kept in found if kept is not None]
            if not self._enabled or len(whole) < len(found):
                missing.append(generation)
                continue
            for kept in whole:
                known.append(
                    msgspec.structs.replace(
                        kept.verdict,
                        batch=generation.batch,
                        repeat=generation.repeat,
                        index=generation.index,
                        round=generation.round,
                    )
                )
                tools.update(kept.tools)
        return Judged(task_id=task.id, verdicts=tuple(known), tools=tools), missing

    def keep(self, task: Task, generations: Sequence[Generation], judged: Judged) -> None:
        """Keep what was judged."""
        if not self._enabled:
            return
        replies = {(g.batch, g.repeat, g.index, g.round): g for g in generations}
        for said in judged.verdicts:
            if not _lasts(said):
                continue
            generation = replies[said.batch, said.repeat, said.index, said.round]
            key = self._key(task, generation, said.oracle)
            self._store.put(key, _Kept(said, judged.tools))


def _lasts(said: Verdict) -> bool:
    if said.outcome in (Outcome.HARNESS_ERROR, Outcome.TIMEOUT):
        return False
    if said.measures.get("keep") is False:
        return False
    errors = said.evidence.get("errors")
    return not (
        said.outcome is Outcome.COMPILE_ERROR
        and isinstance(errors, list)
        and any(isinstance(each, dict) and each.get("type") == _GAVE_UP for each in errors)
    )
