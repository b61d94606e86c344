"""A part of a reply, read as Python as far as it is Python."""

from __future__ import annotations

import ast
import re
import textwrap
from collections.abc import Sequence

import msgspec

from solexp.python.needed import names_of
from solexp.python.syntax import NotPython, parsed

_STATEMENT = re.compile(
    r"@\w|(?:async[ \t]+)?def[ \t]+\w|class[ \t]+\w|(?:import|from)[ \t]+[\w.]"
    r"|(?:if|for|while|with)\b.*:|try[ \t]*:|[A-Za-z_][\w.]*(?:\[[^\n]*\])?[ \t]*(?::[^=\n]+)?(?:[-+*/|&]|//)?=[^=]"
    r"|[rbu]?(?:\"\"\"|''')|(?:sys|random)\.\w+\("
)
"""How a line of a program may begin; a sentence seldom does."""
_WITHIN = re.compile(rf"(?:return|raise|yield|del|assert|global|nonlocal)\b|{_STATEMENT.pattern}")
_GOES_ON = re.compile(r"(?:else|elif|except|finally)\b")
_STATEMENT_LINES = 80
"""Lines at the margin that one statement may have at most where it does not stand in a program that parses."""
_PARSED_CHARS = 200_000
"""How much of one reply is tried in finding statements among prose."""
_OPEN_ENDED = ("was never closed", "unterminated triple-quoted", "unexpected EOF")


class Part(msgspec.Struct, frozen=True, kw_only=True):
    """Statements of a part of a reply."""

    raw: str
    """The part as it is."""
    text: str
    """The part at the left margin."""
    body: tuple[ast.stmt, ...]
    """Statements that parse, in order, their lines counted in ``text``."""
    closed: bool
    """Whether a fence follows: if none does, the reply ends here."""
    notes: tuple[str, ...] = ()
    fault: str | None = None
    """Why it does not parse as a whole; None where it does."""
    ends_open: bool = False
    """Whether what does not parse is that it ends too early."""
    rest: str = ""
    """The text from the statement on that does not parse; empty where all does."""

    def defining(self, name: str) -> ast.stmt | None:
        """The last statement that gives ``name`` a value of its own; an import does not."""
        found = [
            node
            for node in self.body
            if not isinstance(node, ast.Import | ast.ImportFrom) and name in names_of(node).bound
        ]
        return found[-1] if found else None

    def broken(self, name: str) -> bool:
        """Whether ``name`` is defined, and not so that it parses."""
        return (
            self.fault is not None
            and self.defining(name) is None
            and re.search(rf"^def[ \t]+{re.escape(name)}\b", self.text, re.MULTILINE) is not None
        )

    @property
    def starred(self) -> bool:
        """Whether names are imported that nobody knows."""
        return any(
            isinstance(node, ast.ImportFrom) and node.names[0].name == "*" for node in self.body
        )

    @property
    def begins_within(self) -> bool:
        """Whether it begins as the body of a function does."""
        first = self.raw.strip("\n")
        return first[:1].isspace() and _WITHIN.match(first.lstrip()) is not None

    def ends_with(self, node: ast.stmt) -> bool:
        """Whether nothing stands behind a statement."""
        return (node.end_lineno or node.lineno) >= len(self.text.rstrip().splitlines())

    def source(self, kept: Sequence[ast.stmt]) -> str:
        """The text without the statements that are not ``kept``; comments and layout stay."""
        lines = self.text.splitlines(keepends=True)
        wanted = {id(node) for node in kept}
        spans = [
            (_first(node), node.end_lineno or node.lineno, id(node) in wanted) for node in self.body
        ]
        taken = [place for first, last, keep in spans if keep for place in range(first, last + 1)]
        left = [
            place for first, last, keep in spans if not keep for place in range(first, last + 1)
        ]
        if len(taken) > len(set(taken)) or set(taken) & set(left):
            return ast.unparse(ast.Module(body=list(kept), type_ignores=[])) + "\n"
        if self.fault is None:
            dropped = set(left)
            for place, line in enumerate(lines, start=1):
                # What is left out takes the blank lines behind it along.
                if place - 1 in dropped and not line.strip():
                    dropped.add(place)
            written = "".join(
                line for place, line in enumerate(lines, start=1) if place not in dropped
            )
        else:
            ranges = [lines[first - 1 : last] for first, last, keep in spans if keep]
            written = "\n".join("".join(each) for each in ranges)
        return written.strip("\n") + "\n"


