"""Composition by Hydra, with its errors cut down to one line that names the mend."""

from __future__ import annotations

import itertools
import os
import re
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from secrets import token_hex
from typing import Any

from hydra import compose as hydra_compose
from hydra import initialize_config_dir
from hydra.core.global_hydra import GlobalHydra
from hydra.core.hydra_config import HydraConfig
from hydra.core.override_parser.overrides_parser import OverridesParser
from hydra.core.override_parser.types import Override
from hydra.errors import HydraException, MissingConfigException, OverrideParseException
from omegaconf import DictConfig, OmegaConf
from omegaconf.errors import OmegaConfBaseException

from solexp.config.search_path import conf_folder, register
from solexp.core import UserError, secrets
from solexp.core.errors import nearest

_MOST_CHECKED = 64
"""Values of a sweep that are checked before it starts; the rest are checked as their jobs start."""


def stamp() -> str:
    """A name for a run folder that no other run has: date, time and random digits, sortable by time."""
    return time.strftime("%Y-%m-%d_%H-%M-%S_") + token_hex(4)


def compose(overrides: Sequence[str], searchpath: Sequence[str] = ()) -> DictConfig:
    """The configuration that ``overrides`` compose, interpolations unresolved.

    Raises UserError, in one line, for an unknown option or key and for a malformed override.
    """
    os.environ.setdefault("SOLEXP_STAMP", stamp())
    register()
    extra = [f"hydra.searchpath=[{','.join(searchpath)}]"] if searchpath else []
    GlobalHydra.instance().clear()
    with (
        initialize_config_dir(config_dir=str(conf_folder()), version_base="1.3"),
        in_one_line(overrides),
    ):
        return hydra_compose("config", [*overrides, *extra], return_hydra_config=True)


def plain(config: DictConfig) -> dict[str, Any]:
    """The configuration as plain data, interpolations resolved, Hydra's own node left out.

    What is secret in it is known from then on, see `solexp.core.secrets`. Raises UserError when a mandatory value is
    missing or an interpolation leads nowhere.
    """
    if "hydra" in config:
        HydraConfig.instance().set_config(config)
    ours = OmegaConf.masked_copy(config, [str(key) for key in config if key != "hydra"])
    try:
        data = OmegaConf.to_container(ours, resolve=True, throw_on_missing=True)
    except OmegaConfBaseException as error:
        key = error.full_key or ""
        first = str(error).splitlines()[0]
        if "Missing mandatory" in first:
            raise UserError(f"{key}: must be given; give it with {key}=VALUE") from None
        missing = re.search(r"Environment variable '\w+' not found", first)
        if missing:
            raise UserError(f"{key}: {missing[0]}; set it, or give {key}=VALUE") from None
        raise UserError(f"{key}: {first}; see its YAML") from None
    if not isinstance(data, dict):
        raise UserError("the configuration must be a mapping")
    secrets.note(OmegaConf.to_container(ours, resolve=False), data)
    return {str(key): value for key, value in data.items()}


def choices(composed: Mapping[Any, Any], oracles: Iterable[str]) -> dict[str, str]:
    """The option chosen in each group, from Hydra's own record and the oracles' names."""
    ours = {
        str(group): str(option)
        for group, option in composed.items()
        if not str(group).startswith("hydra/") and option is not None
    }
    return ours | {"oracle": ",".join(oracles)}


def check_overrides(overrides: Sequence[str], multirun: bool) -> Iterator[list[str]]:
    """Yield the compositions to check before anything runs: one, or one for each value that is swept."""
    if not multirun:
        with in_one_line(overrides):
            OverridesParser.create().parse_overrides(list(overrides))
        yield list(overrides)
        return
    choices = swept_values(overrides)
    firsts = [values[0] for values in choices]
    yield firsts
    others = (
        [*firsts[:at], value, *firsts[at + 1 :]]
        for at, values in enumerate(choices)
        for value in values[1:]
    )
    yield from itertools.islice(others, _MOST_CHECKED)


