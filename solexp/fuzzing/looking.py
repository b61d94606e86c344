"""What an original says before it is sent anything, and who sends it calls."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import msgspec

from solexp.core import Call, Program
from solexp.core.hashing import content_hash
from solexp.evm.deployed import Deployed
from solexp.fuzzing.drawing import GAS
from solexp.fuzzing.settings import Constants, Entry
from solexp.fuzzing.trails import words
from solexp.fuzzing.values import STRANGERS

_SLOTS = 48
"""Slots of storage, from the first on, that are looked through for values worth trying."""
_NAMED_SENDERS = 6
_PAST_SENDERS = 6


class Looked(NamedTuple):
    """What is known of an original before it is sent anything."""

    stated: Constants
    """What its source states."""
    accounts: list[str]
    """Accounts that it names."""
    words: list[str]
    """What it answers and stores, but zeros; 64 hex digits each."""


def look_through(
    original: Deployed, base: Program, getters: Iterable[Entry], stated: Constants
) -> Looked:
    """Ask an original that stands deployed all ``getters``, and read its first slots. Raises HarnessError."""
    stored = [each for each in original.storage(range(_SLOTS)) if int(each, 16)]
    told: list[str] = []
    start = base.deployment
    calls = [
        Call(
            sender=start.sender,
            input=f"0x{entry.selector}",
            gas=GAS,
            block_number=start.block_number + 1,
            timestamp=start.timestamp + 1,
        )
        for entry in getters
    ]
    programs = [msgspec.structs.replace(base, calls=(call,)) for call in calls]
    for trace in original.run(original.questions(programs)):
        for result in trace.calls:
            if result.status:
                told += words(result.output[2:])
    # A slot may hold something small before an address.
    parts = [each for each in (*told, *stored) if each.startswith("0" * 20)]
    named = ["0x" + each[24:] for each in parts if int(each[24:], 16) >> 100]
    accounts = [each for each in dict.fromkeys(named) if each != original.address]
    return Looked(stated, accounts, [*told, *stored])


def senders(base: Program, seed: int, named: Sequence[str], past: Iterable[str] = ()) -> list[str]:
    """Who sends calls: the deployer, those that the contract names itself, those who sent the most of the ``past``
    calls, and accounts that mean nothing to it.

    The last depend on seed and deployment, so that a candidate cannot know them by heart.
    """
    deployment = base.deployment
    made = [
        "0x" + content_hash(seed, deployment, number)[:40] for number in range(1, 1 + STRANGERS)
    ]
    given = [
        "0x" + each[24:]
        for each in words(deployment.constructor_args[2:])
        if each.startswith("0" * 24) and int(each, 16) >> 100
    ]
    also = list(dict.fromkeys((*given, *named)))[:_NAMED_SENDERS]
    often = [each for each, _ in Counter(past).most_common(_PAST_SENDERS)]
    return [*dict.fromkeys((deployment.sender, *also, *often)), *made]
