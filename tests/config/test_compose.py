"""What composes, and how wrong input is answered."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from solexp.config import build, check
from solexp.config.compose import check_overrides, compose, group_options, plain, stamp
from solexp.config.search_path import conf_folder, experiments_folder
from solexp.core import UserError

OPTIONS = [
    (path.parent.name, path.stem)
    for path in sorted(conf_folder().glob("*/*.yaml"))
    if path.parent.name != "hydra"
]
PARTS = [(path.parent.name, path.stem) for path in sorted(conf_folder().glob("strategy/*/*.yaml"))]
PRESETS = [path.stem for path in sorted(experiments_folder().glob("*.yaml"))]

GIVEN = {
    "hf": "model.path=coder",
    "llamacpp": "model.gguf=coder.gguf",
    "llamacpp_server": "model.name=coder",
    "ollama": "model.name=coder",
    "openrouter": "model.name=coder",
    "recorded": "model.path=replies.jsonl",
    "together": "model.name=coder",
    "vllm": "model.name=coder",
}
"""What has to be given with an option, since no default can know it."""


def refusal(*overrides: str) -> str:
    with pytest.raises(UserError) as caught:
        check(plain(compose(overrides)))
    message = str(caught.value)
    assert "\n" not in message
    return message


def test_the_default_composition_is_whole() -> None:
    config = plain(compose([]))
    check(config)
    assert list(config["oracle"]) == ["compile", "replay"]
    assert build(config).objective == "pass_at_1"
    assert config["name"] == "starter-mutants"


@pytest.mark.parametrize(("group", "option"), OPTIONS)
def test_every_option_that_ships_composes(group: str, option: str) -> None:
    chosen = f"[{option}]" if group == "oracle" else option
    overrides = [f"{group}={chosen}"]
    if option in GIVEN:
        # Without it, one line says what to give.
        key = GIVEN[option].partition("=")[0]
        assert refusal(*overrides) == f"{key}: must be given; give it with {key}=VALUE"
        overrides.append(GIVEN[option])
    build(plain(compose(overrides)))


@pytest.mark.parametrize(("part", "option"), PARTS)
def test_every_part_of_a_strategy_composes(part: str, option: str) -> None:
    overrides = ["strategy=function", f"strategy/{part}={option}"]
    build(plain(compose([*overrides, *([GIVEN[option]] if option in GIVEN else [])])))


def test_help_lists_the_options_of_every_group() -> None:
    groups = group_options()
    for group, option in OPTIONS:
        assert option in groups[group]
    for part, option in PARTS:
        assert option in groups[f"strategy/{part}"]
    assert set(PRESETS) <= set(groups["experiments"])


@pytest.mark.parametrize("preset", PRESETS)
def test_every_preset_composes_and_says_how_it_is_run(preset: str) -> None:
    text = (experiments_folder() / f"{preset}.yaml").read_text()
    assert f"solexp run experiments={preset}" in text.splitlines()[1]
    build(plain(compose([f"experiments={preset}"])))


def test_presets_exist() -> None:
    assert set(PRESETS) >= {
        "context_windows",
        "demo",
        "gold",
        "granularity",
        "rag_context",
        "refine",
        "shots",
        "smollm2_grid",
        "solcontracteval_table2",
        "temperature_k",
    }


def test_a_misspelt_option_names_the_nearest() -> None:
    message = refusal("model=refrence")
    assert message == "model=refrence: no such option; did you mean 'reference'?"


def test_a_misspelt_preset_names_those_there_are() -> None:
    said = f"experiments=nope: no such option; choose from: {', '.join(PRESETS)}"
    assert refusal("experiments=nope") == said


def test_a_misspelt_oracle_in_a_list_is_refused() -> None:
    message = refusal("oracle=[compile,nope]")
    known = ", ".join(option for group, option in OPTIONS if group == "oracle")
    assert message == f"oracle=nope: no such option; choose from: {known}"


def test_a_misspelt_key_names_the_nearest() -> None:
    assert refusal("model.sed=3") == "model.sed: no such setting; did you mean 'model.seed'?"


def test_a_misspelt_group_names_the_nearest() -> None:
    assert refusal("modle=reference") == "modle: no such setting; did you mean 'model'?"


def test_a_key_added_with_a_plus_must_be_an_argument_of_the_target() -> None:
    assert "model.sead: no such setting; did you mean 'seed'?" in refusal("+model.sead=3")


def test_a_node_within_a_node_is_checked_as_well() -> None:
    assert "oracle.replay.machine.foo: no such setting" in refusal("+oracle.replay.machine.foo=1")


def test_a_value_of_the_wrong_type_is_refused() -> None:
    assert refusal("execution.n_jobs=many") == (
        "execution.n_jobs: cannot be 'many'; wants int or null"
    )


def test_a_wrong_choice_names_the_choices() -> None:
    assert refusal("oracle.compile.reading=strickt").endswith("did you mean 'strict'?")


def test_a_missing_value_says_how_to_give_it() -> None:
    assert refusal("model=recorded") == "model.path: must be given; give it with model.path=VALUE"


def test_a_malformed_override_is_refused() -> None:
    assert refusal("benchmark.limit=[").startswith("override 'benchmark.limit=['")


def test_all_values_of_a_sweep_are_checked_before_it_starts() -> None:
    overrides = ["model=reference,mutants,nope", "seed=1,2"]
    compositions = list(check_overrides(overrides, multirun=True))
    assert ["model=reference", "seed=1"] in compositions
    assert ["model=nope", "seed=1"] in compositions
    assert ["model=reference", "seed=2"] in compositions


def test_a_stamp_is_never_given_twice() -> None:
    assert len({stamp() for _ in range(1000)}) == 1000


@pytest.mark.parametrize(
    ("override", "said"),
    [
        ("objective=pas_at_1", "objective: no metric 'pas_at_1' with this sampling; did you mean"),
        ("objective=pass_at_5", "objective: no metric 'pass_at_5'"),
        ("execution.n_jobs=0", "execution.n_jobs: must be above 0, got 0"),
        ("execution.backend=threading", "execution.backend: cannot be 'threading', under which"),
        ("oracle.replay.axes=stauts", "oracle.replay.axes: unknown axis 'stauts'"),
    ],
)
def test_a_value_that_makes_no_sense_is_refused(override: str, said: str) -> None:
    with pytest.raises(UserError, match=re.escape(said)):
        build(plain(compose([override])))


def test_without_an_objective_it_is_the_smallest_k_that_is_sampled() -> None:
    assert build(plain(compose(["sampling=nucleus5"]))).objective == "pass_at_3"


def test_an_objective_over_a_part_is_accepted() -> None:
    assert build(plain(compose(["objective=category.ERC20.pass_at_1"]))).seed == 42


def test_contradicting_batches_are_refused() -> None:
    config = plain(compose(["sampling=nucleus5", "sampling.batches.nucleus.ks=[1,5]"]))
    with pytest.raises(UserError, match="k = 1 comes from a greedy sample"):
        build(config)


def test_a_benchmark_outside_the_repository_is_found_by_search_path_and_target(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "mine"
    (package / "conf" / "benchmark").mkdir(parents=True)
    (package / "conf" / "model").mkdir()
    (package / "conf" / "experiments").mkdir()
    (package / "__init__.py").touch()
    (package / "parts.py").write_text(
        "class Mine:\n"
        "    name = 'mine'\n"
        "    def __init__(self, size: int) -> None:\n"
        "        self.size = size\n"
        "class Silent:\n"
        "    paid = False\n"
    )
    (package / "conf" / "benchmark" / "mine.yaml").write_text(
        "_target_: mine.parts.Mine\nsize: 3\n"
    )
    (package / "conf" / "model" / "silent.yaml").write_text("_target_: mine.parts.Silent\n")
    (package / "conf" / "experiments" / "ours.yaml").write_text(
        "# @package _global_\ndefaults:\n  - override /benchmark: mine\nbenchmark: {size: 4}\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    search = [f"file://{package / 'conf'}"]
    spec = build(plain(compose(["experiments=ours", "model=silent"], search)))
    assert spec.benchmark.size == 4  # type: ignore[attr-defined]
    with pytest.raises(UserError, match=r"benchmark\.size: cannot be 'big'"):
        check(plain(compose(["benchmark=mine", "benchmark.size=big"], search)))


def test_the_users_own_folders_are_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "experiments").mkdir()
    (tmp_path / "experiments" / "here.yaml").write_text("# @package _global_\nseed: 7\n")
    monkeypatch.chdir(tmp_path)
    assert plain(compose(["experiments=here"]))["seed"] == 7


def test_a_folder_beside_the_users_experiments_does_not_take_a_settings_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for folder in ("experiments", "runs"):
        (tmp_path / folder).mkdir()
    monkeypatch.chdir(tmp_path)
    assert plain(compose([f"runs_root={tmp_path}"]))["runs_root"] == str(tmp_path)
