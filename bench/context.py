"""The context ``dependencies`` of every task: does it build with the reference behind it, is it minimal, how long?

    python bench/context.py [--minimal N] [--ids ID ...]

Everything is judged from the context's text alone: the compiler takes the task's pragmas, the context and the reference
in one file, under the task's own settings. N tasks drawn with seed 42 (0 by default) are tried without each of the
definitions in the text in turn. Prints a line a task and, last, one JSON object; tokens are by
`solexp.llm.tokens.approximate`, beside those of the context that the benchmark itself gives.
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import sys
import time
from collections.abc import Iterator

from solexp.benchmarks.solcontracteval import SolContractEval
from solexp.benchmarks.starter import Starter
from solexp.core import Build, Task
from solexp.llm.tokens import count
from solexp.solidity.compiler import Compiler
from solexp.solidity.definitions import index_of
from solexp.strategies.context.dependencies import Dependencies

SEED = 42


def joined(task: Task, context: str) -> dict[str, str]:
    """The task's pragmas, a context and the reference as one file."""
    index = index_of(task.sources)
    pragmas = {index.text(each): None for each in index.declarations if each.kind == "pragma"}
    return {task.target.path: "\n".join([*pragmas, context, task.reference, ""])}


def deployable(build: Build, task: Task) -> bool:
    """Whether there is creation code for the target."""
    built = build.contract(task.target.contract)
    return built is not None and built.creation != "0x"


def builds(task: Task, context: str, compiler: Compiler) -> bool:
    """Whether the reference behind a context compiles, to creation code where the original does."""
    original = compiler.compile(task.sources, task.compiler)
    build = compiler.compile(joined(task, context), task.compiler)
    return build.ok and (deployable(build, task) or not deployable(original, task))


def without_one(context: str) -> Iterator[tuple[str, str]]:
    """Each definition in a context, by kind and name, and the context without it."""
    index = index_of({"": context})
    data = context.encode()
    for each in index.declarations:
        less = data[: each.start] + data[each.end :]
        yield f"{each.kind} {each.name}".strip(), less.decode()


def superfluous(task: Task, context: str, compiler: Compiler) -> list[str]:
    """The definitions of a context without which the reference builds all the same."""
    return [name for name, less in without_one(context) if builds(task, less, compiler)]


def main() -> int:
    """Judges every task; the exit status is 1 when a context does not build or holds too much."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minimal", type=int, default=0)
    parser.add_argument("--ids", nargs="*")
    options = parser.parse_args()
    tasks = [
        *Starter(version=1).tasks(),
        *SolContractEval(calls=0).tasks(),
    ]
    if options.ids:
        tasks = [task for task in tasks if task.id.startswith(tuple(options.ids))]
    drawn = random.Random(SEED).sample(tasks, min(options.minimal, len(tasks)))
    strategy = Dependencies()
    begun = time.monotonic()
    contexts = [strategy.text(task) for task in tasks]
    found_s = time.monotonic() - begun
    begun = time.monotonic()
    again = [Dependencies().text(task) for task in tasks]
    kept_s = time.monotonic() - begun
    failed: list[str] = []
    extra: dict[str, list[str]] = {}
    sizes = []
    with Compiler() as compiler:
        for task, context in zip(tasks, contexts, strict=True):
            good = builds(task, context, compiler)
            ours, given = count(context), count(task.context)
            sizes.append((task.benchmark, ours, given))
            line = f"{task.id[:40]:40} {'builds' if good else 'FAILS':7} {ours:6} tokens, given {given:6}"
            if not good:
                failed.append(task.id)
            if task in drawn:
                extra[task.id] = superfluous(task, context, compiler)
                line += f", superfluous: {', '.join(extra[task.id]) or 'none'}"
            print(line, flush=True)
    figures: dict[str, object] = {
        "tasks": len(tasks),
        "build": len(tasks) - len(failed),
        "failed": failed,
        "tried_for_minimality": len(drawn),
        "minimal": sum(not names for names in extra.values()),
        "superfluous": {task: names for task, names in extra.items() if names},
        "unchanged_from_cache": again == contexts,
        "seconds": round(found_s, 2),
        "seconds_from_cache": round(kept_s, 2),
    }
    for benchmark in dict.fromkeys(name for name, _, _ in sizes):
        rows = [(ours, given) for name, ours, given in sizes if name == benchmark]
        ratios = [ours / given for ours, given in rows if given]
        figures[benchmark] = {
            "tasks": len(rows),
            "tokens": sum(ours for ours, _ in rows),
            "given_tokens": sum(given for _, given in rows),
            "median_ratio": round(statistics.median(ratios), 3) if ratios else None,
            "smaller": sum(ours < given for ours, given in rows),
            "larger": sum(ours > given for ours, given in rows),
        }
    print(json.dumps(figures))
    return 1 if failed or any(extra.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
