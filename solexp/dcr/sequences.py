"""Sequences of calls along a graph, found on the original: data that is found once and asked of every candidate."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import msgspec

from solexp.core import Build, Program, Trace
from solexp.dcr.drafts import Drafts, accounts_in
from solexp.dcr.graph import Graph
from solexp.dcr.ground import Ground
from solexp.dcr.records import Rejected, Search, Sequences
from solexp.dcr.walking import Walk, random_of
from solexp.dcr.watching import Declared, watched
from solexp.evm.machine import Subject
from solexp.evm.stepping import Stepping
from solexp.fuzzing.literals import constants

if TYPE_CHECKING:
    from solexp.dcr.solving import Solving

DEPLOYMENT_GAS = 120_000_000
"""Limit of a deployment, in units of gas."""
_LOOKED = 48


class Original(msgspec.Struct, frozen=True):
    """The contract along whose graph calls are looked for."""

    subject: Subject
    build: Build
    """With ASTs."""
    sources: dict[str, str]
    compiled: Callable[[dict[str, str]], Build]
    """The build of changed sources."""
    linked: Callable[[Build, dict[str, str]], Subject | None]
    """The contract of such a build; None where it cannot be deployed."""


def find(
    original: Original, base: Program, hardfork: str, graph: Graph, search: Search
) -> Sequences:
    """Sequences along a graph; ``base`` holds the deployment and the recorded calls.

    Raises DataError when the build has no ASTs, and HarnessError when the node fails.
    """
    if "z3" not in search.sources:
        return _found(original, base, hardfork, graph, search)
    # It takes a while to load, and most sequences are known already.
    from solexp.violations.solidity import keeping  # noqa: PLC0415

    # Else the order of terms, and with it Z3's answers, would hang on what this process looked at before.
    with keeping():
        return _found(original, base, hardfork, graph, search)


def _found(
    original: Original, base: Program, hardfork: str, graph: Graph, search: Search
) -> Sequences:
    name = original.subject.contract.name
    declared = Declared(original.build, name, original.sources)
    found = watched(graph, declared, name, original.sources, original.compiled)
    subject = original.linked(found[1], found[0].sources) if found is not None else None
    if found is None or subject is None:
        return Sequences(reason="the original does not compile with the graph's guards")
    random = random_of(search, graph)
    known = constants(original.build)
    with Stepping(base, hardfork) as node:
        deployed = node.deploy(subject, DEPLOYMENT_GAS)
        if not deployed.status:
            return Sequences(reason="the original with the graph's guards does not deploy")
        words = node.storage(range(_LOOKED))
        drafts = Drafts(
            original.subject.contract,
            base,
            known,
            random,
            address=node.address,
            named=[each for each in accounts_in(words) if each != node.address],
        )
        node.fund(drafts.senders)
        for word in words:
            drafts.pool.see(f"{word:064x}")
        solving = _solving(original, base, node, drafts, search) if "z3" in search.sources else None
        ground = Ground(graph, found[0], declared, node, drafts, known, search)
        return Walk(ground, solving, random).walk()


def _solving(
    original: Original, base: Program, node: Stepping, drafts: Drafts, search: Search
) -> Solving:
    from solexp.dcr.solving import Solving  # noqa: PLC0415
    from solexp.violations.solidity import Contract  # noqa: PLC0415

    contract = Contract(original.build, original.subject.contract.name, original.sources)
    return Solving(
        contract,
        node,
        drafts.senders,
        search,
        immutables=contract.immutables(base.deployment, node.address, base.chain_id),
        chain_id=base.chain_id,
        coinbase=base.coinbase,
    )


def settle(found: Sequences, traces: Sequence[Trace]) -> Sequences:
    """The sequences without calls that fail on the machine of record, whose traces of all programs these are.

    What was rejected later in such a program is dropped as well, since its state may be another.
    """
    programs, events = [], []
    first: dict[int, int] = {}
    for place, (calls, names, trace) in enumerate(
        zip(found.programs, found.events, traces, strict=True)
    ):
        kept = [at for at, result in enumerate(trace.calls) if result.status]
        if len(kept) < len(calls):
            first[place] = next(
                (at for at, result in enumerate(trace.calls) if not result.status), len(trace.calls)
            )
        programs.append(tuple(calls[at] for at in kept))
        events.append(tuple(names[at] for at in kept))

    def stands(row: Rejected) -> bool:
        return row.program not in first or row.after <= first[row.program]

    return msgspec.structs.replace(
        found,
        programs=tuple(programs),
        events=tuple(events),
        rejected=tuple(filter(stands, found.rejected)),
        unsettled=found.calls - sum(map(len, programs)),
    )
