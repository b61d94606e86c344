"""Programs in replies."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from solexp.benchmarks.contracteval import ContractEval
from solexp.core import FinishReason, NoCode
from solexp.core.reply import Extraction
from solexp.python.extract import extract_program
from solexp.python.stubs import stubbed_program

ADD = "def add(a, b):\n    return a + b"
HEAD = '''from typing import List


def helper(x):
    return x


def add(a: int, b: int) -> int:
    """Adds.

    >>> add(1, 2)
    3
    """
'''


def code(reply: str, **more: str) -> str:
    """The program found in a reply."""
    found = extract_program(reply, "add", **more)  # type: ignore[arg-type]
    assert found.code is not None, found
    return found.code


@pytest.mark.parametrize(
    "reply",
    [
        ADD,
        f"\n\n{ADD}\n\n",
        f"```python\n{ADD}\n```",
        f"```\n{ADD}\n```",
        f"Sure! Here it is:\n\n```python\n{ADD}\n```\n\nIt adds `a` and `b`.",
        f"```python\n{ADD}\n",
        f"~~~py\n{ADD}\n~~~",
        f"<think>def add(a, b): pass</think>\n```python\n{ADD}\n```",
        f"Sure, here is the function:\n\n{ADD}\n\nThis function adds. Note: it is short.",
        f"From the text: import it.\n{ADD}\nLet me know, if anything = unclear.",
        "1. Use this:\n\n   ```python\n   def add(a, b):\n       return a + b\n   ```\n2. Done.",
        f"```python\n{ADD}\n```\nUse it so:\n```python\nprint(add(1, 2))\n```",
        f"```python\n{ADD}\n```\n```\n3\n```",
        ADD.replace("\n", "\r\n"),
        '{"code": "def add(a, b):\\n    return a + b"}',
    ],
)
def test_the_program_is_found_wherever_it_stands(reply: str) -> None:
    assert code(reply) == ADD


@pytest.mark.parametrize(
    "more",
    [
        "assert add(1, 2) == 3",
        "print(add(1, 2))",
        "if __name__ == '__main__':\n    add(1, 2)",
        "n = int(input())\nprint(add(n, n))",
        "for a, b in [(1, 2)]:\n    print(add(a, b))",
        "def test_add():\n    assert add(1, 2) == 3\n\ntest_add()",
        "import doctest\ndoctest.testmod()",
        "x = add(1, 2)",
    ],
)
def test_examples_of_use_and_tests_are_left_out(more: str) -> None:
    found = extract_program(f"```python\n{ADD}\n\n{more}\n```", "add")
    assert found.code is not None
    assert found.code.replace("\nimport doctest", "").strip() == ADD
    assert any("left out that it does not need" in note for note in found.notes)


@pytest.mark.parametrize(
    "program",
    [
        f"import sys\nsys.setrecursionlimit(10**6)\n\n{ADD}",
        "LIMIT = 3\n\ndef add(a, b):\n    return a + b + LIMIT",
        "memo = {}\nmemo[0] = 1\n\ndef add(a, b):\n    return memo.get(a, b)",
        "primes = []\nfor n in range(9):\n    primes.append(n)\n\ndef add(a, b):\n    return primes[a] + b",
        "def up(x):\n    return down(x)\n\ndef down(x):\n    return x\n\ndef add(a, b):\n    return up(a) + b",
        "class Sum:\n    pass\n\ndef add(a, b):\n    return Sum()",
        "from functools import lru_cache\n\n@lru_cache\ndef add(a, b):\n    return a + b",
        "try:\n    import numpy as np\nexcept ImportError:\n    np = None\n\ndef add(a, b):\n    return np",
        "add = lambda a, b: a + b",
        f'"""Adds."""\n\n# Ours.\n{ADD}  # the sum',
    ],
)
def test_what_the_function_needs_stays_as_it_was_written(program: str) -> None:
    assert code(f"```python\n{program}\n```") == program


def test_what_stands_in_another_part_comes_along() -> None:
    reply = (
        "First a helper:\n```python\nimport math\n\ndef half(x):\n    return math.floor(x / 2)\n```\n"
        "Then:\n```python\ndef add(a, b):\n    return half(a) + b\n```"
    )
    found = extract_program(reply, "add")
    assert found.code == (
        "import math\n\ndef half(x):\n    return math.floor(x / 2)\n\ndef add(a, b):\n    return half(a) + b"
    )
    assert found.notes == ("taken from other parts of the reply: half",)


def test_what_the_prompt_gives_comes_along_where_the_reply_leaves_it_out() -> None:
    reply = "```python\ndef add(a: int, b: List[int]) -> int:\n    return helper(a)\n```"
    found = extract_program(reply, "add", head=HEAD)
    assert found.code is not None
    assert found.code.startswith(
        "from typing import List\n\n\ndef helper(x):\n    return x\n\ndef add"
    )
    assert found.notes == ("taken from the prompt: List, helper",)


def test_a_fence_within_a_docstring_is_part_of_the_program() -> None:
    program = (
        'def add(a, b):\n    """Adds.\n\n    ```\n    add(1, 2)\n    ```\n    """\n    return a + b'
    )
    assert code(f"Here:\n```python\n{program}\n```\nSo be it.") == program
    assert code(program) == program


def test_a_method_is_no_function() -> None:
    reply = "Here it is:\n\nclass Solution:\n    def add(self, a, b):\n        return a + b\n\nThat is it."
    assert extract_program(reply, "add").no_code is NoCode.NOTHING_FOUND


def test_what_ends_the_process_is_left_out() -> None:
    reply = f"```python\nimport sys\n\n{ADD}\n\ndef main():\n    print(add(1, 2))\n\nsys.exit(main())\n```"
    assert code(reply) == f"import sys\n\n{ADD}"


def test_of_several_versions_the_last_that_is_no_sketch_is_taken() -> None:
    better = "def add(a, b):\n    return b + a"
    sketch = "def add(a, b):\n    ..."
    reply = f"```python\n{ADD}\n```\nBetter:\n```python\n{better}\n```\nIn short:\n```python\n{sketch}\n```"
    assert code(reply) == better
    assert code(f"```python\n{sketch}\n```") == sketch


@pytest.mark.parametrize(
    "reply",
    [
        "    return a + b\n",
        "    total = a + b\n    return total\n\n\ndef other(x):\n    return x\n",
        "return a + b",
        "```python\n    return a + b\n```",
        "```python\nreturn a + b\n```",
    ],
)
def test_a_reply_that_goes_on_from_the_prompt_is_put_behind_it(reply: str) -> None:
    found = code(reply, head=HEAD)
    assert found.startswith(HEAD.split("def helper", maxsplit=1)[0])
    namespace: dict[str, object] = {}
    exec(found, namespace)
    add = namespace["add"]
    assert callable(add) and add(1, 2) == 3
    assert "def other" not in found


@pytest.mark.parametrize("reply", ["True", "The sum is a + b.", "add", "    The sum."])
def test_words_are_no_program_though_they_may_parse(reply: str) -> None:
    assert extract_program(reply, "add", head=HEAD).no_code is NoCode.NOTHING_FOUND


@pytest.mark.parametrize(
    ("reply", "finish", "reason"),
    [
        ("", "stop", NoCode.EMPTY),
        ("", "context", NoCode.PROMPT_TOO_LONG),
        ("I'm sorry, but I cannot help with that.", "stop", NoCode.REFUSED),
        ("Which language do you mean?", "stop", NoCode.NOTHING_FOUND),
        ("def plus(a, b):\n    return a + b", "stop", NoCode.NOTHING_FOUND),
        ("```python\ndef add(a, b):\n    if a", "length", NoCode.TRUNCATED),
        ("```python\ndef add(a, b):\n    if a:\n", "stop", NoCode.TRUNCATED),
        ("def add(a, b):\n    '''Adds the", "stop", NoCode.TRUNCATED),
        ("```python\ndef add(a, b):\n    total = a", "length", NoCode.TRUNCATED),
        ("<think>def add(a, b): return", "length", NoCode.TRUNCATED),
        ("    total = (a +", "length", NoCode.TRUNCATED),
    ],
)
def test_a_reply_without_a_program_says_why(reply: str, finish: str, reason: NoCode) -> None:
    found = extract_program(reply, "add", head=HEAD, finish=FinishReason(finish))
    assert (found.code, found.no_code) == (None, reason)


def test_what_comes_whole_before_a_cut_is_a_program() -> None:
    reply = f"```python\n{ADD}\n\ndef main():\n    print(add(1"
    assert extract_program(reply, "add", finish=FinishReason.LENGTH).code == ADD


def test_a_program_that_does_not_parse_is_code_that_will_not_run() -> None:
    found = extract_program("```python\ndef add(a, b):\n    return a +* b\n```", "add")
    assert found == Extraction(
        code="def add(a, b):\n    return a +* b",
        notes=("does not parse: line 2: invalid syntax",),
    )


@pytest.mark.parametrize(
    "reply", ["```python\n\x00\n```", "def add(a, b): return '\ud800'", "(" * 9999]
)
def test_no_reply_is_too_strange(reply: str) -> None:
    found = extract_program(reply, "add", head=HEAD)
    assert (found.code is None) is (found.no_code is not None)


def test_references_are_found_as_they_are(data_home: Path) -> None:
    for task in ContractEval(path=str(data_home / "contracteval"), part="humaneval").tasks():
        for program in (
            task.reference,
            stubbed_program(task.reference, task.target.member, "empty"),
        ):
            reply = f"```python\n{program}\n```\n"
            found = extract_program(reply, task.target.member, head=task.framework)
            assert found.code is not None, task.id
            # What the function does not need is left out; EvalPlus's own has such helpers, too.
            assert found.code == program or "left out" in found.notes[-1], task.id


PIECES = (
    "```python\n",
    "```\n",
    "def add(a, b):\n",
    "    return a + b\n",
    "    '''",
    '"""\n',
    "Here it is: ",
    "import math\n",
    "from __future__ import annotations\n",
    "@cached\n",
    "class A:\n",
    "if x:\n",
    "else:\n",
    "\t(",
    "[1, 2)\n",
    "x = add(1, 2)\n",
    "\\\n",
    "# é\r\n",
    "\x0c",
    "<think>",
    "</think>\n",
    "{",
    "lambda: (yield)\n",
    "nonlocal add\n",
)


@settings(max_examples=150)
@given(st.lists(st.sampled_from(PIECES), max_size=14), st.sampled_from(FinishReason))
def test_any_reply_has_a_program_or_a_reason(pieces: list[str], finish: FinishReason) -> None:
    for head in ("", HEAD):
        found = extract_program("".join(pieces), "add", head=head, finish=finish)
        assert (found.code is None) is (found.no_code is not None)
        assert found == extract_program("".join(pieces), "add", head=head, finish=finish)
