"""Simulating a program on one contract after another, on a private node or a user's own alike."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from solexp.core import CallResult, Checkpoint
from solexp.evm import answers
from solexp.evm.machine import Observation, Subject
from solexp.evm.script import RESTORE, Script
from solexp.evm.storage import SlotPlan, canonical, plan_slots

Post = Callable[[Sequence[bytes | str]], bytes]
"""Sends a request's body and returns the raw answer."""


class Simulations:
    """What the simulations of one program share: where each layout keeps what is read, and states read before."""

    def __init__(self, plan: Observation) -> None:
        self._plan = plan
        self._slots: dict[str, SlotPlan] = {}
        self._known: dict[SlotPlan, dict[str, dict[str, str]]] = {}

    def run(
        self, subject: Subject, script: Script, code: str, *, gas: Sequence[int], post: Post
    ) -> tuple[list[CallResult], list[Checkpoint]]:
        """Results of one call a limit in ``gas``, and the state at the script's readings.

        ``code`` is the subject's runtime code, put back after each reading. Raises RpcError or ToolError when the node
        does not answer as it should, and whatever ``post`` raises.
        """
        slots = self._slot_plan(subject)
        known = self._known.setdefault(slots, {})
        dead_from: int | None = None
        while True:
            calls, checkpoints, codeless = answers.read(
                post(script.body(slots.calldata, code, dead_from)),
                script,
                gas=gas,
                stop=len(gas),
                plan=self._plan,
                slots=slots,
                known=known,
            )
            if codeless is None or dead_from is not None or RESTORE not in script.pieces:
                return calls, checkpoints
            # It destroyed itself, and a reading would bring it back: once more, with that known.
            dead_from = codeless

    def _slot_plan(self, subject: Subject) -> SlotPlan:
        layout = subject.contract.storage_layout if self._plan.storage else None
        key = canonical(layout)
        if key not in self._slots:
            self._slots[key] = plan_slots(layout, self._plan)
        return self._slots[key]
