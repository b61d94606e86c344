"""Arguments given as text."""

from __future__ import annotations

import pytest

from solexp.core import UserError
from solexp.dcr.arguments import number, values_of

WHO = "0x" + "11" * 20


def account(word: str) -> str:
    assert word == "owner"
    return WHO


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1000", 1000),
        ("1_000", 1000),
        ("0xff", 255),
        ("1.5 ether", 15 * 10**17),
        ("2 days", 172_800),
        ("1e18", 10**18),
        ("2 ** 128 - 1", 2**128 - 1),
        ("-(3 + 4) * 2", -14),
        ("type(uint8).max", 255),
        ("type(int8).min", -128),
        ("0.5", None),
        ("2 ** 999999", None),
        ("1 / 0", None),
        ("amount", None),
    ],
)
def test_numbers_are_read_as_solidity_writes_them(text: str, value: int | None) -> None:
    assert number(text) == value


def test_every_type_is_read_from_text() -> None:
    types = [
        "uint256",
        "bool",
        "address",
        "bytes4",
        "bytes",
        "string",
        "uint8[2]",
        "(address,bool)[]",
    ]
    texts = [
        "1 ether",
        "true",
        "owner",
        "0x01020304",
        "0x0102",
        '"a b"',
        "[1, 2]",
        "[[owner, true]]",
    ]
    texts[-1] = '[["owner", true]]'
    found = values_of(types, texts, account)
    assert found == (
        10**18,
        True,
        WHO,
        b"\1\2\3\4",
        b"\1\2",
        "a b",
        [1, 2],
        [(WHO, True)],
    )


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("uint8", "256"),
        ("uint256", "-1"),
        ("bool", "perhaps"),
        ("bytes2", "0x010203"),
        ("uint8[2]", "[1]"),
        ("uint8[]", "1"),
        ("address", "!"),
    ],
)
def test_a_text_that_is_no_value_of_its_type_is_refused(kind: str, text: str) -> None:
    with pytest.raises(UserError, match="no value of type"):
        values_of([kind], [text], account)
