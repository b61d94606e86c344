"""Every guard of a contract violated alone, and each call run on the EVM."""

from __future__ import annotations

from solexp.core import Build, Call, CallResult, Deployment, Program
from solexp.evm.anvil import AnvilMachine
from solexp.evm.machine import Branch, Observation, Subject
from solexp.violations.solidity import Contract, Settings, Snapshot, Solution, Status
from solexp.violations.solidity.construction import construct
from tests.violations.solidity.running import BLOCK, HERE, SENDERS, TIME, after


class Tried:
    """The guards of a contract named Box, deployed without arguments, and calls for each."""

    def __init__(
        self, build: Build, sources: dict[str, str], keys: tuple[int | bytes, ...]
    ) -> None:
        self.contract = Contract(build, "Box", sources)
        deployed = build.contract("Box")
        assert deployed is not None
        self.subject = Subject(deployed.creation, deployed)
        self.deployment = Deployment(
            contract="Box", sender=SENDERS[0], nonce=0, block_number=BLOCK, timestamp=TIME
        )
        self.keys = keys
        self.state = self._state()
        self.lines: list[str] = []
        """One a guard: function, kind, text, status."""
        self.solutions: list[tuple[str, Solution]] = []

    def _state(self) -> Snapshot:
        unit, node = self.contract.unit, self.contract.node
        empty = Snapshot(address=HERE, contracts=frozenset({HERE}))
        values = {"sender": int(SENDERS[0], 16), "timestamp": TIME, "number": BLOCK}
        reached = after(construct(unit, node, empty), values, empty)
        return Snapshot(
            address=HERE,
            block_number=BLOCK,
            timestamp=TIME,
            accounts=SENDERS,
            keys=self.keys,
            storage=reached.storage,
            contracts=frozenset({HERE}),
            immutables=self.contract.immutables(self.deployment, HERE),
        )

    def solve(self, settings: Settings = Settings()) -> None:  # noqa: B008
        """One call a guard, and one for each function that satisfies all."""
        for function in self.contract.functions():
            situation = self.contract.at(function.signature, self.state)
            queries = [(f"{g.kind} {g.text}", {g.number}) for g in function.guards]
            for what, violated in [("passes", set()), *queries]:
                answer = situation.solve(violated, settings)
                said = answer.reason if answer.status is Status.UNSUPPORTED else ""
                extra = (
                    f" ({answer.solutions[0].exactness})" if violated and answer.solutions else ""
                )
                self.lines.append(
                    f"{function.name}: {what}: {answer.status}{extra}{said and f' {said}'}"
                )
                for solution in answer.solutions:
                    assert (solution.first is None) == (not violated)
                    if violated:
                        assert solution.first in violated
                    self.solutions.append((function.signature, solution))

    def run(self) -> None:
        """Runs all calls, each from the state after deployment. Raises AssertionError where one does otherwise."""
        program = Program(deployment=self.deployment)
        calls = tuple(
            Call(
                sender=solution.sender,
                input=solution.input,
                value=solution.value,
                gas=3_000_000,
                block_number=solution.block_number,
                timestamp=solution.timestamp,
            )
            for _, solution in self.solutions
        )
        plan = Observation(storage=False, branches=tuple(Branch(0, (call,)) for call in calls))
        trace = AnvilMachine().run(program, [self.subject], plan)[0]
        assert trace.deployment.status
        for (signature, solution), branch in zip(self.solutions, trace.branches, strict=True):
            self._check(signature, solution, branch.calls[0])

    def _check(self, signature: str, solution: Solution, result: CallResult) -> None:
        what = f"{signature} {solution}"
        if solution.first is None:
            assert result.status, f"reverts with {result.output}: {what}"
            return
        guard = self.contract.function(signature).guards[solution.first]
        assert not result.status, f"does not revert at {guard.text}: {what}"
        assert guard.expected.matches(result.output), (
            f"{result.output}, not {guard.expected}: {what}"
        )
