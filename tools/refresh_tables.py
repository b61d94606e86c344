"""Writes solexp/toolchain/soljson.json and foundry.json: what can be installed, and its hashes.

    python tools/refresh_tables.py [--foundry VERSION]

Every release of the compiler is fetched once and asked for its version, because the registry holds releases that are
not what they are called (``solc@0.8.7`` answers 0.7.5); a ``-fixed`` release is taken where the plain one lies. Rows
that are there already and whose hash the registry still gives are kept without asking again.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import tempfile
from pathlib import Path
from typing import Any

import msgspec

from solexp.toolchain.node import ensure_node, node_environment, npm_command
from solexp.toolchain.npm import fetch_file
from solexp.toolchain.tables import Foundry, NpmPackage, Soljson, SoljsonPackage, foundry, soljson

TABLES = Path(__file__).parents[1] / "solexp/toolchain"
OLDEST = (0, 4, 11)
ASK = (
    "const m = require(process.argv[1]);"
    "const f = m._solidity_version ? 'solidity_version' : 'version';"
    "console.log(m.cwrap(f, 'string', [])())"
)


def view(spec: str, *fields: str) -> Any:
    """What the registry says of a package, as npm prints it."""
    command = [*npm_command(), "view", spec, *fields, "--json", "--fetch-retries=1"]
    done = subprocess.run(
        command, env=node_environment(), stdout=subprocess.PIPE, text=True, check=True
    )
    return json.loads(done.stdout)


def long_version(package: NpmPackage) -> str:
    """What the compiler in a package says of itself."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "soljson.js"
        fetch_file(package, "soljson.js", file)
        done = subprocess.run(
            [str(ensure_node()), "-e", ASK, str(file)], capture_output=True, text=True, check=True
        )
    return done.stdout.strip()


def soljson_table() -> Soljson:
    """One row a release, oldest first, and the packages that are not what they are called."""
    names: list[str] = view("solc", "versions")
    plain = [n for n in names if re.fullmatch(r"\d+\.\d+\.\d+", n)]
    rows_seen = view("solc@>=0.4.11", "version", "dist.integrity")
    hashes: dict[str, str] = {row["version"]: row["dist.integrity"] for row in rows_seen}
    for name in names:
        if name.endswith("-fixed"):
            hashes[name] = view(f"solc@{name}", "dist.integrity")
    known = soljson().releases
    rows: dict[str, SoljsonPackage] = {}
    mislabelled: dict[str, str] = {}
    for version in sorted(plain, key=lambda v: tuple(map(int, v.split(".")))):
        if tuple(map(int, version.split("."))) < OLDEST:
            continue
        for name in (version, f"{version}-fixed"):
            if name not in hashes or version in rows:
                continue
            package = NpmPackage(npm=f"solc@{name}", integrity=hashes[name])
            row = known.get(version)
            if (
                row is None
                or not row.long_version
                or (row.npm, row.integrity) != (package.npm, package.integrity)
            ):
                row = SoljsonPackage(
                    npm=package.npm, integrity=package.integrity, long_version=long_version(package)
                )
            print(row.npm, row.long_version, flush=True)
            if row.long_version.startswith(f"{version}+"):
                rows[version] = row
            else:
                mislabelled[row.npm] = row.long_version
    return Soljson(releases=rows, mislabelled=mislabelled)


def foundry_rows(version: str) -> Foundry:
    """anvil and forge for every platform."""
    programs: dict[str, dict[str, NpmPackage]] = {"anvil": {}, "forge": {}}
    for program, rows in programs.items():
        for name in sorted(view(f"@foundry-rs/{program}@{version}", "optionalDependencies")):
            spec = f"{name}@{version}"
            integrity: str = view(spec, "dist.integrity")
            platform = name.removeprefix(f"@foundry-rs/{program}-")
            rows[platform] = NpmPackage(npm=spec, integrity=integrity)
    return Foundry(
        version=version,
        anvil=programs["anvil"],
        forge=programs["forge"],
        # Chosen by hand, for its gas: solexp/evm/anvils.py.
        old_forks=foundry().old_forks,
    )


def write(name: str, rows: object) -> None:
    """A table, one value a line."""
    (TABLES / name).write_bytes(msgspec.json.format(msgspec.json.encode(rows), indent=1) + b"\n")


def main() -> None:
    """Both tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--foundry", default=foundry().version, help="release of Foundry to pin")
    arguments = parser.parse_args()
    write("foundry.json", foundry_rows(arguments.foundry))
    write("soljson.json", soljson_table())


if __name__ == "__main__":
    main()
