"""The contract-violating tests, and programs for the solver, that ContractEval's authors released.

JSON has no tuples, and only strings as keys: inputs are as they were released.
"""

from __future__ import annotations

import ast
import gzip
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Literal, TypeVar

import msgspec

from solexp.core import DataError, Preconditions
from solexp.python.literals import write
from solexp.violations.cvts import (
    Cvt,
    CvtSet,
    NotRead,
    Translation,
    encode,
    expression,
    number_of,
)

Source = Literal["verified", "models", "direct", "programs", "translations"]
T = TypeVar("T")
VERIFIED = "cvts_smt_verified.jsonl.gz"

Rows = list[dict[str, Any]]


def verified(rows: Rows, pre: Preconditions) -> CvtSet:
    """The pipeline's tests as they were evaluated, with the targets that were counted."""
    count = len(pre.assertions)
    return _read(
        (
            _arguments(row["input"], pre),
            _numbers(row["section"].partition("violated_")[2], count),
            _numbers(row["contract_in_key"], count),
        )
        for row in rows
    )


def _models(rows: Rows, pre: Preconditions) -> str:
    """The solver's models before anything was executed, all-satisfied ones included."""
    count = len(pre.assertions)
    found = (
        (
            _arguments(model, pre),
            _numbers(
                ";".join(name for name, holds in row["combination"].items() if not holds), count
            ),
            None,
        )
        for row in rows
        for model in row["solutions"]
    )
    return encode(_read(found))


def _direct(rows: Rows, pre: Preconditions) -> str:
    """What a language model wrote down at once.

    Of a function with one parameter, a list of another length than 1 is taken for the argument itself: in 166 places of
    one-parameter functions, and nowhere else, the model left the outer brackets out.

    The targets that were counted are those of this section and of all before it: the list was never emptied.
    """
    count = len(pre.assertions)

    def tests() -> Iterator[tuple[str, tuple[int, ...], tuple[int, ...]]]:
        merged: set[int] = set()
        for row in rows:
            numbers = _numbers(row["section"].replace(",", ";"), count)
            merged |= set(numbers)
            yield _listed(row["input"], pre), numbers, tuple(sorted(merged))

    return encode(_read(tests()))


def _programs(rows: Rows, pre: Preconditions) -> str:
    """The program that the release solves: the language model's translation, with its authors' corrections."""
    (row,) = rows
    count = len(pre.assertions)
    # Some translations split an assertion in two and number on; the release goes by its own names.
    defined = {
        int(name.removeprefix("assert_")): text for name, text in row["contract_defs"].items()
    }
    translation = Translation(
        helper_functions=row["helper_functions"],
        inputs=row["inputs"],
        basic_structure=row["basic_structure"],
        contract_defs={n: text for n, text in defined.items() if n < count},
    )
    return encode(CvtSet(translation=translation))


def _translations(rows: Rows, pre: Preconditions) -> str:  # noqa: ARG001
    """The language model's own reply, uncorrected; the last where it was asked again."""
    (row,) = rows
    return str(row["responses"][-1]["content"])


SOURCES: Mapping[str, tuple[tuple[str, ...], Callable[[Rows, Preconditions], str]]] = {
    "verified": (("cvts_smt_verified",), lambda rows, pre: encode(verified(rows, pre))),
    "models": (("cvts_smt_raw_humaneval", "derived_mbpp_resolved_cvts"), _models),
    "direct": (("cvts_direct_o4mini",), _direct),
    "programs": (("smt_programs",), _programs),
    "translations": (("o4mini_translation_raw",), _translations),
}
"""What is released, with its files: ``verified`` tests of the solver pipeline, its ``models`` before they were
executed, what o4-mini wrote ``direct``, and its ``programs`` and ``translations`` for the solver."""


def _read(tests: Iterable[tuple[str, tuple[int, ...], tuple[int, ...] | None]]) -> CvtSet:
    cvts: list[Cvt] = []
    unreadable: list[str] = []
    for number, (args, violated, merged) in enumerate(tests):
        try:
            text = expression(args)
        except NotRead as error:
            unreadable.append(f"test {number}: {error}")
            continue
        cvts.append(
            Cvt(violated=violated, args=text, merged=None if merged == violated else merged)
        )
    return CvtSet(cvts=tuple(cvts), unreadable=tuple(unreadable))


def _listed(text: str, pre: Preconditions) -> str:
    try:
        body = ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError):
        return text
    alone = len(pre.parameters) == 1 and isinstance(body, ast.List) and len(body.elts) != 1
    return f"[{text.strip()}]" if alone else text


def _arguments(named: Mapping[str, Any], pre: Preconditions) -> str:
    """An argument list from values by parameter; those that are missing at its end are left to their defaults."""
    values = [named[name] for name in pre.parameters if name in named]
    return write(values)


def _numbers(names: str, count: int) -> tuple[int, ...]:
    return tuple(
        sorted({number_of(name.strip(), count) for name in names.split(";") if name.strip()})
    )


class _Row(msgspec.Struct):
    task_id: str


def rows_by_task(path: Path) -> dict[str, Rows]:
    """The rows of a released file. Raises FileNotFoundError, and DataError naming the line that is malformed."""
    found: dict[str, Rows] = defaultdict(list)
    lines = 0
    try:
        with gzip.open(path, "rt", encoding="utf-8") as file:
            for line in file:
                lines += 1
                task = msgspec.json.decode(line, type=_Row).task_id
                found[task].append(msgspec.json.decode(line))
    except FileNotFoundError:
        raise
    except (msgspec.DecodeError, OSError, EOFError, ValueError) as error:
        raise DataError(f"{path} line {max(lines, 1)}: {error}") from None
    return found


def read_rows(
    read: Callable[[Rows, Preconditions], T], rows: Rows, pre: Preconditions, place: Path, task: str
) -> T:
    """What ``read`` makes of a task's rows. Raises DataError for rows that are not as the release has them."""
    try:
        return read(rows, pre)
    except (KeyError, TypeError, AttributeError, ValueError, NotRead) as error:
        raise DataError(
            f"{place}: a row of {task} is not as the release has it: {type(error).__name__}: {error}"
        ) from None