def swept_values(overrides: Sequence[str]) -> list[list[str]]:
    """For each override of a sweep, the overrides with one value that it stands for."""
    with in_one_line(overrides):
        parsed: list[Override] = OverridesParser.create().parse_overrides(list(overrides))
    return [_values(override) for override in parsed]


def _values(override: Override) -> list[str]:
    line = override.input_line or ""
    if not override.is_sweep_override():
        return [line]
    if not override.is_discrete_sweep():
        # An interval is a sweeper's business; any value of it will do for the check.
        interval = override.value()
        return [f"{override.get_key_element()}={getattr(interval, 'start', 0)}"]
    return [
        f"{override.get_key_element()}={value}" for value in override.sweep_string_iterator()
    ] or [line]


@contextmanager
def in_one_line(overrides: Sequence[str]) -> Iterator[None]:
    """Turn Hydra's errors of several lines into a UserError of one."""
    try:
        yield
    except MissingConfigException as error:
        raise UserError(_missing(error)) from None
    except OverrideParseException as error:
        reason = str(error).splitlines()[0]
        raise UserError(
            f"override '{error.override}': {reason}; quote special characters"
        ) from None
    except (HydraException, OmegaConfBaseException) as error:
        raise UserError(_explained(error, overrides)) from None


def _missing(error: MissingConfigException) -> str:
    wanted = str(error.missing_cfg_file or "")
    group, _, option = wanted.rpartition("/")
    if not group:
        found = re.search(r"'?([\w/]+)/([\w.-]+)'", str(error).splitlines()[0])
        group, option = found.groups() if found else ("", "")
    if not group:
        first = str(error).splitlines()[0]
        return f"{first}; see: solexp run --help"
    return f"{group}={option}: no such option; {nearest(option, _options(group))}"


def _options(group: str) -> list[str]:
    hydra = GlobalHydra.instance()
    if not hydra.is_initialized():
        return []
    return list(hydra.config_loader().get_group_options(group))


def group_options() -> dict[str, list[str]]:
    """The options of every group, the user's own included."""
    register()
    GlobalHydra.instance().clear()
    with initialize_config_dir(config_dir=str(conf_folder()), version_base="1.3"):
        parts = ("strategy/context", "strategy/examples", "strategy/refine")
        groups = ("experiments", "benchmark", "model", "strategy", *parts, "sampling", "oracle")
        return {group: _options(group) for group in (*groups, "execution", "tracking")}


def _explained(error: Exception, overrides: Sequence[str]) -> str:
    text = str(error)
    first = text.splitlines()[0]
    named = re.search(r"(?:override|match) '([^']+)'", text)
    full = re.search(r"full_key: (\S+)", text)
    key = named.group(1) if named else full.group(1) if full else None
    cause = error.__cause__
    if isinstance(cause, OmegaConfBaseException) and cause.full_key:
        key = str(cause.full_key)
        if "not in struct" not in str(cause) and "does not support" not in str(cause):
            return f"{key}: {str(cause).splitlines()[0]}"
    if key is None:
        return f"{first}; see: solexp run --help"
    culprit = next((o for o in overrides if o.lstrip("+~").startswith(key)), None)
    if culprit is not None and culprit.startswith("++"):
        return f"{culprit}: {first}"
    return f"{key}: no such setting; {_near_key(key, overrides, culprit)}"


def _near_key(key: str, overrides: Sequence[str], culprit: str | None) -> str:
    """The nearest key of what composes once the wrong override is left out."""
    rest = [override for override in overrides if override is not culprit]
    if len(rest) == len(overrides):
        rest = []
    try:
        config = compose(rest)
    except UserError:
        config = compose([])
    keys = [k for k in _keys(OmegaConf.to_container(config)) if not k.startswith("hydra.")]
    parent = key.rpartition(".")[0]
    beside = [name for name in keys if name.rpartition(".")[0] == parent]
    return nearest(key, beside or keys)


def _keys(node: Any, prefix: str = "") -> Iterator[str]:
    if isinstance(node, dict):
        for key, value in node.items():
            yield f"{prefix}{key}"
            yield from _keys(value, f"{prefix}{key}.")
