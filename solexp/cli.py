"""The command line."""

# ruff: noqa: PLC0415, PLR0911 (commands are imported when they are used, so that --help is quick)

from __future__ import annotations

import argparse
import os
import sys
import traceback
from collections.abc import Sequence
from pathlib import Path

from solexp import __version__
from solexp.core import secrets
from solexp.core.errors import SolexpError, UserError

EXIT_DONE, EXIT_FAILED, EXIT_WRONG_INPUT, EXIT_INTERRUPTED = 0, 1, 2, 130


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit status: 0 done, 1 failed, 2 wrong input, 130 interrupted."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    parser = _parser()
    # Everything after `run` belongs to Hydra, its flags included.
    is_run = words[:1] == ["run"]
    command = (
        argparse.Namespace(command="run", words=words[1:]) if is_run else _parsed(parser, words)
    )
    try:
        return _dispatch(command, parser)
    except UserError as error:
        return _told(error, EXIT_WRONG_INPUT)
    except BrokenPipeError:
        # The reader has gone, as with `| head`; what is still buffered has nowhere to go.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return EXIT_DONE
    except KeyboardInterrupt as error:
        return _told(error, EXIT_INTERRUPTED)
    except (SolexpError, OSError) as error:
        return _told(error, EXIT_FAILED)


def _parsed(parser: argparse.ArgumentParser, words: Sequence[str]) -> argparse.Namespace:
    """The command. Settings (``KEY=VALUE``) may stand behind options too, where argparse has done with them."""
    command, left = parser.parse_known_args(words)
    settings = [word for word in left if "=" in word and not word.startswith("-")]
    if len(settings) < len(left) or (left and not hasattr(command, "override")):
        parser.error(f"unrecognized arguments: {' '.join(left)}")
    if settings:
        command.override = [*command.override, *settings]
    return command


def _told(error: BaseException, status: int) -> int:
    """Print what went wrong in one line; ``SOLEXP_TRACEBACK=1`` shows where as well."""
    if os.environ.get("SOLEXP_TRACEBACK") == "1":
        traceback.print_exception(error)
    told = secrets.redact(" ".join(str(error).split()))
    print(f"solexp: {told or 'interrupted'}", file=sys.stderr)
    return status


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="solexp", description="Measure how well language models write smart contracts."
    )
    parser.add_argument("--version", action="version", version=f"solexp {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND")

    commands.add_parser("run", help="compose a run and do it; -m sweeps (solexp run --help)")

    show = commands.add_parser("show", help="print a run's result")
    show.add_argument("run", nargs="?", default="latest", help="run folder, its name, or latest")
    show.add_argument("--json", action="store_true", help="print JSON")
    show.add_argument(
        "--plot", metavar="FILE", help="draw which oracles flag what: .svg, .png or .pdf"
    )
    show.add_argument("--task", metavar="ID", help="print how the samples of a task ended")
    show.add_argument(
        "--sample", metavar="N|BATCH/N", help="with --task: one of them, and the calls that decide"
    )

    repro = commands.add_parser("repro", help="write a Foundry test that shows a divergence")
    repro.add_argument("run", nargs="?", default="latest", help="run folder, its name, or latest")
    repro.add_argument("--task", metavar="ID", required=True)
    repro.add_argument("--sample", metavar="N|BATCH/N", required=True)
    repro.add_argument("--oracle", metavar="NAME", help="whose; by default the first that has one")
    repro.add_argument("--out", metavar="DIR", required=True, help="folder to write")
    repro.add_argument(
        "--run", action="store_true", dest="run_it", help="run it, with solexp's own tools"
    )
    repro.add_argument("--whole", action="store_true", help="leave in calls that are not needed")

    prompt = commands.add_parser("prompt", help="print exactly what would be sent for a task")
    prompt.add_argument("task", help="a task's id, or how it begins")
    prompt.add_argument(
        "override", nargs="*", help="such as strategy/context=none strategy.shots=2"
    )

    compare = commands.add_parser("compare", help="set runs against a baseline, task by task")
    compare.add_argument("run", nargs="*", help="run folders, or a sweep's folder")
    compare.add_argument("--sweep", metavar="NAME", help="a sweep's folder, its name, or latest")
    compare.add_argument("--metric", help="such as decidable.pass_at_1; several with commas")
    compare.add_argument(
        "--baseline", metavar="RUN|KEY=VALUE,…", help="a run, or what its settings are"
    )
    compare.add_argument(
        "--read-only", action="store_true", help="do not add their fee to the runs"
    )
    compare.add_argument("--json", action="store_true", help="print JSON")
    compare.add_argument("--csv", metavar="FILE", help="write the figures as CSV")
    compare.add_argument("--latex", metavar="FILE", help="write the tables as LaTeX (booktabs)")
    compare.add_argument("--plot", metavar="FILE", help="draw the cells: .svg, .png or .pdf")

    _add_judging(commands)

    track = commands.add_parser("track", help="publish runs to MLflow (again)")
    track.add_argument("run", nargs="*", help="run folders or names; without any, the latest")

    ui = commands.add_parser("ui", help="open the MLflow UI on the local store")
    ui.add_argument("--port", type=int, default=5000)
    ui.add_argument("--no-browser", action="store_true", help="only print the address")

    doctor = commands.add_parser("doctor", help="say for each tool where it is or how to get it")
    doctor.add_argument(
        "--gold", metavar="BENCHMARK", help="check that every reference of a benchmark passes"
    )
    doctor.add_argument("override", nargs="*", help="with --gold: such as benchmark.limit=5")

    tools = commands.add_parser("tools", help="install and list compilers, Node and Foundry")
    tool = tools.add_subparsers(dest="verb", metavar="VERB", required=True)
    tool.add_parser("list", help="what is installed")
    install = tool.add_parser("install", help="install tools; without names, all that is needed")
    install.add_argument("name", nargs="*", help="node, foundry, or solc followed by versions")

    _add_data(commands)
    _add_agreement(commands)
    _add_dcr(commands)
    _add_cache(commands)
    return parser


