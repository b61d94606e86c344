"""Which tests reach a function, against what SolEval's index says of the same files."""

from __future__ import annotations

import re
from pathlib import Path

import msgspec
import pytest

from solexp.benchmarks.soleval.release import read_tasks
from solexp.solidity.compiler import Compiler
from solexp.solidity.foundry.analysis import analyse
from solexp.solidity.foundry.files import read_archive
from solexp.solidity.foundry.settings import read_profile
from solexp.toolchain.install import soljson_versions

_STRUCT = re.compile(r"\(struct [\w.]+\)|\(\([\w,]+\)\)")


@pytest.mark.slow
@pytest.mark.parametrize(("repository", "least"), [("oz", 190), ("solady", 560)])
def test_reach_is_what_the_index_says(data_home: Path, repository: str, least: int) -> None:
    folder = data_home / "soleval"
    files = read_archive(folder / "repos" / f"{repository}.tar.gz")
    profile = read_profile(files, repository)
    if repository == "solady":
        # All of its tests, some of which want a later EVM than the default profile's.
        profile = msgspec.structs.replace(profile, skip=(), evm_version="cancun")
    with Compiler(max_workers=1) as compiler:
        found = analyse(files, profile, compiler, soljson_versions())
    reach = {(each.path, each.start): each.tests for each in found.functions}
    compared, other = 0, []
    for _, _, known in read_tasks(folder):
        if known.repo != repository or known.tests is None or known.test_file not in found.settings:
            continue
        lines = files[known.source].split(b"\n")
        start = sum(len(line) + 1 for line in lines[: known.start - 1])
        start += len(lines[known.start - 1]) - len(lines[known.start - 1].lstrip())
        tests = reach.get((known.source, start), {}).get(known.test_file, ())
        compared += 1
        # The index spells structs by name, forge by their members.
        if {_STRUCT.sub("(S)", t) for t in tests} != {_STRUCT.sub("(S)", t) for t in known.tests}:
            other.append(f"{known.source}:{known.identifier}")
    assert compared >= least
    # Its constructor runs before the tests, so all tests of the file are taken to reach it.
    assert other == ([] if repository == "oz" else ["src/utils/EIP712.sol:"])
