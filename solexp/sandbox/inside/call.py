"""One process, one question: what a child of the zygote does, which ends with it.

Everything that is needed after the program has run is bound before it does. That is no wall, since code in the same
process can reach anything in it; it keeps honest programs that rebind builtins from breaking their own answer.
"""

from __future__ import annotations

import marshal
import os
import sys
import types
from typing import NamedTuple, NoReturn

from solexp.sandbox.inside import plain
from solexp.sandbox.inside.frames import (
    CODE,
    LOADED,
    RAISED,
    RETURNED,
    UNASKED,
    UNLOADED,
    UNREADABLE,
    write_all,
)
from solexp.sandbox.inside.reading import arguments

MODULE = "candidate"
"""Name of the module that a program becomes; not ``__main__``, so that what is guarded by that name does not run."""
RECURSION = 1000
"""Frames that a program may stack, as in a plain interpreter."""
MAX_MESSAGE = 2000
MAX_CODE = 64 << 20


class Question(NamedTuple):
    """A program and what to ask it."""

    code: bytes
    """Marshalled."""
    entry_point: str
    arguments: str
    output: int
    """Bytes that the packed answer may take."""


def compiled(channel: int, source: bytes) -> NoReturn:
    """Compile a program, and write its code or why it has none."""
    try:
        text = source.decode("utf-8", "surrogatepass")
        code = compile(text, f"{MODULE}.py", "exec", dont_inherit=True)
        data = marshal.dumps(code)
        if len(data) > MAX_CODE:
            raise MemoryError("its code is too large")
        record = CODE + data
    except (SyntaxError, ValueError, MemoryError, RecursionError, OverflowError) as error:
        record = UNLOADED + _raised(error)
    write_all(channel, record)
    os._exit(0)


def answer(channel: int, question: Question) -> NoReturn:  # noqa: PLR0915  (nothing here may be looked up late)
    """Load the program, call its function, write what came of it."""
    leave, write, pack, told = os._exit, write_all, plain.pack, _raised
    not_plain, anything, assertion = plain.NotPlain, BaseException, AssertionError
    true_subclass, kind, says, output = type.__subclasscheck__, type, str, question.output
    heads = (LOADED, RETURNED, RAISED, UNREADABLE, UNLOADED)
    try:
        given = arguments(question.arguments)
    except (ValueError, MemoryError) as error:
        write(channel, UNASKED + says(error).encode("utf-8", "replace"))
        leave(0)
    try:
        module = types.ModuleType(MODULE)
        sys.modules[MODULE] = module
        sys.setrecursionlimit(RECURSION + _depth())
        exec(marshal.loads(question.code), module.__dict__)
        function = module.__dict__.get(question.entry_point)
        if not callable(function):
            raise NameError(f"no function {question.entry_point!r}")  # noqa: TRY301
    except anything as error:
        write(channel, heads[4] + told(error))
        leave(0)
    write(channel, heads[0])
    try:
        value = function(*given)
    except anything as error:
        # Not isinstance, which believes what an instance says its class is.
        flag = b"\1" if true_subclass(assertion, kind(error)) else b"\0"
        write(channel, heads[2] + flag + told(error)[1:])
        leave(0)
    try:
        record = heads[1] + pack(value, output)
    except not_plain as error:
        record = heads[3] + says(error).encode("utf-8", "replace")
    except anything:
        record = heads[3] + b"it cannot be read"
    write(channel, record)
    leave(0)


def _raised(error: BaseException) -> bytes:
    """A zero byte, length of the class's name, the name, the message where it is plain text."""
    name = plain.name_of(type(error)).encode("utf-8", "replace")[:255]
    said = BaseException.args.__get__(error)  # type: ignore[attr-defined]
    first = said[0] if len(said) and type(said[0]) is str else ""
    return bytes((0, len(name))) + name + first[:MAX_MESSAGE].encode("utf-8", "replace")


def _depth() -> int:
    depth, frame = 0, sys._getframe()
    while frame.f_back is not None:
        depth, frame = depth + 1, frame.f_back
    return depth
