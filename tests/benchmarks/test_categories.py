from __future__ import annotations

import pytest

from solexp.benchmarks.categories import CATEGORIES, PAPER_TOTALS, categorise, totals

CASES = [
    ("ERC20", "contract T { function transfer(address a, uint b) {} function approve(address a, uint b) {} }"),
    ("ERC20", "contract T is ERC20Burnable { }"),
    ("ERC20", "contract P { function transfer(a b, u v, y d) {} function approve() {} } contract T is P {}"),
    ("ERC721", "contract T is ERC721A, Ownable { function transfer(address a, uint b) {} function stake() {} }"),
    ("ERC721", "contract T { function ownerOf(uint i) {} function transferFrom(address a, address b, uint i) {} }"),
    ("ERC721", "contract T is ERC1155 { }"),
    ("DeFi", "contract T { function addLiquidity(uint a) public {} }"),
    ("DeFi", "contract Base { function claimRewards() public {} } contract T is Base { }"),
    ("Others", "contract T { function withdraw() public {} function vote() public {} }"),
    ("Others", "contract T { function transfer(address to) public {} }"),
    ("Others", "contract T { } contract Coin is ERC20 { function stake() public {} }"),
    ("Others", "contract S { }"),
]  # fmt: skip


@pytest.mark.parametrize(("category", "source"), CASES)
def test_a_contract_is_sorted_by_the_first_rule_that_holds(category: str, source: str) -> None:
    assert categorise(source, "T") == category


def test_the_papers_totals_are_those_of_its_124_contracts() -> None:
    assert sum(PAPER_TOTALS.values()) == 124
    assert set(PAPER_TOTALS) == set(CATEGORIES)
    assert totals(()) == dict.fromkeys(CATEGORIES, 0)
