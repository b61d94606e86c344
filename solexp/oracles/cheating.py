"""Does a candidate that passes its tests do so by what only tests may do?

forge gives its cheat codes to any contract, and a candidate may run in the very frame of a test.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Mapping, Sequence

import msgspec

from solexp.solidity.foundry.ending import CHEAT_CODES, Replay, mark, replay_name
from solexp.solidity.foundry.forge import Fuzzing, TestResult, TestRun
from solexp.solidity.functions.heads import Head, parentheses, read_head
from solexp.solidity.lexing import brace_pairs, mask

TRIES = 12
"""How many more tries of tests with parameters are traced where a candidate may call what it likes."""

_NAMES_CHEATS = re.compile(rf"{CHEAT_CODES[2:]}|hevm cheat code", re.IGNORECASE)
_NAMES_FORGE = re.compile(r"forge-config|FOUNDRY::")
_ASSEMBLY = re.compile(r"(?<![\w$])assembly\b[^{};]*(?=\{)")
_LEAVES = re.compile(r"(?<![\w$])(?:return|stop|selfdestruct)\s*\(")
_WRITES = re.compile(r"(?<![\w$])(?:sstore|tstore)\s*\(")
_NO_CALL = re.compile(r"calldata|(?<![\w$])(?:caller|callvalue)(?![\w$])", re.IGNORECASE)
_CALLS = re.compile(r"call|create|deploy|clone|selector|(?<![\w$])new(?![\w$])", re.IGNORECASE)


class Seen(msgspec.Struct, frozen=True, kw_only=True):
    """What the reference's runs show of a test."""

    cheats: dict[str, int] = {}
    """The calls of cheat codes in its call tree."""
    ends: int = 0
    """How often it and its set-up reach their ends, at the least."""


def seen(reference: str, first: TestResult, again: TestResult | None) -> Seen:
    """What two runs with the reference, of different seeds, show of a test."""
    runs = [each for each in (first, again) if each is not None]
    return Seen(cheats=first.cheats, ends=min(each.ends.get(mark(reference), 0) for each in runs))


def cheating(
    reference: str,
    code: str,
    results: Mapping[str, TestResult],
    *,
    expected: Mapping[str, Seen],
    rerun: Callable[[Sequence[Fuzzing]], Sequence[Mapping[str, TestResult]]],
    replay: Callable[[Sequence[Replay]], TestRun],
) -> str | None:
    """How a candidate cheats that passes every test; None when nothing tells so.

    ``results`` are those of the tests in ``expected``. ``rerun`` runs the candidate's tests again, ``replay`` calls
    tests with the reference in place.
    """
    if code == reference:
        return None
    if (why := barred(reference, code)) is not None:
        return why
    calls = may_call(code)
    drawn: list[tuple[str, TestResult]] = []
    for key, known in expected.items():
        result = results[key]
        if result.ends.get(mark(code), 0) < known.ends:
            return f"{key} ends before its last statement"
        if (more := _more(result.cheats, known.cheats, counted=calls)) is None:
            continue
        if result.gas is not None:
            return _calls_cheats(key, more)
        drawn.append((key, result))
    if calls and any(results[key].gas is None for key in expected):
        seeds = [Fuzzing(seed=_seed(code, number), runs=1) for number in range(TRIES)]
        for tried in rerun(seeds):
            drawn += [
                (key, tried[key])
                for key, known in expected.items()
                if key in tried
                and tried[key].gas is None
                and _more(tried[key].cheats, known.cheats, counted=True) is not None
            ]
    return _beside_reference(code, [each for each in drawn if each[1].passed], expected, replay)


def _beside_reference(
    code: str,
    drawn: Sequence[tuple[str, TestResult]],
    expected: Mapping[str, Seen],
    replay: Callable[[Sequence[Replay]], TestRun],
) -> str | None:
    """What single tries call that the reference does not call with the same input."""
    if not drawn:
        return None
    run = replay(
        [
            Replay(code=code, name=result.test.partition("(")[0], data=result.input or "0x")
            for _, result in drawn
        ]
    )
    replayed = {(each.suite, each.test): each for each in run.results}
    for number, (key, result) in enumerate(drawn):
        again = replayed.get((result.suite, replay_name(number) + "()"))
        if again is not None and again.passed:
            more = _more(result.cheats, again.cheats, counted=True)
        else:
            # The test cannot be called by another: how often it calls is not known then.
            any_test = {call: 1 for known in expected.values() for call in known.cheats}
            more = _more(result.cheats, any_test, counted=False)
        if more is not None:
            return _calls_cheats(key, more)
    return None


def barred(reference: str, code: str) -> str | None:
    """What a candidate's text holds that none may hold, its reference left aside."""
    if _NAMES_CHEATS.search(code.replace("_", "")) and not _NAMES_CHEATS.search(reference):
        return "it names the address of the cheat codes"
    if _NAMES_FORGE.search(code) and not _NAMES_FORGE.search(reference):
        return "it speaks to forge"
    head = _head(reference)
    if head is None:
        return None
    block, known = _assembly(code), _assembly(reference)
    if (
        head.visibility in ("internal", "private")
        and _LEAVES.search(block)
        and not _LEAVES.search(known)
    ):
        return "it ends the frame of the function that calls it"
    if head.mutability in ("pure", "view") and _WRITES.search(block):
        return f"it writes storage, where a {head.mutability} function is wanted"
    return None


def may_call(code: str) -> bool:
    """Whether a function's text may make a call of an address, with data, of its own choice.

    >>> may_call("function f(bytes calldata d) external view returns (address) { return msg.sender; }")
    False
    >>> may_call("function f(address a) internal { a.call(''); }")
    True
    """
    return _CALLS.search(_NO_CALL.sub("", mask(code))) is not None


def _head(code: str) -> Head | None:
    masked = mask(code)
    return read_head(masked, 0, parentheses(masked))


def _assembly(code: str) -> str:
    """What stands in assembly."""
    masked = mask(code)
    closed = brace_pairs(masked)
    return "\n".join(
        masked[found.end() : closed.get(found.end(), len(masked))]
        for found in _ASSEMBLY.finditer(masked)
    )


def _seed(code: str, number: int) -> int:
    # Not known before the code is, so code cannot be made for it.
    text = f"{number}\0{code}".encode("utf-8", "replace")
    return int.from_bytes(hashlib.sha256(text).digest()[:8], "big")


def _more(found: Mapping[str, int], known: Mapping[str, int], *, counted: bool) -> str | None:
    """The first cheat code that is called though the reference does not, or more often where calls are counted."""
    more = [
        call
        for call, times in found.items()
        if call not in known or (counted and times > known[call])
    ]
    return min(more, default=None)


def _calls_cheats(key: str, call: str) -> str:
    return f"{key} calls cheat codes that it does not call with the reference: {call}"
