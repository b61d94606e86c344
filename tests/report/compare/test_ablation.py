"""An ablation of which the truth is known: compare recovers what was put in, and nothing else."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from pathlib import Path

import pytest

from solexp.benchmarks.starter import Starter
from solexp.cli import main
from solexp.config.compose import compose, plain
from solexp.config.instantiate import instantiate
from solexp.core import Task
from solexp.metrics.effects import Factor, effects
from solexp.metrics.scores import Metric
from solexp.report.compare import Comparison, compare_by
from solexp.report.compare.comparison import Row
from solexp.store.runfolder import latest_sweep
from tests.kept_builds import share_builds
from tests.llm.served.server import LoopbackServer
from tools.ablation.probe import EXAMPLES, Chances, Holds, Probe, needed
from tools.ablation.truth import Grid, grid_of, recovered, redraw

LEVELS = {
    "strategy/context": ("none", "dependencies"),
    "strategy/examples": ("random", "bm25"),
    "strategy.shots": ("0", "2"),
    "strategy.cot": ("false", "true"),
}


@pytest.fixture(scope="module")
def tasks() -> Sequence[Task]:
    return Starter(version=1).tasks()


def _prompts(tasks: Sequence[Task], levels: Sequence[str]) -> dict[str, str]:
    """What the strategy at these levels asks for each task."""
    chosen = [f"{name}={level}" for name, level in zip(LEVELS, levels, strict=True)]
    pool = ["strategy.examples.pool=file", f"strategy.examples.path={EXAMPLES}"]
    config = plain(compose([*chosen, *pool]))
    strategy = instantiate(config["strategy"], "strategy")
    strategy.prepare(tasks, tasks)
    return {task.id: next(strategy.dialogue(task)).prompt.messages[-1].content for task in tasks}


@pytest.fixture(scope="module")
def prompts(tasks: Sequence[Task]) -> dict[tuple[str, ...], dict[str, str]]:
    return {levels: _prompts(tasks, levels) for levels in itertools.product(*LEVELS.values())}


def test_a_prompt_is_known_by_its_words(
    tasks: Sequence[Task], prompts: dict[tuple[str, ...], dict[str, str]]
) -> None:
    probe = Probe(tasks)
    for (context, examples, shots, cot), asked in prompts.items():
        for task in tasks:
            holds = probe.holds(asked[task.id], probe.task(asked[task.id]))
            assert holds.definitions == (context == "dependencies"), task.id
            assert holds.shots == int(shots)
            assert holds.thinking == (cot == "true")
            if shots == "0" or examples == "bm25":
                assert holds.related == (shots != "0"), task.id


def test_every_task_needs_definitions(tasks: Sequence[Task]) -> None:
    assert all(needed(task) for task in tasks)


def test_chances_add_up_to_no_more_than_one() -> None:
    held = Holds(definitions=True, related=True, shots=3, thinking=True)
    nothing = Holds(definitions=False, related=False, shots=0, thinking=False)
    assert 0 < Chances().of(nothing) < Chances().of(held) < 1


def test_answers_are_as_often_right_as_is_stated(
    tasks: Sequence[Task], prompts: dict[tuple[str, ...], dict[str, str]]
) -> None:
    probe = Probe(tasks)
    asked = prompts["dependencies", "bm25", "2", "false"]
    for task in tasks[:3]:
        right = sum(task.reference in probe.answer(asked[task.id]) for _ in range(400))
        assert right / 400 == pytest.approx(probe.chance(asked[task.id]), abs=0.08)
    again = Probe(tasks)
    first, second = (
        [each.answer(asked["TollToken"]) for _ in range(30)] for each in (again, probe)
    )
    assert [again.answer(asked["TollToken"]) for _ in range(30)] != first == second


def _comparison(grid: Grid, prompts: dict[tuple[str, ...], dict[str, str]]) -> Comparison:
    """As compare would have it, with the chances for scores."""
    factors = tuple(Factor(name=name, levels=levels) for name, levels in LEVELS.items())
    first: dict[str, str] = {}
    rows = []
    for levels, asked in prompts.items():
        label = " ".join(levels)
        known = first.setdefault(str(sorted(asked.items())), label)
        rows.append(
            Row(
                label=label,
                folder="",
                levels=dict(zip(LEVELS, levels, strict=True)),
                score=Metric(value=sum(grid[levels].values()) / 12, lo=None, hi=None, n=12),
                difference=None,
                same_as=None if known == label else known,
                prompt_tokens=None,
                completion_tokens=None,
                cost_usd=None,
                seconds=None,
            )
        )
    found = tuple(effects(factors, grid, seed=1))
    return Comparison(
        metric="pass_at_1",
        baseline=rows[0].label,
        factors=factors,
        rows=tuple(rows),
        effects=found,
        family=(),
        notes=(),
    )


def test_over_many_draws_intervals_and_p_values_keep_their_promise(
    tasks: Sequence[Task], prompts: dict[tuple[str, ...], dict[str, str]]
) -> None:
    probe = Probe(tasks)
    grid: Grid = {
        levels: {task: probe.chance(text) for task, text in asked.items()}
        for levels, asked in prompts.items()
    }
    comparison = _comparison(grid, prompts)
    assert sum(row.same_as is not None for row in comparison.rows) == 4
    again = redraw(grid, comparison, samples=20, draws=100, seed=3)
    assert again.covered == pytest.approx(0.95, abs=0.025)
    assert again.false_alarms == pytest.approx(0.05, abs=0.035)


def test_what_was_put_in_is_found_by_way_of_server_client_judges_and_compare(
    tasks: Sequence[Task], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOLEXP_RUNS", str(tmp_path / "runs"))
    share_builds(tmp_path / "cache")
    monkeypatch.setenv("SOLEXP_CACHE", str(tmp_path / "cache"))
    probe = Probe(tasks, variants=1, seed=1)
    with LoopbackServer(lambda asked, _: probe.answer(asked.text), models=(probe.name,)) as server:
        status = main(
            [
                *(
                    "run",
                    "-m",
                    "benchmark.version=1",
                    "benchmark.limit=6",
                    "sampling=mean_of_n",
                    "model=vllm",
                ),
                "sampling.batches.mean_of_n={n: 20, temperature: 1.0, ks: [1]}",
                *(f"model.base_url={server.base_url}", f"model.name={probe.name}"),
                *("model.n_per_request=20", "oracle=[compile,replay]", "tracking=none"),
                *("strategy/context=none,dependencies", "strategy.cot=false,true"),
            ]
        )
    assert status == 0
    comparison = compare_by(None, latest_sweep(tmp_path / "runs"))
    context, cot, both = recovered(grid_of(probe, comparison), comparison)
    assert context.true == pytest.approx(0.2)
    assert cot.true == both.true == 0
    assert context.within and cot.within and both.within
    assert context.found.difference.p < 0.05
    assert cot.found.difference.p > 0.05
    assert both.found.difference.p > 0.05
