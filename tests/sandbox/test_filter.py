"""The filter of system calls lets pass what it should, on machines of both kinds."""

from __future__ import annotations

import errno
import struct

import pytest

from solexp.sandbox.inside.seccomp import program
from solexp.sandbox.inside.syscalls import numbers

ALLOW = 0x7FFF0000
MACHINES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
NEVER = {
    "x86_64": {"socket": 41, "connect": 42, "ptrace": 101, "mount": 165, "memfd_create": 319, "bpf": 321},
    "aarch64": {"socket": 198, "connect": 203, "ptrace": 117, "mount": 40, "memfd_create": 279, "bpf": 280},
}  # fmt: skip


def run(filtered: bytes, data: bytes) -> int:
    """What the kernel's packet filter answers; those of its instructions that are used."""
    instructions = list(struct.iter_unpack("HBBI", filtered))
    at = register = 0
    while True:
        code, yes, no, constant = instructions[at]
        at += 1
        match code:
            case 0x20:
                (register,) = struct.unpack_from("I", data, constant)
            case 0x15:
                at += yes if register == constant else no
            case 0x35:
                at += yes if register >= constant else no
            case 0x45:
                at += yes if register & constant else no
            case 0x06:
                return int(constant)
            case _:
                raise AssertionError(code)


def asked(filtered: bytes, machine: int, number: int, *arguments: int) -> int:
    padded = (*arguments, *[0] * (6 - len(arguments)))
    return run(filtered, struct.pack("iIQ6Q", number, machine, 0, *padded))


@pytest.mark.parametrize("machine", MACHINES)
def test_each_call_is_answered_as_the_table_says(machine: str) -> None:
    filtered = program(machine, processes=False, signals=False)
    assert filtered is not None
    known = numbers(machine)
    sometimes = ["clone", "fork", "vfork", "execve", "execveat"]
    sometimes += ["kill", "tgkill", "prlimit64", "socketpair", "sendto"]
    plain = {known[name] for name in known if name not in sometimes}
    special = {known[name] for name in sometimes if name in known}
    for number in set(range(-1, 700)) - special:
        wanted = (
            ALLOW
            if number in plain
            else 0x50000 | (errno.EPERM if 0 <= number < 424 else errno.ENOSYS)
        )
        assert asked(filtered, MACHINES[machine], number) == wanted, number
    for name, number in NEVER[machine].items():
        assert asked(filtered, MACHINES[machine], number) == 0x50000 | errno.EPERM, name
    assert asked(filtered, 0x40000003, known["read"]) != ALLOW
    assert asked(filtered, MACHINES[machine], known["read"] | 0x40000000) != ALLOW


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("processes", [False, True])
@pytest.mark.parametrize("signals", [False, True])
def test_what_hangs_on_arguments_hangs_on_them(
    machine: str, processes: bool, signals: bool
) -> None:
    filtered = program(machine, processes=processes, signals=signals)
    assert filtered is not None
    known = numbers(machine)

    def passes(name: str, *arguments: int) -> bool:
        return asked(filtered, MACHINES[machine], known[name], *arguments) == ALLOW

    thread, user_namespace = 0x10000, 0x10000000
    assert passes("clone", thread | 17)
    assert passes("clone", 17) is processes
    assert not passes("clone", thread | user_namespace)
    assert not passes("clone", user_namespace)
    assert passes("execve") is processes
    assert passes("kill", 1, 9) is signals
    assert passes("tgkill", 1, 1, 9) is signals
    assert passes("prlimit64", 0)
    assert not passes("prlimit64", 1)
    assert passes("socketpair", 1)
    assert not passes("socketpair", 2)
    assert passes("sendto", 3, 5, 5, 0, 0, 0)
    assert not passes("sendto", 3, 5, 5, 0, 1, 0)
    assert not passes("sendto", 3, 5, 5, 0, 1 << 40, 0)


def test_a_machine_that_is_not_known_has_no_filter() -> None:
    assert program("riscv64", processes=False, signals=False) is None
