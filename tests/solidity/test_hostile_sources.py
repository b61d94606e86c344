from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from solexp.core import Build, CompilerSettings, TimeLimitExceeded
from solexp.solidity.compiler import Compiler

RELEASES = ["0.4.18", "0.8.17"]

DEEP = 20_000
SOURCES = {
    "deep parentheses": "contract A { uint x = " + "(" * DEEP + "1" + ")" * DEEP + "; }",
    "deep blocks": "contract A { function f() public " + "{" * DEEP + "}" * DEEP + " }",
    "deep unary": "contract A { int x = " + "-" * DEEP + "1; }",
    "a long sum": "contract A { uint x = " + "1 +" * DEEP + " 1; }",
    "a megabyte in a string": 'contract A { string s = "' + "a" * 1_000_000 + '"; }',
    "a megabyte of braces": "{" * 1_000_000,
    "a NUL": "contract A { \0 uint x; }",
    "a lone surrogate": 'contract A { string s = "\ud800"; }',
    "control characters": "contract A { string s = '\x01\x7f\u202e'; }",
    "a huge power": "contract A { uint x = 2**(2**30); }",
    "a huge shift": "contract A { uint x = 1 << (2**30); }",
    "a huge array": "contract A { uint[2**255] x; uint[2**255] y; }",
    "nothing": "",
}


@pytest.fixture(scope="module")
def impatient(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Compiler]:
    """Compilers that are given ten seconds."""
    cache = tmp_path_factory.mktemp("hostile")
    with Compiler(providers=("soljson",), cache_dir=cache, timeout_s=10) as compiler:
        yield compiler


@pytest.mark.parametrize("version", RELEASES)
@pytest.mark.parametrize("name", SOURCES)
def test_a_hostile_source_ends_in_a_build_or_at_its_limit(
    impatient: Compiler, name: str, version: str
) -> None:
    try:
        build = impatient.compile({"a.sol": SOURCES[name]}, CompilerSettings(version=version))
    except TimeLimitExceeded:
        return
    assert isinstance(build, Build)
    assert build.ok or all(error.kind for error in build.errors)
    # And the compiler is none the worse for it.
    assert impatient.compile(
        {"b.sol": f"contract Fine{len(name)} {{}}"}, CompilerSettings(version=version)
    ).ok


def test_a_source_too_deep_for_any_stack_is_an_error_of_the_source(compiler: Compiler) -> None:
    source = "contract A { uint x = " + "(" * 300_000 + "1" + ")" * 300_000 + "; }"
    for version in RELEASES:
        build = compiler.compile({"a.sol": source}, CompilerSettings(version=version))
        assert not build.ok


@settings(
    max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    text=st.text(max_size=200)
    | st.lists(
        st.sampled_from([*"A{}();x=1é\0\ud800", "contract", "uint", "function f", "public"]),
        max_size=30,
    ).map(" ".join)
)
def test_any_text_compiles_or_has_errors_within_the_text(compiler: Compiler, text: str) -> None:
    build = compiler.compile({"a.sol": text}, CompilerSettings(version="0.8.17"))
    size = len(text.encode("utf-8", "replace")) + 3 * text.count("\ud800") + 1
    for error in (*build.errors, *build.warnings):
        if error.start is not None and error.end is not None and error.line is not None:
            assert 0 <= error.start <= error.end <= size
            assert 1 <= error.line <= text.count("\n") + 1
