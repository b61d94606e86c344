"""Models whose answers are contract-violating tests: Z3, and generators whose tests were released."""

from __future__ import annotations

import ast
import gzip
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

import msgspec

from solexp.core import Completion, DataError, Preconditions, Task, UserError
from solexp.core.errors import nearest
from solexp.core.hashing import content_hash
from solexp.llm.model import Request
from solexp.python.expected import preconditions_of
from solexp.violations.cvts import (
    Cvt,
    CvtSet,
    NotRead,
    Translation,
    encode,
    expression,
    number_of,
)
from solexp.violations.generated import fingerprint, generated

Source = Literal["verified", "models", "direct", "programs", "translations"]


class Z3:
    """Answers with tests that violate a Python function's preconditions, found by a solver; needs no language model.

    The contract is translated by its syntax tree (`solexp.violations.python`); what cannot be expressed is refused by
    name.
    """

    paid = False
    answers = "tests"

    def __init__(self, **settings: Any) -> None:
        """``settings`` are those of `solexp.violations.python.Settings`. Raises UserError for one that there is not."""
        # z3 costs a quarter of a second to import.
        from solexp.violations.python import Settings  # noqa: PLC0415

        for name in settings:
            if name not in Settings.__struct_fields__:
                raise UserError(
                    f"model.{name}: no such setting; {nearest(name, Settings.__struct_fields__)}"
                )
        try:
            self.settings = msgspec.convert(settings, Settings)
        except (msgspec.ValidationError, ValueError) as error:
            raise UserError(f"model: {error}") from None

    def fingerprint(self, task: Task) -> dict[str, object]:
        pre = preconditions_of(task)
        return {"model": "z3", "contract": content_hash(pre), **fingerprint(self.settings)}

    def complete(self, request: Request) -> Completion:
        found = generated(preconditions_of(request.task), self.settings)
        return Completion(text=encode(found.tests), seconds=found.cpu_s)


class RecordedCvts:
    """Answers with the tests that ContractEval's release holds, or with its programs for the solver.

    Inputs are as they were released. JSON has no tuples, and only strings as keys: a test whose tuples became lists may
    violate another assertion than the one it was made for, and counts against its generator, as it did in the release.
    """

    paid = False
    answers = "tests"

    def __init__(self, source: Source = "verified", path: str | None = None) -> None:
        """``path`` is the folder of the release's files as JSON lines; see `SOURCES` for what ``source`` may be."""
        if source not in SOURCES:
            raise UserError(f"model.source: no '{source}'; {nearest(source, SOURCES)}")
        if path is None:
            raise UserError("model.path: give the folder of the released tests")
        self.source = source
        self.folder = Path(path).expanduser()

    @cached_property
    def _rows(self) -> dict[str, list[dict[str, Any]]]:
        """The released rows by task."""
        found: dict[str, list[dict[str, Any]]] = defaultdict(list)
        for name in SOURCES[self.source][0]:
            for task, row in _rows(self.folder / f"{name}.jsonl.gz"):
                found[task].append(row)
        return found

    def fingerprint(self, task: Task) -> dict[str, object]:
        rows = self._rows.get(task.id, [])
        return {
            "model": "recorded_cvts",
            "version": 1,
            "source": self.source,
            "rows": content_hash(rows),
        }

    def complete(self, request: Request) -> Completion:
        """The recorded tests, as one reply; no tests where the release holds nothing of a task."""
        rows = self._rows.get(request.task.id)
        if not rows:
            return Completion(text=encode(CvtSet()))
        read = SOURCES[self.source][1]
        try:
            return Completion(text=read(rows, preconditions_of(request.task)))
        except (KeyError, TypeError, AttributeError, ValueError, NotRead) as error:
            raise DataError(
                f"{self.folder}: a row of {request.task.id} is not as the release has it: "
                f"{type(error).__name__}: {error}"
            ) from None


Rows = list[dict[str, Any]]


def _verified(rows: Rows, pre: Preconditions) -> str:
    """The pipeline's tests as they were evaluated, with the targets that were counted."""
    count = len(pre.assertions)
    return _encoded(
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
    return _encoded(
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

    return _encoded(tests())


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
    "verified": (("cvts_smt_verified",), _verified),
    "models": (("cvts_smt_raw_humaneval", "derived_mbpp_resolved_cvts"), _models),
    "direct": (("cvts_direct_o4mini",), _direct),
    "programs": (("smt_programs",), _programs),
    "translations": (("o4mini_translation_raw",), _translations),
}
"""What is released, with its files: ``verified`` tests of the solver pipeline, its ``models`` before they were
executed, what o4-mini wrote ``direct``, and its ``programs`` and ``translations`` for the solver."""


def _encoded(tests: Iterator[tuple[str, tuple[int, ...], tuple[int, ...] | None]] | Any) -> str:
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
    return encode(CvtSet(cvts=tuple(cvts), unreadable=tuple(unreadable)))


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
    return repr(values)


def _numbers(names: str, count: int) -> tuple[int, ...]:
    return tuple(
        sorted({number_of(name.strip(), count) for name in names.split(";") if name.strip()})
    )


class _Row(msgspec.Struct):
    task_id: str


def _rows(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """The rows of a file, each after its task's id."""
    if not path.is_file():
        raise UserError(f"model.path: there is no {path}; give the folder of the released tests")
    with gzip.open(path, "rt", encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            try:
                row = msgspec.json.decode(line, type=_Row)
            except msgspec.DecodeError as error:
                raise DataError(f"{path} line {number}: {error}") from None
            yield row.task_id, msgspec.json.decode(line)
