"""Context cut from the target's file: the text next to the target, up to a number of tokens."""

from __future__ import annotations

import re
from typing import Any, Literal

from solexp.core import Task, UserError
from solexp.core.errors import nearest
from solexp.llm.tokens import Tokenizer, approximate
from solexp.solidity.definitions import index_of

Side = Literal["before", "around"]
_SIDES = ("before", "around")
_INDENT = re.compile(r"[ \t]*\Z")
_BLANK_LINES = re.compile(r"\A(?:[ \t]*\r?\n)+")


class Window:
    """The file's text before the target or around it, at most ``tokens`` tokens of it (SolBench's context lengths).

    What lies nearest to the target is kept. The target itself and the comments right above it are no part of it; in
    their place, where text follows, stands the target's header with an empty body.
    """

    def __init__(
        self,
        tokens: int = 1024,
        side: Side = "before",
        whole_lines: bool = True,
        tokenizer: Tokenizer | None = None,
    ) -> None:
        """``side`` is before or around, where each side has half of the tokens and what the other one leaves.

        ``whole_lines`` drops the piece of a line at which the text is cut. ``tokenizer`` is the model's; by default
        `solexp.llm.tokens.approximate`. Raises UserError.
        """
        if tokens < 0:
            raise UserError(f"strategy.context.tokens: must be 0 or more, got {tokens}")
        if side not in _SIDES:
            raise UserError(f"strategy.context.side: got {side!r}; {nearest(side, _SIDES)}")
        self.tokens = tokens
        self.side = side
        self.whole_lines = whole_lines
        self.tokenizer = tokenizer or approximate

    def fingerprint(self) -> dict[str, Any]:
        return {
            "context": "window",
            "tokens": self.tokens,
            "side": self.side,
            "whole_lines": self.whole_lines,
            "tokenizer": getattr(self.tokenizer, "__qualname__", repr(self.tokenizer)),
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
        before = self.tokenizer(source[:start].decode())
        if self.side == "before":
            return self._last(before, self.tokens)
        after = self.tokenizer(source[target.end :].decode())
        ahead = max(self.tokens // 2, self.tokens - len(after))
        behind = max(self.tokens - self.tokens // 2, self.tokens - len(before))
        # An odd token goes to the text before the target.
        behind = min(behind, self.tokens - min(ahead, len(before)))
        first, last = self._last(before, ahead), self._first(after, behind)
        if not last.strip():
            return first
        indent = _INDENT.search("".join(before))
        mark = f"{index.header(found)} {{}}" if found is not None else ""
        kept = f"{first.rstrip()}\n\n{indent[0] if indent else ''}{mark}\n\n"
        return (kept + _BLANK_LINES.sub("", last)).lstrip("\n")

    def _last(self, tokens: list[str], count: int) -> str:
        if count >= len(tokens):
            return "".join(tokens)
        text = "".join(tokens[len(tokens) - count :])
        line_starts = "".join(tokens[: len(tokens) - count]).endswith("\n")
        if self.whole_lines and not line_starts:
            text = text.partition("\n")[2]
        return text

    def _first(self, tokens: list[str], count: int) -> str:
        if count >= len(tokens):
            return "".join(tokens)
        text = "".join(tokens[:count])
        line_ends = tokens[count].startswith(("\n", "\r")) or text.endswith("\n")
        if self.whole_lines and not line_ends:
            text = text.rpartition("\n")[0]
        return text
