"""What one program said or was asked is nowhere in the memory that the next one is given."""

from __future__ import annotations

import pytest

from solexp.sandbox import Ended, Limits
from solexp.sandbox.box import Sandbox
from solexp.sandbox.inside.buffer import Buffer

REFERENCE = "def f(x): return x + '-answer' * 3  # marker-comment"

SCAN = """
import ctypes, os
def pages():
    libc = ctypes.CDLL(None, use_errno=True)
    libc.sbrk.restype = ctypes.c_void_p
    reading, writing = os.pipe()
    met = set()
    for place in (id(object()), id(pages), id(ctypes), id(bytes(600_000)), id({}), libc.sbrk(0)):
        for page in range(max(16, (place >> 12) - 8192), (place >> 12) + 8192):
            if page in met: continue
            met.add(page)
            # The kernel says so where there is nothing to read; reading it here would be the end.
            if libc.write(writing, ctypes.c_void_p(page << 12), ctypes.c_size_t(4096)) == 4096:
                yield os.read(reading, 4096)
def f(backwards):
    wanted, found, count = backwards[::-1].encode(), [], 0
    for data in pages():
        count += 1
        at = data.find(wanted)
        while at >= 0:
            found.append(data[at:at + 16])
            at = data.find(wanted, at + 1)
    return count, found
"""


def scanned(sandbox: Sandbox) -> tuple[int, list[bytes]]:
    """Pages that a program could read, and what begins with "marker-" in them."""
    (result,) = sandbox.ask(SCAN, "f", ["['-rekram']"], Limits(cpu_s=5.0))
    assert result.ended is Ended.RETURNED, result
    count, found = eval(result.value or "")
    return count, found


@pytest.mark.parametrize(("calls", "together"), [(1, 1), (5, 1), (20, 10)])
def test_no_trace_of_a_program_is_left_for_the_next(
    sandbox: Sandbox, calls: int, together: int
) -> None:
    given = [f"['marker-argument-{n}']" for n in range(calls)]
    results = sandbox.ask(REFERENCE, "f", given, Limits(), together=together)
    assert results[0].value == "'marker-argument-0-answer-answer-answer'"
    count, found = scanned(sandbox)
    assert count > 1000
    # What the scan itself has of its word is in it.
    assert found
    assert not [each for each in found if each[7:10] in {b"arg", b"com"}]


def test_the_scan_finds_what_there_is(sandbox: Sandbox) -> None:
    program = SCAN.replace("def f(", "kept = 'marker-' + str(len('marker')) + 'arg'\ndef f(")
    (result,) = sandbox.ask(program, "f", ["['-rekram']"], Limits(cpu_s=5.0))
    assert [each for each in eval(result.value or "")[1] if each[7:11] == b"6arg"]


def test_a_buffer_holds_nothing_after_it_was_wiped() -> None:
    buffer = Buffer()
    buffer.put(b"secret", memoryview(b"ly kept"))
    assert bytes(buffer.view()) == b"secretly kept"
    assert bytes(buffer.view(6)) == b"ly kept"
    inside = memoryview(buffer._data)
    buffer.put(b"x")
    assert bytes(inside) == b"x" + bytes(12)
    buffer.wipe()
    assert bytes(inside) == bytes(13)
    buffer.reserve(100)
    assert not buffer.view()
