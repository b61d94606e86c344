"""Simulating a program on one contract after another, on a private node or a user's own alike."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec

from solexp.evm import answers
from solexp.evm.hardforks import at_least
from solexp.evm.machine import Observation, Subject
from solexp.evm.script import RESTORE, Script
from solexp.evm.storage import BALANCE, SlotPlan, canonical, plan_slots

Post = Callable[[Sequence[bytes | str]], bytes]
"""Sends a request's body and returns the raw answer."""


class Simulations:
    """What the simulations of one program on ``subjects``, the reference first, have in common.

    That is where each layout keeps what is read, which subjects are asked getters, and states read before.
    """

    def __init__(self, plan: Observation, subjects: Sequence[Subject], hardfork: str) -> None:
        self._plan = plan
        self._unasked = msgspec.structs.replace(plan, getters=())
        self._slots: dict[str, SlotPlan] = {}
        self._known: dict[SlotPlan, dict[str, dict[str, str]]] = {}
        self._first = subjects[:1]
        self._lacking = self._in_need(subjects)
        # Before Byzantium a getter can change state, and must then do so in all subjects or in none.
        self._apart = at_least(hardfork, "byzantium")

    def plan_of(self, subject: Subject) -> Observation:
        """What is read of this subject: the plan, without its getters where they would say nothing that counts."""
        if not self._plan.getters_in_need:
            return self._plan
        asked = bool(self._lacking)
        if self._apart and subject is not self._first[0]:
            asked = self._slot_plan(subject) in self._lacking
        return self._plan if asked else self._unasked

    def _in_need(self, subjects: Sequence[Subject]) -> frozenset[SlotPlan]:
        """Slot plans that lack a label of the reference's; all, where that has nothing but balances."""
        if not (subjects and self._plan.getters_in_need):
            return frozenset()
        plans = {self._slot_plan(subject) for subject in subjects if not subject.abstract}
        wanted = {field.label for field in self._slot_plan(subjects[0]).fields}
        if all(label.startswith(BALANCE) for label in wanted):
            return frozenset(plans)
        return frozenset(
            slots for slots in plans if not wanted <= {field.label for field in slots.fields}
        )

    def run(
        self, subject: Subject, script: Script, code: str, *, gas: Sequence[int], post: Post
    ) -> answers.Answer:
        """Results of one call a limit in ``gas``, the state at the script's readings, and what its branches came to.

        ``code`` is the subject's runtime code, put back after each reading. Raises RpcError or ToolError when the node
        does not answer as it should, and whatever ``post`` raises.
        """
        slots = self._slot_plan(subject)
        known = self._known.setdefault(slots, {})
        dead_from: int | None = None
        while True:
            answer = answers.read(
                post(script.body(slots.calldata, code, dead_from)),
                script,
                gas=gas,
                stop=len(gas),
                plan=self.plan_of(subject),
                slots=slots,
                known=known,
            )
            if answer.codeless is None or dead_from is not None or RESTORE not in script.pieces:
                return answer
            # It destroyed itself, and a reading would bring it back: once more, with that known.
            dead_from = answer.codeless

    def _slot_plan(self, subject: Subject) -> SlotPlan:
        layout = subject.contract.storage_layout if self._plan.storage else None
        key = canonical(layout)
        if key not in self._slots:
            self._slots[key] = plan_slots(layout, self._plan)
        return self._slots[key]
