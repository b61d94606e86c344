"""What a sandbox says of a call, read as from a liar: bytes that are not what they should be make no result."""

from __future__ import annotations

import math
import struct
from collections.abc import Callable

from solexp.sandbox.inside import frames
from solexp.sandbox.inside.plain import MAX_DEPTH
from solexp.sandbox.limits import CallResult, Ended, Limits

_MAX_BITS = 3 * 4300
"""Python refuses to read longer integers in decimal, so they are written in hexadecimal."""


def loaded(body: bytes) -> bool:
    """Whether the program had been loaded when the call ended, from the zygote's message."""
    return body[frames.ENDING.size :][:1] == frames.LOADED


def result(body: bytes, limits: Limits) -> CallResult:
    """What came of a call, from the zygote's message."""
    why, status, cpu_s, idle_s = frames.ENDING.unpack_from(body)
    record = body[frames.ENDING.size :]
    if why == frames.USED_UP:
        said = f"used up its {limits.cpu_s:g} s of CPU time"
        return CallResult(ended=Ended.TIMEOUT, message=said, cpu_s=cpu_s)
    if why == frames.SLEPT:
        said = f"was idle for {idle_s:.1f} s"
        return CallResult(ended=Ended.TIMEOUT, message=said, cpu_s=cpu_s)
    if why == frames.OUTPUT:
        return CallResult(ended=Ended.UNREADABLE, message="wrote too much", cpu_s=cpu_s)
    try:
        found = _of_record(record)
    except (ValueError, IndexError, struct.error):
        found = CallResult(ended=Ended.UNREADABLE, message="its answer is garbled")
    if found is None or status:
        return CallResult(ended=Ended.DIED, message=_death(status), cpu_s=cpu_s)
    return CallResult(
        ended=found.ended,
        value=found.value,
        exception=found.exception,
        assertion=found.assertion,
        message=found.message,
        cpu_s=cpu_s,
    )


def _death(status: int) -> str:
    if status & 127:
        return f"ended by signal {status & 127}"
    return f"ended with status {status >> 8 & 255} and no answer"


def _of_record(record: bytes) -> CallResult | None:
    if not record:
        return None
    called = record[:1] == frames.LOADED
    kind, rest = (record[1:2], record[2:]) if called else (record[:1], record[1:])
    if called and not kind:
        return None
    if called and kind == frames.RETURNED:
        return CallResult(ended=Ended.RETURNED, value=literal(rest))
    if called and kind == frames.UNREADABLE:
        return CallResult(ended=Ended.UNREADABLE, message=_said(rest[2 + rest[1] :]))
    if kind == (frames.RAISED if called else frames.UNLOADED):
        size = rest[1]
        name, message = rest[2 : 2 + size], rest[2 + size :]
        if len(name) != size:
            raise ValueError
        return CallResult(
            ended=Ended.RAISED if called else Ended.UNLOADED,
            exception=_said(name),
            assertion=called and rest[0] == 1,
            message=_said(message),
        )
    raise ValueError


def _said(data: bytes) -> str:
    return data[:8000].decode("utf-8", "replace")


def literal(packed: bytes) -> str:
    """A packed value as `solexp.python.literals.write` would write it. Raises ValueError for what is none."""
    reader = _Reader(packed)
    text = reader.value(0)
    if reader.at != len(packed):
        raise ValueError("more than one value")
    return text


class _Reader:
    def __init__(self, packed: bytes) -> None:
        self._packed = packed
        self.at = 0

    def take(self, size: int) -> bytes:
        data = self._packed[self.at : self.at + size]
        if len(data) != size:
            raise ValueError("cut off")
        self.at += size
        return data

    def count(self) -> int:
        found = int.from_bytes(self.take(4))
        if found > len(self._packed):
            raise ValueError("more elements than bytes")
        return found

    def value(self, depth: int) -> str:
        if depth > MAX_DEPTH:
            raise ValueError("too deep")
        tag = self.take(1)
        simple = _SIMPLE.get(tag)
        if simple is not None:
            return simple(self)
        count = self.count()
        if tag == b"M":
            items = (f"{self.value(depth + 1)}: {self.value(depth + 1)}" for _ in range(count))
            return f"{{{', '.join(items)}}}"
        parts = [self.value(depth + 1) for _ in range(count)]
        match tag:
            case b"L":
                return f"[{', '.join(parts)}]"
            case b"U":
                return f"({', '.join(parts)}{',' * (count == 1)})"
            case b"X":
                return f"{{{', '.join(sorted(parts))}}}" if parts else "set()"
            case b"Z":
                return f"frozenset({{{', '.join(sorted(parts))}}})" if parts else "frozenset()"
        raise ValueError("no such kind")


def _integer(reader: _Reader) -> str:
    digits = reader.take(reader.count())
    value = int(digits, 16)
    return repr(value) if value.bit_length() < _MAX_BITS else hex(value)


def _float(value: float) -> str:
    return repr(value) if math.isfinite(value) else f"float('{value}')"


def _complex(reader: _Reader) -> str:
    real, imaginary = struct.unpack(">dd", reader.take(16))
    return f"complex({_float(real)}, {_float(imaginary)})"


_SIMPLE: dict[bytes, Callable[[_Reader], str]] = {
    b"N": lambda _: "None",
    b"T": lambda _: "True",
    b"F": lambda _: "False",
    b"E": lambda _: "...",
    b"I": _integer,
    b"D": lambda reader: _float(*struct.unpack(">d", reader.take(8))),
    b"C": _complex,
    b"S": lambda reader: repr(reader.take(reader.count()).decode("utf-8", "surrogatepass")),
    b"B": lambda reader: repr(reader.take(reader.count())),
    b"A": lambda reader: repr(bytearray(reader.take(reader.count()))),
}