def _add_judging(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    rescore = commands.add_parser("rescore", help="judge a run's replies again, without any model")
    rescore.add_argument("run", help="run folder, its name, or latest")
    rescore.add_argument("override", nargs="*", help="such as oracle=[compile]")
    score = commands.add_parser("score-workspace", help="judge a workspace that anybody worked in")
    score.add_argument("folder", metavar="DIR", help="the workspace, as it was left")
    score.add_argument("override", nargs="*", help="such as benchmark.path=ROWS")
    score.add_argument("--task", metavar="ID", required=True, help="whose workspace it is")
    score.add_argument("--json", action="store_true", help="print the verdicts as JSON")


def _add_agreement(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    agreement = commands.add_parser("agreement", help="say how annotators' labels agree")
    agreement.add_argument("file", nargs="+", help=".jsonl or .csv, one for each annotator or all")
    agreement.add_argument("--column", default="label", help="the column of labels; label")
    agreement.add_argument("--seed", type=int, default=0, help="of the intervals' bootstrap")
    agreement.add_argument("--json", action="store_true", help="print JSON, all disagreements too")


def _add_data(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    data = commands.add_parser("data", help="list, fetch, import, verify and describe benchmarks")
    datum = data.add_subparsers(dest="verb", metavar="VERB", required=True)
    datum.add_parser("list", help="which benchmarks are there, and where")
    fetch = datum.add_parser("fetch", help="get a benchmark from its authors")
    fetch.add_argument("benchmark")
    bring = datum.add_parser("import", help="read a benchmark from its authors' release on disk")
    bring.add_argument("benchmark")
    bring.add_argument("--from", dest="source", required=True, metavar="DIR")
    build = datum.add_parser("build", help="build rows of sources, or have a model judge tasks")
    build.add_argument("benchmark")
    build.add_argument("override", nargs="*", help="such as min_lines=8, or model=openai")
    build.add_argument(
        "--from",
        dest="source",
        action="append",
        metavar="DIR|BENCHMARK",
        help="sources to build rows from; may be given again",
    )
    build.add_argument("--out", metavar="DIR", help="folder for the rows and their card")
    build.add_argument("--judge", metavar="NAME", help="the judge's name; by default the model's")
    build.add_argument("--labels", metavar="NAME=FILE", help="judgements from a file, as a judge")
    build.add_argument("--natspec", metavar="SHEET", help="what functions do, written anew")
    anew = datum.add_parser("natspec", help="write a sheet in which functions are described anew")
    anew.add_argument("override", nargs="*", help="such as benchmark.path=SET model=openai")
    anew.add_argument("--out", required=True, metavar="SHEET", help="a .csv, .tsv or .jsonl file")
    _add_capture(datum)
    for verb, what in (("verify", "check a benchmark's files"), ("stats", "count what it holds")):
        each = datum.add_parser(verb, help=what)
        each.add_argument("benchmark", nargs="?" if verb == "verify" else None)
        each.add_argument("override", nargs="*", help="such as benchmark.path=FOLDER")


def _add_capture(datum: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    capture = datum.add_parser(
        "capture", help="get contracts and their histories from an explorer and an archive node"
    )
    capture.add_argument("address", nargs="*", help="of a verified contract")
    capture.add_argument(
        "--addresses", action="append", metavar="FILE", help="a file with further addresses"
    )
    capture.add_argument("--explorer", metavar="URL", help="its API; by default $SOLEXP_EXPLORER")
    capture.add_argument("--node", metavar="URL", help="an archive node; by default $SOLEXP_NODE")
    capture.add_argument("--out", required=True, metavar="DIR", help="folder for what is captured")
    capture.add_argument("--chain", type=int, default=1, metavar="ID", help="by default 1, mainnet")
    capture.add_argument("--transactions", type=_positive, default=1000, metavar="N")
    capture.add_argument("--to-block", type=_positive, metavar="N", help="where histories end")
    capture.add_argument("--no-internal", action="store_true", help="no internal transactions")
    capture.add_argument("--traces", choices=("none", "calls", "all"), default="all")
    capture.add_argument("--rate", type=_rate, default=3.0, metavar="N", help="requests a second")
    capture.add_argument("--node-rate", type=_rate, default=20.0, metavar="N")


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise ValueError(text)
    return number


def _rate(text: str) -> float:
    number = float(text)
    if not 0 < number <= 10_000:
        raise ValueError(text)
    return number


def _add_dcr(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    graphs = commands.add_parser("dcr", help="show, extract and compare DCR graphs of contracts")
    verb = graphs.add_subparsers(dest="verb", metavar="VERB", required=True)
    show = verb.add_parser("show", help="print a graph, or write it in another format")
    show.add_argument("graph", help="a .json or .xml file")
    extract = verb.add_parser("extract", help="read a task's contract for its graph")
    extract.add_argument("task", help="a task's id, or all")
    extract.add_argument(
        "override", nargs="*", help="such as benchmark=solcontracteval model=openai"
    )
    for each in (show, extract):
        each.add_argument("--out", metavar="FILE", help="write a .svg, .dot, .xml or .json file")
    quality = verb.add_parser("quality", help="set extracted graphs against annotated ones")
    quality.add_argument("override", nargs="*", help="such as benchmark.ids=[ShareVault]")
    quality.add_argument("--annotations", metavar="DIR", help="by default those of the starter")
    quality.add_argument("--extracted", metavar="DIR", help="graphs made by something else")
    quality.add_argument(
        "--level", choices=("event", "function"), default="event", help="with or without branches"
    )
    quality.add_argument("--details", action="store_true", help="name what differs")


def _add_cache(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    cache = commands.add_parser("cache", help="size or empty the cache of answers")
    store = cache.add_subparsers(dest="verb", metavar="VERB", required=True)
    store.add_parser("size", help="what the cache holds")
    clear = store.add_parser("clear", help="delete answers, but not paid ones unless named")
    clear.add_argument("kind", nargs="?", help="such as verdicts; without, all but generations")
    clear.add_argument("--all", action="store_true", help="generations too")
    prune = store.add_parser("prune", help="delete the oldest answers")
    prune.add_argument("--keep-mb", type=int, required=True)
    prune.add_argument(
        "--kind",
        action="append",
        default=[],
        help="only of this kind; may be given again; without, all but the generations",
    )


def _dispatch(command: argparse.Namespace, parser: argparse.ArgumentParser) -> int:
    """Import only what the command needs: `solexp --help` must answer at once."""
    match command.command:
        case None:
            parser.print_help()
            return EXIT_DONE
        case "run":
            _see_working_folder()
            from solexp.commands.run import run

            return run(command.words)
        case "compare":
            from solexp.commands.compare import compare

            return compare(command)
        case "show" | "repro" | "rescore" | "track" | "score-workspace":
            _see_working_folder()
            from solexp.commands import runs

            return runs.COMMANDS[command.command](command)
        case "prompt":
            _see_working_folder()
            from solexp.commands.prompt import prompt

            return prompt(command)
        case "ui":
            from solexp.commands.ui import ui

            return ui(command)
        case "doctor" | "tools":
            from solexp.commands import tools

            return tools.COMMANDS[command.command](command)
        case "agreement":
            from solexp.commands.agreement import agreement

            return agreement(command)
        case "dcr":
            _see_working_folder()
            from solexp.commands.dcr import dcr

            return dcr(command)
        case "data":
            _see_working_folder()
            from solexp.commands.data import data

            return data(command)
        case _:
            from solexp.commands.cache import cache

            return cache(command)


def _see_working_folder() -> None:
    """Let a ``_target_`` name a package beside the user's own conf/ or experiments/."""
    here = Path.cwd()
    if (here / "conf").is_dir() or (here / "experiments").is_dir():
        sys.path.insert(0, str(here))


if __name__ == "__main__":
    sys.exit(main())
