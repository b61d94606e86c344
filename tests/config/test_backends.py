"""Backends that cannot judge are refused before anything is asked of a model."""

from __future__ import annotations

import importlib.util
import sys
from types import SimpleNamespace

import pytest

from solexp.config import Execution
from solexp.core import UserError


@pytest.mark.parametrize(
    ("backend", "said"),
    [
        ("lokky", "joblib has no 'lokky'; did you mean 'loky'?"),
        ("threading", "cannot be 'threading', under which a candidate"),
    ],
)
def test_a_backend_that_does_not_exist_or_may_not_judge_is_refused(backend: str, said: str) -> None:
    with pytest.raises(UserError) as refused:
        Execution(backend=backend)
    assert str(refused.value).startswith(f"execution.backend: {said}")


def test_dask_says_what_it_lacks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: None)
    with pytest.raises(UserError, match=r"dask is not installed; run: pip install dask distrib"):
        Execution(backend="dask")
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: object())
    nothing = SimpleNamespace(config=SimpleNamespace(get=lambda _, default: default))
    monkeypatch.setitem(sys.modules, "dask", nothing)
    with pytest.raises(UserError, match=r"set DASK_SCHEDULER_ADDRESS=tcp://HOST:PORT"):
        Execution(backend="dask")
