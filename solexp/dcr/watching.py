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
_ROUNDS = 4
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
        self.names: dict[str, tuple[str, ...]] = {}
        """Names of parameters by canonical signature; those of ``receive()`` and ``fallback()`` are empty."""
        for node in self._unit.exposed(self._unit.contract(contract)):
            kind = kind_of(node)
            declared = node["parameters"]["parameters"]
            try:
                name = self._unit.signature(node) if kind == "function" else f"{kind}()"
            except Unsupported:
                continue
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
    states, calls = _wanted(graph, declared)
    unread: list[str] = []
    path, end = end_of(sources, contract)
    text = sources[path].encode()
    for _ in range(_ROUNDS):
        added, places = _functions(states, calls, declared, end)
        made = dict(sources) | {path: (text[:end] + added + text[end:]).decode()}
        build = compiled(made)
        if build.ok:
            selectors = {
                f"{function} {guard}": _selector(f"{_CALL}{number}({function.partition('(')[2]}")
                for number, (function, guard) in enumerate(calls)
            }
            return Watched(made, tuple(states), selectors, tuple(unread)), build
        faulty = {
            number
            for error in build.errors
            for number, (start, stop) in enumerate(places)
            if error.path == path and start <= (error.start or 0) < stop
        }
        if not faulty:
            faulty = set(range(len(places)))
        unread += [
            (states[n] if n < len(states) else calls[n - len(states)][1]) for n in sorted(faulty)
        ]
        kept = [each for n, each in enumerate(calls, len(states)) if n not in faulty]
        states = [each for n, each in enumerate(states) if n not in faulty]
        calls = kept
    return None


def _wanted(graph: Graph, declared: Declared) -> tuple[list[str], list[tuple[str, str]]]:
    """Guards of the state, and those about a call of a function."""
    states: dict[str, None] = {}
    calls: dict[tuple[str, str], None] = {}
    for event in graph.events:
        parts = parts_of(event, declared.names.get(event.function, ()))
        states |= dict.fromkeys(each for each in (parts.state, parts.time) if each)
        if event.guard is not None and declared.parameters(event.function) is not None:
            calls[event.function, event.guard] = None
    for relation in graph.relations:
        if relation.guard is None:
            continue
        function = graph.by_id[relation.source].function
        about = set(declared.names.get(function, ())) | _BY_CALL
        if not about & set(names(relation.guard)):
            states[relation.guard] = None
        elif declared.parameters(function) is not None:
            calls[function, relation.guard] = None
    return list(states), list(calls)


def _functions(
    states: Sequence[str], calls: Sequence[tuple[str, str]], declared: Declared, start: int
) -> tuple[bytes, list[tuple[int, int]]]:
    """The text of the functions, and where each of them stands in the source that it is put into at ``start``."""
    lines = [
        f"function {_STATE}{number}() public returns (bool) {{ return ({guard}); }}"
        for number, guard in enumerate(states)
    ]
    lines += [
        f"function {_CALL}{number}({declared.parameters(function)}) external payable "
        f"returns (bool) {{ return ({guard}); }}"
        for number, (function, guard) in enumerate(calls)
    ]
    bits = " ".join(
        f"if ({_STATE}{number}()) found |= {1 << number};" for number in range(len(states))
    )
    text, places = b"\n", []
    for line in lines:
        before = start + len(text)
        text += line.encode() + b"\n"
        places.append((before, start + len(text)))
    text += f"function {_ALL}() public returns (uint256 found) {{ {bits} }}\n".encode()
    return text, places


def _selector(signature: str) -> str:
    return f"{keccak(signature.encode()):064x}"[:8]
