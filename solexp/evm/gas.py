"""How much gas each call may burn."""

from __future__ import annotations

from solexp.core import Program, Recorded, Trace
from solexp.evm.machine import GasRule

UNRECORDED = 30_000_000
"""Limit of the reference's calls, and of its deployment four times over, where the chain recorded none."""
MULTIPLE = 10
"""A call may use this many times the gas that the chain or the reference used."""
LEAST = 1_000_000
"""... and at least this, so that wrong code which goes on where the reference stops is seen going on."""

METADATA_GAS = 64 * 53
"""What the metadata hash at the end of the code may cost more than the original's: zero bytes are cheaper as calldata.

Many recorded deployments have not a unit of gas to spare, and the hash changes with every comment.
"""


def call_limits(program: Program, rule: GasRule, reference: Trace | None) -> list[int]:
    """One limit a call, in units of gas.

    Under ``generous`` the limit is the recorded one or `MULTIPLE` times the recorded use, whichever is larger; a call
    that used up its limit on the chain keeps it. Where nothing is recorded, ``reference`` (its own trace, or None while
    it is being made) stands in for the chain. Limits do not depend on the subject otherwise, since code can read them.
    """
    limits = []
    done = reference.calls if reference is not None else ()
    for index, call in enumerate(program.calls):
        recorded = call.recorded
        if call.gas is not None and (
            rule == "recorded"
            or (recorded is not None and not recorded.status and ran_out(recorded, call.gas))
        ):
            limits.append(call.gas)
        elif recorded is not None:
            limits.append(max(call.gas or 0, MULTIPLE * recorded.gas_used, LEAST))
        elif index < len(done):
            limits.append(max(call.gas or 0, MULTIPLE * done[index].gas_used, LEAST))
        else:
            limits.append(max(call.gas or 0, UNRECORDED))
    return limits


def ran_out(recorded: Recorded, limit: int) -> bool:
    """Whether a failed call may have failed for want of gas.

    Running out below the top frame leaves what EIP-150 holds back there, one part in 64.
    """
    return 64 * recorded.gas_used >= 62 * limit


def deployment_limit(program: Program, rule: GasRule, reference: Trace | None) -> int:
    """Limit of the deployment, in units of gas; chosen as in `call_limits`."""
    deployment = program.deployment
    if rule == "recorded" and deployment.gas is not None:
        return deployment.gas + METADATA_GAS
    if deployment.recorded is not None:
        return max(deployment.gas or 0, MULTIPLE * deployment.recorded.gas_used, LEAST)
    if reference is not None:
        return max(deployment.gas or 0, MULTIPLE * reference.deployment.gas_used, LEAST)
    return max(deployment.gas or 0, 4 * UNRECORDED)
