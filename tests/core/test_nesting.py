"""Texts of nothing but brackets are refused before a parser goes down with them."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from solexp.core.nesting import refuse_depth

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
)


def depth(value: object) -> int:
    inner = (
        value.values() if isinstance(value, dict) else value if isinstance(value, list) else None
    )
    return 0 if inner is None else 1 + max(map(depth, inner), default=0)


@given(VALUES, st.booleans())
def test_the_levels_counted_are_those_of_the_value(value: object, ascii_only: bool) -> None:
    text = json.dumps(value, ensure_ascii=ascii_only)
    levels = depth(value)
    refuse_depth(text, levels)
    if levels:
        with pytest.raises(ValueError, match=f"more than {levels - 1} levels"):
            refuse_depth(text, levels - 1)


@pytest.mark.parametrize(
    ("imported", "call"),
    [
        ("from solexp.dcr.graph import read", "read(TEXT, 'graph.json')"),
        ("from solexp.llm.served.reading import decoded", "decoded(TEXT.encode())"),
        ("from solexp.strategies.agent.actions import _written", "list(_written(TEXT))"),
        ("from solexp.strategies.violating import _values", "list(_values(TEXT))"),
    ],
)
def test_a_deep_text_ends_no_process_whatever_the_limit_of_recursion(
    imported: str, call: str
) -> None:
    # Some packages raise the limit for the whole process; then the parsers have none.
    program = f"""
import sys
{imported}
sys.setrecursionlimit(100_000)
TEXT = '{{"tool":' * 100_000
try:
    {call}
except Exception as error:
    print(type(error).__name__)
"""
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
