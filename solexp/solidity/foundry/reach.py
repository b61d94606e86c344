"""Which tests reach which functions.

Rapid type analysis (Bacon and Sweeney, OOPSLA 1996) on the compiler's call graph: a call on a value of a contract's
type may end in that contract, or in any heir of it that the test, its ``setUp`` or its contract's construction deploys.
Calls by name follow the linearization of the contract that runs. What is called by address and bytes alone is not seen.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

import msgspec

from solexp.solidity.foundry.callgraph import CallGraph, Code, Contract

_TEST = re.compile(r"(?:test|invariant|statefulFuzz)")
_INVARIANT = re.compile(r"(?:invariant|statefulFuzz)")
_OLD_FAIL = re.compile(r"testFail")
"""forge has refused suites with these since 1.0."""

_Place = tuple[int, int | None]
"""Code, and the contract whose code runs; None outside of any."""


class Test(msgspec.Struct, frozen=True, kw_only=True):
    """A test function, as one contract has it."""

    __test__ = False

    contract: int
    code: int
    reached: frozenset[int]
    """Ids of the code that it reaches itself."""


class Reached(msgspec.Struct, frozen=True, kw_only=True):
    """What the tests of a file reach."""

    tests: tuple[Test, ...]
    beforehand: Mapping[int, frozenset[int]]
    """What construction and ``setUp`` reach, by test contract."""

    def by(self, code: int) -> tuple[Test, ...]:
        """The tests that reach a function; where none does itself, those of the contracts whose ``setUp`` does."""
        own = tuple(test for test in self.tests if code in test.reached)
        return own or tuple(test for test in self.tests if code in self.beforehand[test.contract])


def reached(graph: CallGraph, path: str) -> Reached:
    """What the tests in the file ``path`` reach; contracts that cannot be deployed hold none."""
    tests: list[Test] = []
    beforehand: dict[int, frozenset[int]] = {}
    for contract in graph.contracts.values():
        if contract.path != path or contract.abstract:
            continue
        found = list(_tests(graph, contract))
        if not found:
            continue
        setting = _Walk(graph)
        setting.deploy(contract.id)
        for each in _called(graph, contract, "setUp"):
            setting.visit(each.id, contract.id)
        setting.run()
        beforehand[contract.id] = setting.reached()
        for test in found:
            walk = _Walk(graph, setting.deployed)
            walk.visit(test.id, contract.id)
            if _INVARIANT.match(test.name):
                walk.call_everything(setting.deployed - {contract.id})
            walk.run()
            tests.append(Test(contract=contract.id, code=test.id, reached=walk.reached()))
    return Reached(tests=tuple(tests), beforehand=beforehand)


def _tests(graph: CallGraph, contract: Contract) -> Iterable[Code]:
    seen: set[str] = set()
    for base in contract.lineage:
        for key, number in graph.members.get(base, {}).items():
            code = graph.code[number]
            if (
                key not in seen
                and code.kind == "function"
                and code.external
                and _TEST.match(code.name)
                and not _OLD_FAIL.match(code.name)
            ):
                yield code
            seen.add(key)


def _called(graph: CallGraph, contract: Contract, name: str) -> Iterable[Code]:
    key = f"function {name}()"
    for base in contract.lineage:
        if key in graph.members.get(base, {}):
            yield graph.code[graph.members[base][key]]
            return


class _Walk:
    """A walk along the calls."""

    def __init__(self, graph: CallGraph, deployed: Iterable[int] = ()) -> None:
        self.graph = graph
        self.deployed = set(deployed)
        self._seen: set[_Place] = set()
        self._waiting: list[_Place] = []
        self._instances: set[int] = set()
        """Functions that were called on values of a contract's type."""

    def reached(self) -> frozenset[int]:
        return frozenset(code for code, _ in self._seen)

    def visit(self, code: int, running: int | None) -> None:
        if (code, running) not in self._seen:
            self._seen.add((code, running))
            self._waiting.append((code, running))

    def deploy(self, contract: int) -> None:
        """Runs the construction of a contract."""
        for base in (
            self.graph.contracts[contract].lineage if contract in self.graph.contracts else ()
        ):
            if base not in self.graph.contracts:
                continue
            self.visit(base, contract)
            for number in self.graph.members[base].values():
                if self.graph.code[number].kind in ("constructor", "fallback", "receive"):
                    self.visit(number, contract)
        if contract not in self.deployed and contract in self.graph.contracts:
            self.deployed.add(contract)
            for called in tuple(self._instances):
                self._dispatch(called, contract)

    def call_everything(self, contracts: Iterable[int]) -> None:
        """Calls every function of these contracts from outside, as the runner of invariants does."""
        for contract in contracts:
            for base in self.graph.contracts[contract].lineage:
                for number in self.graph.members.get(base, {}).values():
                    if self.graph.code[number].external:
                        self._dispatch(number, contract)

    def run(self) -> None:
        while self._waiting:
            number, running = self._waiting.pop()
            code = self.graph.code[number]
            for reference in code.references:
                if reference.how == "new":
                    self.deploy(reference.id)
                elif reference.id in self.graph.code and reference.id not in self.graph.contracts:
                    self._call(reference.how, reference.id, code, running)

    def _call(self, how: str, called: int, caller: Code, running: int | None) -> None:
        target = self.graph.code[called]
        lineage = self._lineage(running)
        if how == "instance":
            self._instance(called)
        elif target.contract is None or self._is_library(target.contract):
            self.visit(called, target.contract)
        elif target.contract not in lineage:
            # Such as ``Base.f.selector`` of a contract that the running one does not inherit from.
            self._instance(called)
        elif how == "super":
            start = lineage.index(caller.contract) + 1 if caller.contract in lineage else 0
            self._resolved(target.key, lineage[start:], running)
        elif how == "exact" or target.kind == "constructor":
            self.visit(called, running)
        else:
            self._resolved(target.key, lineage, running)

    def _instance(self, called: int) -> None:
        if called in self._instances:
            return
        self._instances.add(called)
        code = self.graph.code[called]
        if code.implemented:
            self.visit(called, code.contract)
        for contract in tuple(self.deployed):
            self._dispatch(called, contract)

    def _dispatch(self, called: int, contract: int) -> None:
        code = self.graph.code[called]
        lineage = self._lineage(contract)
        if code.contract in lineage:
            self._resolved(code.key, lineage, contract)

    def _resolved(self, key: str, lineage: tuple[int, ...], running: int | None) -> None:
        for base in lineage:
            number = self.graph.members.get(base, {}).get(key)
            if number is not None and self.graph.code[number].implemented:
                self.visit(number, running)
                return

    def _lineage(self, contract: int | None) -> tuple[int, ...]:
        if contract is None or contract not in self.graph.contracts:
            return ()
        return self.graph.contracts[contract].lineage

    def _is_library(self, contract: int) -> bool:
        return self.graph.contracts[contract].kind == "library"