def read_part(raw: str, *, closed: bool) -> Part:
    """What of ``raw`` is Python."""
    text = raw.replace("\r\n", "\n").replace("\r", "\n").strip("\n")
    if text[:1].isspace():
        # In a list's item fences are indented.
        text = textwrap.dedent(text)
    try:
        tree = parsed(text)
    except NotPython as error:
        return _among_prose(raw, text, closed, error)
    return Part(raw=raw, text=text, body=tuple(tree.body), closed=closed)


def _among_prose(raw: str, text: str, closed: bool, error: NotPython) -> Part:
    lines = text.splitlines(keepends=True)
    margin = [place for place, line in enumerate(lines) if line.strip() and not line[0].isspace()]
    body: list[ast.stmt] = []
    fault = _Fault(str(error), 0, _ends_open(error, lines))
    position, budget = 0, _PARSED_CHARS
    for start, line in enumerate(lines):
        if start < position or budget <= 0 or not _STATEMENT.match(line):
            continue
        tried = _statement(lines, start, [place for place in margin if place > start])
        budget -= tried.used
        body += tried.body
        position = tried.end
        if tried.fault is not None and line.startswith(("def", "async", "class", "@")):
            fault = tried.fault
    return Part(
        raw=raw,
        text=text,
        body=tuple(body),
        closed=closed,
        notes=("found among prose",) if body else (),
        fault=fault.message,
        ends_open=fault.ends_open,
        rest="".join(lines[fault.start :]),
    )


class _Fault(msgspec.Struct, frozen=True):
    message: str
    start: int
    """0-based line of the statement that does not parse."""
    ends_open: bool


class _Tried(msgspec.Struct, frozen=True):
    body: list[ast.stmt]
    end: int
    """The line behind them."""
    used: int
    """Characters that were parsed."""
    fault: _Fault | None = None


def _statement(lines: Sequence[str], start: int, margin: Sequence[int]) -> _Tried:
    """The statement that begins in a line, with its branches. A text over several lines may come to the margin."""
    ends = [*margin[:_STATEMENT_LINES], *([len(lines)] if len(margin) < _STATEMENT_LINES else [])]
    used, fault = 0, None
    for number, end in enumerate(ends):
        used += sum(len(line) for line in lines[start:end])
        try:
            tree = parsed("".join(lines[start:end]))
        except NotPython as error:
            opened = _ends_open(error, lines[start:end]) and end == len(lines)
            told = str(error) if fault is None else fault.message
            fault = _Fault(told, start, opened)
            continue
        for further in ends[number + 1 :]:
            if not _GOES_ON.match(lines[end]):
                break
            try:
                tree = parsed("".join(lines[start:further]))
            except NotPython:
                continue
            end = further  # noqa: PLW2901  (the statement grows by its branch)
        return _Tried([ast.increment_lineno(node, start) for node in tree.body], end, used)
    return _Tried([], start, used, fault)


def _ends_open(error: NotPython, lines: Sequence[str]) -> bool:
    """Whether the end of ``lines`` is what is wrong with them."""
    written = len("".join(lines).rstrip().splitlines())
    return any(said in str(error) for said in _OPEN_ENDED) or (error.line or 0) >= written


def _first(node: ast.stmt) -> int:
    decorators: list[ast.expr] = getattr(node, "decorator_list", [])
    return min([node.lineno, *(each.lineno for each in decorators)])


def is_sketch(node: ast.stmt) -> bool:
    """Whether a function only says that something is to be written."""
    if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        return False
    return all(_says_nothing(each) for each in node.body)


def _says_nothing(node: ast.stmt) -> bool:
    match node:
        case ast.Pass() | ast.Expr(value=ast.Constant()):
            return True
        case ast.Raise(exc=ast.Name(id="NotImplementedError")):
            return True
        case ast.Raise(exc=ast.Call(func=ast.Name(id="NotImplementedError"))):
            return True
    return False
