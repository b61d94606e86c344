"""What code asks about its surroundings, and where it is looked at for it."""

from __future__ import annotations

import pytest

from solexp.evm.asked import asked
from solexp.evm.moved import places
from tests.evm.boxes import BOX
from tests.evm.conftest import Make

BODY = "held[msg.sender] += amount;"


@pytest.mark.parametrize(
    ("line", "name", "where"),
    [
        ("require(gasleft() > 5000);", "gas", ("chain",)),
        ("require(tx.gasprice < 1 ether);", "gasprice", ("chain",)),
        ("require(block.timestamp > 5);", "timestamp", ("late",)),
        ("new Kid();", "create", ("chain", "late")),
        ('msg.sender.call("");', None, ()),
        ("require(tx.origin != address(0));", None, ()),
    ],
)
def test_what_is_asked_is_read_off_the_code(
    subject: Make, line: str, name: str | None, where: tuple[str, ...]
) -> None:
    plain = asked(subject(BOX))
    found = asked(subject(BOX.replace(BODY, f"{line} {BODY}") + " contract Kid {}"))
    assert not plain
    assert (set(found) == {name}) if name else not found
    assert places(found, plain) == where


def test_asking_at_more_places_than_the_original_counts_too(subject: Make) -> None:
    original = BOX.replace(BODY, f"require(block.timestamp > 5); {BODY}")
    bomb = original.replace("total -= amount;", "if (block.timestamp < 4e9) total -= amount;")
    once, twice = asked(subject(original)), asked(subject(bomb))
    assert places(twice, once) == ("late",)
    assert places(once, once) == places(once, twice) == ()


def test_nobody_is_looked_at_twice_whose_original_asks_for_block_hashes() -> None:
    assert places({"gas": 1, "blockhash": 1}, {"blockhash": 1}) == ()
