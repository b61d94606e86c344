"""MLflow's Compare page on a sweep, in a real browser."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from solexp.store.runfolder import RunFolder
from solexp.tracking import ui
from solexp.tracking.publish import publish
from solexp.tracking.settings import TrackingSettings, local_uri
from tests.made_runs import make_run

pytestmark = pytest.mark.ui


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """A page of headless Chromium. Skips where there is none, but never in CI."""
    sync_api = pytest.importorskip("playwright.sync_api")
    browser = os.environ.get("SOLEXP_CHROMIUM") or next(
        filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
    )
    if browser is None:
        reason = "no Chromium on PATH; install it, or set SOLEXP_CHROMIUM"
        if os.environ.get("CI"):
            pytest.fail(reason)
        pytest.skip(reason)
    with sync_api.sync_playwright() as playwright:
        context = playwright.chromium.launch_persistent_context(
            str(tmp_path_factory.mktemp("profile")),
            executable_path=browser,
            headless=True,
            viewport={"width": 1500, "height": 1650},
            args=[
                "--no-sandbox",
                "--disable-gpu",
                "--disable-quic",
                "--no-first-run",
                "--disable-background-networking",
                "--disable-component-update",
                "--disable-sync",
            ],
        )
        context.set_default_timeout(60_000)
        yield context.pages[0]
        context.close()


class Sweep(NamedTuple):
    """A served store that holds a sweep of four runs and one other run."""

    address: str
    sweep_id: str
    keys: list[str]


@pytest.fixture(scope="module")
def sweep(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sweep]:
    """A sweep of four runs beside one other run, published and served; ``SOLEXP_SWEEP`` names a larger one to show."""
    folder = tmp_path_factory.mktemp("sweep")
    settings = TrackingSettings(uri=local_uri(folder / "mlruns"))
    given = os.environ.get("SOLEXP_SWEEP")
    root = Path(given) if given else _swept(folder)
    found = sorted(root.glob("*/manifest.json"))
    runs = [RunFolder(shutil.copytree(p.parent, folder / "shown" / p.parent.name)) for p in found]
    for run in (*runs, make_run(folder / "other")):
        (run.path / "tracking.json").unlink(missing_ok=True)
        publish(run, settings, status="FINISHED")
    values: dict[str, set[str]] = {}
    for run in runs:
        for key, _, value in (override.partition("=") for override in run.manifest["overrides"]):
            values.setdefault(key, set()).add(value)
    keys = sorted(key for key, options in values.items() if len(options) > 1)
    with ui.server(settings.resolved_uri) as (address, _):
        yield Sweep(address, runs[0].manifest["sweep_id"], keys)


def _swept(folder: Path) -> Path:
    """Do a sweep of four runs as a user would, four tasks each; returns its folder."""
    words = ["run", "-m", "benchmark.limit=4", "tracking=none"]
    subprocess.run(
        [
            *(sys.executable, "-m", "solexp.cli", *words),
            *("model.reference_share=0.2,0.8", "model.seed=1,2"),
        ],
        cwd=folder,
        env={**os.environ, "SOLEXP_RUNS": str(folder / "runs")},
        check=True,
    )
    return next((folder / "runs").iterdir())


def test_compare_shows_the_swept_keys_and_the_scores_of_four_runs(page: Any, sweep: Sweep) -> None:
    page.goto(f"{sweep.address}/#/experiments/1/runs")
    search = page.get_by_placeholder("metrics.rmse")
    search.fill(f"tags.`solexp.sweep_id` = '{sweep.sweep_id}'")
    search.press("Enter")
    page.get_by_text("4 matching runs").wait_for()
    page.get_by_role("columnheader").get_by_role("checkbox").first.check()
    page.get_by_role("button", name="Close").click()  # the assistant's panel hides half the page
    page.get_by_role("button", name="Compare").click()
    page.get_by_text("Comparing 4 Runs from 1 Experiment").wait_for()

    only = page.get_by_role("switch", name="Parameters - Show diff only")
    only.click()
    names = only.locator("xpath=following::table[1]").locator("th:visible")
    assert names.all_inner_texts() == sweep.keys

    only = page.get_by_role("switch", name="Metrics - Show diff only")
    only.click()
    metric = page.get_by_role("link", name="pass_at_1", exact=True)
    values = only.locator("xpath=following::*[@role='grid'][2]")
    for _ in range(200):  # the table draws only the rows near its window
        if metric.count() and _within(metric.bounding_box(), values.bounding_box()):
            break
        values.hover()
        page.mouse.wheel(0, 100)
        page.wait_for_timeout(100)
    assert _within(metric.bounding_box(), values.bounding_box())

    picture = os.environ.get("SOLEXP_PICTURES")
    if picture:
        page.mouse.wheel(0, 1)  # the names follow the values by one event
        page.wait_for_timeout(1_000)  # the plot redraws
        page.screenshot(path=Path(picture) / "compare.png")


def _within(inner: dict[str, float], outer: dict[str, float]) -> bool:
    """Whether a box stands in another one, top to bottom."""
    below = outer["y"] <= inner["y"]
    return below and inner["y"] + inner["height"] <= outer["y"] + outer["height"]
