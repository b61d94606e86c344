"""Does a language model see which assertions a function enforces? (ContractEval: model as a judge)"""

from __future__ import annotations

import asyncio
import platform
from collections.abc import Sequence
from typing import Any

import msgspec

from solexp.core import (
    Batch,
    Candidate,
    CompilerSettings,
    Completion,
    HarnessError,
    Message,
    Outcome,
    Preconditions,
    Prompt,
    RequestFailed,
    Target,
    Task,
    UserError,
    Verdict,
)
from solexp.core.reply import json_object
from solexp.llm.model import LiveModel, Request, generation_key
from solexp.oracles.base import Case, verdict
from solexp.oracles.calling import calls, limits_of
from solexp.oracles.compile import no_code
from solexp.python.contracts import assertions_of
from solexp.python.expected import is_refusal, preconditions_of
from solexp.store import Store
from solexp.toolchain.homes import cache_home
from solexp.violations.cvts import Cvt
from solexp.violations.known import Source, fingerprint, known
from solexp.violations.shown import scored

VERSION = 1
"""Of the wording."""

_ANY_TASK = Task(
    id="",
    benchmark="",
    language="python",
    compiler=CompilerSettings(version=""),
    sources={"": ""},
    target=Target(path="", contract="", start=0, end=0),
    framework="",
)
"""Fingerprints of language models are the same for all tasks."""
_BATCH = Batch(name="judge", n=1, temperature=0.0)
_SYSTEM = "You review Python functions. You answer with one JSON object and nothing else."
_ASKED = """\
Review this function:

```python
{code}
```

It is to refuse, by raising AssertionError, every call that breaks one of these assertions about its arguments:

{assertions}

Say of each assertion whether the function enforces it:
- true if every call that breaks it, and no other assertion, ends with AssertionError, whatever raises it;
- false if some such call returns, or ends with any other exception, or is never ended.

A comment, a docstring or a type hint enforces nothing. Answer in this form, an entry for each assertion, in order:

{form}
"""
_FORM = '{"assertions": [{"number": 0, "enforced": true, "reason": "at most one sentence"}]}'


class _Said(msgspec.Struct):
    number: int
    enforced: bool


class _Answer(msgspec.Struct):
    assertions: list[_Said]


