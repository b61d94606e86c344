"""`solexp run`: Hydra composes, `start` does."""

from __future__ import annotations

import functools
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import hydra
import joblib
import msgspec
from hydra._internal.utils import get_args_parser
from hydra.core.hydra_config import HydraConfig
from hydra.types import RunMode
from omegaconf import DictConfig, OmegaConf

from solexp.commands.design import power_line, preset_sweep
from solexp.config import RunSpec, build, check, conf_folder, register, tracking_settings
from solexp.config.compose import (
    check_overrides,
    choices,
    compose,
    group_options,
    in_one_line,
    plain,
    stamp,
)
from solexp.core import HarnessError, Interrupted, UserError, secrets
from solexp.core.hashing import content_hash
from solexp.judging.watch import end_with
from solexp.metrics.calibration import Calibration
from solexp.metrics.summary import Summary
from solexp.report.compare import compare_runs, text
from solexp.report.show import print_comparison, print_summary
from solexp.run import (
    check_places,
    finish_killed,
    is_worker,
    nothing_judged,
    objective,
    start,
    terminable,
)
from solexp.store import RunFolder
from solexp.store.records import write_atomically
from solexp.tracking.store import prepare


def run(words: Sequence[str]) -> int:
    """Do ``solexp run`` with Hydra's own flags and overrides; returns the exit status."""
    flags = get_args_parser().parse_args(list(words))
    os.environ["SOLEXP_STAMP"] = stamp()
    if flags.help:
        return _help(flags.overrides)
    asks = flags.hydra_help or flags.info
    searchpath = [f"file://{Path(flags.config_dir).absolute()}"] if flags.config_dir else []
    multirun = flags.multirun
    config: dict[str, Any] = {}
    root = Path()
    brought: list[str] = []
    if not asks:
        for number, overrides in enumerate(check_overrides(flags.overrides, flags.multirun)):
            composed = compose(overrides, searchpath)
            if number == 0:
                multirun = multirun or composed.hydra.mode == RunMode.MULTIRUN
                root = Path(str(composed.hydra.sweep.dir))
                brought = preset_sweep(composed) if multirun else []
            config = plain(composed)
            check(config)
        if brought:
            for overrides in check_overrides([*brought, *flags.overrides], True):
                check(plain(compose(overrides, searchpath)))
    if not asks and not flags.cfg:
        check_places(Path(str(config["runs_root"])))
    if multirun and not asks and not flags.cfg:
        if (line := power_line(config, [*brought, *flags.overrides])) is not None:
            print(line)
        return _sweep(words, config, root)
    if not asks and not flags.cfg:
        # Hydra makes the run's folder; wrong input must not leave an empty one.
        _BUILT[content_hash(config)] = build(config)
    _hydra(words)
    return 0


_BUILT: dict[str, RunSpec] = {}
"""The parts of the single run that is about to start, by the hash of its configuration."""


_EXAMPLES = """\
solexp run                                      the default composition
solexp run experiments=demo                     a preset
solexp run model=reference oracle=[compile]     other parts
solexp run -m model.seed=1,2,3                  a sweep
solexp run --cfg job                            only show the composition
solexp run --hydra-help                         Hydra's own flags
"""


def _help(overrides: Sequence[str]) -> int:
    """Hydra's own help would walk through every folder beside experiments/ in search of groups."""
    settings = OmegaConf.to_yaml(OmegaConf.create(secrets.stored(plain(compose(overrides)))))
    print("solexp run [FLAGS] [OVERRIDES]: compose a run, judge it, track it\n")
    print("Groups (choose with GROUP=OPTION):")
    for group, options in group_options().items():
        print(f"  {group}: {', '.join(options)}")
    print("\nSettings (change with KEY=VALUE):")
    print("\n".join(f"  {line}" for line in settings.splitlines()))
    print(f"\n{_EXAMPLES}", end="")
    return 0


def _hydra(words: Sequence[str]) -> None:
    """Hand over to Hydra, which calls `_job` once a run."""
    register()
    # Otherwise Hydra prints errors itself and exits with 1.
    os.environ["HYDRA_FULL_ERROR"] = "1"
    sys.argv = ["solexp run", *words]
    decorated = hydra.main(
        config_path=str(conf_folder()), config_name="config", version_base="1.3"
    )(_job)
    with in_one_line(words):
        decorated()
    if _FAILED:
        raise _FAILED.pop()


