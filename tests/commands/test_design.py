"""What a sweep says and checks before it starts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from solexp.cli import main
from solexp.commands.design import power_line, preset_sweep
from solexp.config.compose import compose, plain
from solexp.core import UserError
from solexp.metrics.plan import Plan

PRESETS = ("rag_context", "shots", "context_windows", "granularity", "refine", "temperature_k")


@pytest.mark.parametrize("preset", PRESETS)
def test_an_ablation_preset_sweeps_by_itself_into_an_experiment_of_its_own(preset: str) -> None:
    composed = compose([f"experiments={preset}"])
    config = plain(composed)
    assert composed.hydra.mode.name == "MULTIRUN"
    assert preset_sweep(composed)
    assert config["tracking"]["experiment"] == preset
    baseline = Plan.of(config["compare"]).baseline
    for key in baseline:
        assert any(each.startswith(f"{key}=") for each in preset_sweep(composed)), key


def test_the_tasks_samples_and_family_of_a_sweep_decide_what_it_can_tell() -> None:
    composed = compose(["experiments=temperature_k", "benchmark.version=1"])
    line = power_line(plain(composed), preset_sweep(composed))
    assert line is not None
    assert line.startswith("power: 12 tasks × 10 samples tell a difference of ")
    assert "Holm over 4" in line
    assert power_line(plain(compose([])), ["model.seed=1,2"]) is None


@pytest.mark.parametrize(
    ("family", "contrasts"),
    [
        (["differences"], 11),
        (["effects"], 1 + 2 + 1),
        (["interactions"], 2 + 1 + 2),
        (["differences", "interactions"], 11 + 5),
        (["shots"], 2),
        (["strategy.shots*context"], 2),
        (["context*shots*cot"], 2),
        (["interactions", "context*shots*cot"], 5 + 2),
        (["shots=1,context=none", "shots=2"], 2),
    ],
)
def test_a_family_is_as_large_as_its_contrasts(family: list[str], contrasts: int) -> None:
    levels = {"strategy/context": 2, "strategy.shots": 3, "strategy.cot": 2, "model.seed": 1}
    assert Plan.of({"family": family}).contrasts(levels) == contrasts


def test_functions_are_tasks_of_their_own() -> None:
    composed = compose(["experiments=context_windows", "benchmark.ids=[HarborToken]"])
    line = power_line(plain(composed), preset_sweep(composed))
    assert line is not None
    assert int(line.split()[1]) > 5


def test_a_wrong_value_in_a_presets_own_sweep_is_refused_before_anything_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "experiments").mkdir()
    (tmp_path / "experiments" / "mine.yaml").write_text(
        "# @package _global_\n"
        "hydra:\n  mode: MULTIRUN\n  sweeper:\n    params:\n      strategy/context: none,dependancies\n"
    )
    assert main(["run", "experiments=mine"]) == 2
    assert "did you mean 'dependencies'?" in capsys.readouterr().err
    assert not (tmp_path / "runs").exists()


@pytest.mark.parametrize(
    ("setting", "said"),
    [
        ({"basline": {}}, "compare.basline: no such setting; did you mean 'baseline'?"),
        ({"baseline": ["none"]}, "compare.baseline: wants a level for each factor"),
        ({"family": 3}, "compare: Expected `array`, got `int` - at `$.family`"),
        ("all", "compare: wants baseline, factors, metrics and family, or null"),
    ],
)
def test_a_malformed_declaration_is_one_line(setting: Any, said: str) -> None:
    with pytest.raises(UserError) as raised:
        Plan.of(setting)
    assert str(raised.value).startswith(said)
