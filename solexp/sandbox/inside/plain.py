"""Plain values on their way out: read from a call's result without running any of its code, and packed.

A node is a byte that names its kind, and what belongs to it; numbers of bytes and elements are four bytes, big-endian.

====  ===========================================================
N T F E  None, True, False, Ellipsis
I     integer: length, hexadecimal digits with a sign
D     float: eight bytes
C     complex: sixteen bytes
S B A  str (UTF-8, surrogates passed), bytes, bytearray: length, bytes
L U X Z  list, tuple, set, frozenset: number of elements, elements
M     dict: number of items, keys and values in turn
====  ===========================================================
"""

from __future__ import annotations

import collections
import struct
from collections.abc import Callable, Iterator
from typing import Any

MAX_DEPTH = 90
"""Levels of nesting. Python's own parser reads no more than 200 brackets, and a frozenset has two."""

_COUNT = struct.Struct(">I").pack
_DOUBLE = struct.Struct(">d").pack
_PAIR = struct.Struct(">dd").pack


class NotPlain(Exception):
    """The value has no literal; says why."""


class Foreign(NotPlain):
    """It is, or holds, a value of another type than Python's plain ones."""


_FIXED: dict[Any, bytes] = {None: b"N", True: b"T", False: b"F", ...: b"E"}


def _integer(value: int) -> bytes:
    digits = b"%x" % int.__int__(value)
    return b"I" + _COUNT(len(digits)) + digits


def _text(value: str) -> bytes:
    data = str.encode(value, "utf-8", "surrogatepass")
    return b"S" + _COUNT(len(data)) + data


def _complex(value: complex) -> bytes:
    return b"C" + _PAIR(complex.real.__get__(value), complex.imag.__get__(value))


_WHOLE: dict[type, Callable[[Any], bytes]] = {
    int: _integer,
    float: lambda value: b"D" + _DOUBLE(value),
    complex: _complex,
    str: _text,
    bytes: lambda value: b"B" + _COUNT(bytes.__len__(value)) + b"".join((value,)),
    bytearray: lambda value: b"A" + _COUNT(bytearray.__len__(value)) + b"".join((value,)),
}
_HOLDING: dict[type, bytes] = {list: b"L", tuple: b"U", set: b"X", frozenset: b"Z", dict: b"M"}
_CONSTANT = {type(None), bool, type(...)}
_BASES = (int, float, complex, str, bytes, bytearray, list, tuple, set, frozenset, dict)
_EQUAL_AS_DICTS = frozenset((collections.Counter, collections.OrderedDict))
_MRO = type.__dict__["__mro__"].__get__
_DICT = type.__dict__["__dict__"].__get__
_NAME = type.__dict__["__name__"].__get__


def kind_of(value: object) -> type:
    """The builtin type that ``value`` counts as.

    That is its own, or the one it inherits both from and its equality with, as Counter, defaultdict, OrderedDict,
    IntEnum and named tuples do: ``==`` cannot tell such a value from a plain one. Raises NotPlain for any other.
    """
    own = type(value)
    if own in _WHOLE or own in _HOLDING or own in _CONSTANT:
        return own
    for base in _BASES:
        if base in _MRO(own):
            for owner in _MRO(own):
                if "__eq__" in _DICT(owner):
                    if owner is base or owner in _EQUAL_AS_DICTS:
                        return base
                    break
            raise Foreign(f"a {name_of(own)}, which compares in its own way")
    raise Foreign(f"a {name_of(own)}")


def name_of(kind: type) -> str:
    """A class's name, whatever its metaclass says."""
    name: str = _NAME(kind)
    return name[:200]


def pack(value: object, limit: int) -> bytes:
    """``value`` packed, in at most ``limit`` bytes. Runs no method of the value's own. Raises NotPlain."""
    parts: list[bytes] = []
    size = 0
    stack: list[Iterator[object]] = [iter((value,))]
    while stack:
        for item in stack[-1]:
            kind = kind_of(item)
            if kind in _CONSTANT:
                part = _FIXED[item]
            elif kind in _WHOLE:
                part = _bounded(kind, item, limit - size)
            else:
                part, inner = _opened(kind, item)
                if len(stack) > MAX_DEPTH:
                    raise NotPlain(f"nested more than {MAX_DEPTH} levels deep, or in itself")
                stack.append(inner)
            parts.append(part)
            size += len(part)
            if size > limit:
                raise NotPlain(f"larger than {limit} bytes")
            if kind in _HOLDING:
                break
        else:
            stack.pop()
    return b"".join(parts)


def _bounded(kind: type, item: Any, room: int) -> bytes:
    if kind is int:
        large = int.bit_length(item) > room * 4
    elif kind in {float, complex}:
        large = False
    else:
        large = kind.__len__(item) > room  # type: ignore[attr-defined]
    if large:
        raise NotPlain("larger than what a call may return")
    return _WHOLE[kind](item)


def _opened(kind: type, item: Any) -> tuple[bytes, Iterator[object]]:
    head = _HOLDING[kind] + _COUNT(kind.__len__(item))  # type: ignore[attr-defined]
    if kind is dict:
        return head, (part for pair in dict.items(item) for part in pair)
    return head, kind.__iter__(item)  # type: ignore[attr-defined]
