"""The reference names everything there is, and nothing that is not."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
import yaml

from solexp.cli import _parser
from solexp.core import (
    Batch,
    Completion,
    Divergence,
    Generation,
    Outcome,
    Prompt,
    Usage,
    Verdict,
)
from solexp.core.candidate import NoCode
from solexp.evm.compare import AXES, AXIS_SETS
from solexp.metrics.functions import function_metrics
from solexp.metrics.rounds import round_metrics
from solexp.metrics.scores import judged
from solexp.metrics.summary import SCORED_AXES, Summary, summarise
from solexp.store.runfolder import TaskRow
from solexp.strategies.material import VARIABLES
from solexp.strategies.templates import names
from solexp.tracking.publish import Publication
from tests.docs.documents import ROOT, section

CONF = ROOT / "conf"
REFERENCE = ROOT / "docs" / "reference"
CONFIGURATION = REFERENCE / "configuration.md"
GROUPS = [path.name for path in sorted(CONF.iterdir()) if path.is_dir() and path.name != "hydra"]


PARTS = [path.name for path in sorted((CONF / "strategy").iterdir()) if path.is_dir()]
"""The groups within the group of strategies."""
OPEN = ("model.extra_body",)
"""Settings whose keys are somebody else's."""
STANDS_FOR = {".batches": "NAME", ".fields": "PART"}
"""Below these, one word of the documentation stands for every key."""


def options(group: str) -> dict[str, Any]:
    """Every option of a group with its YAML."""
    return {path.stem: option(path) for path in (CONF / group).glob("*.yaml")}


def option(path: Path) -> dict[str, Any]:
    """An option's YAML, on top of the one that it builds on."""
    node: dict[str, Any] = yaml.safe_load(path.read_text())
    for base in node.pop("defaults", []):
        if isinstance(base, str) and base.endswith("@_here_"):
            node = option(path.parent / f"{base.removesuffix('@_here_')}.yaml") | node
    return node


def keys(node: Any, prefix: str) -> Iterator[str]:
    """Dotted keys of a node, as the documentation names them."""
    word = next((word for end, word in STANDS_FOR.items() if prefix.endswith(end)), None)
    if isinstance(node, dict):
        for name, value in node.items():
            if name != "_target_":
                shown = word or name
                yield f"{prefix}.{shown}"
                if f"{prefix}.{shown}" in OPEN:
                    continue
                yield from keys(value, f"{prefix}.{shown}")


def all_keys(group: str) -> set[str]:
    found: set[str] = set()
    for option, node in options(group).items():
        found |= set(keys(node, f"oracle.{option}" if group == "oracle" else group))
    for part in PARTS if group == "strategy" else ():
        for node in options(f"strategy/{part}").values():
            found |= {f"strategy.{part}.{key.partition('.')[2]}" for key in keys(node, part)}
    return found - {"sampling.batches.NAME"}


@pytest.mark.parametrize("part", PARTS)
def test_configuration_names_every_option_of_a_strategys_part(part: str) -> None:
    _, found, text = section(CONFIGURATION, "strategy").partition(f"\n### strategy/{part}\n")
    assert found
    for option in options(f"strategy/{part}"):
        assert f"\n| `{option}` |" in text.partition("\n### ")[0], f"strategy/{part}={option}"


def test_strategies_names_every_variable_of_a_layout() -> None:
    text = section(ROOT / "docs" / "how-to" / "strategies.md", "A layout of your own")
    rows = re.findall(r"^\| (`.*?) \|", text, re.MULTILINE)
    assert {name for row in rows for name in re.findall(r"`(\w+)`", row)} == set(VARIABLES)


def test_configuration_names_every_layout() -> None:
    listed = re.search(r"^Layouts are (.*)\.$", section(CONFIGURATION, "strategy"), re.MULTILINE)
    assert listed
    said = {name for part in PARTS for name in templates_of(part)}
    assert set(re.findall(r"`(\w+)`", listed[1])) == set(names()) - said - {"natspec"}


def templates_of(part: str) -> set[str]:
    """The layouts that the options of a part ask by."""
    found: set[str] = set()
    for node in options(f"strategy/{part}").values():
        found |= set(node.get("templates", ()))
    return found


@pytest.mark.parametrize("group", GROUPS)
def test_configuration_names_every_option_and_key(group: str) -> None:
    text = section(CONFIGURATION, group)
    for option in options(group):
        assert f"`{option}`" in text, f"the option {group}={option} is not described"
    described = set(re.findall(rf"^\| `({group}\.[\w.]+)`", text, re.MULTILINE))
    assert described == all_keys(group)


def test_configuration_names_every_plain_setting() -> None:
    text = section(CONFIGURATION, "Plain settings")
    config = yaml.safe_load((CONF / "config.yaml").read_text())
    described = set(re.findall(r"^\| `([\w.]+)`", text, re.MULTILINE))
    settings = {key for key in config if key not in ("defaults", "hydra", "run")}
    assert described == settings | {"experiments", *keys(config["run"], "run")}


def test_configuration_names_every_preset() -> None:
    text = section(CONFIGURATION, "experiments")
    described = set(re.findall(r"^\| `(\w+)`", text, re.MULTILINE))
    assert described == {path.stem for path in (ROOT / "experiments").glob("*.yaml")}


