"""What a run folder becomes in MLflow's terms."""

from __future__ import annotations

from typing import Any

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from solexp.core import Completion, Generation, Message, Prompt, Usage
from solexp.tracking import content
from solexp.tracking.content import Judgements
from tests.made_runs import TASKS, verdicts

CONFIG = {
    "name": "starter-mutants",
    "seed": 42,
    "runs_root": "/somewhere/runs",
    "benchmark": {"_target_": "solexp.Benchmark", "limit": None, "ids": ["a", "b"]},
    "model": {"_target_": "solexp.Model", "share": 0.5, "inner": {"_target_": "x.Y", "deep": True}},
    "tracking": {"_target_": "solexp.Tracking", "uri": None},
}


def test_params_are_choices_and_plain_settings_without_places_and_names() -> None:
    choices = {"benchmark": "starter", "hydra/launcher": "basic", "oracle": ["compile", "replay"]}
    assert content.params(CONFIG, choices | {"tracking": "mlflow"}) == {
        "benchmark": "starter",
        "benchmark.ids": '["a","b"]',
        "benchmark.limit": "null",
        "model.inner.deep": "true",
        "model.share": "0.5",
        "oracle": '["compile","replay"]',
        "seed": "42",
    }


def test_long_params_and_tags_are_cut_where_mlflow_cuts() -> None:
    assert len(content.params({"prompt": "x" * 9_000}, {})["prompt"]) == 6_000
    assert len(content.tags({"error": "x" * 9_000}, {})["solexp.error"]) == 8_000


def test_metrics_carry_their_interval_and_leave_out_what_is_unknown() -> None:
    pass_at_1 = {"value": 0.5, "lo": 0.25, "hi": 0.75, "n": 12, "spread": 0.1}
    summary = {
        "metrics": {"pass_at_1": pass_at_1, "pass_at_3": {"value": 1.0, "lo": None, "hi": None}},
        "outcomes": {"pass": 6},
        "usage": {"cost_usd": None, "prompt_tokens": 10},
        "tasks": 12,
    }
    assert content.metrics(summary) == {
        "pass_at_1": 0.5,
        "pass_at_1.lo": 0.25,
        "pass_at_1.hi": 0.75,
        "pass_at_1.spread": 0.1,
        "pass_at_3": 1.0,
        "outcomes.pass": 6.0,
        "usage.prompt_tokens": 10.0,
        "tasks": 12.0,
    }


def test_what_oracles_flag_and_catch_can_be_compared_between_runs() -> None:
    caught = {"wrong": {"caught": 3, "n": 4, "lo": 0.3, "hi": 0.9}}
    alarms = {"equivalent": {"caught": 1, "n": 2}, "references": {"caught": 1, "n": 1}}
    nothing = {"wrong": {"caught": 0, "n": 0}, "equivalent": {"caught": 0, "n": 2}}
    summary = {
        "behaviour": {
            "oracles": {"fuzz": {"candidates": 7, "flagged": 5, "tasks": 2, "divergent": 1}},
            "every": {
                "regions": [
                    {"oracles": ["fuzz", "dcr"], "candidates": 4, "tasks": 1},
                    {"oracles": [], "candidates": 2, "tasks": 1},
                ]
            },
        },
        "calibration": {
            "oracles": {"fuzz": caught | alarms},
            "together": nothing | {"references": {"caught": 0, "n": 1}},
        },
    }
    assert content.metrics(summary) == {
        "behaviour.fuzz.candidates": 7.0,
        "behaviour.fuzz.flagged": 5.0,
        "behaviour.fuzz.tasks": 2.0,
        "behaviour.fuzz.divergent": 1.0,
        "behaviour.only.fuzz.dcr": 4.0,
        "behaviour.only.none": 2.0,
        "calibration.fuzz.recall": 0.75,
        "calibration.fuzz.recall.lo": 0.3,
        "calibration.fuzz.recall.hi": 0.9,
        "calibration.fuzz.false_alarms": 2.0,
        "calibration.together.false_alarms": 0.0,
    }


NAMES = st.text(min_size=1, max_size=5) | st.text(min_size=1, max_size=2).map(lambda s: s * 200)


@given(st.dictionaries(NAMES, st.floats(), max_size=3))
def test_metric_names_are_legal_and_values_finite(values: dict[str, float]) -> None:
    found = content.metrics({"metrics": {k: {"value": v} for k, v in values.items()}})
    for name, value in found.items():
        assert not set(name) & set("@=,()%")
        assert len(name) <= 250
        assert abs(value) < float("inf")


