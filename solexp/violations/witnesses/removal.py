"""The original with guards that a call can take out: which of its guards end a call, shown by running it without them.

Revert data tell guards apart only where no two have the same. So every guard that the author wrote gets a switch: a
byte behind the call's own calldata, which no contract reads, takes it out for that call. A call that succeeds once just
the violated guards are out violates no other; one that still fails with all but one out shows that this fires alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from solexp.core import Build
from solexp.solidity.syntax import nodes
from solexp.violations.solidity import FunctionGuards, Guard

_ON = "a5"
_SWITCHED = "require", "assert"

Span = tuple[str, int, int]
"""Path, and UTF-8 byte offsets of a guard in it."""


class Switches(msgspec.Struct, frozen=True):
    """Sources whose guards can be switched off, and the switch of each guard."""

    sources: dict[str, str]
    places: dict[Span, int]
    """Which byte from the end of the calldata takes a guard out."""

    def has(self, guards: Iterable[Guard]) -> bool:
        """Whether all of them can be taken out."""
        return all(_span(guard) in self.places for guard in guards)

    def same(self, one: Guard, other: Guard) -> bool:
        """Whether both are one guard in the source, reached by different calls."""
        return _span(one) == _span(other)

    def without(self, calldata: str, guards: Iterable[Guard]) -> str:
        """The calldata of a call without the guards."""
        off = {self.places[_span(guard)] for guard in guards}
        count = max(self.places.values()) + 1
        behind = (_ON if place in off else "00" for place in reversed(range(count)))
        return calldata + "".join(behind)


def switches(
    build: Build, sources: Mapping[str, str], functions: Iterable[FunctionGuards]
) -> Switches | None:
    """The sources with a switch at every guard that has a form known here; None where there is none."""
    wanted = {_span(g) for function in functions for g in function.guards if g.kind.stated}
    found: dict[Span, list[tuple[int, str]]] = {}
    places: dict[Span, int] = {}
    for path, tree in (build.asts or {}).items():
        parents = _spans(path, tree)
        for span in sorted(wanted & parents.keys()):
            place = len(places)
            edits = next(filter(None, (_edits(node, place) for node in parents[span])), None)
            if edits is not None:
                places[span] = place
                found[span] = edits
    if not places:
        return None
    changed = dict(sources)
    for path in {span[0] for span in found}:
        inserted = sorted(
            (at, order, text)
            for span, edits in found.items()
            if span[0] == path
            for order, (at, text) in enumerate(edits)
        )
        raw = sources[path].encode("utf-8", "replace")
        for at, _, text in reversed(inserted):
            raw = raw[:at] + text.encode() + raw[at:]
        changed[path] = raw.decode("utf-8", "replace")
    return Switches(changed, places)


def _span(guard: Guard) -> Span:
    return guard.path, guard.start, guard.end


def _spans(path: str, tree: Any) -> dict[Span, list[dict[str, Any]]]:
    found: dict[Span, list[dict[str, Any]]] = {}
    for node in nodes(tree):
        start, length = _src(node)
        found.setdefault((path, start, start + length), []).append(node)
    return found


def _src(node: Mapping[str, Any]) -> tuple[int, int]:
    start, length, _ = node["src"].split(":")
    return int(start), int(length)


def _edits(node: Mapping[str, Any], place: int) -> list[tuple[int, str]] | None:
    """What to insert where, so that the guard at a node can be switched off; None for another form of node."""
    off = (
        f"(msg.data.length > {place} && msg.data[msg.data.length - {place + 1}] == bytes1(0x{_ON}))"
    )
    kind = node["nodeType"]
    if kind == "FunctionCall":
        name = node["expression"].get("name")
        if name in _SWITCHED:
            return _around(node["arguments"][0], "((", f") || {off})")
        if name == "revert":
            return [(_src(node)[0], f"if (!{off}) ")]
    if kind in ("RevertStatement", "Throw"):
        return [(_src(node)[0], f"if (!{off}) ")]
    if kind == "IfStatement":
        if _fails(node["trueBody"]):
            return _around(node["condition"], "((", f") && !{off})")
        if node.get("falseBody") and _fails(node["falseBody"]):
            return _around(node["condition"], "((", f") || {off})")
    return None


def _around(node: Mapping[str, Any], before: str, after: str) -> list[tuple[int, str]]:
    start, length = _src(node)
    return [(start, before), (start + length, after)]


def _fails(branch: Any) -> bool:
    """Whether a branch does nothing but fail."""
    if branch["nodeType"] == "Block":
        statements = branch["statements"]
        return len(statements) == 1 and _fails(statements[0])
    if branch["nodeType"] == "ExpressionStatement":
        return bool(_named(branch["expression"], "revert"))
    return branch["nodeType"] in ("RevertStatement", "Throw")


def _named(node: Mapping[str, Any], name: str) -> bool:
    return bool(node["nodeType"] == "FunctionCall" and node["expression"].get("name") == name)
