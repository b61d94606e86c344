"""A copy is known again whatever was done to its looks; what is merely of the same sort is not taken for one."""

from __future__ import annotations

import random
import re
from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from solexp.benchmarks.starter import Starter
from solexp.solidity.comments import without_comments
from solexp.solidity.similarity import LANGUAGE_WORDS, Originals, shown, tokens

LIMIT = 0.7
"""The default of `max_similarity`."""

LONE = """
function pay(address to, uint256 amount) public returns (bool) {
    require(balances[msg.sender] >= amount, "too little");
    balances[msg.sender] -= amount;
    balances[to] += amount;
    emit Transfer(msg.sender, to, amount);
    return true;
}
"""


@cache
def references() -> tuple[str, ...]:
    return tuple(task.reference for task in Starter(version=1).tasks())


def own(word: str) -> bool:
    """Whether a word is a name that the source's author has chosen."""
    return word not in LANGUAGE_WORDS and not re.fullmatch(r"(u?int|bytes)\d*", word)


def renamed(source: str, seed: int) -> str:
    """The source with every name of its own replaced, each by one other, and the words of its messages with them."""
    words = re.findall(r"[a-z_$][\w$]*", without_comments(source).lower())
    names = sorted(filter(own, set(words)))
    fresh = [f"name{number}" for number in range(len(names))]
    random.Random(seed).shuffle(fresh)
    new = dict(zip(names, fresh, strict=True))
    return re.sub(r"[A-Za-z_$][\w$]*", lambda match: new.get(match[0].lower(), match[0]), source)


def reformatted(source: str, seed: int) -> str:
    """Every gap between two tokens laid out anew, comments strewn in."""
    draw = random.Random(seed)
    gaps = [" ", "\n", "\t\t", "\n\n    ", " /* as before */ ", " // and so on\n"]
    return "".join(token + draw.choice(gaps) for token in tokens(source))


def embedded(source: str, seed: int) -> str:
    others = [each for each in references() if each != source]
    before, after = random.Random(seed).sample(others, 2)
    return f"pragma solidity ^0.8.0;\n\n{before}\n\n{source}\n\n{after}"


def recased(source: str, seed: int) -> str:
    del seed
    return re.sub(
        r"[a-z]\w*", lambda match: match[0].title() if own(match[0]) else match[0], source
    )


CHANGES = {"renamed": renamed, "reformatted": reformatted, "embedded": embedded, "recased": recased}


@settings(max_examples=30)
@given(
    index=st.integers(0, 11),
    changes=st.lists(st.sampled_from(sorted(CHANGES)), min_size=1, max_size=4, unique=True),
    seed=st.integers(0, 2**16),
)
def test_a_contract_renamed_reformatted_and_put_into_a_larger_file_is_known_again(
    index: int, changes: list[str], seed: int
) -> None:
    original = references()[index]
    copy = original
    for change in changes:
        copy = CHANGES[change](copy, seed)

    assert shown(original, copy) > 0.8


@pytest.mark.parametrize("change", sorted(CHANGES))
def test_a_function_of_a_few_lines_is_known_again(change: str) -> None:
    assert shown(LONE, CHANGES[change](LONE, 1)) == 1


def test_a_copy_with_a_few_statements_changed_is_still_one() -> None:
    for original in references():
        copy = original.replace(" += ", " -= ", 1).replace("require(", "require(true && ", 2)
        assert shown(original, copy) > LIMIT


def test_functions_in_another_order_are_still_a_copy() -> None:
    parts = [LONE.replace("pay", f"pay{n}").replace("too little", f"reason {n}") for n in range(5)]

    assert shown("".join(parts), "".join(reversed(parts))) > 0.95


def test_contracts_of_the_same_benchmark_are_no_copies_of_each_other() -> None:
    for original in references():
        others = [each for each in references() if each != original]
        assert max(Originals([original]).shown_by(others)) < LIMIT


def test_short_functions_are_alike_by_their_names_only() -> None:
    owner = "function owner() public view returns (address) { return _owner; }"
    minter = "function minter() public view returns (address) { return _minter; }"

    assert shown(owner, owner.upper()) == 1
    assert shown(owner, minter) < LIMIT


def test_a_small_part_gives_little_away_of_the_whole_and_the_whole_gives_away_each_part() -> None:
    whole = max(references(), key=len)
    part = whole[: len(whole) // 10]

    assert shown(whole, part) < 0.3
    assert shown(part, whole) > 0.95


def test_the_most_over_all_originals_is_told_for_each_text() -> None:
    texts = [*references(), "", LONE]
    originals = Originals(references())

    together = originals.shown_by(texts)
    alone = [max(shown(original, text) for original in references()) for text in texts]

    assert together.tolist() == alone


@pytest.mark.parametrize("texts", [[], ["", "x", "/* nothing else */", "\ud800 \0 é"]])
def test_any_text_has_a_share_between_none_and_all(texts: list[str]) -> None:
    for originals in ([], [""], ["a b c"], texts):
        shares = Originals(originals).shown_by(texts)
        assert len(shares) == len(texts)
        assert all(0 <= share <= 1 for share in shares)


@given(st.text(max_size=200))
def test_tokens_are_the_text_without_comments_and_white_space(text: str) -> None:
    found = tokens(text)

    assert all(token in text for token in found)
    if "/" not in text and not re.search(r"[\"']", text):
        assert "".join(found) == "".join(text.split())
