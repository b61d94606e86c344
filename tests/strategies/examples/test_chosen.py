"""Shots come from the pool that was named, fit the task, and give no evaluated task away."""

from __future__ import annotations

import itertools
import logging
import random
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from solexp.benchmarks.starter import Starter
from solexp.core import Task, UserError
from solexp.solidity.similarity import shown
from solexp.strategies.examples.chosen import Chosen
from solexp.strategies.examples.ranking import Bm25, Drawn, Ranking, words
from tests.strategies.examples.pool import (
    BODIES,
    REQUIREMENTS,
    TASKS,
    function_task,
    setter,
    write_rows,
)

RANKINGS: list[Ranking] = [Drawn(seed=3), Bm25()]


def ids(chosen: Chosen, task: Task, shots: int) -> list[str]:
    return [example.id for example in chosen.choose(task, shots)]


def test_examples_are_other_tasks_with_requirement_signature_and_code() -> None:
    chosen = Chosen(Bm25())
    chosen.prepare(TASKS[:1], TASKS)

    found = chosen.choose(TASKS[0], 2)

    assert len(found) == 2
    for example in found:
        assert example.id in BODIES
        assert example.requirement == REQUIREMENTS[example.id]
        assert example.signature == f"function {example.id}(uint256 amount) external"
        assert example.code == setter(example.id, BODIES[example.id])


def test_whole_contracts_are_shown_for_whole_contracts() -> None:
    tasks = Starter(version=1).tasks()
    chosen = Chosen(Bm25())
    chosen.prepare(tasks[:3], tasks)

    (example,) = chosen.choose(tasks[0], 1)

    assert example.code == next(task.reference for task in tasks if task.id == example.id)
    assert example.signature.startswith(f"contract {example.id}")
    assert "*/" not in example.requirement
    assert "///" not in example.requirement


@pytest.mark.parametrize("ranking", RANKINGS)
def test_no_shots_are_none_and_read_no_pool(ranking: Ranking, tmp_path: Path) -> None:
    chosen = Chosen(ranking, pool="file", path=str(tmp_path / "missing.jsonl"))
    chosen.prepare(TASKS[:2], TASKS)

    assert chosen.choose(TASKS[0], 0) == ()


def test_the_best_fitting_example_stands_last(tmp_path: Path) -> None:
    rows: list[dict[str, object]] = [
        {"id": name, "requirement": REQUIREMENTS[name], "code": setter(name, BODIES[name])}
        for name in BODIES
    ]
    chosen = Chosen(Bm25(), pool="file", path=str(write_rows(tmp_path / "pool.jsonl", rows)))
    task = function_task(
        "asked", "function raise() external { }", "Outbids the highest bidder of an auction."
    )
    chosen.prepare([task], [])

    assert ids(chosen, task, 3)[-1] == "bid"
    assert ids(chosen, task, 3)[-2:] == ids(chosen, task, 2)


def test_words_of_compound_names_are_found_by_their_parts() -> None:
    assert "from" not in words("safeTransferFrom")
    assert {"safetransferfrom", "safe", "transfer"} <= set(words("safeTransferFrom(address)"))
    assert {"erc", "721", "receiver"} <= set(words("ERC721Receiver"))


def test_what_is_drawn_for_a_task_depends_on_no_other_task() -> None:
    pool = TASKS[4:]
    few, many = Chosen(Drawn(seed=1)), Chosen(Drawn(seed=1))
    few.prepare([TASKS[0]], [TASKS[0], *pool])
    many.prepare([*reversed(TASKS[:4])], [*reversed(pool), *TASKS[:4]])
    for other in TASKS[1:4]:
        many.choose(other, 2)

    assert ids(few, TASKS[0], 2) == ids(many, TASKS[0], 2)


def test_another_seed_draws_others_and_each_task_has_its_own() -> None:
    draws = set()
    for seed in range(8):
        chosen = Chosen(Drawn(seed=seed))
        chosen.prepare(TASKS[:3], TASKS)
        draws |= {tuple(ids(chosen, task, 2)) for task in TASKS[:3]}

    assert len(draws) > 8


@pytest.mark.parametrize("ranking", RANKINGS)
def test_with_fewer_examples_than_shots_all_there_are_are_shown_and_that_is_said_once(
    ranking: Ranking, caplog: pytest.LogCaptureFixture
) -> None:
    chosen = Chosen(ranking)
    chosen.prepare(TASKS[:6], TASKS)

    with caplog.at_level(logging.WARNING, logger="solexp"):
        found = [set(ids(chosen, task, 5)) for task in TASKS[:6]]

    assert found == [{"stake", "rate"}] * 6
    assert [record.getMessage() for record in caplog.records] == [
        "strategy.shots: 5 wanted, but only 2 examples of the pool may be shown"
    ]


def test_a_benchmark_that_is_evaluated_whole_has_no_examples() -> None:
    chosen = Chosen(Bm25())
    chosen.prepare(TASKS, TASKS)

    assert chosen.choose(TASKS[0], 3) == ()


def test_examples_above_the_limit_of_tokens_are_left_out() -> None:
    long = function_task("long", setter("long", "x += 1;" * 200), REQUIREMENTS["deposit"])
    chosen = Chosen(Bm25(), max_tokens=200)
    chosen.prepare(TASKS[:1], [*TASKS, long])

    assert "long" not in ids(chosen, TASKS[0], 20)
    assert len(ids(chosen, TASKS[0], 20)) == 7


