"""What a sandbox says of a call, read as from a liar: bytes that are not what they should be make no result."""

from __future__ import annotations

import math
import struct
from collections.abc import Callable

import msgspec

from solexp.sandbox.inside import frames
from solexp.sandbox.inside.plain import MAX_DEPTH
from solexp.sandbox.limits import CallResult, Ended, Limits

_MAX_BITS = 3 * 4300
"""Python refuses to read longer integers in decimal, so they are written in hexadecimal."""


class Report(msgspec.Struct, frozen=True):
    """What a process of calls came to."""

    results: list[CallResult]
    """Of the calls that were answered, from the first on."""
    rest: CallResult | None
    """How the next one ended, where not all were answered, or the process did not end as it should."""
    loaded: bool
    """Whether the program was."""
    cpu_s: float
    """CPU seconds of the process."""
    used_up: bool
    """Whether it was ended for the CPU time of ``rest``."""


def report(body: bytes, count: int, limits: Limits) -> Report:
    """What the zygote's message says of ``count`` calls."""
    why, status, cpu_s, idle_s = frames.ENDING.unpack_from(body)
    record = body[frames.ENDING.size :]
    loaded = record[:1] == frames.LOADED
    results: list[CallResult] = []
    rest = _ending(why, status, idle_s, limits)
    try:
        if loaded:
            end = frames.whole(record, 1)[1]
            results += [_answer(part, limits) for part in frames.parts(record[1:end])]
            garbled = len(results) > count or (end < len(record) and rest is None)
        else:
            garbled = bool(record) and rest is None
            if garbled and record[:1] == frames.UNLOADED:
                rest, garbled = _raised(Ended.UNLOADED, record[1:]), False
    except (ValueError, IndexError, struct.error):
        garbled = True
    if garbled and rest is None:
        rest = CallResult(ended=Ended.UNREADABLE, message="its answer is garbled")
    elif rest is None and len(results) < count:
        rest = CallResult(
            ended=Ended.DIED, message=f"ended with status {status >> 8} and no answer"
        )
    if rest is not None:
        rest = msgspec.structs.replace(rest, cpu_s=cpu_s)
    return Report(results, rest, loaded, cpu_s, why == frames.USED_UP)


def _ending(why: bytes, status: int, idle_s: float, limits: Limits) -> CallResult | None:
    """How a process ended, if not as it should."""
    if why == frames.USED_UP:
        return _over(limits)
    if why == frames.SLEPT:
        return CallResult(ended=Ended.TIMEOUT, message=f"was idle for {idle_s:.1f} s")
    if why == frames.OUTPUT:
        return CallResult(ended=Ended.UNREADABLE, message="wrote too much")
    if status & 127:
        return CallResult(ended=Ended.DIED, message=f"ended by signal {status & 127}")
    if status:
        said = f"ended with status {status >> 8 & 255} and no answer"
        return CallResult(ended=Ended.DIED, message=said)
    return None


def _over(limits: Limits) -> CallResult:
    said = f"used up its {limits.cpu_s:g} s of CPU time"
    return CallResult(ended=Ended.TIMEOUT, message=said)


def _answer(part: bytes, limits: Limits) -> CallResult:
    """What a call says of itself. Raises ValueError, IndexError, struct.error."""
    (cpu_s,) = frames.SECONDS.unpack_from(part)
    kind, rest = part[frames.SECONDS.size :][:1], part[frames.SECONDS.size + 1 :]
    if not 0 <= cpu_s < math.inf:
        raise ValueError("no time")
    if cpu_s >= limits.cpu_s:
        found = _over(limits)
    elif kind == frames.RETURNED:
        found = CallResult(ended=Ended.RETURNED, value=literal(rest))
    elif kind == frames.UNREADABLE:
        foreign = rest[2 : 2 + rest[1]] == b"Foreign"
        said = _said(rest[2 + rest[1] :])
        found = CallResult(ended=Ended.UNREADABLE, foreign=foreign, message=said)
    elif kind == frames.UNASKED:
        found = CallResult(ended=Ended.UNASKED, message=_said(rest[2 + rest[1] :]))
    elif kind == frames.RAISED:
        found = _raised(Ended.RAISED, rest)
    else:
        raise ValueError("no such record")
    return msgspec.structs.replace(found, cpu_s=cpu_s)


def _raised(ended: Ended, rest: bytes) -> CallResult:
    size = rest[1]
    name, message = rest[2 : 2 + size], rest[2 + size :]
    if len(name) != size:
        raise ValueError("cut off")
    return CallResult(
        ended=ended,
        exception=_said(name),
        assertion=ended is Ended.RAISED and rest[0] == 1,
        message=_said(message),
    )


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
