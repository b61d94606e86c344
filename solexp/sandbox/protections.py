"""What this machine allows the sandbox."""

from __future__ import annotations

from solexp.core import ToolError
from solexp.sandbox.box import Sandbox
from solexp.sandbox.inside import ground
from solexp.sandbox.workspace import Walls, standing
from solexp.toolchain.doctor import Check

_LACKS = {
    ground.NAMESPACES: "namespaces (user namespaces are off here, or a container's profile refuses them)",
    ground.LANDLOCK: "Landlock",
    ground.FILTER: "a filter of system calls",
    ground.CLOCKS: "clocks of other processes, so CPU time is limited in whole seconds",
}


def check() -> Check:
    """A line for the doctor: the protections of untrusted Python code that stand here, and what lacking ones mean."""
    try:
        with Sandbox() as sandbox:
            here = sandbox.protections
    except ToolError as error:
        return Check(name="sandbox", ok=False, mend=f"{error}; Python candidates can't be run")
    wanted = [ground.NAMESPACES, ground.FILTER, ground.CLOCKS]
    if ground.NAMESPACES not in here:
        wanted[1:1] = [ground.LANDLOCK]
    lacking = [name for name in wanted if name not in here]
    mend = ""
    if lacking:
        mend = "without " + ", ".join(_LACKS[name] for name in lacking)
        if not {ground.NAMESPACES, ground.LANDLOCK} & set(here):
            mend += "; Python candidates can read this user's files"
        elif lacking == [ground.NAMESPACES]:
            mend += "; Python candidates can write no files"
    return Check(name="sandbox", ok=not lacking, where=", ".join(here), mend=mend)


def workspace_check() -> Check:
    """A line for the doctor: what keeps forge in the workspace of an agent from the rest of the machine."""
    here = standing()
    ok = here is not Walls.LIMITS
    mend = (
        ""
        if ok
        else f"without {_LACKS[ground.NAMESPACES]}; limits alone hold, and forge's own settings"
    )
    return Check(name="workspace", ok=ok, where=here.value, mend=mend)
