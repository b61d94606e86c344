"""One function is found in whatever a model makes of it, and right code never becomes nothing."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from solexp.core import FinishReason
from solexp.core.reply import Extraction
from solexp.solidity.functions import (
    Member,
    extract_function,
    free_functions,
    members,
    scope_of,
)
from tests.solidity.functions.other_replies import OTHER
from tests.solidity.functions.replies import LEAVE, SOURCE, Case, contract, fenced
from tests.solidity.functions.whole_replies import WHOLE

CASES = (*WHOLE, *OTHER)


def wanted(case: Case) -> Member:
    known = members(case.source, case.contract) if case.contract else free_functions(case.source)
    return next(member for member in known if member.signature == case.wanted)


def extract(case: Case) -> Extraction:
    return extract_function(
        case.reply,
        wanted(case),
        scope=scope_of([case.source], case.contract),
        finish=case.finish,
        form=case.form,
    )


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_reply_gives_its_function_or_says_why_there_is_none(case: Case) -> None:
    found = extract(case)
    assert (found.code, found.no_code) == (case.code, case.no_code), found.notes
    for note in case.notes:
        assert note in "; ".join(found.notes)


def test_the_corpus_is_large() -> None:
    assert len(CASES) >= 100
    assert len({case.name for case in CASES}) == len(CASES)


_LEAVE = next(m for m in members(SOURCE, "Vault") if m.signature == "leave(uint256,address)")
_SCOPE = scope_of([SOURCE], "Vault")
_PROSE = st.text(
    st.characters(exclude_characters="{}`~<>", exclude_categories=["Cs"]), max_size=200
).filter(lambda text: "/*" not in text and "function" not in text and not text.endswith("/"))
_FENCES = st.sampled_from(["```solidity\n", "```\n", "~~~\n", "```sol\n\n", "````solidity\n"])
_FILLS = st.text("abc xyz.,;()'\n", max_size=40)


@given(before=_PROSE, after=_PROSE, fence=_FENCES, closed=st.booleans())
def test_prose_and_a_fence_around_right_code_never_lose_it(
    before: str, after: str, fence: str, *, closed: bool
) -> None:
    end = "\n" + fence.strip().rstrip("abcdefghijklmnopqrstuvwxyz") + "\n" + after if closed else ""
    reply = f"{before}\n{fence}{LEAVE}{end}"
    found = extract_function(reply, _LEAVE, scope=_SCOPE)
    assert found.code == LEAVE, found


@given(
    others=st.lists(
        st.sampled_from(
            sorted({c.code or "" for c in CASES if c.code and c.wanted != "leave(uint256,address)"})
        ),
        max_size=3,
    ),
    at=st.integers(0, 3),
    inside=st.booleans(),
)
def test_other_functions_around_right_code_never_replace_it(
    others: list[str], at: int, *, inside: bool
) -> None:
    members_in = [*others[:at], LEAVE, *others[at:]]
    reply = fenced(contract(*members_in) if inside else "\n\n".join(members_in))
    found = extract_function(reply, _LEAVE, scope=_SCOPE)
    assert found.code == LEAVE, found


@given(reply=st.text(max_size=300))
def test_any_text_at_all_gives_code_or_a_reason(reply: str) -> None:
    for form in ("chat", "completion", "infill"):
        found = extract_function(reply, _LEAVE, scope=_SCOPE, form=form)
        assert (found.code is None) != (found.no_code is None)


@given(cut=st.integers(0, len(LEAVE) - 1), inside=st.booleans())
def test_a_function_that_is_cut_off_is_no_code(cut: int, *, inside: bool) -> None:
    reply = f"```solidity\n{'contract Vault {' if inside else ''}{LEAVE[:cut]}"
    found = extract_function(reply, _LEAVE, scope=_SCOPE, finish=FinishReason.LENGTH)
    assert found.no_code is not None


@settings(max_examples=10)
@given(fill=_FILLS)
def test_hostile_replies_are_read_in_time_that_grows_with_their_length(fill: str) -> None:
    for text in ("function leave(", "function leave(uint256 a) ", "```\n", "{", '"' + fill):
        extract_function(text * 2_000, _LEAVE, scope=_SCOPE)
