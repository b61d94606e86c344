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
from solexp.core import Batch, Completion, Divergence, Generation, Outcome, Verdict
from solexp.core.candidate import NoCode
from solexp.evm.compare import AXES, AXIS_SETS
from solexp.metrics.summary import SCORED_AXES, Summary, summarise
from solexp.store.runfolder import TaskRow
from solexp.tracking.publish import Publication
from tests.docs.documents import ROOT, section

CONF = ROOT / "conf"
REFERENCE = ROOT / "docs" / "reference"
CONFIGURATION = REFERENCE / "configuration.md"
GROUPS = [path.name for path in sorted(CONF.iterdir()) if path.is_dir() and path.name != "hydra"]


OPEN = ("model.extra_body",)
"""Settings whose keys are somebody else's."""


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
    """Dotted keys of a node. Under ``batches`` names are the user's: NAME stands for them."""
    if isinstance(node, dict):
        for name, value in node.items():
            if name != "_target_":
                shown = "NAME" if prefix.endswith(".batches") else name
                yield f"{prefix}.{shown}"
                if f"{prefix}.{shown}" in OPEN:
                    continue
                yield from keys(value, f"{prefix}.{shown}")


def all_keys(group: str) -> set[str]:
    found: set[str] = set()
    for option, node in options(group).items():
        found |= set(keys(node, f"oracle.{option}" if group == "oracle" else group))
    return found - {"sampling.batches.NAME"}


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
    described = set(re.findall(r"^\| `(\w+)`", text, re.MULTILINE))
    assert described == (set(config) - {"defaults", "hydra"}) | {"experiments"}


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


@pytest.mark.parametrize(
    ("title", "record"),
    [
        ("tasks.jsonl", TaskRow),
        ("generations.jsonl", Generation),
        ("generations.jsonl", Completion),
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
