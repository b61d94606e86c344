from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from solexp.core import CompilerSettings, UserError
from solexp.solidity.compiler import Compiler
from solexp.solidity.versions import choose_version, parse_range, pragmas, release

AVAILABLE = [
    *(f"0.4.{patch}" for patch in range(11, 27)),
    *(f"0.5.{patch}" for patch in range(18)),
    *(f"0.6.{patch}" for patch in range(13)),
    *(f"0.7.{patch}" for patch in range(7)),
    *(f"0.8.{patch}" for patch in range(31)),
]


def files(*texts: str) -> dict[str, str]:
    return {
        f"{i}.sol": f"pragma solidity {text};\ncontract C{i} {{}}" for i, text in enumerate(texts)
    }


@pytest.mark.parametrize(
    ("texts", "chosen"),
    [
        (["^0.4.18"], "0.4.18"),
        (["=0.8.17"], "0.8.17"),
        (["0.5.0"], "0.5.0"),
        ([">=0.4.22 <0.9.0"], "0.4.22"),
        (["^0.8.0", ">=0.8.4"], "0.8.4"),
        (["^0.5.0 || ^0.7.0", ">=0.6.0"], "0.7.0"),
        (["0.6.2 - 0.8.1"], "0.6.2"),
        (["~0.7.3"], "0.7.3"),
        ([">0.6"], "0.7.0"),
        (["0.6.x", "<=0.6"], "0.6.0"),
        (["^ 0.8 . 2"], "0.8.2"),
        (["*"], "0.4.11"),
    ],
)
def test_the_lowest_release_that_fits_every_pragma_is_chosen(texts: list[str], chosen: str) -> None:
    assert choose_version(files(*texts), reversed(AVAILABLE)) == chosen


def test_a_pin_wins_over_the_pragmas() -> None:
    assert choose_version(files("^0.4.18"), AVAILABLE, pin="0.4.24") == "0.4.24"
    with pytest.raises(
        UserError, match=r"there is no compiler 0\.9\.9 \(there are 0\.4\.11 to 0\.8\.30\)"
    ):
        choose_version({}, AVAILABLE, pin="0.9.9")


def test_sources_without_a_pragma_get_the_newest() -> None:
    assert choose_version({"a.sol": "contract A {}"}, AVAILABLE) == "0.8.30"


def test_a_choice_that_cannot_be_made_names_who_asks_for_what() -> None:
    with pytest.raises(
        UserError, match=r"0\.sol asks for '\^0\.4\.0', 1\.sol asks for '\^0\.8\.0'"
    ):
        choose_version(files("^0.4.0", "^0.8.0"), AVAILABLE)


@pytest.mark.parametrize(
    "text", ["", "^", "0.8.0.1", "^^0.8.0", ">=0.4.0,<0.9.0", "latest", "0.8.0 ||"]
)
def test_what_is_no_range_is_refused(text: str) -> None:
    with pytest.raises(UserError, match="pragma solidity"):
        parse_range(text)


def test_only_real_pragmas_count() -> None:
    source = """// pragma solidity ^0.4.0;
    /* pragma solidity ^0.5.0; */
    pragma abicoder v2;
    pragma solidity /* at least */ >=0.6.0 // and
        <0.9.0;
    contract A { string s = "pragma solidity ^0.7.0;"; }"""
    (text,) = pragmas(source)
    assert choose_version({"a.sol": source}, AVAILABLE) == "0.6.0"
    assert text.split() == [">=0.6.0", "<0.9.0"]


numbers = st.sampled_from(
    ["0.4.26", "0.6.12", "0.8.17", "0.8", "0.6", "0", "1", "0.8.x", "0.8.18", "0.7.99"]
)
operators = st.sampled_from(["", "^", "~", "=", "<", "<=", ">", ">=", "^ ", ">= "])
comparators = st.builds("{}{}".format, operators, numbers)
conjunctions = st.lists(comparators, min_size=1, max_size=3).map(" ".join)
hyphens = st.builds("{} - {}".format, numbers, numbers)
ranges = st.lists(conjunctions | hyphens, min_size=1, max_size=3).map(" || ".join)


@pytest.mark.parametrize("version", ["0.6.12", "0.8.17"])
@settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(text=ranges)
def test_pragmas_are_read_as_the_compiler_reads_them(
    compiler: Compiler, version: str, text: str
) -> None:
    build = compiler.compile(
        {"a.sol": f"pragma solidity {text};\ncontract A {{}}"}, CompilerSettings(version=version)
    )
    assert parse_range(text).allows(release(version)) == build.ok


@given(text=ranges, available=st.lists(st.sampled_from(AVAILABLE), min_size=1, unique=True))
def test_the_chosen_release_fits_and_no_lower_one_does(text: str, available: list[str]) -> None:
    asked = parse_range(text)
    fitting = [version for version in available if asked.allows(release(version))]
    if fitting:
        chosen = choose_version(files(text), available)
        assert chosen == min(fitting, key=release)
    else:
        with pytest.raises(UserError):
            choose_version(files(text), available)


@given(text=st.text(alphabet="0123456789.^~<>=|x*- v", max_size=24))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        parse_range(text)
    except UserError:
        return