def families() -> set[str]:
    """The names of all metrics of a small run, with k, SET and NAME for what varies."""
    task = TaskRow(
        id="a", hash="", category="DeFi", compiler="0.8.28", functions=3, deployed="2021-03-14"
    )
    later = msgspec.structs.replace(task, id="b", deployed="2024-03-14")
    verdicts = [
        Verdict(
            task_id=name,
            batch="greedy",
            repeat=0,
            index=0,
            oracle=oracle,
            outcome=Outcome.PASS,
            measures={
                "functions_exercised_share": 1.0,
                "overlap.longest_run": 1,
                "overlap.longest_run_share": 0.1,
                "overlap.ngram_share": 0.1,
            },
        )
        for name in ("a", "b")
        for oracle in ("compile", "replay", "overlap")
    ]
    summary = summarise(
        [task, later],
        verdicts,
        [Batch(name="greedy", n=1)],
        seed=1,
        oracles={"compile": True, "replay": True, "overlap": False},
        cutoff="2023-10",
    )
    return {
        re.sub(
            r"^(axes|category|series|functions)\.(?:0\.8|[\w-]+)\.",
            lambda found: f"{found[1]}.{'SET' if found[1] == 'axes' else 'NAME'}.",
            re.sub(r"_at_\d+$", "_at_k", name),
        )
        for name in summary.metrics
    }


def test_metrics_names_every_family_of_metrics() -> None:
    text = (REFERENCE / "metrics.md").read_text()
    found = families()
    described = set(re.findall(r"`([\w.]+_at_k)`", section(REFERENCE / "metrics.md", "Names")))
    assert described == {name for name in found if name.endswith("_at_k")}
    for name in found:
        assert f"`{name}`" in text
    for name in SCORED_AXES:
        assert f"`{name}`" in text


def small_verdicts(rounds: int = 1) -> list[Verdict]:
    """Both oracles' verdicts on the one sample of two functions, in so many rounds."""
    return [
        Verdict(
            task_id=task,
            batch="greedy",
            repeat=0,
            index=0,
            round=number,
            oracle=oracle,
            outcome=Outcome.PASS if number else Outcome.COMPILE_ERROR,
        )
        for task in ("a/f()", "a/g()")
        for number in range(rounds)
        for oracle in ("compile", "replay")
    ]


def test_metrics_names_the_function_level() -> None:
    found = function_metrics(
        {"a/f()": "a", "a/g()": "a"},
        judged(small_verdicts()),
        [Batch(name="greedy", n=1)],
        deciding=["compile", "replay"],
        together=judged(
            [
                msgspec.structs.replace(verdict, task_id="a")
                for verdict in small_verdicts()
                if verdict.task_id == "a/f()"
            ]
        ),
        seed=1,
    )
    described = re.findall(
        r"`([\w.]+_at_k)`", section(REFERENCE / "metrics.md", "Single functions")
    )
    assert set(described) == {re.sub(r"_at_\d+$", "_at_k", name) for name in found}


def test_metrics_names_the_rounds_of_refinement() -> None:
    found = round_metrics(small_verdicts(2), {"compile": True, "replay": True}, seed=1)
    text = section(REFERENCE / "metrics.md", "Rounds of refinement")
    for name in found:
        assert f"`{re.sub(r'^round[0-9]+', 'roundN', name)}`" in text


@pytest.mark.parametrize(
    ("title", "record"),
    [
        ("tasks.jsonl", TaskRow),
        ("prompts.jsonl", Prompt),
        ("generations.jsonl", Generation),
        ("generations.jsonl", Completion),
        ("generations.jsonl", Usage),
        ("verdicts.jsonl", Verdict),
        ("verdicts.jsonl", Divergence),
        ("summary.json", Summary),
        ("tracking.json", Publication),
    ],
)
def test_run_folder_names_every_field(title: str, record: Any) -> None:
    page = REFERENCE / "run-folder.md"
    text = section(page, title) + page.read_text().partition("\n## ")[0]
    for field in record.__struct_fields__:
        assert re.search(rf"`(?:\w+\.)?{field}[`.]", text), f"{record.__name__}.{field}"


def test_outcomes_names_every_outcome_and_reason() -> None:
    text = (REFERENCE / "outcomes.md").read_text()
    for name in (*Outcome, *NoCode):
        assert f"| `{name.value}` |" in text


def test_replay_names_every_axis_and_choice() -> None:
    text = section(REFERENCE / "replay.md", "Axes")
    for axis in AXES:
        assert f"| `{axis}` |" in text
    for name, members in AXIS_SETS.items():
        (row,) = re.findall(rf"^\| `{name}`(?: \(default\))? \| ([^|]*) \|$", text, re.MULTILINE)[
            -1:
        ]
        assert row.startswith("all six" if name == "all" else ", ".join(members)), name


def test_command_line_names_every_command_and_option() -> None:
    text = (REFERENCE / "command-line.md").read_text()
    (subparsers,) = (a for a in _parser()._actions if a.dest == "command")
    assert isinstance(subparsers.choices, dict)
    for command, parser in subparsers.choices.items():
        own = section(REFERENCE / "command-line.md", command)
        assert f"[`{command}`](#{command})" in text
        for action in parser._actions:
            for option in action.option_strings:
                if option.startswith("--") and option != "--help":
                    assert option in own, f"solexp {command} {option}"
            for verb in action.choices if isinstance(action.choices, dict) else ():
                assert f"solexp {command} {verb}" in own
