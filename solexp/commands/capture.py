"""`solexp data capture`: contracts and their histories, from an explorer's API and an archive node."""

from __future__ import annotations

import argparse
import os
import re
import sys
from collections import Counter
from pathlib import Path

from solexp.benchmarks.building.chain.archive import Archive
from solexp.benchmarks.building.chain.asking import Asking, Manners
from solexp.benchmarks.building.chain.capturing import Captured, Extent, Witness, capture
from solexp.benchmarks.building.chain.explorer import Explorer, Unverified
from solexp.benchmarks.building.chain.folder import VERB, Told, read_told, write, write_told
from solexp.benchmarks.building.flat import one_file
from solexp.core import DataError, UserError
from solexp.progress import Progress
from solexp.solidity.compiler import Compiler
from solexp.solidity.flattening import CannotFlatten
from solexp.store.alone import alone

EXPLORER, NODE = "SOLEXP_EXPLORER", "SOLEXP_NODE"
"""Environment variables with the addresses, which may hold keys."""
_ADDRESS = re.compile(r"0x[0-9a-fA-F]{40}")
_SETTLED = 64
"""Blocks behind the newest one that may yet be replaced by others."""


def data_capture(command: argparse.Namespace) -> int:
    """Capture; returns the exit status."""
    addresses = _addresses(command)
    out = Path(command.out)
    url = command.explorer or os.environ.get(EXPLORER)
    if not url:
        raise UserError(f"data capture: which explorer? give --explorer URL, or set {EXPLORER}")
    manners = Manners(per_second=command.rate)
    asking = Asking("explorer", url, manners, scope=command.chain, strict=False)
    explorer = Explorer(asking, command.chain)
    askings = [asking]
    node = _node(command, askings)
    with alone(out, VERB):
        _capture(command, addresses, out, explorer=explorer, node=node, askings=askings)
    return 0


def _capture(
    command: argparse.Namespace,
    addresses: list[str],
    out: Path,
    *,
    explorer: Explorer,
    node: Archive | None,
    askings: list[Asking],
) -> None:
    asking = askings[0]
    extent = Extent(
        transactions=command.transactions, internal=not command.no_internal, traces=command.traces
    )
    to_block = command.to_block or _pinned(out, command.chain, asking.shown)
    if to_block is None:
        to_block = max(0, explorer.head() - _SETTLED)
    told = Told(
        chain=command.chain,
        to_block=to_block,
        explorer=asking.shown,
        node=askings[1].shown if node else None,
        extent=extent,
    )
    earlier = read_told(out)
    if earlier is None or not earlier.done:
        write_told(out, told)
    found = _captured(explorer, addresses, extent, to_block, told)
    witness = _witnessed(node, found, extent, told)
    flat = _flat(found, told)
    # What was captured here before stays usable until it is replaced.
    write_told(out, told)
    told.hashes = write(out, found, flat, witness, chain=told.chain)
    told.contracts = {one.verified.id: len(one.transactions) for one in found}
    told.done = True
    write_told(out, told)
    _tell(out, told, askings)


def _addresses(command: argparse.Namespace) -> list[str]:
    words = list(command.address)
    for file in command.addresses or ():
        try:
            words += Path(file).read_bytes().decode("utf-8-sig").split()
        except OSError as error:
            raise UserError(f"data capture: {file} cannot be read: {error.strerror}") from None
        except UnicodeDecodeError:
            raise UserError(f"data capture: {file} is no UTF-8 text; save it as UTF-8") from None
    for word in words:
        if not _ADDRESS.fullmatch(word):
            raise UserError(f"data capture: '{word}' is no address; give 0x and 40 hex digits")
    if not words:
        raise UserError("data capture: which contracts? give their addresses, or --addresses FILE")
    return list(dict.fromkeys(word.lower() for word in words))


def _node(command: argparse.Namespace, askings: list[Asking]) -> Archive | None:
    url = command.node or os.environ.get(NODE)
    if not url:
        return None
    asking = Asking("node", url, Manners(per_second=command.node_rate))
    node = Archive(asking)
    chain = node.chain()
    if chain != command.chain:
        raise UserError(
            f"data capture: the node at {asking.shown} is of chain {chain}, not of {command.chain}; "
            "give a node of that chain, or --chain"
        )
    asking.scoped(chain)
    askings.append(asking)
    return node


def _pinned(out: Path, chain: int, explorer: str) -> int | None:
    """The last block of an earlier capture into the same folder: going on with it asks the same questions."""
    told = read_told(out)
    return told.to_block if told and (told.chain, told.explorer) == (chain, explorer) else None


def _captured(
    explorer: Explorer, addresses: list[str], extent: Extent, to_block: int, told: Told
) -> list[Captured]:
    found: list[Captured] = []
    with Progress("contracts") as progress:
        progress.total(len(addresses))
        for address in addresses:
            try:
                found.append(capture(explorer, address, extent, to_block))
            except (Unverified, DataError) as error:
                told.left_out[address] = str(error)
                print(f"left out: {error}", file=sys.stderr)
            progress.advance()
    told.notes += [
        f"{one.verified.id} was created within transaction {one.made_by}: its history has no deployment to replay"
        for one in found
        if one.made_by
    ]
    if not found:
        raise UserError(f"data capture: nothing is left: {next(iter(told.left_out.values()))}")
    return found


def _witnessed(
    node: Archive | None, found: list[Captured], extent: Extent, told: Told
) -> Witness | None:
    if node is None:
        return None
    witness = Witness(node, extent)
    with Progress("transactions") as progress:
        progress.total(sum(len(one.transactions) for one in found))
        for one in found:
            witness.ask(one, told.to_block, progress.advance)
    told.notes += [f"{name} has no code in block {told.to_block}" for name in witness.gone]
    told.notes += [
        f"{count} transactions whose {field} the node has otherwise than the explorer"
        for field, count in sorted(witness.differing.items())
    ]
    if extent.traces != "none" and not node.traces:
        told.notes.append("the node traces nothing (debug_traceTransaction)")
    return witness


def _flat(found: list[Captured], told: Told) -> dict[str, str]:
    """Each contract as one file, by id; those that cannot be are noted."""
    flat: dict[str, str] = {}
    with Compiler(max_workers=1) as compiler:
        for one in found:
            verified = one.verified
            files = {path: text.encode() for path, text in verified.sources.items()}
            try:
                flat[verified.id] = one_file(
                    files, verified.path, verified.contract, verified.settings, compiler
                )
            except (CannotFlatten, UserError) as error:
                told.left_out[verified.address] = f"cannot be one file: {error}"
                print(f"left out of the tasks: {verified.id}: {error}", file=sys.stderr)
    return flat


def _tell(out: Path, told: Told, askings: list[Asking]) -> None:
    for note in told.notes:
        print(note)
    asked = ", ".join(f"{each.who} {each.asked}" for each in askings)
    kept = sum(each.kept for each in askings)
    counts = Counter(told.contracts)
    print(
        f"{len(told.contracts)} contracts with {counts.total()} transactions in {out}, {len(told.left_out)} left out; "
        f"requests: {asked}; {kept} answers were kept from before"
    )
