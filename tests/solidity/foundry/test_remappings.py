"""Remappings as forge has them."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from solexp.solidity.foundry.imports import resolved
from solexp.solidity.foundry.remappings import all_remappings, detected, normal

_NAMES = st.from_regex(r"[a-z][a-z0-9-]{0,8}", fullmatch=True)


def test_libraries_are_found_in_the_layouts_there_are() -> None:
    files = {
        "lib/forge-std/src/Test.sol": b"",
        "lib/forge-std/lib/ds-test/src/test.sol": b"",
        "lib/openzeppelin-contracts/contracts/token/ERC20.sol": b"",
        "lib/flat/Flat.sol": b"",
        "node_modules/@openzeppelin/contracts/token/ERC20.sol": b"",
        "lib/docs/README.md": b"",
    }
    assert detected(files, ["lib", "node_modules"]) == [
        "flat/=lib/flat/",
        "forge-std/=lib/forge-std/src/",
        "openzeppelin-contracts/=lib/openzeppelin-contracts/contracts/",
        "@openzeppelin/=node_modules/@openzeppelin/",
        "ds-test/=lib/forge-std/lib/ds-test/src/",
    ]


def test_what_is_written_down_wins_over_what_is_found() -> None:
    files = {
        "remappings.txt": b"# ours\nforge-std/=vendor/std/\nflat/=other/\n",
        "lib/forge-std/src/Test.sol": b"",
        "lib/flat/remappings.txt": b"deep/=lib/deep/src\n",
        "lib/flat/lib/deep/src/Deep.sol": b"",
        "lib/flat/Flat.sol": b"",
    }
    assert all_remappings(files, ["flat=lib/flat"], ["lib"], detect=True) == (
        "flat/=lib/flat/",
        "forge-std/=vendor/std/",
        "deep/=lib/flat/lib/deep/src/",
    )
    assert all_remappings(files, ["flat=lib/flat"], ["lib"], detect=False) == (
        "flat/=lib/flat/",
        "forge-std/=vendor/std/",
    )


@given(_NAMES, _NAMES, st.booleans(), st.booleans())
def test_a_remapping_means_the_same_with_slashes_and_without(
    name: str, folder: str, first: bool, second: bool
) -> None:
    written = f"{name}{'/' * first}={folder}{'/' * second}"
    one = normal(written)
    assert one is not None
    assert normal(one) == one
    assert resolved(f"{name}/A.sol", "src/B.sol", [one]) == f"{folder}/A.sol"


@given(st.dictionaries(_NAMES, st.booleans(), min_size=1, max_size=5))
def test_every_library_s_files_are_found_under_its_name(libraries: dict[str, bool]) -> None:
    files = {f"lib/{name}/{'src/' * src}A.sol": b"" for name, src in libraries.items()}
    found = all_remappings(files, (), ["lib"], detect=True)
    for name, src in libraries.items():
        assert resolved(f"{name}/A.sol", "src/B.sol", found) == f"lib/{name}/{'src/' * src}A.sol"
