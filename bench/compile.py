"""Compile throughput: solexp's loaded compilers beside one solcjs process a call.

    make bench-compile

Both sides get the same standard-JSON inputs: distinct contracts of SolContractEval at three releases, each as it is
deployed and with the target rewritten by six models, which is what judging their table compiles. The cache is empty.
Cost is CPU seconds of this process and all its children, start-up included. The peer is the command ``solcjs
--standard-json`` of npm's ``solc`` package of the same release, a fresh Node process for each call. The last line of
output is one JSON object.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple, TypeVar

from pyarrow import parquet

from solexp.benchmarks.solcontracteval import SolContractEval
from solexp.core import Build, CompilerSettings, Task, UserError
from solexp.solidity import standard_json
from solexp.solidity.compiler import Compiler
from solexp.solidity.extract import extract_contract
from solexp.solidity.splice import splice
from solexp.toolchain.homes import data_home
from solexp.toolchain.node import ensure_node, node_environment, npm_command

PACKAGES = {"0.5.17": "solc@0.5.17", "0.6.12": "solc@0.6.12", "0.8.7": "solc@0.8.7-fixed"}
"""npm's package of each release; its 0.8.7 holds another release."""
TASKS_PER_RELEASE = 4
MODELS = (
    "claude-3-7-sonnet-20250219",
    "o4-mini",
    "gpt-4o",
    "deepseek-reasoner",
    "qwen2.5-coder-32b-instruct",
    "gemini-2.0-flash-exp",
)


T = TypeVar("T")


class Input(NamedTuple):
    """What both sides compile."""

    sources: dict[str, str]
    settings: CompilerSettings


class Cost:
    """CPU seconds of this process and its ended children, and wall-clock seconds."""

    cpu_s = 0.0
    wall_s = 0.0


@contextmanager
def measured() -> Iterator[Cost]:
    """Measures what happens within; children must have ended by then."""
    cost = Cost()
    cpu, wall = _cpu_seconds(), time.monotonic()
    yield cost
    cost.cpu_s, cost.wall_s = _cpu_seconds() - cpu, time.monotonic() - wall


def _cpu_seconds() -> float:
    usages = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)


def choose_tasks() -> list[Task]:
    """The first tasks of each release, in the benchmark's order."""
    tasks = SolContractEval(calls=0).tasks()
    return [
        task
        for version in PACKAGES
        for task in [t for t in tasks if t.compiler.version == version][:TASKS_PER_RELEASE]
    ]


def inputs() -> list[Input]:
    """Every distinct input, release by release, a task's inputs together."""
    tasks = choose_tasks()
    rows = parquet.read_table(
        data_home() / "solcontracteval/model_outputs.parquet",
        filters=[
            ("sample", "=", 0),
            ("model", "in", MODELS),
            ("task_id", "in", [task.id for task in tasks]),
        ],
    ).to_pylist()
    found = []
    for task in tasks:
        texts = [task.sources]
        for row in rows:
            if row["task_id"] == task.id:
                code = extract_contract(row["text"], task.target.contract).code
                sources = splice(task, code) if code is not None else task.sources
                if sources not in texts:
                    texts.append(sources)
        found += [Input(sources, task.compiler) for sources in texts]
    return found


def run_solexp(asked: list[Input], cache: Path) -> list[Build]:
    """Builds by loaded compilers."""
    with Compiler(providers=("soljson",), cache_dir=cache) as compiler:
        return [compiler.compile(each.sources, each.settings) for each in asked]


def install_peer(version: str, folder: Path) -> Path:
    """npm's package of a release, installed; returns its command-line program."""
    target = folder / version
    target.mkdir()
    (target / "package.json").write_text("{}")
    subprocess.run(
        [*npm_command(), "install", PACKAGES[version], "--no-audit", "--no-fund", "--silent"],
        cwd=target,
        env=node_environment(),
        check=True,
    )
    package = target / "node_modules/solc"
    program: str = json.loads((package / "package.json").read_text())["bin"]["solcjs"]
    return package / program


def run_peer(asked: list[Input], programs: dict[str, Path]) -> list[Build | None]:
    """Builds by one solcjs process a call; None where it crashed."""
    builds: list[Build | None] = []
    for sources, settings in asked:
        # A file, since solcjs exits before a pipe has taken a long answer.
        with tempfile.TemporaryFile() as out:
            subprocess.run(
                [str(ensure_node()), str(programs[settings.version]), "--standard-json"],
                input=standard_json.request(sources, settings),
                stdout=out,
                stderr=subprocess.DEVNULL,
                check=False,
            )
            out.seek(0)
            answer = out.read()
        if b"{" not in answer:
            builds.append(None)
            continue
        # Some releases print a line before the answer.
        builds.append(standard_json.read(answer[answer.index(b"{") :], "", sources, settings))
    return builds


def same_code(first: Build, second: Build) -> bool:
    """Whether two builds hold the same contracts with the same code."""

    def code(build: Build) -> list[tuple[str, str, str]]:
        return [
            (contract.name, contract.creation, contract.runtime) for contract in build.contracts
        ]

    return code(first) == code(second)


def side(run: Callable[[], list[T]], name: str) -> tuple[list[T], dict[str, float]]:
    """The builds of one side and its figures."""
    with measured() as cost:
        builds = run()
    figures = {
        "inputs": len(builds),
        "cpu_s": round(cost.cpu_s, 2),
        "wall_s": round(cost.wall_s, 2),
        "cpu_s_per_input": round(cost.cpu_s / len(builds), 3),
    }
    print(f"{name:24} {figures}", flush=True)
    return builds, figures


def main() -> int:
    """Runs both sides; 0 when they agree, 1 when they do not, 2 when the data are missing."""
    try:
        asked = inputs()
    except UserError as error:
        print(f"bench-compile: {error}", file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory() as folder:
        cache = Path(folder) / "cache"
        programs = {version: install_peer(version, Path(folder)) for version in PACKAGES}
        with Compiler(providers=("soljson",), cache_dir=Path(folder) / "installed") as compiler:
            for version in PACKAGES:
                print(f"solc {compiler.version(version)}", flush=True)
        ours, loaded = side(lambda: run_solexp(asked, cache), "solexp, loaded compilers")
        again, warm = side(lambda: run_solexp(asked, cache), "solexp, from the cache")
        theirs, fresh = side(lambda: run_peer(asked, programs), "one solcjs a call")
    pairs = [(our, their) for our, their in zip(ours, theirs, strict=True) if their is not None]
    agree = sum(same_code(our, their) for our, their in pairs)
    print(
        json.dumps(
            {
                "benchmark": "compile",
                "releases": sorted(PACKAGES),
                "solexp": loaded,
                "solexp_cached": warm,
                "solcjs_per_call": fresh,
                "contracts": len(choose_tasks()),
                "same_code": agree,
                "solcjs_crashed": len(asked) - len(pairs),
                "ratio_cpu": round(fresh["cpu_s"] / loaded["cpu_s"], 2),
                "ratio_wall": round(fresh["wall_s"] / loaded["wall_s"], 2),
                "cached_cpu_ms_per_input": round(1000 * warm["cpu_s"] / len(asked), 2),
            }
        )
    )
    return 0 if agree == len(pairs) and ours == again else 1


if __name__ == "__main__":
    sys.exit(main())
