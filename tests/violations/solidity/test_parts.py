"""Conditions taken apart."""

from __future__ import annotations

from solexp.core import Build
from solexp.violations.solidity import Contract, Part, Snapshot, terms
from solexp.violations.solidity.evaluation import evaluate
from solexp.violations.solidity.parts import atoms
from solexp.violations.solidity.standing import answers
from tests.violations.solidity.conftest import Compiled

SOURCE = """contract Box {
    uint256 limit = 10;
    uint256 begins;
    bool shut;
    mapping(address => bool) banned;
    function both(uint256 a, uint256 b) external { require(a < 10 && b >= 5); limit = a; }
    function either(uint256 a, int256 b) external { require(a > 10 || b < -5); limit = a; }
    function over(uint256 a) external { if (a > 3) { if (a > limit) revert(); } limit = a; }
    function same(uint256 a) external payable { require(msg.value == a); }
    function flags(address to) external {
        require(!shut && !banned[to] && block.timestamp >= begins);
        shut = true;
    }
}"""


def shown(contract: Contract, name: str, holds: bool, *rows: tuple[int, ...]) -> list[list[int]]:
    """Of each part on one side, whether values of its parameters are of it; a storage of zeros but for the limit."""
    [function] = [f for f in contract.functions() if f.name == name]
    parts = [part for part in contract.parts(function.signature) if part.holds is holds]
    return [[_met(part, row) for part in parts] for row in rows]


def _met(part: Part, row: tuple[int, ...]) -> int:
    values = {f"arg{place}": value % (1 << 256) for place, value in enumerate(row)}
    [value] = evaluate([part.near], values | {"value": 7}, lambda *_: 10)
    return value


def test_each_part_fails_alone_and_holds_at_its_border(compiled: Compiled) -> None:
    contract = Contract(*_args(compiled))
    # a < 10 fails first at 10, b >= 5 at 4; both hold until 9 and from 5 on.
    assert shown(contract, "both", False, (10, 5), (11, 5), (9, 4), (10, 4)) == [
        [1, 0],
        [0, 0],
        [0, 1],
        [0, 0],
    ]
    assert shown(contract, "both", True, (9, 8), (8, 5), (8, 8)) == [[1, 0], [0, 1], [0, 0]]
    # Of a disjunction one part holds while the other fails, and all fail at once.
    assert shown(contract, "either", True, (11, -5), (10, -6), (11, -6)) == [
        [1, 0],
        [0, 1],
        [0, 0],
    ]
    assert shown(contract, "either", False, (10, 0), (0, -5), (0, 0)) == [[1, 0], [0, 1], [0, 0]]


def test_the_condition_of_an_if_that_reverts_is_taken_apart_where_it_is_asked(
    compiled: Compiled,
) -> None:
    contract = Contract(*_args(compiled))
    assert shown(contract, "over", False, (11,), (12,)) == [[1], [0]]
    assert shown(contract, "over", True, (10,), (9,), (3,)) == [[1], [0], [0]]
    below, above, at, far = shown(contract, "same", False, (6,), (8,), (7,), (5,))
    assert sorted([below, above]) == [[0, 1], [1, 0]]
    assert at == far == [0, 0]


def test_what_a_guard_asks_of_the_state_alone_is_told_by_the_state(compiled: Compiled) -> None:
    contract = Contract(*_args(compiled))
    rows = contract.standing("flags(address)")
    wanted = [row.term for row in rows]
    account = "0x" + "22" * 20
    state = Snapshot(address="0x" + "11" * 20, timestamp=100, accounts=(account,))
    told = answers(wanted, state)
    # Whether an account is banned is not for the state to say.
    assert len(rows) == 2
    assert all(
        a.can(bool(r.holds)) and not a.can(not r.holds) for a, r in zip(told, rows, strict=True)
    )
    later = Snapshot(
        address=state.address, timestamp=100, accounts=(account,), storage={1: 101, 2: 1}
    )
    assert [a.can(bool(r.holds)) for a, r in zip(answers(wanted, later), rows, strict=True)] == [
        False,
        False,
    ]


def _args(compiled: Compiled) -> tuple[Build, str, dict[str, str]]:
    build, sources = compiled(SOURCE)
    return build, "Box", sources


def test_a_condition_that_shares_its_parts_is_taken_apart_once() -> None:
    leaves = [terms.ult(terms.var(f"arg{place}", 256), terms.const(9, 256)) for place in range(60)]
    condition = leaves[0]
    for leaf in leaves[1:]:
        # Either it and the leaf, or neither: met along every way, the first would be there 2**59 times.
        both = terms.and_(condition, leaf)
        neither = terms.and_(terms.not_(condition), terms.not_(leaf))
        condition = terms.not_(terms.and_(terms.not_(both), terms.not_(neither)))
    assert set(atoms(condition)) == set(leaves)
