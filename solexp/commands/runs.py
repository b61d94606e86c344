"""Commands about what is there to be judged or told: show, repro, rescore, track, score-workspace."""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from typing import Any

from omegaconf import OmegaConf

from solexp.commands.scoring import score_workspace
from solexp.config import tracking_settings
from solexp.config.compose import choices, compose, plain, stamp
from solexp.core import HarnessError, UserError, secrets
from solexp.core.errors import nearest
from solexp.report.pictures import picture_format
from solexp.report.show import print_summary, summary_data
from solexp.store import RunFolder
from solexp.store.records import write_atomically
from solexp.store.runfolder import find_run
from solexp.tracking.settings import TrackingSettings


def runs_root() -> Path:
    """Where run folders go unless a run says otherwise."""
    return Path(os.environ.get("SOLEXP_RUNS", "runs"))


def write_file(name: str, data: bytes) -> None:
    """Write a file that a command was asked for, and say so. Raises UserError where it cannot be written."""
    try:
        write_atomically(Path(name), data)
    except OSError as error:
        raise UserError(f"{name}: cannot be written: {error.strerror}") from None
    print(f"written: {name}", file=sys.stderr)


def show(command: argparse.Namespace) -> int:
    folder = find_run(command.run, runs_root())
    if command.task is None and command.sample is not None:
        raise UserError("show: --sample needs --task")
    if command.task is not None and command.plot is not None:
        raise UserError("show: --plot is of a whole run; leave --task out")
    if command.task is not None:
        from solexp.commands.evidence import show_sample  # noqa: PLC0415  (benchmarks, compilers)

        return show_sample(folder, command.task, command.sample, as_json=command.json)
    if command.json:
        print(json.dumps(summary_data(folder), indent=2))
    else:
        print_summary(folder)
    if command.plot:
        from solexp.report.upset import draw  # noqa: PLC0415  (half a second)

        kind = picture_format(command.plot)
        write_file(command.plot, draw(summary_data(folder).get("behaviour"), kind))
    return 0


def repro(command: argparse.Namespace) -> int:
    """Write a divergence as a Foundry project."""
    from solexp.commands import evidence  # noqa: PLC0415  (benchmarks, compilers)

    return evidence.repro(command, runs_root())


_RESCORED = ("oracle", "strategy", "execution", "tracking", "seed", "objective")
"""What may differ from the run whose replies are judged again."""


def rescore(command: argparse.Namespace) -> int:
    """Judge stored generations by other oracles; no model is built, let alone asked."""
    from solexp.run import nothing_judged, start  # noqa: PLC0415  (the whole of solexp)

    source = find_run(command.run, runs_root())
    generations = source.generations()
    if not generations:
        raise UserError(f"{source.path}: holds no generations to judge")
    config = _rescored(source, command.override)
    folder = RunFolder(runs_root().absolute() / os.environ["SOLEXP_STAMP"])
    facts = {
        "overrides": [*source.manifest.get("overrides", []), *command.override],
        "choices": choices(source.manifest.get("choices") or {}, config["oracle"]),
        "rescored_from": source.name,
    }
    _, summary = start(config, folder, facts, stored=generations)
    print_summary(folder)
    if (reason := nothing_judged(summary)) is not None:
        raise HarnessError(reason)
    return 0


def _rescored(source: RunFolder, overrides: Sequence[str]) -> dict[str, Any]:
    """The earlier run's configuration, with the groups that the overrides touch composed anew."""
    os.environ["SOLEXP_STAMP"] = stamp()
    touched = {re.split(r"[.=/@]", override.lstrip("+~"))[0] for override in overrides}
    for group in sorted(touched.difference(_RESCORED)):
        raise UserError(
            f"rescore: {group} cannot change, the replies depend on it; {nearest(group, _RESCORED)}"
        )
    composed = plain(compose([*_chosen(source, touched), *overrides]))
    earlier = source.config
    earlier.pop("hydra", None)
    if "strategy" in touched:
        _same_question(earlier, composed)
        if not any(re.match(r"[+~]*strategy(/\w+)?=", override) for override in overrides):
            # Single settings: all others stay as the run had them.
            composed["strategy"] = _with_settings(earlier["strategy"], composed, overrides)
    # No model is asked, so its key need not be there.
    model = {"model": earlier.pop("model", None)}
    return _whole(earlier | {group: composed[group] for group in touched}, source) | model


