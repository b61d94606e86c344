"""Choosing the machine by plain settings, as a configuration gives them."""

from __future__ import annotations

from solexp.core.settings import above
from solexp.evm.anvil import AnvilMachine
from solexp.evm.machine import ForkRule, GasRule, Machine
from solexp.evm.node import NodeMachine


def machine(
    *,
    rpc_url: str | None = None,
    block: int | str = "recorded",
    gas: GasRule = "generous",
    forks: ForkRule = "exact",
    timeout_s: float = 120.0,
    memory_mb: int = 2048,
    answer_mb: int = 512,
    distinct_blocks: bool = True,
) -> Machine:
    """A private anvil, or with ``rpc_url`` the user's own node at ``block``.

    ``forks`` and ``memory_mb`` concern the private one, ``block`` and ``distinct_blocks`` the user's own.
    """
    above("oracle.replay.machine.timeout_s", timeout_s)
    above("oracle.replay.machine.memory_mb", memory_mb)
    above("oracle.replay.machine.answer_mb", answer_mb)
    if rpc_url is None:
        return AnvilMachine(
            gas=gas, forks=forks, timeout_s=timeout_s, memory_mb=memory_mb, answer_mb=answer_mb
        )
    return NodeMachine(
        rpc_url,
        block=block,
        gas=gas,
        timeout_s=timeout_s,
        answer_mb=answer_mb,
        distinct_blocks=distinct_blocks,
    )
