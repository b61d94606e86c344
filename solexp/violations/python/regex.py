"""Regular expressions over strings whose characters are unknown.

Python's own parser reads the pattern; it is matched by following all its states through the characters at once, which
decides whether there is a match, as Z3's regular expressions would, and for bounded strings in plain propositional
logic. Groups that are read afterwards, back references and look-around are refused.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from solexp.violations.python.comparing import compact_text
from solexp.violations.python.logic import and_, not_, or_
from solexp.violations.python.terms import Bool
from solexp.violations.python.texts import (
    Char,
    Chars,
    between,
    digit,
    is_char,
    lowered,
    space,
    uppered,
    word,
)
from solexp.violations.python.values import Value

_PARSER: Any = vars(re)["_parser"]
_CONSTANTS: Any = vars(re)["_constants"]

States = dict[int, Bool]
"""Places in a string, and whether the pattern may have come so far."""


class NotRegular(Exception):
    """A part of a pattern that is not expressed."""


def matches(pattern: str, value: Value, mode: str, flags: int = 0) -> Bool:
    """Whether ``re.match``, ``re.fullmatch`` or ``re.search`` (``mode``) finds something.

    Raises NotRegular and re.error.
    """
    compiled = re.compile(pattern, flags)
    if compiled.flags & (re.MULTILINE | re.VERBOSE):
        raise NotRegular("flags of a regular expression")
    if isinstance(value, str):
        return getattr(compiled, mode)(value) is not None
    chars = compact_text(value)
    machine = _Machine(chars, ignore_case=bool(compiled.flags & re.IGNORECASE))
    begins: States = machine.places() if mode == "search" else {0: True}
    ends = machine.run(_PARSER.parse(pattern, flags), begins)
    if mode == "fullmatch":
        return or_(*(and_(here, machine.at_end(place)) for place, here in ends.items()))
    return or_(*ends.values())


class _Machine:
    def __init__(self, chars: Chars, *, ignore_case: bool) -> None:
        self._chars = chars
        self._ignore_case = ignore_case

    def places(self) -> States:
        """Every place within the string and its end."""
        found: States = {0: True}
        found.update({n + 1: guard for n, (guard, _) in enumerate(self._chars)})
        return found

    def at_end(self, place: int) -> Bool:
        return not_(self._chars[place][0]) if place < len(self._chars) else True

    def run(self, pattern: Any, states: States) -> States:
        for op, argument in pattern:
            states = self._step(str(op), argument, states)
        return states

    def _step(self, op: str, argument: Any, states: States) -> States:  # noqa: PLR0911
        match op:
            case "LITERAL":
                return self._over(states, lambda char: self._literal(char, argument))
            case "NOT_LITERAL":
                return self._over(states, lambda char: not_(self._literal(char, argument)))
            case "ANY":
                return self._over(states, lambda char: not_(is_char(char, "\n")))
            case "IN":
                return self._over(states, lambda char: self._in(char, argument))
            case "BRANCH":
                return _union([self.run(branch, states) for branch in argument[1]])
            case "SUBPATTERN":
                _, added, removed, inner = argument
                if added or removed:
                    raise NotRegular("flags within a regular expression")
                return self.run(inner, states)
            case "MAX_REPEAT" | "MIN_REPEAT":
                return self._repeated(states, *argument)
            case "AT":
                return self._at(str(argument), states)
        raise NotRegular(f"{op.lower().replace('_', ' ')} in a regular expression")

    def _over(self, states: States, test: Callable[[Char], Bool]) -> States:
        found: States = {}
        for place, here in states.items():
            if place < len(self._chars):
                guard, char = self._chars[place]
                there = and_(here, guard, test(char))
                if there is not False:
                    found[place + 1] = there
        return found

    def _literal(self, char: Char, code: int) -> Bool:
        wanted = chr(code)
        if not self._ignore_case:
            return is_char(char, wanted)
        return or_(is_char(lowered(char), wanted.lower()), is_char(uppered(char), wanted.upper()))

    def _in(self, char: Char, parts: Any) -> Bool:
        negated = str(parts[0][0]) == "NEGATE"
        found = or_(*(self._member(char, str(op), argument) for op, argument in parts[negated:]))
        return not_(found) if negated else found

    def _member(self, char: Char, op: str, argument: Any) -> Bool:
        match op:
            case "LITERAL":
                return self._literal(char, argument)
            case "RANGE":
                if self._ignore_case:
                    return or_(
                        *(self._literal(char, each) for each in range(argument[0], argument[1] + 1))
                    )
                return between(char, chr(argument[0]), chr(argument[1]))
            case "CATEGORY":
                return _category(char, str(argument))
        raise NotRegular(f"{op.lower()} in a regular expression")

    def _repeated(self, states: States, least: int, most: Any, inner: Any) -> States:
        for _ in range(least):
            states = self.run(inner, states)
        found = states
        unlimited = most is _CONSTANTS.MAXREPEAT
        for _ in range(
            len(self._chars) + 1 if unlimited else min(most - least, len(self._chars) + 1)
        ):
            states = self.run(inner, states)
            if not states:
                break
            found = _union([found, states])
        return found

    def _at(self, where: str, states: States) -> States:
        found: States = {}
        for place, here in states.items():
            match where:
                case "AT_BEGINNING" | "AT_BEGINNING_STRING":
                    there: Bool = place == 0
                case "AT_END_STRING":
                    there = self.at_end(place)
                case "AT_END":
                    last = place < len(self._chars)
                    newline = is_char(self._chars[place][1], "\n") if last else False
                    there = or_(self.at_end(place), and_(newline, self.at_end(place + 1)))
                case "AT_BOUNDARY" | "AT_NON_BOUNDARY":
                    before = word(self._chars[place - 1][1]) if place else False
                    after = (
                        and_(self._chars[place][0], word(self._chars[place][1]))
                        if place < len(self._chars)
                        else False
                    )
                    differ = or_(and_(before, not_(after)), and_(not_(before), after))
                    there = differ if where == "AT_BOUNDARY" else not_(differ)
                case _:
                    raise NotRegular(f"{where.lower()} in a regular expression")
            if (both := and_(here, there)) is not False:
                found[place] = both
        return found


def _union(many: list[States]) -> States:
    found: States = {}
    for states in many:
        for place, here in states.items():
            found[place] = or_(found.get(place, False), here)
    return found


def _category(char: Char, name: str) -> Bool:
    tests = {"DIGIT": digit, "SPACE": space, "WORD": word}
    kind = name.removeprefix("CATEGORY_")
    found = tests[kind.removeprefix("NOT_")](char)
    return not_(found) if kind.startswith("NOT_") else found


def example(pattern: str) -> str:
    """A short string that a pattern matches from its start, as a seed for others. Raises NotRegular and re.error."""
    return "".join(_example(op, argument) for op, argument in _PARSER.parse(pattern))


def _example(op: Any, argument: Any) -> str:  # noqa: PLR0911
    match str(op):
        case "LITERAL":
            return chr(argument)
        case "ANY" | "NOT_LITERAL":
            return "x"
        case "IN":
            kind, value = str(argument[0][0]), argument[0][1]
            if kind == "LITERAL":
                return chr(value)
            if kind == "RANGE":
                return chr(value[0])
            return {"CATEGORY_DIGIT": "2", "CATEGORY_SPACE": " "}.get(str(value), "x")
        case "BRANCH":
            return "".join(_example(*each) for each in argument[1][0])
        case "SUBPATTERN":
            return "".join(_example(*each) for each in argument[3])
        case "MAX_REPEAT" | "MIN_REPEAT":
            return "".join(_example(*each) for each in argument[2]) * int(argument[0])
        case "AT":
            return ""
    raise NotRegular(str(op))
