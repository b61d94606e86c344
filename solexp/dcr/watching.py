"""Guards evaluated on the deployed contract: the original with one more function for each.

The compiler itself reads them, so that names, private variables, overloads and arithmetic mean what they mean in the
contract. Guards of the state alone are answered by one call, all together.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

import msgspec

from solexp.core import Build
from solexp.dcr.expressions import joined, names
from solexp.dcr.graph import Event, Graph
from solexp.evm.words import keccak
from solexp.violations.solidity.faults import Unsupported
from solexp.violations.solidity.probes import end_of
from solexp.violations.solidity.unit import Node, Unit, kind_of

_STATE, _CALL, _ALL = "solexpState", "solexpCall", "solexpStates"
_ROUNDS = 6
_MOST_STATES = 250
"""Bits that there are in a word, about."""
_TIME = frozenset({"block", "now"})
_BY_CALL = frozenset({"msg", "tx"})


class Parts(msgspec.Struct, frozen=True):
    """An event's guard by what its conjuncts speak of. None where there are none of a kind."""

    state: str | None = None
    time: str | None = None
    """State and block."""


class Watched(msgspec.Struct, frozen=True):
    """The original with the guards of a graph as functions of its own."""

    sources: dict[str, str]
    states: tuple[str, ...]
    """Guards that the state and the block answer; their places are bits of what `all_states` answers."""
    calls: dict[str, str]
    """Selectors (8 hex digits) of what answers guards about one call, by function and guard, see `key`."""
    unread: tuple[str, ...]
    """Guards that the contract does not take."""

    def key(self, function: str, guard: str) -> str:
        """The key of a guard in ``calls``."""
        return f"{function} {guard}"


def all_states() -> str:
    """Calldata of what answers all guards of the state, as bits of a number."""
    return f"0x{_selector(_ALL + '()')}"


def one_state(place: int) -> str:
    """Calldata of what answers one of them."""
    return f"0x{_selector(f'{_STATE}{place}()')}"


def parts_of(event: Event, parameters: Iterable[str]) -> Parts:
    """What an event's guard asks of the state alone, its function's parameters having these names."""
    if event.guard is None:
        return Parts()
    given = set(parameters) | _BY_CALL
    alone = [each for each in joined(event.guard) if not given & set(names(each))]
    state = [each for each in alone if not _TIME & set(names(each))]
    timed = [each for each in alone if each not in state]
    return Parts(" && ".join(state) or None, " && ".join(timed) or None)


class Declared:
    """How the functions of a contract declare their parameters."""

    def __init__(self, build: Build, contract: str, sources: Mapping[str, str]) -> None:
        """``build`` has ASTs. Raises DataError where it has not, or has no such contract."""
        self._unit = Unit(build, sources)
        self._texts: dict[str, str] = {}
        self.owners: dict[str, str] = {}
        """Contracts that define the functions, by signature: private variables are visible there."""
        self.names: dict[str, tuple[str, ...]] = {}
        """Names of parameters by canonical signature; those of ``receive()`` and ``fallback()`` are empty."""
        for node in self._unit.exposed(self._unit.contract(contract)):
            kind = kind_of(node)
            declared = node["parameters"]["parameters"]
            try:
                name = self._unit.signature(node) if kind == "function" else f"{kind}()"
            except Unsupported:
                continue
            owner = self._unit.owner.get(node["id"])
            if owner is not None:
                self.owners[name] = self._unit.contracts[owner]["name"]
            own = kind == "function"
            self._texts[name] = ", ".join(map(self._declaration, declared)) if own else ""
            self.names[name] = tuple(each["name"] for each in declared) if own else ()

    def parameters(self, function: str) -> str | None:
        """The declarations of a function's parameters, for an external function."""
        return self._texts.get(function)

    def _declaration(self, node: Node) -> str:
        place = self._unit.place(node["typeName"])
        kind = self._unit.text(place.path, place.start, place.end)
        refers = node.get("storageLocation") in ("memory", "calldata")
        location = " calldata" if refers and self._unit.version >= (0, 5, 0) else ""
        return f"{kind}{location} {node['name']}".rstrip()


