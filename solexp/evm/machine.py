"""The seam at which programs become traces."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, Protocol

import msgspec

from solexp.core import Call, CallResult, ContractBuild, Program, Trace

GasRule = Literal["generous", "recorded"]
"""``generous``: enough for a correct but wasteful contract. ``recorded``: the limit the chain recorded decides."""

ForkRule = Literal["exact", "deployment"]
"""``exact``: each call under the rules of its own block. ``deployment``: all under those of the deployment's block."""


RICH = 10**27
"""Wei that every sender has, and what it sends in all besides."""
BLOCK_GAS = 1_000_000_000_000
"""Gas limit of every block: the same for all subjects, since code can read it."""


class Surroundings(msgspec.Struct, frozen=True):
    """What code can see around its call, beside what the program says: the same for all subjects of a run."""

    gas_price: int = 0
    """Wei that senders pay for a unit of gas in calls."""
    base_fee: int = 0
    """Wei that a unit of gas costs at least, from London on. Above 0 a node enforces all rules about fees, and shows it
    to code; at 0 anvil shows none, whatever a program says."""
    block_gas: int = BLOCK_GAS
    """Gas limit of a block, or the limits of its calls together where these are more."""
    wealth: int = RICH
    """Wei that every sender has, and what it sends in all besides."""


class Subject(msgspec.Struct, frozen=True):
    """One contract to run a program on."""

    creation: str
    """Creation code as hex with ``0x``, without constructor arguments."""
    contract: ContractBuild
    """Its ABI and storage layout."""
    code_at: dict[str, str] = {}
    """Runtime code that must stand at other addresses first, such as linked libraries; hex with ``0x`` by address."""

    @property
    def abstract(self) -> bool:
        """Whether there is no code to deploy: an abstract contract, or none of that name."""
        return self.creation in ("", "0x")


def undeployable(hardfork: str) -> Trace:
    """The trace of a subject without code. An empty creation would succeed and leave an empty contract."""
    nothing = CallResult(
        status=False, error="there is no code to deploy: the contract is abstract or missing"
    )
    return Trace(address=None, deployment=nothing, hardfork=hardfork)


class Probe(msgspec.Struct, frozen=True):
    """A read-only call made at a checkpoint."""

    label: str
    """Function with its arguments, such as ``balanceOf(0x…)``."""
    input: str


class Keys(msgspec.Struct, frozen=True):
    """Values that may be keys of mappings, each as 64 hex digits without ``0x``; most used first."""

    addresses: tuple[str, ...] = ()
    pairs: tuple[tuple[str, str], ...] = ()
    """Addresses seen together in one call, for mappings of mappings."""
    words: tuple[str, ...] = ()
    """Other 32-byte words: small integers, token ids, hashes."""
    texts: tuple[str, ...] = ()
    """Strings and byte strings, as hex digits of any even length."""


class Branch(msgspec.Struct, frozen=True):
    """What would happen from a state that the program reaches. Every call starts from that same state, and none of them
    leaves anything behind, if they are ``undone``: the program goes on as if they had not been made."""

    after: int
    """The state is that after the first so many calls of the program."""
    calls: tuple[Call, ...] = ()
    """Calls to the contract itself, by accounts without code. Each needs a gas limit."""
    slots: tuple[int, ...] = ()
    """Slots of the contract's storage to read."""
    undone: bool = True
    """Whether what they do is undone. A contract can find that out. False is for calls that are expected to fail, and
    undo themselves: they are made as those of the program are, and one that succeeds after all is not undone."""


class Observation(msgspec.Struct, frozen=True):
    """What is read of the state, and when."""

    at_end: bool = True
    """Whether the state is read at the end of the program. False, with no ``checkpoint_every``: never."""
    checkpoint_every: int | None = None
    """Read the state after every so many calls; None reads it at the end only."""
    storage: bool = True
    getters: tuple[Probe, ...] = ()
    getters_in_need: bool = False
    """Whether the getters are only called where storage alone cannot be compared: on the first subject and those that
    lack some of its labels, or on all where it has none. False: on all in any case."""
    keys: Keys = Keys()
    max_slots: int = 8192
    """Storage slots read a checkpoint, at most."""
    slots_of: dict[str, int] | None = None
    """Slots read of each of the reference's variables. Of another contract only variables of these names are read, and
    about as much of each, so that what is compared does not depend on what else it declares. None: everything."""
    per_mapping: int | None = None
    """Keys of each mapping that are read, at most; None: as the layout itself suggests."""
    flags: tuple[str, ...] | None = None
    """Which of the reference's values are a `bool`, as labels without keys. Of another contract a value is not read
    where it is one and the reference's is not, or the other way around: what they hold says nothing about one another.
    None: everything."""
    balances: tuple[str, ...] = ()
    """Accounts whose balance is read, as 64 hex digits without ``0x``."""
    branches: tuple[Branch, ...] = ()
    """In order of the calls they come after."""


class Machine(Protocol):
    """Runs one program on several contracts under like conditions."""

    @property
    def reproducible(self) -> bool:
        """Whether what `fingerprint` says fixes every trace, so that verdicts may be kept."""
        ...

    def run(self, program: Program, subjects: Sequence[Subject], plan: Observation) -> list[Trace]:
        """One trace a subject, in order.

        The first subject is the reference: its use of gas bounds what the others may burn where the chain recorded
        nothing. A subject that uses up its time, memory or answer size has ``Trace.stopped`` set. Raises HarnessError
        when the node itself fails.
        """
        ...

    def fingerprint(self) -> dict[str, object]:
        """Every setting that a trace depends on."""
        ...

    def tools(self) -> dict[str, str]:
        """Versions of the nodes used so far, by name."""
        ...
