"""Tests that violate a Python function's contract (ContractEval, §3): as inputs, or as a program for a solver."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from solexp.core import Candidate, Generation, NoCode, Prompt, Task, UserError
from solexp.core.nesting import refuse_depth
from solexp.core.prompt import Completion, FinishReason
from solexp.core.reply import Extraction
from solexp.core.settings import at_least
from solexp.python.expected import preconditions_of
from solexp.strategies.base import Ask, Dialogue, Reader, Refine
from solexp.strategies.material import Material
from solexp.strategies.preconditions import OfFunctions
from solexp.strategies.reading import read_last
from solexp.strategies.refine.none import NoRefine
from solexp.strategies.templates import Template
from solexp.violations.cvts import (
    EXHAUSTIVE_TO,
    Cvt,
    CvtSet,
    NotRead,
    Translation,
    combinations,
    cvt_of,
    decode,
    encode,
    number_of,
    numbered,
)

Variant = Literal["direct", "smt"]


@dataclass(kw_only=True, eq=False)
class Violating(OfFunctions):
    """Shows a description, a function's head and its contract with numbered assertions; wants tests as JSON.

    ``variant`` ``direct`` asks for argument lists that violate exactly the assertions named; ``smt`` for the contract
    in a solver's language, which is solved by Z3 when it is judged.
    """

    variant: Variant = "direct"
    template: str | None = None
    """The name of a layout, or the path of one of one's own; None is the variant's."""
    tests: int = 5
    """Tests asked for each combination."""
    exhaustive_to: int = EXHAUSTIVE_TO
    """Assertions up to which every combination is asked for; see `solexp.violations.cvts.combinations`."""
    cot: bool = False
    """Whether to ask for thoughts in writing before the answer."""
    refine: Refine = field(default_factory=NoRefine)

    answers = "tests"

    def __post_init__(self) -> None:
        """Raises UserError."""
        at_least("strategy.tests", self.tests)
        at_least("strategy.exhaustive_to", self.exhaustive_to)
        if self.refine.rounds:
            raise UserError(
                "strategy.refine: tests are asked for once; choose strategy/refine=none"
            )
        default = "violating" if self.variant == "direct" else "violating_smt"
        self.layout = Template(self.template or default)

    @property
    def reader(self) -> Reader:
        return CvtReader()

    def fingerprint(self) -> dict[str, Any]:
        return {
            "reader": self.reader.fingerprint(),
            "template": self.layout.fingerprint(),
            "variant": self.variant,
            "tests": self.tests,
            "exhaustive_to": self.exhaustive_to,
            "cot": self.cot,
        }

    def turns(self, task: Task) -> int:  # noqa: ARG002
        return 1

    def dialogue(self, task: Task) -> Dialogue:
        yield Ask(prompt=self.prompt(task))

    def prompt(self, task: Task) -> Prompt:
        """The one request."""
        return self.layout.prompt(self.material(task))

    def material(self, task: Task) -> Material:
        """What the template is given."""
        pre = preconditions_of(task)
        free = pre.violable
        wanted = [
            [free[place] for place in each] for each in combinations(len(free), self.exhaustive_to)
        ]
        return Material(
            task_id=task.id,
            granularity="function",
            contract="",
            version="",
            requirement=task.requirement,
            signature=f"{pre.entry_point}({', '.join(pre.parameters)})",
            condition_code=numbered(pre),
            combinations=tuple(", ".join(map(str, each)) for each in wanted),
            tests=self.tests,
            cot=self.cot,
        )


class CvtReader:
    """Finds tests, or the translation of a contract, in the last reply."""

    def fingerprint(self) -> dict[str, Any]:
        return {"strategy": "violating", "extraction": 1}

    def candidate(self, task: Task, generation: Generation) -> Candidate:
        count = len(preconditions_of(task).assertions)

        def extract(reply: Completion) -> Extraction:
            found = read_tests(reply.text, count)
            if found is not None:
                return Extraction(code=encode(found), notes=found.unreadable[:5])
            if not reply.text.strip():
                return Extraction(no_code=NoCode.EMPTY)
            cut = reply.finish is FinishReason.LENGTH
            return Extraction(no_code=NoCode.TRUNCATED if cut else NoCode.NOTHING_FOUND)

        return read_last(generation, extract)


def read_tests(reply: str, count: int) -> CvtSet | None:
    """The tests in a reply about a contract of ``count`` assertions, or its translation; None where there is neither.

    They are the last JSON value (or Python literal) of the reply that holds any, in a fence or not. A list is taken for
    the tests themselves; an object has them under ``tests`` or ``cvts``.
    """
    for value in _values(reply):
        if isinstance(value, Mapping) and "contract_defs" in value:
            return CvtSet(translation=_translation(value, count))
        if isinstance(value, Mapping) and "cvts" in value:
            with_all = _whole(value)
            if with_all is not None:
                return with_all
        rows = value.get("tests", value.get("cvts")) if isinstance(value, Mapping) else value
        if isinstance(rows, list) and all(isinstance(row, Mapping) for row in rows):
            return _tests(rows, count)
    return None


def _whole(value: Mapping[str, Any]) -> CvtSet | None:
    """A set that solexp itself wrote down: with what its generator says of combinations."""
    try:
        return decode(json.dumps(value))
    except (NotRead, TypeError):
        return None


def _tests(rows: Sequence[Mapping[str, Any]], count: int) -> CvtSet:
    cvts: list[Cvt] = []
    unreadable: list[str] = []
    for number, row in enumerate(rows):
        try:
            cvts.append(cvt_of(row, count))
        except NotRead as error:
            unreadable.append(f"test {number}: {error}")
    return CvtSet(cvts=tuple(cvts), unreadable=tuple(unreadable))


def _translation(value: Mapping[str, Any], count: int) -> Translation:
    """A translation; definitions of assertions that there are not are left out."""
    given = value["contract_defs"]
    defined: dict[int, str] = {}
    for name, text in given.items() if isinstance(given, Mapping) else ():
        try:
            defined[number_of(name, count)] = str(text)
        except NotRead:
            continue
    return Translation(
        helper_functions=_text(value.get("helper_functions")),
        inputs=_text(value.get("inputs")),
        basic_structure=_text(value.get("basic_structure")),
        contract_defs=dict(sorted(defined.items())),
    )


def _text(value: object) -> str:
    if isinstance(value, list):
        return "\n".join(map(str, value))
    return "" if value is None else str(value)


_FENCE = re.compile(r"```[\w+-]*[ \t]*\n(.*?)(?:\n[ \t]*```|\Z)", re.DOTALL)
_OPENS = re.compile(r"[\[{]")
_THOUGHTS = re.compile(r"<think>.*?(?:</think>|\Z)", re.DOTALL)


def _values(reply: str) -> Iterator[Any]:
    """Values in a reply: the text as a whole, what stands in fences, the last first, and what stands between words."""
    text = _THOUGHTS.sub("", reply)
    for part in (text, *reversed(_FENCE.findall(text))):
        value = _parsed(part)
        if value is not None:
            yield value
    try:
        refuse_depth(text)
    except ValueError:
        return
    decoder = json.JSONDecoder()
    place = 0
    found = []
    while (match := _OPENS.search(text, place)) is not None:
        try:
            value, place = decoder.raw_decode(text, match.start())
            found.append(value)
        except json.JSONDecodeError:
            place = match.end()
    yield from reversed(found)


def _parsed(text: str) -> Any:
    try:
        refuse_depth(text)
        return json.loads(text)
    except ValueError:
        pass
    try:
        return ast.literal_eval(text.strip())
    except (ValueError, SyntaxError, TypeError, RecursionError, MemoryError):
        return None
