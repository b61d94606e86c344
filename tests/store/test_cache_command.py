"""`solexp cache`: what goes, what stays, and what is said of it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from solexp.cli import main

KINDS = ("builds", "generations", "verdicts")


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache with ten answers of 100 kB of each kind."""
    monkeypatch.setenv("SOLEXP_CACHE", str(tmp_path))
    for kind in KINDS:
        (tmp_path / kind).mkdir()
        for number in range(10):
            path = tmp_path / kind / f"{number}.json"
            path.write_bytes(b"0" * 100_000)
            # Both kinds alike, so that half of each goes.
            os.utime(path, (number, number))
    (tmp_path / "locks").mkdir()
    return tmp_path


def kept(home: Path) -> list[str]:
    return sorted(path.name for path in home.iterdir())


def test_clearing_spares_what_may_have_cost_money_until_it_is_named(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["cache", "clear"]) == 0
    assert kept(home) == ["generations", "locks"]
    assert capsys.readouterr().out.splitlines() == [
        "cleared builds",
        "cleared verdicts",
        "kept generations (10 files, 1.0 MB), which may have cost money; "
        "delete them with: solexp cache clear generations",
    ]
    assert main(["cache", "clear", "generations"]) == 0
    assert kept(home) == ["locks"]
    assert capsys.readouterr().out == "cleared generations\n"


def test_all_is_all_but_the_locks(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["cache", "clear", "verdicts", "--all"]) == 2
    assert "--all clears every kind" in capsys.readouterr().err
    assert main(["cache", "clear", "--all"]) == 0
    assert kept(home) == ["locks"]


@pytest.mark.usefixtures("home")
def test_pruning_says_of_which_kinds_how_much_remains(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["cache", "prune", "--keep-mb", "1"]) == 0
    assert capsys.readouterr().out == (
        "builds + verdicts: deleted 10 answers, 1.0 MB remain; outside the limit: generations 1.0 MB\n"
    )
    assert main(["cache", "prune", "--keep-mb", "0", "--kind", "generations"]) == 0
    assert capsys.readouterr().out == (
        "generations: deleted 10 answers, 0.0 MB remain; "
        "outside the limit: builds 0.5 MB, verdicts 0.5 MB\n"
    )
    assert main(["cache", "prune", "--keep-mb", "0", "--kind", "verdict"]) == 2
    assert "did you mean 'verdicts'" in capsys.readouterr().err
