"""What a run's verdicts on one sample say, and the Foundry project that shows a divergence."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO, Any

import msgspec

from solexp.core import Counterexample, Outcome, UserError, Verdict
from solexp.evm.anvil import AnvilMachine
from solexp.evm.evidence import (
    Listing,
    NotSeen,
    Seen,
    foundry_config,
    foundry_test,
    listing,
    see,
    shorten,
)
from solexp.evm.evidence.foundry import test_contract
from solexp.report.samples import Place, Remade, place_name, subjects
from solexp.report.tables import Grid, draw
from solexp.solidity.compiler import Compiler
from solexp.solidity.foundry.exported import run_exported
from solexp.solidity.splice import sources_of
from solexp.store import RunFolder
from solexp.store.records import write_atomically
from solexp.store.runfolder import TaskRow
from solexp.tracking.content import verdict_line

_README = """\
# {title}

The oracle `{oracle}` of solexp found a difference between the original `{contract}` and a model's.

What differs: {what}.

| | |
|---|---|
| original | {expected} |
| candidate | {got} |

Run it with [Foundry](https://getfoundry.sh):

    forge test

`test_original` passes, `test_candidate` fails. That is the point: the second says what the candidate does instead.
Foundry fetches a Solidity compiler the first time, for the test alone: both contracts are in it as the task's own
compiler made them.

- `test/{test}.t.sol`: the calls, with their senders, values, blocks and times. {shortened}
- `foundry.toml`: the rules of the chain, those of {fork}.
- `original.sol`, `candidate.sol`: what was compiled, to read beside each other.

The run was `{run}`, the task `{task}`, the sample `{sample}`{label}.
"""
_ALL = "They are all that were made up to there."
_FEWER = (
    "Of {calls} that were made up to there {left} are left out, which are not needed, and values are "
    "as small as will do."
)


def print_samples(found: dict[Place, list[Verdict]], row: TaskRow, file: IO[str]) -> None:
    """Print how each sample of a task ended, an oracle a column."""
    oracles = list(dict.fromkeys(said.oracle for rows in found.values() for said in rows))
    rows = tuple(
        (
            place_name(place),
            *(
                next((said.outcome.value for said in verdicts if said.oracle == name), "-")
                for name in oracles
            ),
        )
        for place, verdicts in found.items()
    )
    columns = ("sample", *oracles)
    draw(Grid(title=row.id, columns=columns, rows=rows, words=len(columns)), file)


def samples_data(found: dict[Place, list[Verdict]]) -> dict[str, Any]:
    """The verdicts on each sample, by the sample's name, as plain data."""
    return {place_name(place): msgspec.to_builtins(rows) for place, rows in found.items()}


def print_sample(
    folder: RunFolder,
    verdicts: Sequence[Verdict],
    remade: Remade | str,
    *,
    compiler: Compiler,
    file: IO[str],
) -> None:
    """Print each oracle's verdict on a sample, and the calls that show what differs.

    ``remade`` may be why the sample could not be made anew: then there are no calls to show.
    """
    first = verdicts[0]
    sample = place_name((first.batch, first.repeat, first.index))
    label = f" ({remade.label})" if isinstance(remade, Remade) and remade.label else ""
    print(f"{first.task_id}, sample {sample}{label}", file=file)
    width = max(len(said.oracle) for said in verdicts)
    for said in verdicts:
        why = (verdict_line(said) or "").removeprefix(f"{said.oracle}: ")
        print(f"  {said.oracle:{width}}  {said.outcome.value}", end="", file=file)
        print("" if why in ("", said.outcome.value) else f": {why}", file=file)
    shown: list[str] = []
    for said in verdicts:
        if said.counterexample is None:
            continue
        print(file=file)
        print(f"{said.oracle}:", file=file)
        if isinstance(remade, str):
            print(f"  {remade}", file=file)
            continue
        try:
            _print_listing(_listing(said.counterexample, remade, compiler), file)
        except (UserError, ValueError) as error:
            print(f"  {error}", file=file)
            continue
        shown.append(said.oracle)
    if shown:
        words = ["solexp", "repro", str(folder.path), "--task", first.task_id, "--sample", sample]
        others = f" (or with --oracle {', '.join(shown[1:])})" if len(shown) > 1 else ""
        print(f"\nto run it in Foundry: {shlex.join([*words, '--out', 'DIR'])}{others}", file=file)


def _listing(found: Counterexample, remade: Remade, compiler: Compiler) -> Listing:
    original, _ = subjects(remade, compiler)
    return listing(found, remade.task.program, original.contract)


def _print_listing(found: Listing, file: IO[str]) -> None:
    print(f"  {found.deployment}", file=file)
    if found.before:
        print(f"  … {found.before} calls before these", file=file)
    rows = [
        (str(line.number), line.sender, line.call, line.value, line.later) for line in found.lines
    ]
    widths = [max((len(cells[at]) for cells in rows), default=0) for at in range(2)]
    for number, sender, call, value, later in rows:
        after = f"  ({later})" if later else ""
        paid = f"  with {value}" if value else ""
        print(f"  {number:>{widths[0]}}  {sender:{widths[1]}}  {call}{paid}{after}", file=file)
    print(f"\n  {found.what}", file=file)
    print(f"    original   {found.expected}", file=file)
    print(f"    candidate  {found.got}", file=file)
    if found.accounts:
        print(file=file)
    width = max(map(len, found.accounts), default=0)
    for role, address in found.accounts.items():
        print(f"  {role:{width}}  {address}", file=file)


def chosen(verdicts: Sequence[Verdict], oracle: str | None) -> Verdict:
    """The verdict whose counterexample is meant: the first there is, or that of ``oracle``.

    Raises UserError where there is none, saying why.
    """
    names = [said.oracle for said in verdicts]
    if oracle is not None and oracle not in names:
        raise UserError(f"no verdict of '{oracle}' on this sample; choose from: {', '.join(names)}")
    asked = [said for said in verdicts if oracle in (None, said.oracle)]
    for said in asked:
        if said.counterexample is not None:
            return said
    failed = [said for said in asked if said.outcome is not Outcome.PASS]
    if not failed:
        by = "every oracle" if oracle is None else f"'{oracle}'"
        raise UserError(f"this sample passes {by}: there is nothing to export")
    told = "; ".join(str(verdict_line(said)) for said in failed)
    raise UserError(f"no calls show why this sample fails: {' '.join(told.split())}")


def write_project(
    folder: RunFolder, said: Verdict, remade: Remade, compiler: Compiler, out: Path, *, whole: bool
) -> Seen:
    """Write the Foundry project that shows a verdict's counterexample; returns what it shows.

    ``whole`` leaves all its calls in. Raises UserError where it cannot be shown.
    """
    assert said.counterexample is not None
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise UserError(f"--out: {out} is there already; name a folder that is not, or is empty")
    machine = AnvilMachine()
    original, candidate = subjects(remade, compiler)
    try:
        seen = see(said.counterexample, remade.task.program, original, candidate, machine)
    except NotSeen as error:
        raise UserError(f"{said.task_id}: nothing to export: {error}") from None
    calls = len(seen.program.calls)
    if not whole:
        seen = shorten(seen, machine)
    for path, text in _files(folder, said, remade, seen, calls):
        write_atomically(out / path, text.encode())
    return seen


def _files(
    folder: RunFolder, said: Verdict, remade: Remade, seen: Seen, calls: int
) -> Iterator[tuple[str, str]]:
    name = test_contract(seen).removesuffix("Test")
    told = shown(seen)
    sample = place_name((said.batch, said.repeat, said.index))
    label = f" ({remade.label})" if remade.label else ""
    title = f"{said.task_id}, sample {sample}{label}"
    about = [
        f"{title}: the oracle `{said.oracle}` found a difference.",
        "",
        f"What differs: {told.what}.",
        f"  original:  {told.expected}",
        f"  candidate: {told.got}",
        "",
        "`forge test` runs it: test_original passes, and test_candidate fails.",
    ]
    task = remade.task
    yield "foundry.toml", foundry_config(seen)
    yield f"test/{name}.t.sol", foundry_test(seen, about)
    yield "original.sol", task.sources[task.target.path]
    yield "candidate.sol", sources_of(task, remade.candidate)[task.target.path]
    left = calls - len(seen.program.calls)
    yield (
        "README.md",
        _README.format(
            title=title,
            oracle=said.oracle,
            contract=seen.program.deployment.contract,
            what=told.what,
            expected=_cell(told.expected),
            got=_cell(told.got),
            test=name,
            shortened=_FEWER.format(calls=calls, left=left) if left else _ALL,
            fork=seen.program.hardfork,
            run=folder.name,
            task=said.task_id,
            sample=sample,
            label=label,
        ),
    )


def run_project(out: Path, compiler: Compiler) -> Iterator[tuple[str, str | None]]:
    """The exported tests, each with why it fails, or None where it passes. Raises what running forge raises."""
    for result in run_exported(out.absolute(), compiler):
        reason = None if result.passed else result.reason or "it fails"
        yield result.test.removesuffix("()"), reason


def shown(seen: Seen) -> Listing:
    """A difference for a reader."""
    read = seen.question.read
    found = Counterexample(
        axis=seen.question.axis,
        calls=seen.program.calls,
        reads=None if read is None else read.label,
        expected=seen.expected,
        got=seen.got,
    )
    bare = msgspec.structs.replace(seen.program, calls=())
    return listing(found, bare, seen.original.contract)


def _cell(text: str) -> str:
    return text.replace("|", "\\|")
