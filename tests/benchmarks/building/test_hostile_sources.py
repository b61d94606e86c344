"""Folders and projects that are damaged, or mean no good."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from solexp.benchmarks.building.projects import read_project
from solexp.benchmarks.building.sources import from_folder
from solexp.cli import main
from solexp.core import DataError, UserError

BOX = """// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;
contract Box { uint256 public held; function put(uint256 value) external { held = value; } }
"""


def project(folder: Path, config: bytes = b"", name: str = "foundry.toml") -> Path:
    (folder / "src").mkdir(parents=True)
    (folder / "contracts").mkdir()
    (folder / name).write_bytes(config)
    for place in ("src", "contracts"):
        (folder / place / "Box.sol").write_text(BOX)
    return folder


@pytest.mark.parametrize("config", [b"profile = 5", b'profile = "x"', b"[[profile]]\nsrc = 'x'"])
def test_profiles_that_are_no_table_say_nothing(config: bytes, tmp_path: Path) -> None:
    assert read_project(project(tmp_path, config)).own() == ["src/Box.sol"]


@pytest.mark.parametrize("config", [b"a=" + b"[" * 5000 + b"]" * 5000, b"\xff", b"[profile"])
def test_a_configuration_that_cannot_be_read_is_named(config: bytes, tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"foundry\.toml"):
        read_project(project(tmp_path, config))


def test_a_number_of_runs_without_end_is_none(tmp_path: Path) -> None:
    config = b"solidity: '0.8.20', optimizer: { enabled: true, runs: " + b"9" * 5000 + b" }"
    assert read_project(project(tmp_path, config, "hardhat.config.js")).profile.runs == 200


def test_links_that_lead_round_or_out_are_passed_over(tmp_path: Path) -> None:
    (tmp_path / "outside.sol").write_text(BOX)
    folder = project(tmp_path / "project")
    for name, there in (
        ("round", "round"),
        ("round.sol", "round.sol"),
        ("up", ".."),
        ("out.sol", "../../outside.sol"),
        ("etc", "/etc"),
    ):
        (folder / "src" / name).symlink_to(there)
    assert read_project(folder).own() == ["src/Box.sol"]


def test_a_name_that_is_no_text_is_written_with_question_marks(tmp_path: Path) -> None:
    folder = project(tmp_path / "project")
    try:
        (folder / "src" / os.fsdecode(b"B\xff.sol")).write_text(BOX)
    except OSError:
        pytest.skip("the file system takes no such names")
    assert read_project(folder).own() == ["src/B?.sol", "src/Box.sol"]
    assert {each.id for each in from_folder(folder / "src")[0]} == {"B?", "Box"}


@pytest.mark.parametrize(
    ("told", "says"),
    [
        ('{"license": "MIT"}', "did you mean 'licence'?"),
        ('{"complier": "0.8.20"}', "did you mean 'compiler'?"),
        ('{"constructorArguments": ""}', "did you mean 'constructor_arguments'?"),
        ('{"constructor_arguments": "zz"}', "must be hex"),
        ('{"constructor_arguments": "0x123"}', "must be hex"),
        ("{", "not readable"),
    ],
)
def test_what_is_misspelt_beside_a_source_is_told(told: str, says: str, tmp_path: Path) -> None:
    (tmp_path / "Box.sol").write_text(BOX)
    (tmp_path / "Box.json").write_text(told)
    with pytest.raises(UserError, match=r"Box\.json") as error:
        from_folder(tmp_path)
    assert says in str(error.value)


def test_other_words_of_an_explorer_beside_a_source_do_no_harm(tmp_path: Path) -> None:
    (tmp_path / "Box.sol").write_text(BOX)
    (tmp_path / "Box.json").write_text('{"contract": "Box", "SwarmSource": "", "tx_count": 3}')
    assert from_folder(tmp_path)[0][0].contract == "Box"


def test_where_nothing_is_left_the_reason_of_one_source_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = project(tmp_path / "project")
    (folder / "src" / "Box.sol").write_text(f'import "./Lid.sol";\n{BOX}')
    words = [
        "data",
        "build",
        "solidity_eval",
        "--from",
        str(folder),
        "--out",
        str(tmp_path / "out"),
    ]
    assert main(words) == 2
    told = capsys.readouterr().err
    assert "nothing is left of 1 sources" in told
    assert "src/Box:Box" in told
    assert "src/Lid.sol" in told
    (folder / "src" / "Box.sol").write_text("")
    assert main(words) == 2
    assert "none of the files has a contract" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()
