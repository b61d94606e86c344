"""Runs as a user starts them: in their own processes, with homes of their own."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from solexp.store import RunFolder
from solexp.tracking.client import load_mlflow, mlflow_quiet
from solexp.tracking.settings import local_uri
from solexp.tracking.store import client_uri
from tests.kept_builds import share_builds

PARTS = '''
import os, time
from pathlib import Path
from solexp.core import Completion, Outcome
from solexp.llm.offline import Mutants
from solexp.oracles.base import verdict

def note(name, line):
    with open(Path(os.environ["TRIAL_LOG"]) / name, "a") as file:
        file.write(line + "\\n")

class Slow(Mutants):
    """A model that costs something: every request is written down."""
    paid = True
    def __init__(self, seconds: float = 0.1, seed: int = 0, fails: bool = False) -> None:
        super().__init__(seed=seed)
        self.seconds = seconds
        self.fails = fails
    def complete(self, request):
        time.sleep(self.seconds)
        if self.fails:
            raise RuntimeError("this model is broken")
        note("requests", f"{request.task.id}/{request.batch.name}/{request.index}")
        return super().complete(request)

class Length:
    """Passes the replies that leave the contract as it was; slow, and written down."""
    name = "length"
    decides = True
    def __init__(self, seconds: float = 0.0) -> None:
        self.seconds = seconds
    def fingerprint(self):
        return {"oracle": "length"}
    def judge(self, case):
        time.sleep(self.seconds)
        note("judged", case.task.id)
        want = case.task.reference
        return [
            verdict("length", c, Outcome.PASS if c.code == want else Outcome.FAIL)
            for c in case.candidates
        ]
'''


class Trial:
    """A user's folder with a package of their own parts, and solexp run from it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.log = folder / "log"
        self.log.mkdir()
        package = folder / "mine"
        for group in ("model", "oracle"):
            (package / "conf" / group).mkdir(parents=True)
        (package / "__init__.py").touch()
        (package / "parts.py").write_text(PARTS)
        (package / "conf" / "model" / "slow.yaml").write_text(
            "_target_: mine.parts.Slow\nseconds: 0.1\nseed: 0\nfails: false\n"
        )
        (package / "conf" / "oracle" / "length.yaml").write_text(
            "# @package oracle.length\n_target_: mine.parts.Length\nseconds: 0.0\n"
        )
        self.environment = {
            **os.environ,
            "PYTHONPATH": str(folder),
            "TRIAL_LOG": str(self.log),
            "SOLEXP_CACHE": str(folder / "cache"),
        }
        self.environment.pop("MLFLOW_TRACKING_URI", None)
        self.environment.pop("SOLEXP_RUNS", None)
        self.environment.pop("SOLEXP_STAMP", None)

    def keep_own_builds(self) -> None:
        """Have the builds with all else that is written below the folder."""
        (self.folder / "cache" / "builds").unlink()

    def start(self, *words: str) -> subprocess.Popen[str]:
        """Start solexp; output is collected."""
        if words[0] == "run":
            words = ("run", "--config-dir", str(self.folder / "mine" / "conf"), *words[1:])
        return subprocess.Popen(
            [sys.executable, "-m", "solexp.cli", *words],
            cwd=self.folder,
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )

    def solexp(self, *words: str, status: int = 0) -> str:
        """Run solexp to its end and return what it printed on both channels."""
        process = self.start(*words)
        out, err = process.communicate(timeout=300)
        assert process.returncode == status, f"exit {process.returncode}\n{out}\n{err}"
        return out + err

    def lines(self, name: str) -> list[str]:
        path = self.log / name
        return path.read_text().splitlines() if path.exists() else []

    def wait_for(
        self, condition: Callable[[], bool], seconds: float = 60, *, pause: float = 0.02
    ) -> None:
        until = time.monotonic() + seconds
        while not condition():
            assert time.monotonic() < until, "what was waited for did not happen"
            time.sleep(pause)

    def runs(self) -> list[RunFolder]:
        """Every run folder, oldest first."""
        found = [RunFolder(path.parent) for path in (self.folder / "runs").rglob("manifest.json")]
        return sorted(found, key=lambda run: (run.path.parent.name, len(run.name), run.name))

    def mlflow_runs(self) -> list[dict[str, Any]]:
        """MLflow's own view of the store: status, params, metrics and tags of every run."""
        uri = client_uri(local_uri(self.folder / "mlruns"))
        with mlflow_quiet():
            runs = load_mlflow().MlflowClient(tracking_uri=uri).search_runs(["1"])
        return [
            {
                "status": run.info.status,
                "params": run.data.params,
                "metrics": run.data.metrics,
                "tags": run.data.tags,
            }
            for run in runs
        ]


@pytest.fixture
def bare(tmp_path: Path) -> Trial:
    """A trial that starts with nothing."""
    return Trial(tmp_path)


@pytest.fixture
def trial(bare: Trial, empty_store: Path) -> Trial:  # noqa: ARG001
    """A trial with an MLflow store in which no run is yet, and what compilers made for other tests."""
    share_builds(bare.folder / "cache")
    return bare


def told(folder: RunFolder) -> tuple[list[Any], list[Any], dict[str, Any]]:
    """What a run found, without the seconds it took."""
    generations = folder.generations()
    verdicts = [
        {name: getattr(v, name) for name in v.__struct_fields__ if name != "seconds"}
        for v in folder.verdicts()
    ]
    summary = {name: value for name, value in folder.summary.items() if name != "seconds"}
    return generations, verdicts, summary