def test_the_same_code_is_shown_once(tmp_path: Path) -> None:
    code = setter("mint", BODIES["mint"])
    rows: list[dict[str, object]] = [
        {"id": f"copy {n}", "requirement": "Mints.", "code": code.replace(" {", "  {", n)}
        for n in range(4)
    ]
    chosen = Chosen(Drawn(), pool="file", path=str(write_rows(tmp_path / "pool.jsonl", rows)))
    chosen.prepare(TASKS[:1], TASKS)

    assert len(chosen.choose(TASKS[0], 3)) == 1


def _disguised(code: str, seed: int) -> str:
    draw = random.Random(seed)
    code = code.replace("amount", f"value{draw.randrange(99)}")
    code = code.replace(" ", draw.choice(["  ", "\n", " /* see above */ "]))
    return code.replace(";", draw.choice([";", "; // done\n", ";\n\n"]))


@settings(max_examples=10)
@given(places=st.sets(st.integers(0, 5), min_size=1), seed=st.integers(0, 999))
@pytest.mark.parametrize("ranking", RANKINGS)
def test_no_example_is_an_evaluated_task_or_a_disguise_of_one(
    ranking: Ranking, places: set[int], seed: int
) -> None:
    disguises = [
        function_task(f"disguise of {task.id}", _disguised(task.reference, seed), task.requirement)
        for task in TASKS
    ]
    tasks = [TASKS[place] for place in sorted(places)]
    chosen = Chosen(ranking)
    chosen.prepare(tasks, [*TASKS, *disguises])

    for task in tasks:
        for example in chosen.choose(task, 20):
            assert not any(name in example.id for name in (each.id for each in tasks))
            assert all(shown(each.reference, example.code) < 0.7 for each in tasks)


def test_a_context_that_holds_a_target_is_left_out_and_others_stay() -> None:
    code = setter("unlike", "lock = !lock; emit Locked(lock, amount);")
    leaking = function_task("leaking", code, "Toggles.", context=TASKS[0].reference)
    other = function_task("other", code.replace("lock", "bolt"), "Bolts.", context="uint256 bolt;")
    chosen = Chosen(Bm25())
    chosen.prepare(TASKS[:1], [TASKS[0], leaking, other])

    contexts = {example.id: example.context for example in chosen.choose(TASKS[0], 5)}

    assert contexts == {"leaking": "", "other": "uint256 bolt;"}


def test_a_contract_copied_into_a_larger_file_of_a_folder_is_a_leak(tmp_path: Path) -> None:
    tasks = Starter(version=1).tasks()
    larger = (
        tasks[0].reference.rstrip()[:-1] + "\n/// @notice More.\nfunction more() external {}\n}"
    )
    source = f"/// @notice A copy.\n{larger}\n\n/// @notice Another.\n{tasks[1].reference}"
    (tmp_path / "copy.sol").write_text(source.replace(tasks[0].target.contract, "Renamed"))
    chosen = Chosen(Bm25(), pool="folder", path=str(tmp_path))
    chosen.prepare([tasks[0]], tasks)

    assert ids(chosen, tasks[0], 5) == [f"copy.sol:{tasks[1].target.contract}"]


def test_a_task_nobody_told_of_is_not_shown_itself_either() -> None:
    chosen = Chosen(Bm25())
    chosen.prepare(TASKS[:1], TASKS)

    assert TASKS[3].id not in ids(chosen, TASKS[3], 20)
    assert TASKS[0].id not in ids(chosen, TASKS[3], 20)


@pytest.mark.parametrize(
    ("settings_", "said"),
    [
        ({"pool": "file"}, "strategy.examples.path: pool=file needs the file's path"),
        ({"path": "x"}, "strategy.examples.path: is for pool=file or pool=folder"),
        ({"max_similarity": 0.0}, "strategy.examples.max_similarity: must be above 0"),
        ({"max_tokens": 0}, "strategy.examples.max_tokens: must be above 0"),
    ],
)
def test_settings_that_make_no_sense_are_refused(settings_: dict[str, object], said: str) -> None:
    with pytest.raises(UserError, match=said):
        Chosen(Drawn(), **settings_)  # type: ignore[arg-type]


def test_the_fingerprint_tells_pools_of_other_content_apart(tmp_path: Path) -> None:
    (tmp_path / "a.sol").write_text("contract A { function f() external { x = 1; } uint256 x; }")
    before = Chosen(Bm25(), pool="folder", path=str(tmp_path)).fingerprint()
    (tmp_path / "b.sol").write_text("contract B {}")

    assert Chosen(Bm25(), pool="folder", path=str(tmp_path)).fingerprint() != before


def test_two_hundred_tasks_choose_from_two_thousand_functions_in_seconds() -> None:
    draw = random.Random(0)
    vocabulary = [f"word{n}" for n in range(3000)]

    def made(name: str) -> Task:
        said = draw.choices(vocabulary, k=25)
        body = " ".join(f"{a} = {b} + {draw.randrange(99)};" for a, b in itertools.pairwise(said))
        return function_task(name, setter(name, body), " ".join(said))

    pool = [made(f"p{n}") for n in range(2000)]
    tasks = [made(f"t{n}") for n in range(200)]
    chosen = Chosen(Bm25())
    chosen.prepare(tasks, pool)

    started = time.process_time()
    assert all(len(chosen.choose(task, 3)) == 3 for task in tasks)
    assert time.process_time() - started < 10
