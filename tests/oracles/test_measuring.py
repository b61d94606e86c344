"""What bench/oracles.py makes of its measurements."""

from __future__ import annotations

from bench.oracles import Told, differing, mean, repeated, where
from solexp.benchmarks.starter import Starter

SAME = Told([[True, False]], [[True], [True, True]])
OTHER = Told([[True, True]], [[True], [False, False]])


def test_a_history_is_repeated_later_in_the_same_order_under_the_same_rules() -> None:
    [task] = Starter(ids=["HarborToken"]).tasks()
    assert task.program is not None
    own = task.program.calls
    program = repeated(task.program, 2 * len(own) + 3)
    assert program.calls[: len(own)] == own
    assert [call.input for call in program.calls[len(own) :]] == [
        call.input for call in (*own, *own[:3])
    ]
    times = [call.timestamp for call in program.calls]
    assert times == sorted(times)
    blocks = [call.block_number for call in program.calls]
    assert blocks == sorted(blocks)
    assert program.hardfork == "byzantium"


def test_calls_that_end_otherwise_than_the_originals_are_counted_by_oracle() -> None:
    assert differing([SAME, SAME, OTHER]) == [(0, 0), (1, 2)]


def test_where_two_sides_differ_is_told_by_contract_oracle_program_and_call() -> None:
    assert where([SAME, SAME], [SAME, SAME]) == []
    assert where([SAME, SAME], [SAME, OTHER]) == [
        (1, "replay", 0, 1),
        (1, "dcr", 1, 0),
        (1, "dcr", 1, 1),
    ]


def test_a_figure_is_averaged_over_the_contracts_that_have_it() -> None:
    assert mean([{"dcr": 1.0, "hardhat_web3": 300.0}, {"dcr": 2.0}]) == {
        "dcr": 1.5,
        "hardhat_web3": 300.0,
    }