class Judge:
    """Has a model say of each assertion whether a candidate enforces it, and lays what tests say beside that.

    An assertion is enforced, by tests, when each test that violates it and no other is refused with AssertionError; of
    one without such tests nothing is known. Decides nothing: ``pass`` is for a candidate that enforces everything, in
    the model's word, and ``undecidable`` for a word that cannot be read.
    """

    name = "judge"
    language = "python"
    decides = False

    def __init__(
        self,
        *,
        model: Any,
        cvts: Source = "z3",
        cpu_s: float = 3.0,
        total_cpu_s: float = 30.0,
        memory_mb: int = 1024,
    ) -> None:
        """``model`` is a language model; the rest is as oracle ``rejection`` has it, whose calls are shared.

        Raises UserError for what is no language model, and for one with a limit of cost, which is kept by runs only.
        """
        if not isinstance(model, LiveModel):
            raise UserError(
                "oracle.judge.model: must be a language model; choose model@oracle.judge.model=NAME"
            )
        if model.budget.limited:
            raise UserError(
                "oracle.judge.model: limits of cost and tokens are not kept by an oracle; "
                "leave max_cost_usd and max_tokens_total null"
            )
        self.model = model
        self.cvts: Source = cvts
        self.limits = limits_of(self.name, cpu_s, total_cpu_s, memory_mb)

    def fingerprint(self) -> dict[str, Any]:
        return {
            "oracle": self.name,
            "version": VERSION,
            "tests": fingerprint(self.cvts),
            "limits": msgspec.to_builtins(self.limits),
            "python": platform.python_version(),
            "model": self.model.fingerprint(_ANY_TASK),
        }

    def judge(self, case: Case) -> list[Verdict]:
        """Every text is asked about once, ever. Raises UserError for what no further try can mend."""
        given = preconditions_of(case.task)
        tests = scored(len(given.assertions), known(case.task, self.cvts, cached=case.cached).cvts)
        asked = [each for each in case.candidates if each.code is not None]
        words = dict(
            zip(
                (each.key for each in asked),
                asyncio.run(self._answers(case.task, [question(given, each) for each in asked])),
                strict=True,
            )
        )
        return [
            self._judged(case, tests, each, words[each.key])
            if each.code is not None
            else no_code(self.name, each)
            for each in case.candidates
        ]

    async def _answers(
        self, task: Task, prompts: Sequence[Prompt]
    ) -> list[Completion | HarnessError]:
        store = Store(cache_home() / "generations")
        requests = [
            Request(task=task, prompt=prompt, batch=_BATCH, repeat=0, index=0) for prompt in prompts
        ]
        keys = [generation_key(self.model, request) for request in requests]
        found: list[Completion | HarnessError | None] = [store.get(k, Completion) for k in keys]
        missing = [place for place, reply in enumerate(found) if reply is None]
        if missing:
            async with self.model.session() as session:

                async def ask(place: int) -> Completion | HarnessError:
                    try:
                        (reply,) = await session.complete([requests[place]])
                    except RequestFailed as error:
                        return error
                    store.put(keys[place], reply)
                    return reply

                replies = await asyncio.gather(*map(ask, missing))
            for place, reply in zip(missing, replies, strict=True):
                found[place] = reply
        return [reply for reply in found if reply is not None]

    def _judged(
        self,
        case: Case,
        tests: Sequence[Cvt],
        candidate: Candidate,
        word: Completion | HarnessError,
    ) -> Verdict:
        count = len(preconditions_of(case.task).assertions)
        if isinstance(word, HarnessError):
            reason: dict[str, object] = {"reason": f"the judge does not answer: {word}"}
            return verdict(self.name, candidate, Outcome.HARNESS_ERROR, evidence=reason)
        try:
            said = read_answer(word.text, count)
        except ValueError as error:
            reason = {"reason": f"the judge's answer cannot be read: {error}"}
            return verdict(self.name, candidate, Outcome.UNDECIDABLE, evidence=reason)
        ended = calls(case, candidate, [cvt.args for cvt in tests], self.limits)
        refused = [is_refusal(call) for call in ended]
        shown = [_enforced(number, tests, refused) for number in range(count)]
        pairs = [(a, b) for a, b in zip(said, shown, strict=True) if b is not None]
        return verdict(
            self.name,
            candidate,
            Outcome.PASS if all(said) else Outcome.FAIL,
            measures={
                "judge.assertions": len(pairs),
                "judge.enforced": sum(a for a, _ in pairs),
                "judge.enforced_by_tests": sum(b for _, b in pairs),
                "judge.agreed": sum(a == b for a, b in pairs),
            },
            evidence={"judge": [a for a, _ in pairs], "tests": [b for _, b in pairs]},
        )


def question(given: Preconditions, candidate: Candidate) -> Prompt:
    """The request about one candidate."""
    texts = assertions_of(given.statements)
    asked = _ASKED.format(
        code=(candidate.code or "").strip(),
        assertions="\n".join(f"Assertion {n}: `{text}`" for n, text in enumerate(texts)),
        form=_FORM,
    )
    messages = (Message("system", _SYSTEM), Message("user", asked))
    return Prompt(task_id=candidate.task_id, messages=messages)


def read_answer(reply: str, count: int) -> tuple[bool, ...]:
    """What a reply says of each of ``count`` assertions. Raises ValueError, in one line, where it does not say."""
    answer = json_object(reply, _Answer)
    if [each.number for each in answer.assertions] != list(range(count)):
        raise ValueError(f"it must have one entry for each of {count} assertions, in order")
    return tuple(each.enforced for each in answer.assertions)


def _enforced(number: int, tests: Sequence[Cvt], refused: Sequence[bool]) -> bool | None:
    """Whether each test that violates this assertion and no other is refused; None where there is no such test."""
    own = [said for cvt, said in zip(tests, refused, strict=True) if cvt.violated == (number,)]
    return all(own) if own else None
