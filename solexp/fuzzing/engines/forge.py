"""Foundry's invariant tests as an engine: forge draws calls of a handler that asks original and candidate the same.

Code under test may call forge's cheat codes at their address. Where forge works on a fork of another node, it gives
them to the test, to what the test creates, and to nobody else; so it forks a private node that has nothing but what is
to be deployed, and the handler deploys both from an account without cheat codes. It tries whether that holds before
anything else is done.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from solexp.core import Program, TimeLimitExceeded, ToolError
from solexp.core.hashing import content_hash
from solexp.evm.anvils import anvil_for
from solexp.evm.hardforks import at_least
from solexp.evm.machine import Subject
from solexp.evm.private import PrivateNode
from solexp.evm.words import created_address
from solexp.fuzzing.engines.base import Lead, Told
from solexp.fuzzing.engines.harness import Harness, Sent, cast, harness
from solexp.fuzzing.looking import Looked
from solexp.fuzzing.settings import Settings, Unit
from solexp.solidity.compiler import Compiler
from solexp.solidity.foundry.forge import Limits
from solexp.solidity.foundry.invariants import Campaign, Invariant, limit_of, run_invariant

_MOST_RUNS = 4
"""How often forge is run on one candidate, when what it finds is not seen on the machine of record."""
_GAS = 1 << 32
_OLDEST = "byzantium"
"""The handler needs what this fork has."""
_CHEATS = "CHEATS"
_ORIGINAL = "ORIGINAL"


class Forge:
    """The engine for one task's units."""

    def __init__(
        self,
        *,
        original: Subject,
        twin: Subject | None,
        base: Program,
        address: str,
        looked: Looked,
        compiler: Compiler,
        settings: Settings,
        axes: Sequence[str],
        limits: Limits,
    ) -> None:
        """``base`` is the program without calls that everything begins from, its fork fixed; ``address`` where the
        contract stands on the machine of record. ``twin`` is the original compiled otherwise.
        """
        self._original = original
        self._twin = twin
        self._base = base
        self._address = address
        self._looked = looked
        self._compiler = compiler
        self._settings = settings
        self._axes = axes
        self._limits = limits
        self._senders = cast(base, settings.seed, looked)
        self._secret = int(
            content_hash("forge", settings.seed, base.deployment, original.creation), 16
        )
        self._harnesses: dict[str, Harness] = {}
        self._told: dict[str, Told] = {}

    def explore(self, unit: Unit) -> Told:
        """What forge's calls do on the original, set beside the original compiled otherwise.

        Raises ToolError and HarnessError.
        """
        left_out = 0
        cut: str | None = None
        for _ in range(_MOST_RUNS):
            try:
                found = self._run(unit, self._twin or self._original, left_out)
            except TimeLimitExceeded as error:
                cut = limit_of(error)
                found = Invariant(passed=True)
                break
            if found.sequence is None:
                break
            left_out |= 1 << self._last(unit, found)[0]
        self._told[unit.name] = self._counted(unit, found, left_out, cut)
        return self._told[unit.name]

    def know(self, unit: Unit, told: Told) -> None:
        """What `explore` said once before."""
        self._told[unit.name] = told

    def leads(self, unit: Unit, subject: Subject) -> Iterator[Lead]:
        """Where a sequence told nothing on the machine of record, the function that it ends with is left alone."""
        before = left_out = self._told[unit.name].left_out
        for _ in range(_MOST_RUNS):
            try:
                found = self._run(unit, subject, left_out)
            except TimeLimitExceeded as error:
                yield Lead(None, 0, stopped=limit_of(error))
                return
            except ToolError as error:
                # It gave an answer with the original in the candidate's place.
                yield Lead(None, 0, doubt=str(error))
                return
            calls = sum(m.calls for name, m in found.metrics.items() if name.startswith("f"))
            if found.sequence is None:
                doubt = found.reason if not found.passed else None
                if left_out != before:
                    doubt = "under forge it does otherwise than on the machine of record"
                yield Lead(None, calls, doubt=doubt)
                return
            place, program = self._last(unit, found)
            yield Lead(program, calls)
            left_out |= 1 << place
        yield Lead(None, 0, doubt="under forge it does otherwise than on the machine of record")

    def _last(self, unit: Unit, found: Invariant) -> tuple[int, Program]:
        """The place of the function that a sequence ends with, and the sequence."""
        made = self._harness(unit)
        calls = [Sent(each.sender, each.calldata) for each in found.sequence or ()]
        place, _ = next(filter(None, map(made.called, reversed(calls))))
        nonce = self._secret >> 194
        # Both stand at other addresses than the contract does on the machine of record.
        sender = self._base.deployment.sender
        places = {created_address(sender, nonce + at): self._address for at in (1, 2)}
        return place, made.program(self._base, calls, places, restless=True)

    def _harness(self, unit: Unit) -> Harness:
        if unit.name not in self._harnesses:
            self._harnesses[unit.name] = harness(
                "Forge.sol",
                unit,
                self._base,
                stated=self._looked.stated,
                accounts=self._senders,
                axes=self._axes,
                libraries=self._original.code_at,
            )
        return self._harnesses[unit.name]

    def _run(self, unit: Unit, subject: Subject, left_out: int) -> Invariant:
        settings = self._settings
        fork = self._base.hardfork or _OLDEST
        made = self._harness(unit)
        campaign = Campaign(
            runs=-(-settings.calls // settings.length),
            depth=min(settings.length, settings.calls),
            seed=int(content_hash("forge", settings.seed, unit.name), 16),
            evm_version=fork if at_least(fork, _OLDEST) else _OLDEST,
            gas=_GAS,
        )
        node = PrivateNode(anvil_for(fork), self._base, fork, memory_mb=self._limits.memory_mb)
        try:
            for at, blob in enumerate(self._laid(subject, left_out)):
                # A byte before each, since code may not begin with every byte.
                place = (self._secret + at) & ((1 << 160) - 1)
                node.connection.ask("anvil_setCode", f"0x{place:040x}", f"0x00{blob[2:]}")
            for where in subject.code_at.keys() - self._original.code_at.keys():
                node.connection.ask("anvil_setCode", where, subject.code_at[where])
            found = run_invariant(
                made.source,
                self._compiler,
                campaign,
                rpc_url=node.process.url,
                shown={"SOLEXP_SECRET": str(self._secret)},
                limits=self._limits,
            )
        finally:
            node.close()
        if not found.passed and found.sequence is None:
            said = found.reason or "the test cannot be set up"
            if _CHEATS in said or _ORIGINAL in said:
                raise ToolError(f"engine forge: {said.rpartition(': ')[2]}")
        return found

    def _laid(self, subject: Subject, left_out: int) -> Iterator[str]:
        """What the handler finds on the node, in its order."""
        both = (self._original, subject)
        for each in both:
            yield each.creation + self._base.deployment.constructor_args[2:]
        yield f"0x{left_out:064x}"
        for where in self._original.code_at:
            for each in both:
                yield each.code_at.get(where, "0x")

    def _counted(self, unit: Unit, found: Invariant, left_out: int, cut: str | None) -> Told:
        made = self._harness(unit)
        names = {f"f{number}": slot for number, slot in enumerate(made.slots.values())}
        calls = succeeded = unstable = 0
        reached: set[str] = set()
        for name, metric in found.metrics.items():
            if name not in names:
                continue
            group = [entry for place, entry in names[name] if not left_out >> place & 1]
            if not group:
                unstable += metric.calls
                continue
            calls += metric.calls
            succeeded += metric.calls - metric.reverts
            if metric.calls > metric.reverts:
                reached |= {entry.selector for entry in group}
        return Told(
            calls=calls,
            sequences=-(-self._settings.calls // self._settings.length),
            succeeded=succeeded,
            reached=tuple(sorted(reached)),
            unstable=unstable,
            cut=cut,
            left_out=left_out,
        )
