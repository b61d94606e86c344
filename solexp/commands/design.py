"""What a sweep will be, before it starts: its values, its cells, and the difference that it can tell."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from omegaconf import DictConfig, OmegaConf

from solexp.config.compose import swept_values
from solexp.config.instantiate import instantiate
from solexp.metrics.plan import Plan
from solexp.metrics.power import told


def preset_sweep(composed: DictConfig) -> list[str]:
    """The sweep that a composed preset brings itself, as overrides of the command line."""
    node = OmegaConf.select(composed, "hydra.sweeper.params")
    if node is None:
        return []
    params = OmegaConf.to_container(node, resolve=False)
    return [f"{key!s}={value}" for key, value in params.items()] if isinstance(params, dict) else []


def power_line(config: dict[str, Any], overrides: Sequence[str]) -> str | None:
    """Which difference a sweep that declares a comparison can tell; None for one that declares none.

    ``config`` is one of its cells, ``overrides`` all that is swept, the preset's own sweep included.
    """
    if config.get("compare") is None:
        return None
    swept = {values[0].partition("=")[0]: len(values) for values in swept_values(overrides)}
    tests = Plan.of(config["compare"]).contrasts(swept)
    benchmark = instantiate(config["benchmark"], "benchmark")
    strategy = instantiate(config["strategy"], "strategy")
    batches = instantiate(config["sampling"], "sampling").batches
    batch = min((b for b in batches if b.ks), key=lambda b: min(b.ks), default=None)
    if batch is None:
        return None
    # A pass@k speaks of k samples at a time.
    samples = max(1, batch.n * config["sampling"].get("repeats", 1) // min(batch.ks))
    return told(len(strategy.expand(benchmark.tasks())), samples, max(1, tests))
