"""A composed configuration becomes a run's parts."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from solexp.benchmarks.base import Benchmark
from solexp.config.backends import check_backend
from solexp.config.instantiate import checked, instantiate
from solexp.core import UserError
from solexp.core.errors import nearest
from solexp.core.settings import above
from solexp.llm.model import LiveModel, Model
from solexp.llm.sampling import Sampling
from solexp.metrics.plan import Plan
from solexp.oracles.base import Oracle
from solexp.strategies import Strategy
from solexp.tracking.settings import TrackingSettings

GROUPS = ("benchmark", "model", "strategy", "sampling", "execution", "tracking")
PLAIN = ("oracle", "name", "seed", "objective", "runs_root", "run", "experiments", "compare")


@dataclass(frozen=True, kw_only=True)
class Execution:
    """How the judging is spread over processes, and what each task may use."""

    n_jobs: int | None = None
    """Processes that judge; None means the cores divided by the jobs that run beside this one."""
    backend: str = "loky"
    """joblib's backend, one with processes: ``loky``, ``dask``, or another once it is registered with joblib."""
    task_seconds: float = 600.0
    """Wall-clock limit of one task, its child processes included."""
    memory_mb: int = 6000
    """Limit of one worker's resident memory, its child processes included, in MiB."""
    cache: bool = True
    """Whether verdicts are looked up and kept."""

    def __post_init__(self) -> None:
        above("execution.n_jobs", self.n_jobs)
        above("execution.task_seconds", self.task_seconds)
        above("execution.memory_mb", self.memory_mb)
        check_backend(self.backend)


@dataclass(frozen=True, kw_only=True)
class RunSpec:
    """Everything a run is made of."""

    benchmark: Benchmark
    model: Model | LiveModel
    strategy: Strategy
    sampling: Sampling
    oracles: dict[str, Oracle]
    execution: Execution
    tracking: TrackingSettings
    name: str
    seed: int
    objective: str
    dry: bool = False
    """Whether to stop before anything is asked."""


def check(config: dict[str, Any]) -> None:
    """Refuse what can be seen to be wrong without building anything. Raises UserError."""
    for key in config:
        if key not in (*GROUPS, *PLAIN):
            raise UserError(f"{key}: no such setting; {nearest(key, (*GROUPS, *PLAIN))}")
    for where, node in _nodes(config):
        checked(node, where)
    Plan.of(config.get("compare"))


def build(config: dict[str, Any]) -> RunSpec:
    """The parts a composed configuration describes. Raises UserError naming the key that is wrong."""
    check(config)
    made = {where: instantiate(node, where) for where, node in _nodes(config)}
    oracles = {where.split(".", 1)[1]: made[where] for where in made if where.startswith("oracle.")}
    return RunSpec(
        **{group: made[group] for group in GROUPS},
        oracles=oracles,
        name=_plain(config, "name", str),
        seed=_plain(config, "seed", int),
        objective=_objective(config.get("objective"), made["sampling"]),
        dry=_dry(config.get("run") or {}),
    )


def _dry(node: object) -> bool:
    """The settings under ``run``. Raises UserError."""
    if not isinstance(node, dict):
        raise UserError("run: wants settings, such as run.dry=true")
    for key in node:
        if key != "dry":
            raise UserError(f"run.{key}: no such setting; {nearest(key, ['dry'])}")
    dry = node.get("dry", False)
    if not isinstance(dry, bool):
        raise UserError(f"run.dry: cannot be {dry!r}; wants true or false")
    return dry


def tracking_settings(config: dict[str, Any]) -> TrackingSettings:
    """Where and how the runs of a composed configuration are published. Raises UserError."""
    node = config.get("tracking")
    if not isinstance(node, dict):
        raise UserError("tracking: choose one with tracking=NAME")
    made: TrackingSettings = instantiate(node, "tracking")
    return made


_SCORE = re.compile(r"(?:.+\.)?(?:pass|compile|analysis_compile)_at_(\d+)")


def _objective(name: object, sampling: Sampling) -> str:
    """The metric that is meant; a metric that no run with this sampling can have is refused."""
    ks = sorted(k for batch in sampling.batches for k in batch.ks)
    if name is None:
        return f"pass_at_{ks[0]}" if ks else "pass_at_1"
    found = _SCORE.fullmatch(str(name))
    if found is None or int(found[1]) not in ks:
        known = [f"{score}_at_{k}" for score in ("pass", "compile") for k in ks]
        raise UserError(
            f"objective: no metric '{name}' with this sampling; {nearest(str(name), known)}"
        )
    return str(name)


def _nodes(config: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    nodes = []
    for group in GROUPS:
        node = config.get(group)
        if not isinstance(node, dict):
            raise UserError(f"{group}: choose one with {group}=NAME")
        nodes.append((group, node))
    oracles = config.get("oracle")
    if not isinstance(oracles, dict) or not oracles:
        raise UserError("oracle: choose at least one with oracle=[NAME,…]")
    for name, node in oracles.items():
        if not isinstance(node, dict):
            raise UserError(f"oracle.{name}: needs a _target_")
        nodes.append((f"oracle.{name}", node))
    return nodes


def _plain(config: dict[str, Any], key: str, kind: type) -> Any:
    try:
        return kind(config[key])
    except (KeyError, TypeError, ValueError):
        raise UserError(f"{key}: must be given as {kind.__name__}") from None
