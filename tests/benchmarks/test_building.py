"""Building rows from sources."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from solexp.benchmarks.building.canaries import canaries
from solexp.benchmarks.building.choosing import Chosen
from solexp.benchmarks.building.duplicates import near_duplicates
from solexp.benchmarks.building.funnel import Funnel
from solexp.benchmarks.building.sampling import stratified
from solexp.benchmarks.building.screening import Fit, balanced, passes_on
from solexp.benchmarks.building.settings import Filters, Settings, read_settings
from solexp.benchmarks.building.sources import Source, licence
from solexp.benchmarks.solidity_eval import SolidityEval
from solexp.cli import main
from solexp.core import CompilerSettings, UserError, Workspace
from solexp.solidity.functions import members
from tests.benchmarks.solidity_eval.made import ORIGIN, TOML, row

ABSTRACT = "pragma solidity ^0.8.0;\nabstract contract A { function f() external virtual; }\n"
OLD = "pragma solidity ^0.4.18;\ncontract A { }\n"
SHORT = "pragma solidity ^0.8.0;\ncontract A { function f() external { } }\n"
BROKEN = """pragma solidity ^0.8.0;
contract Broken {
    uint8[] steps;
    function walk(bytes calldata path) public view returns (string memory, int96) {
        for (uint256 at; at < path.length; ++at) {
            if (steps[at] == uint8(path[at])) return ("met", -1);
        }
        return unknown;
    }
}
"""


@pytest.fixture
def sources(tmp_path: Path) -> Path:
    folder = tmp_path / "sources"
    folder.mkdir()
    for name, text in {
        "Abstract": ABSTRACT,
        "Broken": BROKEN,
        "Imports": f'import "./Till.sol";\n{ORIGIN}',
        "NoPragma": "contract A { }",
        "Old": OLD,
        "Proxy": ORIGIN,
        "Short": SHORT,
        "Till": ORIGIN,
        "Twin": ORIGIN.replace("put", "give"),
    }.items():
        (folder / f"{name}.sol").write_text(text)
    (folder / "Bytes.sol").write_bytes(b"\xff")
    (folder / "Proxy.json").write_text('{"proxy": true}')
    (folder / "Till.json").write_text('{"contract": "Till", "address": "0x' + "ab" * 20 + '"}')
    return folder


def built(sources: Path, out: Path, *settings: str) -> None:
    words = ["data", "build", "solidity_eval", "--from", str(sources), "--out", str(out)]
    assert main([*words, "compilers=>=0.5.0 <=0.8.28", "duplicates=12", *settings]) == 0


def test_every_filter_tells_what_it_left_out_and_the_rest_are_rows(
    sources: Path, tmp_path: Path
) -> None:
    built(sources, tmp_path / "a", "min_lines=4")
    card = json.loads((tmp_path / "a" / "card.json").read_text())
    why = {each["source"]: (each["stage"], each["why"]) for each in card["dropped"]}
    assert {name: stage for name, (stage, _) in why.items()} == {
        "Abstract": "contract and function",
        "Broken": "compiler",
        "Bytes": "readable",
        "Imports": "one file",
        "NoPragma": "pragma",
        "Old": "pragma",
        "Proxy": "metadata",
        "Short": "contract and function",
        "Twin": "near duplicates",
    }
    assert why["Twin"][1] == "nearly the same as another: Till"
    assert why["Old"][1] == "asks for a compiler of 0.4: ^0.4.18"
    assert card["licences"] == {"MIT": 1}
    (task,) = SolidityEval(config="full", path=str(tmp_path / "a")).tasks()
    assert task.id.startswith("Till/")
    assert task.facts["address"] == "0x" + "ab" * 20
    assert task.sources == {"src/Till.sol": ORIGIN}
    assert isinstance(task.workspace, Workspace)
    assert task.workspace.files["src/Till.sol"].count('{ revert("TODO"); }') == 1
    assert all(
        canary in task.reference and canary not in text
        for canary in task.workspace.canaries
        for text in (*task.workspace.files.values(), task.context)
    )
    assert task.context.endswith("external")


def test_the_same_sources_give_the_same_bytes(sources: Path, tmp_path: Path) -> None:
    for name in "ab":
        built(sources, tmp_path / name)
    for path in sorted((tmp_path / "a").iterdir()):
        assert path.read_bytes() == (tmp_path / "b" / path.name).read_bytes()


def test_a_canary_is_a_long_word_of_the_body_that_nothing_shown_has() -> None:
    body = '{ uint256 remainder = held - due; require(remainder > 0, "not that much"); keccak256(""); }'
    assert canaries(body, ["contract A {}"], most=9, chars=8) == ("not that much", "remainder")
    assert canaries(body, ["the remainders"], most=9, chars=8) == ("not that much",)
    assert canaries(body, [], most=1, chars=8) == ("not that much",)
    assert canaries(body, [], most=9, chars=8, common={"remainder", "not that much"}) == ()


def test_sources_are_near_duplicates_whatever_their_comments_and_layout() -> None:
    texts = [ORIGIN, ORIGIN.replace("    ", "\t").replace("Takes out", "Gives"), SHORT]
    named = {str(place): text for place, text in enumerate(texts)}
    assert near_duplicates(named, 0) == {"1": "0"}
    assert near_duplicates(named, -1) == {}
    many = "a = 1; " * 300
    assert near_duplicates({"many": many, "again": many}, 3) == {"again": "many"}


def test_no_series_has_more_sources_than_are_wanted() -> None:
    held = [
        Fit(
            source=Source(id=f"{version}/{place}", text=""),
            compiler=CompilerSettings(version=version),
        )
        for version, many in (("0.8.1", 9), ("0.8.28", 9), ("0.7.6", 2))
        for place in range(many)
    ]
    funnel = Funnel()
    kept = balanced(held, Filters(per_series=4), funnel)
    assert [each.compiler.version.startswith("0.8") for each in kept] == [True] * 4 + [False] * 2
    assert kept == [each for each in held if each in kept]
    assert kept == balanced(held, Filters(per_series=4), Funnel())
    assert kept != balanced(held, Filters(per_series=4, seed=1), Funnel())
    assert funnel.stages[0].dropped == {"is one too many of its series": 14}
    assert balanced(held, Filters(), funnel) == held


def test_few_rows_have_every_stratum_in_proportion() -> None:
    rows = [
        f"{series}{number:02}"
        for series, many in (("a", 30), ("b", 9), ("c", 1))
        for number in range(many)
    ]
    drawn = stratified(rows, 8, stratum=lambda row: row[0], name=str)
    counts = {series: sum(row[0] == series for row in drawn) for series in "abc"}
    assert counts == {"a": 5, "b": 2, "c": 1}
    assert drawn == [row for row in rows if row in drawn]
    assert stratified(rows, 99, stratum=lambda row: row[0], name=str) == rows


@pytest.mark.parametrize(
    ("word", "said"),
    [
        ("lines=3", "'lines=3' is no setting"),
        ("min_lines=0", "min_lines: must be at least 1"),
        ("min_lines=many", "data build"),
        ("visibility=open", "data build"),
        ("duplicates=40", "at most 20"),
        ("compilers=new", "pragma"),
    ],
)
def test_a_setting_that_makes_no_sense_is_refused(word: str, said: str) -> None:
    with pytest.raises(UserError, match=said):
        read_settings([word], Settings)


def test_a_licence_is_what_the_file_states() -> None:
    said = "// SPDX-License-Identifier: GPL-2.0-or-later OR MIT\r\ncontract A {}"
    assert licence(Source(id="a", text=said, licence="other")) == "GPL-2.0-or-later OR MIT"
    assert licence(Source(id="a", text="/* SPDX-License-Identifier: MIT */")) == "MIT"
    assert licence(Source(id="a", text="contract A {}")) == "none stated"


def test_the_rows_of_a_build_import_into_the_data_home(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOLEXP_DATA", str(tmp_path / "home"))
    release = tmp_path / "release"
    release.mkdir()
    (release / "lite.jsonl").write_text(
        f"{json.dumps(row())}\n{json.dumps(row(task_id='b', workspace={'foundry.toml': TOML + '['}))}\n"
    )
    assert main(["data", "import", "solidity_eval", "--from", str(release)]) == 0
    assert len(SolidityEval().tasks()) == 1


@pytest.mark.parametrize(
    ("fallback", "passes"),
    [
        ("fallback() external payable { go(); }", True),
        ("fallback() external payable { stay(); }", False),
        ("function other() external { go(); }", False),
    ],
)
def test_a_proxy_is_a_contract_whose_fallback_delegates(fallback: str, passes: bool) -> None:
    base = (
        "contract Base { function go() internal { last(); } function stay() internal { }\n"
        "function last() internal { assembly { let a := delegatecall(gas(), 1, 0, 0, 0, 0) } } }\n"
    )
    assert passes_on(f"{base}contract A is Base {{ {fallback} }}", "A") is passes


def test_lines_can_be_canaries() -> None:
    body = "{\n    total = total * rate / base;\n    x = 1;\n}"
    found = canaries(body, [], most=9, chars=5, line_chars=20, common={"total"})
    assert found == ("total = total * rate / base;",)


@pytest.mark.parametrize(
    ("pragma", "series"),
    [("^0.6.2", "0.6"), ("<6.0 >=0.4.24", "0.4"), (">=0.5.0 <0.9.0", "0.5"), ("*", "0.8")],
)
def test_a_series_is_the_first_that_the_pragma_names(pragma: str, series: str) -> None:
    text = f"pragma solidity {pragma};\ncontract A {{ function f() external {{ g(); }} }}"
    chosen = Chosen(
        source=Source(id="a", text=text),
        contract="A",
        member=members(text, "A")[0],
        name="f()",
        compiler=CompilerSettings(version="0.8.28"),
    )
    assert chosen.series == series
