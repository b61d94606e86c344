"""`solexp agreement`: do annotators agree?"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from solexp.core import UserError
from solexp.core.errors import nearest
from solexp.metrics.annotators import Annotated, Kappa, annotated
from solexp.report.tables import Grid, draw
from solexp.store.sheets import rows_of

_ITEM, _ANNOTATOR, _GROUP = "item", "annotator", "task_id"
_SHOWN = 20
"""Disagreements that are printed, at most."""


def agreement(command: argparse.Namespace) -> int:
    """Print how annotators agree; returns 0. Raises UserError for a file that cannot be used."""
    labels, groups = _read([Path(each) for each in command.file], command.column)
    if len(labels) < 2:
        raise UserError(
            f"agreement: only '{next(iter(labels), 'nobody')}' has labels; give a file of each annotator, or one "
            f"with a column '{_ANNOTATOR}'"
        )
    found = annotated(labels, groups=groups, seed=command.seed)
    if not found.fleiss.items and not any(each.items for each in found.cohen):
        raise UserError(f"agreement: no {_ITEM} has labels of two annotators")
    if command.json:
        print(msgspec.json.format(msgspec.json.encode(found), indent=2).decode())
    else:
        _tell(found)
    return 0


def _read(paths: list[Path], column: str) -> tuple[dict[str, dict[str, str]], dict[str, str]]:
    """Labels by annotator and item, and the task that items belong to."""
    labels: dict[str, dict[str, str]] = {}
    groups: dict[str, str] = {}
    for path in paths:
        count = 0
        earlier = {name: set(own) for name, own in labels.items()}
        for place, row in rows_of(path):
            count += 1
            item = _cell(row, _ITEM, place)
            name = str(row.get(_ANNOTATOR) or path.stem)
            label = _cell(row, column, place)
            own = labels.setdefault(name, {})
            if not label:
                continue
            if item in own:
                again = item in earlier.get(name, ())
                raise UserError(
                    f"{place}: '{name}' has labelled {item} already"
                    + (", in another file; give files of two annotators two names" if again else "")
                )
            own[item] = label
            if row.get(_GROUP):
                groups[item] = str(row[_GROUP])
        if not count:
            raise UserError(f"{path}: holds no rows")
    return {name: own for name, own in labels.items() if own}, groups


def _cell(row: Mapping[str, Any], key: str, place: str) -> str:
    if key not in row:
        hint = nearest(key, row) if row else "it is empty"
        raise UserError(f"{place}: has no column '{key}'; {hint}")
    value = row[key]
    if isinstance(value, bool):
        return "yes" if value else "no"
    if value is None:
        return ""
    if not isinstance(value, str | int | float):
        raise UserError(f"{place}: {key} must be a text or a number")
    found = str(value).strip()
    if key == _ITEM and not found:
        raise UserError(f"{place}: {key} is empty")
    return found


def _tell(found: Annotated) -> None:
    print(f"{len(found.labels)} annotators, {found.items} items")
    names = sorted({label for own in found.labels.values() for label in own})
    rows = tuple(
        (who, *(str(own.get(label, 0)) for label in names)) for who, own in found.labels.items()
    )
    draw(Grid(title="", columns=("labels", *names), rows=rows), sys.stdout)
    print()
    kappas = tuple(
        (which, " and ".join(each.annotators), str(each.items), *_figures(each))
        for which, each in (*(("Cohen", each) for each in found.cohen), ("Fleiss", found.fleiss))
    )
    columns = ("kappa", "annotators", "items", "alike", "value")
    draw(Grid(title="", columns=columns, rows=kappas, words=2), sys.stdout)
    if found.disagreements:
        print(f"\n{len(found.disagreements)} items of disagreement")
        said = tuple(
            (each.item, *(each.labels.get(who, "-") for who in found.labels))
            for each in found.disagreements[:_SHOWN]
        )
        head = ("item", *found.labels)
        draw(Grid(title="", columns=head, rows=said, words=len(head)), sys.stdout)
        if len(found.disagreements) > _SHOWN:
            print(f"and {len(found.disagreements) - _SHOWN} more (--json has all)")


def _figures(each: Kappa) -> tuple[str, str]:
    alike = "-" if each.alike is None else f"{100 * each.alike:.1f} %"
    value = "-" if each.kappa is None else f"{each.kappa:.3f}"
    if each.lo is not None and each.hi is not None:
        value += f" [{each.lo:.3f}, {each.hi:.3f}]"
    return alike, value
