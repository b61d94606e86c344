"""Every way to choose examples can be composed, with its settings given on the command line."""

from __future__ import annotations

import pytest

from solexp.config import build, compose
from solexp.config.compose import plain
from solexp.strategies.contract import WholeContract
from solexp.strategies.examples.chosen import Chosen


def examples(monkeypatch: pytest.MonkeyPatch, *overrides: str) -> Chosen:
    monkeypatch.setenv("SOLEXP_STAMP", "stamp")
    strategy = build(plain(compose([*overrides, "strategy.shots=1"]))).strategy
    assert isinstance(strategy, WholeContract)
    assert isinstance(strategy.examples, Chosen)
    return strategy.examples


@pytest.mark.parametrize(
    "chosen",
    [
        ("strategy/examples=random", "strategy.examples.by.seed=7"),
        ("strategy/examples=bm25", "strategy.examples.by.k1=1.2"),
        ("strategy/examples=embedding", "strategy.examples.by.model=small"),
    ],
)
def test_each_option_composes(monkeypatch: pytest.MonkeyPatch, chosen: tuple[str, ...]) -> None:
    found = examples(
        monkeypatch,
        *chosen,
        "strategy.examples.pool=file",
        "strategy.examples.path=rows.jsonl",
        "strategy.examples.fields.code=solution",
        "strategy.examples.max_tokens=500",
    )

    assert (found.pool, str(found.path), found.max_tokens) == ("file", "rows.jsonl", 500)
    assert found.fields == {"code": "solution"}
    assert examples(monkeypatch, *chosen).fingerprint() != found.fingerprint()


def test_the_draw_follows_the_runs_seed(monkeypatch: pytest.MonkeyPatch) -> None:
    one, other = (examples(monkeypatch, "strategy/examples=random", f"seed={n}") for n in (1, 2))

    assert one.fingerprint() != other.fingerprint()
