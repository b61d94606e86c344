"""What a candidate has in common, token by token, with the reference: signs of memorisation and recitation."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec

from solexp.solidity.similarity import tokens

NGRAM = 8
"""Tokens of an n-gram."""

_CALLABLE = frozenset({"function", "constructor", "modifier", "fallback", "receive"})
_BORDER = "\n"
"""Stands between two bodies, so that nothing runs over; no token is white space."""


class Overlap(msgspec.Struct, frozen=True):
    """What two texts have in common."""

    longest_run: int
    """Tokens of the longest run that stands in both."""
    longest_run_share: float
    """Of the reference's tokens."""
    ngram_share: float
    """Of the candidate's distinct n-grams of `NGRAM` tokens, those that the reference has too."""


class Reference:
    """A reference that many candidates are compared with: a suffix automaton of its tokens (Blumer et al. 1985)."""

    def __init__(self, text: Sequence[str]) -> None:
        self.size = sum(token != _BORDER for token in text)
        self.ngrams = ngrams(text)
        self._next: list[dict[str, int]] = [{}]
        self._link = [-1]
        self._length = [0]
        last = 0
        for token in text:
            last = 0 if token == _BORDER else self._extend(last, token)

    def _extend(self, last: int, token: str) -> int:
        """Add one token behind the state ``last``; returns the state of the text so far.

        After a border ``last`` is the root again, and the token may be known there: a generalised automaton.
        """
        known = self._next[last].get(token)
        if known is not None:
            return (
                known if self._length[known] == self._length[last] + 1 else self._split(last, token)
            )
        state = self._state({}, self._length[last] + 1, 0)
        place = last
        while place >= 0 and token not in self._next[place]:
            self._next[place][token] = state
            place = self._link[place]
        if place >= 0:
            target = self._next[place][token]
            if self._length[target] == self._length[place] + 1:
                self._link[state] = target
            else:
                self._link[state] = self._split(place, token)
        return state

    def _split(self, place: int, token: str) -> int:
        """Give the shorter of the runs that the state behind ``token`` stands for a state of their own."""
        target = self._next[place][token]
        clone = self._state(dict(self._next[target]), self._length[place] + 1, self._link[target])
        while place >= 0 and self._next[place].get(token) == target:
            self._next[place][token] = clone
            place = self._link[place]
        self._link[target] = clone
        return clone

    def _state(self, following: dict[str, int], length: int, link: int) -> int:
        self._next.append(following)
        self._length.append(length)
        self._link.append(link)
        return len(self._next) - 1

    def longest_run(self, text: Iterable[str]) -> int:
        """Tokens of the longest run that ``text`` has in common with the reference."""
        following, links, lengths = self._next, self._link, self._length
        state = run = best = 0
        for token in text:
            behind = following[state].get(token)
            while behind is None and state:
                state = links[state]
                run = lengths[state]
                behind = following[state].get(token)
            if behind is None:
                continue
            state = behind
            run += 1
            best = max(best, run)
        return best

    def overlap(self, text: Sequence[str]) -> Overlap:
        """What ``text`` has in common with the reference."""
        own = ngrams(text)
        run = self.longest_run(text)
        return Overlap(
            longest_run=run,
            longest_run_share=run / self.size if self.size else 0.0,
            ngram_share=len(own & self.ngrams) / len(own) if own else 0.0,
        )


def ngrams(text: Sequence[str], n: int = NGRAM) -> set[tuple[str, ...]]:
    """The distinct runs of ``n`` tokens within bodies."""
    found = zip(*(text[offset:] for offset in range(n)), strict=False)
    return {run for run in found if _BORDER not in run}


def body_tokens(source: str) -> list[str]:
    """The tokens of the bodies of all functions, constructors and modifiers, comments left out, with borders between.

    What stands outside bodies is shown by the prompt, so that it is nobody's recitation. A text without any such body
    counts whole.

    >>> body_tokens("uint256 x; function f() public { x = 1; }")
    ['x', '=', '1', ';', '\\n']
    """
    everything = tokens(source)
    found: list[str] = []
    waiting, nested, depth = False, 0, 0
    for token in everything:
        if depth:
            depth += (token == "{") - (token == "}")
            found.append(token if depth else _BORDER)
        elif waiting:
            nested += (token == "(") - (token == ")")
            if token == "{" and nested <= 0:
                waiting, depth = False, 1
            elif token == ";" and nested <= 0:
                waiting = False
        elif token in _CALLABLE:
            waiting, nested = True, 0
    return found or everything