def _sweep(words: Sequence[str], config: dict[str, Any], root: Path) -> int:
    """A family of runs: the others go on when one fails, and all are shown side by side at the end."""
    tracking = tracking_settings(config)
    if tracking.enabled:
        # Jobs that migrate one fresh store together break it, so it is made before they start.
        prepare(tracking.resolved_uri)
    failed: Exception | None = None
    try:
        with terminable():
            _hydra(words)
    except KeyboardInterrupt:
        finish_killed(_folders(root), tracking)
        raise Interrupted(f"interrupted; what was done is in {root}") from None
    except Exception as error:
        failed = error
    folders = _folders(root)
    if not folders and failed is not None:
        raise failed
    _show(folders, config)
    print(f"\n{len(folders)} runs in {root}; open the MLflow UI with: solexp ui")
    wrong = [folder for folder in folders if folder.manifest.get("status") != "finished"]
    for folder in wrong:
        manifest = folder.manifest
        print(
            f"solexp: run {folder.path} {manifest.get('status')}: {manifest.get('error')}",
            file=sys.stderr,
        )
    idle = False
    for folder in folders:
        if (folder.path / "summary.json").is_file():
            summary = msgspec.convert(folder.summary, Summary)
            halted = folder.manifest.get("halted")
            if (reason := nothing_judged(summary) or halted) is not None:
                idle = True
                print(f"solexp: run {folder.path}: {reason}", file=sys.stderr)
    return 1 if wrong or idle or failed is not None else 0


def _show(folders: Sequence[RunFolder], config: dict[str, Any]) -> None:
    """The comparison that a sweep declares, or its runs side by side; nothing of runs that only looked ahead."""
    if (config.get("run") or {}).get("dry"):
        return
    if config.get("compare") is not None:
        try:
            compared = compare_runs(folders)
        except UserError as error:
            print(f"solexp: {error}", file=sys.stderr)
        else:
            text.print_comparisons(compared, sys.stdout)
            return
    print_comparison(folders)


def _folders(root: Path) -> list[RunFolder]:
    found = [RunFolder(path.parent) for path in root.glob("*/manifest.json")]
    return sorted(found, key=lambda folder: (len(folder.name), folder.name))


_FAILED: list[BaseException] = []
"""What a single run raised. Hydra would print a preamble before it."""


def _job(config: DictConfig) -> float | None:
    """What Hydra calls, in whichever process its launcher chose. Returns the objective for a sweeper."""
    if HydraConfig.get().mode == RunMode.MULTIRUN:
        return _one_run(config, sweeping=True)
    try:
        return _one_run(config, sweeping=False)
    except BaseException as error:
        _FAILED.append(error)
        return None


def _one_run(config: DictConfig, sweeping: bool) -> float | None:
    hydra_config = HydraConfig.get()
    folder = RunFolder(Path(hydra_config.runtime.output_dir))
    composed = plain(config)
    facts: dict[str, Any] = {
        "overrides": list(hydra_config.overrides.task),
        "choices": choices(hydra_config.runtime.choices, composed["oracle"]),
    }
    if sweeping:
        facts["sweep_id"] = Path(str(hydra_config.sweep.dir)).name
        _mask_hydras_record(Path(str(hydra_config.sweep.dir)))
        if is_worker():
            _end_with_the_sweep()
    built = _BUILT.pop(content_hash(composed), None)
    spec, summary = start(composed, folder, facts, spec=built, cores=_cores(hydra_config))
    if spec.dry:
        print(
            f"dry run: read the prompts in {folder.path / 'prompts.jsonl'}, or: solexp prompt TASK"
        )
        return None
    if not sweeping:
        print_summary(folder)
        calibration = folder.manifest.get("calibration")
        if calibration is not None:
            print(msgspec.convert(calibration, Calibration).told())
        if spec.tracking.enabled:
            print("open the MLflow UI with: solexp ui")
        halted = folder.manifest.get("halted")
        if (reason := nothing_judged(summary) or halted) is not None:
            raise HarnessError(str(reason))
        return None
    return objective(summary, spec.objective)


def _mask_hydras_record(root: Path) -> None:
    """Hydra writes what it was given into a sweep's folder, secrets included."""
    path = root / "multirun.yaml"
    if not path.is_file():
        return
    text = path.read_text(encoding="utf-8")
    masked = "".join(secrets.words(text.splitlines(keepends=True)))
    if masked != text:
        write_atomically(path, masked.encode())


@functools.cache
def _end_with_the_sweep() -> None:
    """Once in a process: no job outlives the process that shares out the jobs."""
    end_with(os.getppid())


def _cores(hydra_config: Any) -> int:
    """The cores of this machine, divided by the jobs of the sweep that run beside this one."""
    cores: int = joblib.cpu_count()
    jobs = hydra_config.launcher.get("n_jobs") if hydra_config.mode == RunMode.MULTIRUN else 1
    if not isinstance(jobs, int):
        return max(1, cores if jobs is None else 1)
    return max(1, cores // (cores if jobs < 0 else jobs))
