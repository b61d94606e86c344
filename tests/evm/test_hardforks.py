"""Hard forks by block, and what transactions cost before they start."""

from __future__ import annotations

from itertools import pairwise

import pytest

from solexp.core import Call, Deployment, Program, UserError
from solexp.evm.hardforks import HARDFORKS, at_least, eras, hardfork_at, intrinsic_gas


@pytest.mark.parametrize(
    ("block", "timestamp", "fork"),
    [
        (1, 1_438_269_988, "frontier"),
        (4_369_999, 1_508_131_330, "spuriousdragon"),
        (4_370_000, 1_508_131_331, "byzantium"),
        (12_243_999, 1_618_481_214, "istanbul"),
        (12_244_000, 1_618_481_223, "berlin"),
        (12_965_000, 1_628_166_822, "london"),
        (15_537_393, 1_663_224_162, "london"),
        (15_537_394, 1_663_224_179, "paris"),
        (17_034_869, 1_681_338_443, "paris"),
        (17_034_870, 1_681_338_455, "shanghai"),
        (19_426_587, 1_710_338_135, "cancun"),
        (22_431_084, 1_746_612_311, "prague"),
    ],
)
def test_the_fork_is_mainnets_at_that_block(block: int, timestamp: int, fork: str) -> None:
    assert hardfork_at(block, timestamp) == fork


def test_a_misspelt_fork_is_refused_with_the_nearest_name() -> None:
    with pytest.raises(UserError, match="did you mean 'london'"):
        at_least("lodnon", "berlin")


def test_forks_are_ordered_by_age() -> None:
    assert all(at_least(new, old) for old, new in pairwise(HARDFORKS))
    assert not at_least("berlin", "london")


def _program(*blocks: int, hardfork: str | None = None) -> Program:
    sender = "0x" + "aa" * 20
    return Program(
        deployment=Deployment(contract="C", sender=sender, block_number=4_369_990, timestamp=0),
        calls=tuple(Call(sender=sender, block_number=b, timestamp=0) for b in blocks),
        hardfork=hardfork,
    )


def test_a_history_is_split_at_the_forks_it_crosses() -> None:
    found = eras(_program(4_369_995, 4_370_000, 4_370_001, 7_280_000))
    assert [(e.hardfork, e.start, e.end) for e in found] == [
        ("spuriousdragon", 0, 1),
        ("byzantium", 1, 3),
        ("petersburg", 3, 4),
    ]


def test_the_deployment_has_an_era_even_where_no_call_shares_it() -> None:
    found = eras(_program(4_370_000))
    assert [(e.hardfork, e.start, e.end) for e in found] == [
        ("spuriousdragon", 0, 0),
        ("byzantium", 0, 1),
    ]


def test_a_fixed_fork_holds_throughout() -> None:
    found = eras(_program(4_369_995, 7_280_000, hardfork="cancun"))
    assert [(e.hardfork, e.start, e.end) for e in found] == [("cancun", 0, 2)]


def test_data_cost_what_their_fork_says() -> None:
    data = "0x00ff"
    assert intrinsic_gas(data, "byzantium") == 21_000 + 4 + 68
    assert intrinsic_gas(data, "istanbul") == 21_000 + 4 + 16
    assert intrinsic_gas(data, "prague") == 21_000 + 10 + 40
    assert intrinsic_gas(data, "shanghai", creation=True) == 53_000 + 4 + 16 + 2
