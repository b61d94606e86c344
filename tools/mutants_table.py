"""What became of mutants: the share that is killed, by repository and by kind, and those that live.

python -m tools.mutants_table RUN_FOLDER

Reads a run of model=mutants on functions, and prints the tables of docs/reference/soleval-mutants.md. A mutant counts
where its task is decidable and it compiles; each text of a task counts once.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import msgspec

from solexp.metrics.estimators import wilson

_KILLED = frozenset({"fail", "timeout"})
_LIVES = "pass"


class Mutant(msgspec.Struct, frozen=True):
    """One judged mutant."""

    task_id: str
    label: str
    """``kind@place: old -> new``."""
    outcome: str
    text: str

    @property
    def repository(self) -> str:
        return self.task_id.partition("/")[0]

    @property
    def kind(self) -> str:
        return self.label.partition("@")[0]


def judged(folder: Path) -> list[Mutant]:
    """The distinct mutants of a run, in its order."""
    places = {
        _place(row): (row["completion"]["label"], row["completion"]["text"])
        for row in _rows(folder / "generations.jsonl")
    }
    found = {}
    for row in _rows(folder / "verdicts.jsonl"):
        label, text = places.get(_place(row), (None, ""))
        if row["oracle"] == "tests" and label not in (None, "reference"):
            found[row["task_id"], text] = Mutant(row["task_id"], label, row["outcome"], text)
    return list(found.values())


def table(name: str, groups: dict[str, list[Mutant]]) -> Iterator[str]:
    """Lines of a table: for each group, how many mutants are killed."""
    yield f"| {name} | tasks | mutants | killed | share, % |"
    yield "|---|---|---|---|---|"
    for group, mutants in groups.items():
        killed = sum(mutant.outcome in _KILLED for mutant in mutants)
        low, high = wilson(killed, len(mutants))
        yield (
            f"| {group} | {len({mutant.task_id for mutant in mutants})} | {len(mutants)} | {killed} | "
            f"{100 * killed / len(mutants):.1f} [{100 * low:.1f}, {100 * high:.1f}] |"
        )


def grouped(mutants: Iterable[Mutant], key: str) -> dict[str, list[Mutant]]:
    """The mutants by a property of theirs, the most frequent first, and ``all``."""
    groups: dict[str, list[Mutant]] = {}
    for mutant in mutants:
        groups.setdefault(getattr(mutant, key), []).append(mutant)
    order = dict(sorted(groups.items(), key=lambda each: -len(each[1])))
    return {**order, "all": [mutant for each in order.values() for mutant in each]}


def main(folder: Path) -> None:
    every = judged(folder)
    told = [mutant for mutant in every if mutant.outcome in _KILLED or mutant.outcome == _LIVES]
    left: dict[str, int] = {}
    for mutant in every:
        if mutant not in told:
            left[mutant.outcome] = left.get(mutant.outcome, 0) + 1
    for key in ("repository", "kind"):
        print("\n".join(table(key, grouped(told, key))), end="\n\n")
    print(f"not counted: {left}\n")
    for mutant in told:
        if mutant.outcome == _LIVES:
            print(f"{mutant.task_id}\n    {mutant.label}")


def _rows(path: Path) -> list[dict[str, Any]]:
    return [msgspec.json.decode(line) for line in path.read_bytes().splitlines() if line.strip()]


def _place(row: dict[str, Any]) -> tuple[Any, ...]:
    return tuple(row[key] for key in ("task_id", "batch", "repeat", "index"))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
