"""What a child of the zygote does: load a program, call its function, write what came of it, and end.

What is needed after the program has run is bound before it does, and these modules have builtins of their own. That is
no wall, since code in the same process can reach anything in it; it keeps honest programs that rebind names from
breaking their own answer.
"""

from __future__ import annotations

import marshal
import os
import sys
import types
from time import process_time
from typing import Any, NamedTuple, NoReturn

from solexp.sandbox.inside import plain, reading
from solexp.sandbox.inside.frames import (
    AS_TEXT,
    CODE,
    LISTS,
    LOADED,
    RAISED,
    READY_MADE,
    RETURNED,
    SECONDS,
    UNASKED,
    UNFIT,
    UNLOADED,
    UNREADABLE,
    blocks,
    write_all,
)

MODULE = "candidate"
"""Name of the module that a program becomes; not ``__main__``, so that what is guarded by that name does not run."""
RECURSION = 1000
"""Frames that a program may stack, as in a plain interpreter."""
OUR_FRAMES = 5
"""Frames between those of the process that is forked and a program's function, but for the one of a plain script."""
MAX_MESSAGE = 2000
MAX_CODE = 16 << 20

_is_true_subclass = type.__subclasscheck__
_module = types.ModuleType(MODULE)


class Question(NamedTuple):
    """A program and what to ask it."""

    program: bytes
    """With `AS_TEXT` before its source, or `READY_MADE` before its marshalled code."""
    entry_point: str
    arguments: list[bytes]
    """For each call, with `AS_TEXT` before them, or `READY_MADE` before what `reading.prepared` makes of them."""
    output: int
    """Bytes that one packed answer may take."""


def expect(frames: int) -> None:
    """Get ready to be forked by what is called from so many frames."""
    sys.modules[MODULE] = _module
    # Those that a program can rebind, as in any module; the ones of these modules are their own.
    _module.__dict__["__builtins__"] = sys.modules["builtins"].__dict__
    sys.setrecursionlimit(RECURSION + OUR_FRAMES + frames)


def compiled(channel: int, source: bytes) -> NoReturn:
    """Compile a program, and write its code or why it has none."""
    try:
        record = CODE + marshal.dumps(_code(AS_TEXT + source))
    except (SyntaxError, ValueError, MemoryError, RecursionError, OverflowError) as error:
        record = UNLOADED + _raised(error)
    write_all(channel, record)
    os._exit(0)


def prepared(channel: int, texts: list[bytes]) -> NoReturn:
    """Read argument lists, and write what makes each."""
    found = []
    for text in texts:
        try:
            found.append(READY_MADE + reading.prepared(text.decode("utf-8", "surrogatepass")))
        except ValueError as error:
            found.append(UNFIT + str(error).encode("utf-8", "replace"))
    write_all(channel, LISTS + blocks(found))
    os._exit(0)


def answer(channel: int, question: Question) -> NoReturn:
    """Load the program, call its function once for each argument list, write what came of each."""
    leave, write, told, anything, can_call = os._exit, write_all, _raised, BaseException, callable
    call, head, loaded, unloaded = _called, SECONDS.pack, LOADED, UNLOADED
    clock, given, together = process_time, _arguments, blocks
    try:
        names = _module.__dict__
        exec(_code(question.program), names)
        function = names.get(question.entry_point)
        if not can_call(function):
            raise NameError(f"no function {question.entry_point!r}")
    except anything as error:
        write(channel, unloaded + told(error))
        leave(0)
    write(channel, loaded)
    for one in question.arguments:
        began = clock()
        try:
            arguments = given(one)
        except ValueError as error:
            record = UNASKED + told(error)
        else:
            record = call(function, arguments, question.output)
        write(channel, together([head(clock() - began) + record]))
    leave(0)


def _code(program: bytes) -> types.CodeType:
    kept = program[1:]
    if program[:1] == AS_TEXT:
        text = kept.decode("utf-8", "surrogatepass")
        return compile(text, f"{MODULE}.py", "exec", dont_inherit=True)
    code: types.CodeType = marshal.loads(kept)
    return code


def _arguments(one: bytes) -> list[Any]:
    kept = one[1:]
    if one[:1] == AS_TEXT:
        kept = reading.prepared(kept.decode("utf-8", "surrogatepass"))
    return reading.arguments(kept)


def _called(function: Any, arguments: list[Any], output: int) -> bytes:
    """The record of a call."""
    anything, assertion, kind = BaseException, AssertionError, type
    try:
        value = function(*arguments)
    except anything as error:
        # Not isinstance, which believes what an instance says its class is.
        flag = b"\1" if _is_true_subclass(assertion, kind(error)) else b"\0"
        return RAISED + flag + _raised(error)[1:]
    try:
        return RETURNED + plain.pack(value, output)
    except plain.NotPlain as error:
        return UNREADABLE + _raised(error)
    except anything:
        return UNREADABLE + b"\0\0it cannot be read"


def _raised(error: BaseException) -> bytes:
    """A zero byte, length of the class's name, the name, the message where it is plain text."""
    name = plain.name_of(type(error)).encode("utf-8", "replace")[:255]
    said = BaseException.args.__get__(error)  # type: ignore[attr-defined]
    first = said[0] if len(said) and type(said[0]) is str else ""
    return bytes((0, len(name))) + name + first[:MAX_MESSAGE].encode("utf-8", "replace")
