"""What a judge is asked of a task: which of its assertions the description asks for."""

from __future__ import annotations

import msgspec

from solexp.benchmarks.contracteval.aligned import asserted
from solexp.core import Message, Preconditions, Prompt, Task
from solexp.core.reply import json_object

VERSION = 1
"""Of the wording."""

_SYSTEM = (
    "You compare the description of a programming task with checks of its arguments. "
    "You answer with one JSON object and nothing else."
)
_ASKED = """\
A programmer is given this description and nothing else:

```python
{framework}
```

The authors of the task have also written a contract: statements that run when `{name}({parameters})` is called, \
and whose assertions refuse arguments that the function is not made for. The programmer does not see it.

```python
{contract}
```

Decide of each assertion whether the description asks for it. It does if a careful programmer has to conclude from \
the description alone (its words, its signature, its examples) that arguments which break the assertion are not \
valid. It does not if the description leaves open whether they are, or means them to be handled.

{assertions}

Answer in this form, with an entry for each assertion, in order:

{form}
"""
_FORM = '{"assertions": [{"number": 0, "asked_for": true, "reason": "at most one sentence"}]}'
_AGAIN = "That is not the JSON object I asked for: {fault}. Answer again, with it alone, in this form:\n\n{form}"


class _Said(msgspec.Struct):
    number: int
    asked_for: bool
    reason: str = ""


class _Answer(msgspec.Struct):
    assertions: list[_Said]


def question(task: Task) -> Prompt:
    """The first request about a task that has assertions."""
    known = task.preconditions
    assert isinstance(known, Preconditions)
    numbered = "\n".join(f"Assertion {n}: `{text}`" for n, text in enumerate(asserted(task)))
    asked = _ASKED.format(
        framework=task.framework.strip(),
        name=known.entry_point,
        parameters=", ".join(known.parameters),
        contract="\n".join(known.statements),
        assertions=numbered,
        form=_FORM,
    )
    return Prompt(task_id=task.id, messages=(Message("system", _SYSTEM), Message("user", asked)))


def again(prompt: Prompt, reply: str, fault: str) -> Prompt:
    """The request for another answer in place of one that cannot be read."""
    asked = _AGAIN.format(fault=fault, form=_FORM)
    return Prompt(
        task_id=prompt.task_id,
        messages=(*prompt.messages, Message("assistant", reply), Message("user", asked)),
    )


def read_answer(reply: str, count: int) -> tuple[bool, ...]:
    """What a reply says of each of ``count`` assertions. Raises ValueError, in one line, where it does not say."""
    answer = json_object(reply, _Answer)
    numbers = [each.number for each in answer.assertions]
    if numbers != list(range(count)):
        wanted = ", ".join(map(str, range(count)))
        raise ValueError(f"it must have one entry for each of the assertions {wanted}, in order")
    return tuple(each.asked_for for each in answer.assertions)