def watched(
    graph: Graph,
    declared: Declared,
    contract: str,
    sources: Mapping[str, str],
    compiled: Callable[[dict[str, str]], Build],
) -> tuple[Watched, Build] | None:
    """The sources with the graph's guards, and their build; None where these cannot be compiled at all."""
    wanted = _wanted(graph, declared, contract)
    unread: list[str] = []
    for _ in range(_ROUNDS):
        made, places = _with_functions(sources, wanted, declared, contract)
        build = compiled(made)
        if build.ok:
            states = tuple(each.guard for each in wanted if not each.by_call)
            selectors = {
                f"{each.function} {each.guard}": _selector(each.signature(number))
                for number, each in enumerate(wanted)
                if each.by_call
            }
            return Watched(made, states, selectors, tuple(unread)), build
        faulty = {
            number
            for error in build.errors
            for number, (path, start, stop) in enumerate(places)
            if error.path == path and start <= (error.start or 0) < stop
        }
        kept = []
        for number, each in enumerate(wanted):
            if faulty and number not in faulty:
                kept.append(each)
            elif faulty and len(each.homes) > 1:
                kept.append(msgspec.structs.replace(each, homes=each.homes[1:]))
            else:
                unread.append(each.guard)
        wanted = kept
    return None


class _Wanted(msgspec.Struct, frozen=True):
    """A guard that is to be a function."""

    guard: str
    function: str
    """The function that it belongs to."""
    by_call: bool
    homes: tuple[str, ...]
    """Contracts in which it may be understood, the likeliest first."""

    def signature(self, number: int) -> str:
        """Of the function that it becomes."""
        if not self.by_call:
            return f"{_STATE}{number}()"
        return f"{_CALL}{number}({self.function.partition('(')[2]}"

    def text(self, number: int, parameters: str | None) -> str:
        """Its declaration."""
        name = self.signature(number).partition("(")[0]
        rest = f"({parameters}) external payable" if self.by_call else "() public"
        return f"function {name}{rest} returns (bool) {{ return ({self.guard}); }}\n"


def _wanted(graph: Graph, declared: Declared, contract: str) -> list[_Wanted]:
    """Guards of the state, whose places are their bits, and then those about a call of a function."""
    states: dict[str, _Wanted] = {}
    calls: dict[tuple[str, str], _Wanted] = {}

    def want(guard: str, function: str, *, by_call: bool) -> None:
        owner = declared.owners.get(function, contract)
        homes = (contract,) if owner == contract else (contract, owner)
        made = _Wanted(guard, function, by_call, homes)
        if by_call:
            calls.setdefault((function, guard), made)
        elif len(states) < _MOST_STATES:
            states.setdefault(guard, made)

    for event in graph.events:
        parts = parts_of(event, declared.names.get(event.function, ()))
        for each in (parts.state, parts.time):
            if each:
                want(each, event.function, by_call=False)
        if event.guard is not None and declared.parameters(event.function) is not None:
            want(event.guard, event.function, by_call=True)
    for relation in graph.relations:
        if relation.guard is None:
            continue
        function = graph.by_id[relation.source].function
        about = set(declared.names.get(function, ())) | _BY_CALL
        by_call = bool(about & set(names(relation.guard)))
        if not by_call or declared.parameters(function) is not None:
            want(relation.guard, function, by_call=by_call)
    return [*states.values(), *calls.values()]


def _with_functions(
    sources: Mapping[str, str], wanted: Sequence[_Wanted], declared: Declared, contract: str
) -> tuple[dict[str, str], list[tuple[str, int, int]]]:
    """The sources with the functions, and where each of these stands: path, start and end in bytes."""
    bits = " ".join(
        f"if ({_STATE}{number}()) found |= {1 << number};"
        for number, each in enumerate(wanted)
        if not each.by_call
    )
    every = f"function {_ALL}() public returns (uint256 found) {{ {bits} }}\n"
    ends = {home: end_of(sources, home) for each in wanted for home in each.homes[:1]}
    ends.setdefault(contract, end_of(sources, contract))
    places: dict[int, tuple[str, int, int]] = {}
    made = dict(sources)
    for path in {path for path, _ in ends.values()}:
        text, before = sources[path].encode(), 0
        found = b""
        for home, (_, end) in sorted(
            ((home, at) for home, at in ends.items() if at[0] == path), key=lambda row: row[1]
        ):
            found += text[before:end] + b"\n"
            before = end
            for number, each in enumerate(wanted):
                if each.homes[0] == home:
                    start = len(found)
                    found += each.text(number, declared.parameters(each.function)).encode()
                    places[number] = path, start, len(found)
            if home == contract:
                found += every.encode()
        made[path] = (found + text[before:]).decode()
    return made, [places[number] for number in range(len(wanted))]


def _selector(signature: str) -> str:
    return f"{keccak(signature.encode()):064x}"[:8]
