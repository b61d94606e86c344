"""No more threads than cores that nobody uses."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from solexp.core import UserError
from solexp.llm.local import threads


@given(
    cores=st.integers(1, 256),
    load=st.floats(0, 1000),
    allowed=st.integers(1, 256),
    wanted=st.none() | st.integers(1, 300),
)
def test_threads_never_pass_free_or_allowed_cores_and_are_at_least_one(
    cores: int, load: float, allowed: int, wanted: int | None
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("os.cpu_count", lambda: cores)
        patch.setattr("os.sched_getaffinity", lambda _: set(range(allowed)), raising=False)
        patch.setattr("psutil.getloadavg", lambda: (load, 0.0, 0.0))
        patch.setattr(threads, "_QUOTA", Path("no such file"))
        patch.setattr("psutil.process_iter", lambda _: [])
        got = threads.threads_for(wanted)
    assert got >= 1
    assert got <= max(1, min(allowed, cores - load))
    assert wanted is None or got <= wanted


@pytest.mark.parametrize(
    ("granted", "cores"), [("150000 100000", 1), ("400000 100000", 4), ("max 100000", 8)]
)
def test_a_containers_quota_counts(
    granted: str, cores: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "cpu.max").write_text(granted + "\n")
    monkeypatch.setattr(threads, "_QUOTA", tmp_path / "cpu.max")
    monkeypatch.setattr("os.sched_getaffinity", lambda _: set(range(8)), raising=False)
    assert threads.allowed_cores() == cores


def test_no_threads_at_all_is_refused() -> None:
    with pytest.raises(UserError, match=r"^model\.threads: must be 1 or more"):
        threads.checked_threads(0)


def test_models_that_were_just_started_count_before_the_load_shows_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("os.cpu_count", lambda: 8)
    monkeypatch.setattr("os.sched_getaffinity", lambda _: set(range(8)), raising=False)
    monkeypatch.setattr("psutil.getloadavg", lambda: (0.0, 0.0, 0.0))
    monkeypatch.setattr(threads, "_QUOTA", Path("no such file"))
    before = threads.free_cores()
    with subprocess.Popen(
        [sys.executable, "-c", "input()"], stdin=subprocess.PIPE, env=threads.marked(3)
    ) as model:
        assert threads.free_cores() in (max(1, before - 3), max(1, before - 2))
        model.kill()
    assert threads.free_cores() == before
