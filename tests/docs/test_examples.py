"""What the documentation shows can be done as shown."""

from __future__ import annotations

import ast
import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml
from hydra._internal.utils import get_args_parser
from hydra.types import RunMode

from solexp.cli import _parser
from solexp.config import build, compose
from solexp.config.compose import check_overrides, plain
from tests.docs.documents import PAGES, ROOT, Block, Command, anchors, blocks, commands, links

COMMANDS = [command for page in PAGES for command in commands(page)]
SOLEXP = [command for command in COMMANDS if command.words[:1] == ["solexp"]]
RUNS = [command for command in SOLEXP if command.words[1:2] == ["run"]]
EXECUTED = [page for page in PAGES if any(command.executed for command in commands(page))]
EXTRAS = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
BLOCKS = [block for page in PAGES for block in blocks(page)]


def named(page: Path) -> str:
    return str(page.relative_to(ROOT))


def write_files(page: Path, folder: Path) -> None:
    """Write the files that a page shows."""
    for block in blocks(page):
        if block.file is not None:
            path = folder / block.file
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(block.text, "utf-8")


@pytest.mark.parametrize("command", RUNS, ids=lambda command: command.shown)
def test_a_run_composes(command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_files(command.page, tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setenv("SOLEXP_STAMP", "stamp")
    monkeypatch.setenv("SOLEXP_DATA", str(tmp_path / "data"))
    flags = get_args_parser().parse_args(command.words[2:])
    for overrides in check_overrides(flags.overrides, flags.multirun):
        config = compose(overrides)
        assert flags.multirun or config.hydra.mode in (None, RunMode.RUN) or "=" in overrides[0]
        build(plain(config))


@pytest.mark.parametrize(
    "command", [c for c in SOLEXP if c not in RUNS], ids=lambda command: command.shown
)
def test_a_command_parses(command: Command) -> None:
    if command.words[1:] != ["--version"]:
        _parser().parse_args(command.words[1:])


def test_every_command_line_is_of_a_known_program() -> None:
    for command in COMMANDS:
        assert command.words[0] in ("solexp", "make", ".", "pip", "python"), command.shown
        if command.words[0] == "python":
            assert (ROOT / command.words[1]).is_file(), command.shown
        if command.words[0] == "pip":
            extra = re.fullmatch(r"solexp\[(\w+)\]", command.words[-1])
            assert extra, command.shown
            assert extra[1] in EXTRAS, command.shown
    targets = {line.partition(":")[0] for line in (ROOT / "Makefile").read_text().splitlines()}
    for command in COMMANDS:
        if command.words[0] == "make":
            assert command.words[1] in targets, command.shown


@pytest.mark.parametrize("page", EXECUTED, ids=named)
@pytest.mark.usefixtures("empty_store")
def test_commands_marked_to_be_run_end_well(page: Path, tmp_path: Path) -> None:
    write_files(page, tmp_path)
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    environment = {
        **os.environ,
        "SOLEXP_CACHE": str(tmp_path / "cache"),
        "SOLEXP_DATA": str(tmp_path / "data"),
    }
    environment.pop("SOLEXP_RUNS", None)
    for command in commands(page):
        if command.executed:
            done = subprocess.run(
                [sys.executable, "-m", "solexp.cli", *command.words[1:]],
                cwd=tmp_path,
                env=environment | command.environment,
                capture_output=True,
                text=True,
                check=False,
            )
            assert done.returncode == 0, f"{command.shown}\n{done.stdout}\n{done.stderr}"
            for outcome in _outcomes_promised(command):
                assert outcome in done.stdout, f"{command.shown}\n{done.stdout}"


def _outcomes_promised(command: Command) -> list[str]:
    """What the text below an executed run says of its outcome."""
    promised = {
        "benchmark=counters model=reference": "1 candidates of 1 tasks (1 decidable): 1 pass",
        "benchmark=counters benchmark.rounds=1 model=stubs": "1 undecidable",
        "model=greeting": "1 no_code",
        "run benchmark=foundry": "4 candidates of 4 tasks (4 decidable): 4 pass",
    }
    return [outcome for words, outcome in promised.items() if words in " ".join(command.words)]


@pytest.mark.parametrize("block", BLOCKS, ids=lambda block: block.place)
def test_a_block_is_well_formed(block: Block) -> None:
    assert block.language, f"{block.place}: say which language it is, or text"
    if block.language == "python":
        ast.parse(block.text)
    elif block.language == "yaml":
        yaml.safe_load(block.text)


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_links_lead_somewhere(page: Path) -> None:
    for link in links(page):
        file, _, anchor = link.partition("#")
        target = (page.parent / file).resolve() if file else page
        assert target.exists(), f"{named(page)}: {link} leads nowhere"
        if anchor:
            assert anchor in anchors(target), f"{named(page)}: {link} names no heading"


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_every_page_is_reached_from_another(page: Path) -> None:
    if page.name != "README.md":
        targets = {
            (other.parent / link.partition("#")[0]).resolve()
            for other in PAGES
            if other != page
            for link in links(other)
        }
        assert page in targets
