"""What Echidna and Medusa write down, read as calls; in the formats that their sources and released corpora show."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from solexp.core import ToolError
from solexp.evm.abi import decoded
from solexp.evm.encoding import calldata
from solexp.evm.words import keccak, word
from solexp.fuzzing.engines.recorded import echidna_sequence, medusa_sequence

SENDER = "0x" + "10000".rjust(40, "0")


def transaction(name: str, *arguments: dict[str, Any], seconds: int = 0, blocks: int = 0) -> object:
    """A transaction as Echidna's corpus has it."""
    return {
        "call": {"contents": [name, list(arguments)], "tag": "SolCall"},
        "delay": [f"{seconds:#066x}", f"{blocks:#066x}"],
        "dst": "0x00a329c0648769A73afAc7F9381E08FB43dBEA72",
        "gas": 12500000,
        "gasprice": f"{0:#066x}",
        "src": "0x0000000000000000000000000000000000010000",
        "value": f"{0:#066x}",
    }


def tagged(tag: str, contents: object = None) -> dict[str, Any]:
    return {"contents": contents, "tag": tag}


NUMBER = tagged("AbiUIntType", 256)
VALUES: list[tuple[str, dict[str, Any], object]] = [
    ("uint256", tagged("AbiUInt", [256, "2148418052922050082"]), 2148418052922050082),
    ("int16", tagged("AbiInt", [16, "-40"]), -40),
    ("address", tagged("AbiAddress", "0x0000000000000000000000000000000000010000"), SENDER),
    ("bool", tagged("AbiBool", True), True),
    ("bytes", tagged("AbiBytesDynamic", '"\\RS#9R\\168\\180"'), b"\x1e#9R\xa8\xb4"),
    ("bytes", tagged("AbiBytesDynamic", '"\\SO\\&H\\SOH\\1\\&2\\"\\\\"'), b'\x0eH\x01\x012"\\'),
    ("bytes4", tagged("AbiBytes", [4, '"ab\\NUL\\DEL"']), b"ab\x00\x7f"),
    ("string", tagged("AbiString", '"\\195\\164"'), "ä"),
    (
        "uint256[]",
        tagged("AbiArrayDynamic", [NUMBER, [tagged("AbiUInt", [256, "7"])]]),
        (7,),
    ),
    (
        "uint256[1][2]",
        tagged(
            "AbiArray",
            [
                2,
                tagged("AbiArrayType", [1, NUMBER]),
                [tagged("AbiArray", [1, NUMBER, [tagged("AbiUInt", [256, n])]]) for n in "45"],
            ],
        ),
        ((4,), (5,)),
    ),
    (
        "(uint8,bytes)",
        tagged("AbiTuple", [tagged("AbiUInt", [8, "3"]), tagged("AbiBytesDynamic", '"\\NUL"')]),
        (3, b"\0"),
    ),
]


@pytest.mark.parametrize(("kind", "said", "value"), VALUES)
def test_echidnas_values_of_every_type_are_read(
    kind: str, said: dict[str, Any], value: object, tmp_path: Path
) -> None:
    path = tmp_path / "1.txt"
    path.write_text(json.dumps([transaction("f0", said, seconds=555_740, blocks=5053)]))
    [sent] = echidna_sequence(path)

    assert sent.data[2:10] == word(keccak(f"f0({kind})".encode()))[:8]
    assert decoded([kind], sent.data[10:]) == (value,)
    assert (sent.sender, sent.blocks, sent.seconds) == (SENDER, 5053, 555_740)


def test_echidnas_pauses_are_calls_of_nothing(tmp_path: Path) -> None:
    wait = transaction("f0", seconds=5) | {"call": {"tag": "NoCall"}}  # type: ignore[operator]
    path = tmp_path / "1.txt"
    path.write_text(json.dumps([wait]))
    assert [(each.data, each.seconds) for each in echidna_sequence(path)] == [("0x", 5)]


def test_medusas_messages_are_read(tmp_path: Path) -> None:
    data = calldata("a53b1c1e", ["uint256"], [7])
    message = {"from": "0x0000000000000000000000000000000000010000", "data": data, "value": "0x0"}
    path = tmp_path / "1.json"
    path.write_text(
        json.dumps([{"call": message, "blockNumberDelay": 3, "blockTimestampDelay": 245673}])
    )
    [sent] = medusa_sequence(path)
    assert tuple(sent) == (SENDER, data, 3, 245673)


def test_other_files_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "1.json"
    for text in ("", "{}", "[1]", '[{"call": 3}]'):
        path.write_text(text)
        for read in (echidna_sequence, medusa_sequence):
            if text != "{}":
                with pytest.raises(ToolError, match=r"1\.json is not what"):
                    read(path)
