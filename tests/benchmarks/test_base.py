from __future__ import annotations

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from solexp.benchmarks.base import select
from solexp.core import CompilerSettings, Target, Task, UserError
from solexp.core.task import series


def task(name: str, version: str = "0.8.20", category: str = "ERC20", audited: bool = True) -> Task:
    return Task(
        id=name,
        benchmark="test",
        compiler=CompilerSettings(version=version),
        sources={"a.sol": "contract A {}"},
        target=Target(path="a.sol", contract="A", start=0, end=13),
        framework="contract A {}",
        category=category,
        facts={"audited": audited, "year": 2020, "chain": "mainnet"},
    )


TASKS = (
    task("Bank_0x01", "0.4.24", "DeFi"),
    task("Coin_0x02", "0.4.26", "ERC20", audited=False),
    task("Coin_0x03", "0.8.20", "ERC20"),
    task("Deed_0x04", "0.8.4", "ERC721"),
)


def ids(*chosen: Task) -> list[str]:
    return [one.id for one in chosen]


def test_all_tasks_are_chosen_by_default() -> None:
    assert select(TASKS) == TASKS


def test_ids_may_leave_the_address_out_where_one_task_is_meant() -> None:
    assert ids(*select(TASKS, ids=["Deed", "Coin_0x02"])) == ["Coin_0x02", "Deed_0x04"]
    with pytest.raises(UserError, match="'Coin' is short for several: Coin_0x02, Coin_0x03"):
        select(TASKS, ids=["Coin"])


def test_an_unknown_id_is_refused_with_the_nearest() -> None:
    with pytest.raises(UserError, match="no task 'Bnk' in this benchmark; did you mean 'Bank'"):
        select(TASKS, ids=["Bnk"])
    with pytest.raises(UserError, match="did you mean 'Coin_0x03'"):
        select(TASKS, ids=["Con_0x03"])


def test_filters_keep_tasks_with_a_value_or_one_of_several() -> None:
    assert ids(*select(TASKS, filter={"category": "ERC20"})) == ["Coin_0x02", "Coin_0x03"]
    assert ids(*select(TASKS, filter={"category": ["DeFi", "ERC721"]})) == [
        "Bank_0x01",
        "Deed_0x04",
    ]
    assert ids(*select(TASKS, filter={"series": 0.4, "category": "DeFi"})) == ["Bank_0x01"]
    assert ids(*select(TASKS, filter={"audited": False})) == ["Coin_0x02"]
    assert ids(*select(TASKS, filter={"chain": "mainnet", "compiler": "0.8.4"})) == ["Deed_0x04"]
    assert select(TASKS, filter={"decidable": "yes", "history": "no", "target": "A"}) == TASKS


def test_an_unknown_property_or_value_is_refused_with_the_nearest() -> None:
    with pytest.raises(
        UserError, match="no property 'catgory' to filter by; did you mean 'category'"
    ):
        select(TASKS, filter={"catgory": "ERC20"})
    with pytest.raises(UserError, match="no task has category 'ERC2'; did you mean 'ERC20'"):
        select(TASKS, filter={"category": ["DeFi", "ERC2"]})
    with pytest.raises(UserError, match=r"no task has series '0\.5'"):
        select(TASKS, filter={"series": "0.5"})


def test_a_limit_below_one_is_refused() -> None:
    with pytest.raises(UserError, match=r"benchmark\.limit: must be at least 1, got 0"):
        select(TASKS, limit=0)


many = st.lists(st.integers(0, 500), unique=True, min_size=1, max_size=40).map(
    lambda numbers: tuple(task(f"T_0x{number}") for number in numbers)
)


@given(many, st.integers(1, 50), st.integers(0, 5))
def test_a_limit_draws_that_many_in_the_tasks_own_order(
    tasks: tuple[Task, ...], limit: int, seed: int
) -> None:
    chosen = select(tasks, limit=limit, seed=seed)
    assert len(chosen) == min(limit, len(tasks))
    assert list(chosen) == [one for one in tasks if one in chosen]


@given(many, st.integers(1, 40), st.integers(0, 5), st.randoms())
def test_a_draw_depends_on_the_seed_but_not_on_the_order_and_grows_with_the_limit(
    tasks: tuple[Task, ...], limit: int, seed: int, random: Random
) -> None:
    chosen = set(ids(*select(tasks, limit=limit, seed=seed)))
    assert chosen <= set(ids(*select(tasks, limit=limit + 1, seed=seed)))
    shuffled = list(tasks)
    random.shuffle(shuffled)
    assert set(ids(*select(shuffled, limit=limit, seed=seed))) == chosen


def test_another_seed_draws_others() -> None:
    tasks = [task(f"T_0x{number}") for number in range(100)]
    assert select(tasks, limit=10, seed=1) != select(tasks, limit=10, seed=2)


def test_a_series_is_the_first_two_numbers() -> None:
    assert series("0.8.17") == "0.8"
