"""What an explorer says of verified contracts, in each of the forms that it has."""

from __future__ import annotations

import json

import msgspec
import pytest

from solexp.benchmarks.building.chain.verified import read
from solexp.core import CompilerSettings, DataError

ADDRESS = "0x" + "c0" * 20
ROW = {
    "ABI": "[]", "ContractName": "Box", "CompilerVersion": "v0.8.20+commit.a1b79de6",
    "OptimizationUsed": "1", "Runs": "999", "ConstructorArguments": "00FF", "EVMVersion": "Default",
    "Library": "", "LicenseType": "MIT", "Proxy": "0", "Implementation": "",
}  # fmt: skip
BOX = 'import "./Lid.sol";\r\ncontract Box is Lid {}\r\n'
FILES = {"src/Box.sol": {"content": BOX}, "src/Lid.sol": {"content": "contract Lid {}\n"}}


def row(source: str, **others: str) -> dict[str, str]:
    return ROW | {"SourceCode": source} | others


def test_a_plain_source_is_one_file() -> None:
    found = read(
        ADDRESS, row("contract Box {}\r\n", Library="Sums:" + "ab" * 20 + ";Text:0x" + "cd" * 20)
    )
    assert (found.id, found.path) == (f"Box_{ADDRESS}", "Box.sol")
    assert found.sources == {"Box.sol": "contract Box {}\n"}
    assert found.constructor_arguments == "00ff"
    assert found.optimiser == "Yes with 999 runs"
    assert found.settings == CompilerSettings(
        version="0.8.20",
        optimizer=True,
        runs=999,
        libraries={"Sums": "0x" + "ab" * 20, "Text": "0x" + "cd" * 20},
    )


def test_without_the_optimiser_the_runs_are_the_compilers_own() -> None:
    found = read(
        ADDRESS, row("contract Box {}", OptimizationUsed="0", Runs="0", EVMVersion="London")
    )
    assert (found.settings.runs, found.settings.evm_version) == (200, "london")
    assert found.optimiser == "No with 200 runs"


def test_a_map_of_files_has_the_rows_settings() -> None:
    found = read(ADDRESS, row(json.dumps(FILES)))
    assert found.sources["src/Box.sol"] == BOX.replace("\r", "")
    assert found.path == "src/Box.sol"
    assert found.settings.runs == 999


@pytest.mark.parametrize("wrap", ["{{{}}}", "{}"])
def test_standard_json_brings_settings_of_its_own(wrap: str) -> None:
    handed = {
        "language": "Solidity",
        "sources": FILES,
        "settings": {
            "optimizer": {"enabled": True, "runs": 7, "details": {"yul": True}},
            "evmVersion": "paris",
            "viaIR": True,
            "remappings": ["@lib/=lib/"],
            "libraries": {"src/Sums.sol": {"Sums": "0x" + "AB" * 20}},
            "outputSelection": {"*": {"*": ["abi"]}},
        },
    }
    text = json.dumps(handed)
    found = read(
        ADDRESS, row("{" + text + "}" if wrap != "{}" else text, ContractName="src/Box.sol:Box")
    )
    assert (found.contract, found.path) == ("Box", "src/Box.sol")
    assert found.settings == CompilerSettings(
        version="0.8.20",
        optimizer=True,
        runs=7,
        evm_version="paris",
        via_ir=True,
        remappings=("@lib/=lib/",),
        libraries={"Sums": "0x" + "ab" * 20},
    )


def test_where_two_files_have_a_contract_of_the_name_the_explorer_must_say_which() -> None:
    files = FILES | {"src/Other.sol": {"content": "contract Box {}"}}
    assert read(ADDRESS, row(json.dumps(files))).path is None
    assert (
        read(ADDRESS, row(json.dumps(files), ContractFileName="src/Other.sol")).path
        == "src/Other.sol"
    )


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"CompilerVersion": "vyper:0.2.4"}, "is written in Vyper"),
        ({"CompilerVersion": ""}, "its compiler is ''"),
        ({"SourceCode": '{{"language": "Solidity"}}'}, "its source cannot be read"),
        ({"SourceCode": '{"a.sol": "contract A {}"}'}, "its source cannot be read"),
        ({"SourceCode": '{{"language": "Yul", "sources": {}}}'}, "is written in Yul"),
    ],
)
def test_what_is_no_solidity_or_malformed_is_told_apart(changes: dict[str, str], says: str) -> None:
    with pytest.raises(DataError, match=says):
        read(ADDRESS, row("contract Box {}", **changes))


def test_what_is_read_survives_being_written() -> None:
    found = read(ADDRESS, row(json.dumps(FILES)))
    assert msgspec.json.decode(msgspec.json.encode(found), type=type(found)) == found
