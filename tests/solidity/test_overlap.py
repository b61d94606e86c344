"""What candidate and reference share is measured exactly, and quickly."""

from __future__ import annotations

import random

from hypothesis import given
from hypothesis import strategies as st

from solexp.benchmarks.starter import Starter
from solexp.solidity.overlap import NGRAM, Reference, body_tokens
from tests.growth import growth

TEXTS = st.lists(st.sampled_from("abc\n"), max_size=40)


def common_run(one: list[str], other: list[str]) -> int:
    """The longest run without a border that stands in both, by trying all."""
    best = 0
    for i in range(len(one)):
        for j in range(len(other)):
            run = 0
            while (
                i + run < len(one)
                and j + run < len(other)
                and one[i + run] == other[j + run] != "\n"
            ):
                run += 1
            best = max(best, run)
    return best


@given(TEXTS, TEXTS)
def test_the_longest_common_run_is_found(reference: list[str], text: list[str]) -> None:
    assert Reference(reference).longest_run(text) == common_run(reference, text)


@given(TEXTS, TEXTS)
def test_shares_are_of_the_reference_and_of_the_candidate(
    reference: list[str], text: list[str]
) -> None:
    found = Reference(reference).overlap(text)

    assert 0 <= found.longest_run_share <= 1
    assert 0 <= found.ngram_share <= 1
    assert (found.ngram_share > 0) == (found.longest_run >= NGRAM)


def test_the_reference_has_everything_in_common_with_itself() -> None:
    for task in Starter(version=1).tasks():
        text = body_tokens(task.reference)
        found = Reference(text).overlap(text)
        longest = max(len(body) for body in _bodies(text))

        assert found.ngram_share == 1
        assert found.longest_run == longest


def _bodies(text: list[str]) -> list[list[str]]:
    found: list[list[str]] = [[]]
    for token in text:
        if token == "\n":
            found.append([])
        else:
            found[-1].append(token)
    return found


def test_only_bodies_count_since_the_prompt_shows_the_rest() -> None:
    source = """contract C is D({x: 1}) {
        struct S { uint256 a; }
        mapping(address => uint256) held; // a comment
        event Paid(address to);
        modifier only(uint256 a) { require(a > 0); _; }
        function f(uint256 a) external only(a) returns (uint256) { return a + "}"; }
        function g() external;
        receive() external payable { emit Paid(msg.sender); }
    }"""

    assert " ".join(body_tokens(source)).split(" \n") == [
        "require ( a > 0 ) ; _ ;",
        ' return a + "}" ;',
        " emit Paid ( msg . sender ) ;",
        "",
    ]


def test_a_bare_body_counts_whole() -> None:
    assert body_tokens("balances[to] += 1;") == ["balances", "[", "to", "]", "+=", "1", ";"]


def test_nothing_in_common_is_nothing() -> None:
    found = Reference([]).overlap(["a"] * 20)
    assert (found.longest_run, found.longest_run_share, found.ngram_share) == (0, 0, 0)
    assert Reference(["a"] * 20).overlap([]).ngram_share == 0


def test_the_time_grows_no_faster_than_the_candidate() -> None:
    draw = random.Random(1)
    words = [f"w{number}" for number in range(400)]

    def made(tokens: int) -> tuple[Reference, list[str]]:
        text = [draw.choice(words) for _ in range(tokens)]
        shared = text[tokens // 4 : tokens // 2]
        candidate = shared + [draw.choice(words) for _ in range(tokens - len(shared))]
        return Reference(text), candidate

    reference, candidate = made(10_000)
    assert reference.overlap(candidate).longest_run >= 2_500
    assert growth(made, lambda pair: pair[0].overlap(pair[1]), 2_000) < 25