def test_tags_name_commit_hashes_sweep_and_toolchain() -> None:
    manifest = {
        "solexp": "0.1.0",
        "git": {"commit": "abc", "dirty": True},
        "versions": {
            "solexp": "0.1.0",
            "python": "3.11.7",
            "web3": "7.16.0",
            "py-solc-x": None,
            "anvil": "1.7.1",
            "solc 0.8.17": "0.8.17+commit.8df45f5f",
            "odd=name": "1",
        },
        "host": {"system": "Linux", "cores": 2},
        "sweep_id": "s1",
        "config_hash": "cafe",
    }
    tags = content.tags(manifest, {"team": "blue"})
    assert tags["mlflow.source.git.commit"] == "abc"
    assert tags["solexp.dirty"] == "true"
    assert tags["solexp.sweep_id"] == "s1"
    assert tags["solexp.config_hash"] == "cafe"
    assert {k: v for k, v in tags.items() if k.startswith("solexp.version.")} == {
        "solexp.version.solexp": "0.1.0",
        "solexp.version.python": "3.11.7",
        "solexp.version.web3": "7.16.0",
        "solexp.version.anvil": "1.7.1",
        "solexp.version.solc 0.8.17": "0.8.17+commit.8df45f5f",
        "solexp.version.odd_name": "1",
    }
    assert tags["team"] == "blue"


def test_the_task_table_says_how_many_samples_compile_and_pass_and_why_not() -> None:
    table = content.task_table(TASKS, Judgements(verdicts(passing=False), ["compile", "replay"]))
    assert table["task"] == ["token", "vault"]
    assert table["samples"] == [3, 3]
    assert table["compile"] == [3, 0]
    assert table["pass"] == [0, 0]
    assert table["outcomes"][1] == "compile_error compile_error compile_error"
    assert table["first_reason"] == [
        "replay: storage differs at balances[0x01]: expected 0x01, got 0x02",
        "compile: ParserError: Expected ';'",
    ]
    assert table["not_decidable"] == [None, None]


def test_the_task_table_says_why_a_task_cannot_be_decided_whatever_became_of_its_candidates() -> (
    None
):
    measures: dict[str, Any] = {"task_outcome": "vacuous", "task_reason": "no call tells"}
    rows = [
        msgspec.structs.replace(row, measures=row.measures | measures)
        if (row.task_id, row.oracle) == ("vault", "replay")
        else row
        for row in verdicts(passing=False)
    ]
    table = content.task_table(TASKS, Judgements(rows, ["compile", "replay"]))
    assert table["not_decidable"] == [None, "vacuous: no call tells"]
    assert str(table["first_reason"][1]).startswith("compile: ")


def _generation(task: str, index: int, text: str) -> Generation:
    return Generation(
        key=f"{task}{index}",
        task_id=task,
        batch="nucleus",
        repeat=0,
        index=index,
        completion=Completion(text=text),
    )


def test_the_task_table_adds_up_what_a_tasks_replies_took() -> None:
    usage = Usage(prompt_tokens=10, completion_tokens=3, cost_usd=0.5)
    rows = [
        msgspec.structs.replace(
            _generation("token", index, "code"), completion=Completion(text="code", usage=usage)
        )
        for index in (0, 1)
    ]
    table = content.task_table(TASKS, Judgements(verdicts(passing=True)), rows)
    spent = dict(zip(table["task"], table["cost_usd"], strict=True))
    assert spent.pop("token") == 1.0
    assert set(spent.values()) <= {None}
    assert table["prompt_tokens"][table["task"].index("token")] == 20


def test_the_reply_table_holds_prompt_reply_and_outcome() -> None:
    prompt = Prompt(task_id="token", messages=(Message("system", "Be."), Message("user", "Do.")))
    rows = [_generation("token", 1, "second"), _generation("token", 0, "first")]
    table = content.reply_table(rows, [prompt], Judgements(verdicts(passing=True)))
    assert table["reply"] == ["first", "second"]
    assert table["prompt"] == ["[system]\nBe.\n\n[user]\nDo."] * 2
    assert table["outcome"] == ["pass", "pass"]
    assert msgspec.json.encode(table)


def test_a_table_too_large_for_a_browser_shows_each_prompt_once() -> None:
    prompt = Prompt(task_id="token", messages=(Message("user", "x" * 6_000_000),))
    rows = [_generation("token", index, "") for index in (0, 1)]
    table = content.reply_table(rows, [prompt], Judgements([]))
    assert [len(text) for text in table["prompt"]] == [6_000_000, len("(as in an earlier row)")]


def test_the_runs_of_a_sweep_are_named_by_their_overrides() -> None:
    manifest = {"name": "starter-mutants", "overrides": ["model.seed=1"]}
    assert content.run_name(manifest, "x") == "starter-mutants"
    assert content.run_name(manifest | {"sweep_id": "s"}, "x") == "starter-mutants model.seed=1"
    assert len(content.run_name({"name": "x" * 500}, "")) == 120
    assert content.run_name({}, "folder") == "folder"
