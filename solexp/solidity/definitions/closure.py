"""Which definitions follow from which: the closure that SolContractEval's Algorithm 1 takes of the call graph."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from solexp.solidity.definitions.index import CALLABLES, CONTAINERS, Declaration, Index
from solexp.solidity.definitions.references import References

_BUILT_IN = """abi addmod assert balance block blockhash call callcode code codehash concat delegatecall ecrecover gas
gasleft keccak256 length log0 log1 log2 log3 log4 max min msg mulmod name now origin pop push require revert ripemd160
selector selfdestruct send sender sha256 sha3 staticcall suicide super this throw timestamp transfer tx type
value"""
_BUILT_IN_NAMES = frozenset(_BUILT_IN.split())
"""What a name can mean when nothing of that name is defined."""


class Closure:
    """Follows references from a contract that is to be shown without itself."""

    def __init__(self, index: Index, references: References, target: int) -> None:
        self.index = index
        self.references = references
        self.target = target
        self.roots = frozenset({target, *(each.number for each in index.members(target))})
        self._constructors = {
            number
            for each in index.declarations
            if each.kind in CONTAINERS
            for number in index.constructors(each.number)
        }

    def of(self, seeds: Iterable[int] = (), *, without: Collection[int] = ()) -> frozenset[int]:
        """What the target needs, and what that needs in turn, with ``seeds`` among it; ``without`` is not followed.

        The target and its members are no part of it.
        """
        kept: set[int] = set()
        done = set(without)
        queue = [*self.roots, *seeds]
        while queue:
            number = queue.pop()
            kept.add(number)
            done.add(number)
            queue += [each for each in self._next(number) if each not in done]
            if not queue:
                queue = [each for each in self._implied(kept) if each not in done]
        return frozenset(kept - self.roots)

    def reach(self, member: int, among: Collection[int]) -> frozenset[int]:
        """Those of ``among`` that one member of the target needs, other members' bodies left aside."""
        own = self.roots - {self.target}
        found: set[int] = set()
        queue = [member]
        seen: set[int] = set()
        while queue:
            number = queue.pop()
            seen.add(number)
            if number in among:
                found.add(number)
            for each in self._next(number):
                if each in seen or each == self.target:
                    continue
                if each in among:
                    queue.append(each)
                elif each in own:
                    seen.add(each)
                    queue += [n for n in self._shown(each) if n in among and n not in seen]
            if not queue:
                queue = [n for n in self._implied(found) if n in among and n not in seen]
        return frozenset(found)

    def doubtful(self, kept: Collection[int]) -> list[int]:
        """Those of ``kept`` that may be superfluous: no kept text names them, or what it names may be another.

        Members come before their contracts, and late ones before early ones: what is needed mostly stands before what
        needs it.
        """
        named = {
            meant
            for number in (*kept, *self.roots)
            for meant in self.references.certain.get(number, ())
        }
        by_name: dict[str, list[Declaration]] = {}
        for number in (*kept, *self.roots):
            each = self.index.declarations[number]
            by_name.setdefault(each.name, []).append(each)
        occupied = {self.index.declarations[number].contract for number in kept}
        found = []
        for number in sorted(kept, reverse=True):
            each = self.index.declarations[number]
            if each.kind in CONTAINERS and number in occupied:
                continue
            rivals = [other for other in by_name[each.name] if other.number != number]
            if (
                number not in named
                or each.name in _BUILT_IN_NAMES
                or any(self._confusable(each, other, kept) for other in rivals)
            ):
                found.append(number)
        return found

    def _next(self, number: int) -> list[int]:
        owner = self.index.declarations[number].contract
        needed = [
            *self.references.certain.get(number, ()),
            *self.references.likely.get(number, ()),
        ]
        return needed if owner is None else [owner, *needed]

    def _shown(self, number: int) -> list[int]:
        """What a member names to those who use it: all of it, or the header of what has a body of statements."""
        named = self.references.certain.get(number, ())
        if self.index.declarations[number].kind not in CALLABLES - {"modifier"}:
            return list(named)
        words = set(self.index.words(number))
        return [each for each in named if self.index.declarations[each].name in words]

    def _implied(self, kept: Collection[int]) -> list[int]:
        """What contracts need as a whole, given what of them is kept."""
        found: list[int] = []
        contracts = [n for n in kept if self.index.declarations[n].kind in CONTAINERS]
        for number in contracts:
            lineage = {number, *self.references.bases.get(number, ())}
            members = [m for m in self.index.declarations if m.contract in lineage]
            if number not in self.references.abstract:
                found += self._implementing(members, kept)
            found += self._reconciling(members, kept)
        return found

    def _implementing(self, members: list[Declaration], kept: Collection[int]) -> list[int]:
        """A contract that can be deployed implements everything that its bases leave open."""
        open_names = {
            each.name
            for each in members
            if each.number in kept and each.number in self.references.bodiless
        }
        return [
            each.number
            for each in members
            if each.name in open_names
            and each.kind in ("function", "modifier", "variable")
            and each.number not in self.references.bodiless
        ]

    def _reconciling(self, members: list[Declaration], kept: Collection[int]) -> list[int]:
        """Overriding what two bases define, or passing arguments to a base's constructor that wants some."""
        found = []
        for each in members:
            met = [n for n in self.references.likely.get(each.number, ()) if n in kept]
            overridden = [n for n in met if self.index.declarations[n].name == each.name]
            if each.kind == "function" and len(overridden) > 1:
                found.append(each.number)
            if each.number in self._constructors and self._constructors.intersection(met):
                found.append(each.number)
        return found

    def _confusable(self, one: Declaration, other: Declaration, kept: Collection[int]) -> bool:
        """Whether a name can mean either of two definitions somewhere in what is kept."""
        owners = {one.contract, other.contract}
        if len(owners) == 1 or None in owners:
            return True
        declarations = self.index.declarations
        if any(declarations[owner].kind == "library" for owner in owners if owner is not None):
            return True
        return any(
            owners <= {number, *self.references.bases.get(number, ())}
            for number in (*kept, self.target)
            if declarations[number].kind in CONTAINERS
        )
