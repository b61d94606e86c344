"""Context cut from the target's file: the text next to the target, up to a number of tokens."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, Literal

from solexp.core import Task, UserError
from solexp.core.errors import nearest
from solexp.core.hashing import file_hash
from solexp.core.settings import at_least
from solexp.llm.tokens import Tokenizer, approximate
from solexp.solidity.comments import comment_spans
from solexp.solidity.definitions import index_of
from solexp.strategies.context.tokenizer import tokenizer_from

Side = Literal["before", "around"]
_SIDES = ("before", "around")
_INDENT = re.compile(r"[ \t]*\Z")
_BLANK_LINES = re.compile(r"\A(?:[ \t]*\r?\n)+")


class Window:
    """The file's text before the target or around it, at most ``tokens`` tokens of it (SolBench's context lengths).

    What lies nearest to the target is kept; no comment is cut in two. The target itself and the comments right above
    it are no part of it; in their place, where text follows, stands the target's header with an empty body.
    """

    def __init__(
        self,
        tokens: int = 1024,
        side: Side = "before",
        whole_lines: bool = True,
        tokenizer: Tokenizer | str | None = None,
    ) -> None:
        """``side`` is before or around, where each side has half of the tokens and what the other one leaves.

        ``whole_lines`` drops the piece of a line at which the text is cut. ``tokenizer`` is the model's, or the path of
        its ``tokenizer.json``; by default `solexp.llm.tokens.approximate`. Raises UserError.
        """
        at_least("strategy.context.tokens", tokens, 0)
        if side not in _SIDES:
            raise UserError(f"strategy.context.side: got {side!r}; {nearest(side, _SIDES)}")
        self.tokens = tokens
        self.side = side
        self.whole_lines = whole_lines
        self.tokenizer: Tokenizer
        if isinstance(tokenizer, str):
            self.tokenizer = tokenizer_from(tokenizer)
            self._named = file_hash(Path(tokenizer).expanduser())
        else:
            self.tokenizer = tokenizer or approximate
            self._named = getattr(self.tokenizer, "__qualname__", repr(self.tokenizer))

    def fingerprint(self) -> dict[str, Any]:
        return {
            "context": "window",
            "tokens": self.tokens,
            "side": self.side,
            "whole_lines": self.whole_lines,
            "tokenizer": self._named,
        }

    def text(self, task: Task) -> str:
        """The text that is kept; empty for 0 tokens."""
        index = index_of(task.sources)
        target = task.target
        source = task.sources[target.path].encode()
        found = next(
            (
                each
                for each in index.declarations
                if each.path == target.path and target.start <= each.start < target.end
            ),
            None,
        )
        start = target.start if found is None else min(found.documented, target.start)
        ahead, behind = source[:start].decode(), source[target.end :].decode()
        before = self.tokenizer(ahead)
        if self.side == "before":
            return self._last(before, self.tokens)
        after = self.tokenizer(behind)
        half = self.tokens // 2
        first = min(len(before), max(half, self.tokens - len(after)))
        kept = self._last(before, first)
        last = _BLANK_LINES.sub("", self._first(after, self.tokens - first))
        if not last.strip():
            return kept
        indent = _INDENT.search(ahead)
        mark = f"{index.header(found)} {{}}" if found is not None else ""
        return f"{kept.rstrip()}\n\n{indent[0] if indent else ''}{mark}\n\n{last}".lstrip("\n")

    def _last(self, tokens: list[str], count: int) -> str:
        """The end of a text, from a place that is not within a comment."""
        whole = "".join(tokens)
        cut = len("".join(tokens[: max(0, len(tokens) - count)]))
        cut = next((end for begin, end in comment_spans(whole) if begin < cut < end), cut)
        if self.whole_lines and cut and whole[cut - 1] != "\n":
            return whole[cut:].partition("\n")[2]
        return whole[cut:]

    def _first(self, tokens: list[str], count: int) -> str:
        """The beginning of a text, to a place that is not within a comment."""
        whole = "".join(tokens)
        cut = len("".join(tokens[:count]))
        cut = next((begin for begin, end in comment_spans(whole) if begin < cut < end), cut)
        if self.whole_lines and cut < len(whole) and whole[cut] != "\n":
            return whole[:cut].rpartition("\n")[0]
        return whole[:cut]