def _chosen(source: RunFolder, touched: Collection[str]) -> list[str]:
    """The oracles, and the strategy's options where it is ``touched``, as overrides."""
    found = []
    for group, option in (source.manifest.get("choices") or {}).items():
        if group == "oracle":
            found.append(f"oracle=[{option}]")
        elif group.split("/")[0] == "strategy" and "strategy" in touched:
            found.append(f"{group}={option}")
    return found


def _same_question(earlier: dict[str, Any], composed: dict[str, Any]) -> None:
    """Raises UserError when another strategy would read replies to what it has not asked."""
    had, wanted = ((each.get("strategy") or {}).get("_target_") for each in (earlier, composed))
    if had != wanted:
        raise UserError(
            f"rescore: the replies are to what {had} asked, and {wanted} cannot read them; "
            "only settings of the strategy can change"
        )


def _with_settings(
    strategy: dict[str, Any], composed: dict[str, Any], overrides: Sequence[str]
) -> dict[str, Any]:
    """A strategy's node with the settings that ``overrides`` name taken from what they compose to."""
    node = OmegaConf.create({"strategy": strategy})
    for override in overrides:
        place = override.lstrip("+~").partition("=")[0]
        if place.startswith("strategy."):
            OmegaConf.update(node, place, OmegaConf.select(OmegaConf.create(composed), place))
    return plain(node)["strategy"]  # type: ignore[no-any-return]


def _whole(stored: dict[str, Any], source: RunFolder) -> dict[str, Any]:
    """A stored configuration with what was left to the environment. Raises UserError naming what is not stored."""
    place = secrets.masked(stored)
    if place is None:
        return plain(OmegaConf.create(stored))
    said = f"{place}: is not stored in {source.path}, since it may hold a key"
    if place.split(".")[0] in _RESCORED:
        raise UserError(f"{said}; give it with {place}=VALUE")
    raise UserError(f"{said}; start a new run that takes it from the environment: ${{oc.env:NAME}}")


def tracking_of(folder: RunFolder) -> TrackingSettings:
    """Where a run goes; the environment says it where the run's address is not stored."""
    node = {"tracking": folder.config.get("tracking")}
    if secrets.masked(node) == "tracking.uri":
        if "MLFLOW_TRACKING_URI" not in os.environ:
            raise UserError(
                f"tracking.uri: is not stored in {folder.path}, since it may hold a password; "
                "set MLFLOW_TRACKING_URI"
            )
        node["tracking"] = dict(node["tracking"] or {}, uri=None)
    return tracking_settings(_whole(node, folder))


def track(command: argparse.Namespace) -> int:
    """Publish runs again, each as it ended; one that never ended was killed."""
    from solexp.tracking.publish import Status, publish  # noqa: PLC0415  (costs start-up)

    for name in command.run or ["latest"]:
        folder = find_run(name, runs_root())
        settings = tracking_of(folder)
        ended: dict[str, Status] = {"finished": "FINISHED", "failed": "FAILED"}
        status = ended.get(str(folder.manifest.get("status")), "KILLED")
        run_id = publish(folder, settings, status=status)
        uri = secrets.redact(settings.resolved_uri)
        print(f"{folder.path}: published as MLflow run {run_id} in {uri}")
    return 0


COMMANDS: dict[str, Callable[[argparse.Namespace], int]] = {
    "show": show,
    "repro": repro,
    "rescore": rescore,
    "track": track,
    "score-workspace": score_workspace,
}
