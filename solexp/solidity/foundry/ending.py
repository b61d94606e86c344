"""Test files in which a test that is left before its last statement can be told from one that ends.

Internal functions of a library run in the frame of the test that calls them. Assembly's ``return``, ``stop`` or
``selfdestruct`` there ends the test, which then passes without its assertions; data that forge takes for a rejected
input, reverted with, takes that input out of the test.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection, Sequence

import msgspec

from solexp.solidity.functions import Member, members
from solexp.solidity.functions.heads import parentheses
from solexp.solidity.lexing import mask
from solexp.solidity.parsing import definitions

CHEAT_CODES = "0x7109709ecfa91a80626ff3989d68f67f5b1dd12d"
"""The address that forge gives its cheat codes: the last 20 bytes of the hash of ``hevm cheat code``."""
MARK_PREFIX = "0x" + b"solexp".hex()
"""What the address begins with that a test calls at its end."""

_ASSUME = re.compile(r"\bvm\s*\.\s*assume(?=\s*\()")
_INVARIANT = re.compile(r"(?:invariant|statefulFuzz)")
_MARK = """\
function _solexpCallMark_{name}() private {{
    assembly {{ pop(staticcall(gas(), {mark}, 0, 0, 0, 0)) }}
}}
function _solexpPure_{name}(function() internal f) private pure returns (function() internal pure g) {{
    assembly {{ g := f }}
}}
modifier _solexpMarked_{name}() {{ _; _solexpPure_{name}(_solexpCallMark_{name})(); }}
function _solexpHold_{name}() private {{ _solexpFail_{name}({whole}); }}
function _solexpRelease_{name}() private {{ _solexpFail_{name}(0); }}
function _solexpFail_{name}(uint256 word) private {{
    assembly {{
        let p := mload(0x40)
        mstore(p, shl(224, 0x70ca10bb))
        mstore(add(p, 4), {forge})
        mstore(add(p, 0x24), "failed")
        mstore(add(p, 0x44), word)
        if iszero(call(gas(), {forge}, 0, p, 0x64, 0, 0)) {{ revert(0, 0) }}
    }}
}}
modifier _solexpHeld_{name}() {{
    _solexpPure_{name}(_solexpHold_{name})();
    _;
    _solexpPure_{name}(_solexpRelease_{name})();
    _solexpPure_{name}(_solexpCallMark_{name})();
}}
function _solexpInside_{name}() private pure returns (bool inside) {{
    assembly {{ if gt(calldatasize(), 0x23) {{ inside := eq(calldataload(sub(calldatasize(), 0x20)), {inside}) }} }}
}}
function _solexpRun_{name}() private {{
    assembly {{
        let p := mload(0x40)
        let size := calldatasize()
        calldatacopy(p, 0, size)
        mstore(add(p, size), {inside})
        let ended := delegatecall(gas(), address(), p, add(size, 0x20), 0, 0)
        size := returndatasize()
        mstore(p, 0)
        returndatacopy(p, 0, size)
        if ended {{
            if iszero(and(eq(size, 0x20), eq(mload(p), {whole}))) {{ mstore(0, "{early}") revert(0, {length}) }}
        }}
        if iszero(ended) {{
            if and(eq(size, 0x20), eq(mload(p), {rejected})) {{ mstore(0, "FOUNDRY::ASSUME") revert(0, 15) }}
            if eq(shr(184, mload(p)), 0x464f554e4452593a3a) {{ mstore(0, "{early}") revert(0, {length}) }}
            revert(p, size)
        }}
    }}
}}
modifier _solexpWhole_{name}() {{
    if (_solexpInside_{name}()) {{ _; assembly {{ mstore(0, {whole}) return(0, 0x20) }} }}
    else {{ _solexpPure_{name}(_solexpRun_{name})(); }}
}}
function _solexpAssume_{name}(bool held) private pure {{
    if (!held) {{ assembly {{ mstore(0, {rejected}) revert(0, 0x20) }} }}
}}
"""
EARLY = "the test ends too early"
_REPLAY = """\
function {test}() public {{
    (bool ended, ) = address(this).delegatecall(hex"{data}");
    require(ended);
}}
"""


class Ends(msgspec.Struct, frozen=True, kw_only=True):
    """How the ends of tests are told. The default suits most."""

    marked: tuple[str, ...] = ()
    """Tests with parameters, and invariants, that do not pass when their bodies run in a frame of their own."""


class Replay(msgspec.Struct, frozen=True, kw_only=True):
    """A call of a test with parameters, to be made once more by a test without."""

    code: str
    """The candidate with which it was made. Its test file is changed as for that one: a test may see its calldata."""
    name: str
    """The test's, without parameters."""
    data: str
    """``0x``, its selector and the encoded arguments."""


def replay_name(number: int) -> str:
    """The test that makes one of the calls again."""
    return f"testSolexpReplay{number}"


def mark(code: str) -> str:
    """The address that a test calls at its end, once for it and once for its set-up, when ``code`` is judged.

    It is not known before the code is, so code cannot name it.
    """
    return MARK_PREFIX + _secret(code, "mark")[:28]


def with_ends(source: str, tests: Collection[str], code: str, ends: Ends) -> str:
    """A test file with its ``tests`` (names) and its set-up changed to tell their ends.

    - A test without parameters calls the address `mark` when it ends, which its call tree shows.
    - The body of one with parameters, or of an invariant, runs behind a call by which the contract delegates to itself,
      and answers with a value of its own at its end; or else the test fails, in that very try. Of inputs, only the
      test's own ``vm.assume`` rejects any.
    - One of these that is in ``ends.marked``, or that other code of the file calls, calls `mark` as well, and sets what
      forge takes for its failure until it ends. Its inputs may be rejected by whatever it calls.
    """
    known = _members(source)
    masked = mask(source)
    changes: list[tuple[int, int, str]] = []
    contracts: dict[str, int] = {}
    for member in known:
        contracts.setdefault(member.contract, member.doc_start)
        contracts[member.contract] = min(contracts[member.contract], member.doc_start)
    used = set()
    for member in known:
        if member.name not in {*tests, "setUp"} or not _entered(member):
            continue
        declared = sum(each.name == member.name for each in known)
        named = len(re.findall(rf"(?<![\w$]){re.escape(member.name)}\s*\(", masked))
        drawn = _drawn(member)
        own = drawn and member.name not in ends.marked and named == declared
        kind = "Whole" if own else "Held" if drawn else "Marked"
        changes.append((*_after_parameters(member), f" _solexp{kind}_{member.contract} "))
        if own:
            changes += _assumptions(source, member)
        used.add(member.contract)
    values = {what: "0x" + _secret(code, what) for what in ("inside", "whole", "rejected")} | {
        "mark": _number(mark(code)),
        "forge": _number(CHEAT_CODES),
        "early": EARLY,
        "length": str(len(EARLY)),
    }
    changes += [
        (contracts[name], contracts[name], _MARK.format(name=name, **values)) for name in used
    ]
    return _changed(source, changes)


def with_replays(source: str, replays: Sequence[Replay]) -> str:
    """A test file with tests that make calls of other tests again; see `replay_name`."""
    first: dict[str, Member] = {}
    for member in _members(source):
        if _entered(member):
            first.setdefault(member.name, member)
    changes = [
        (place, place, _REPLAY.format(test=replay_name(number), data=replay.data[2:]))
        for number, replay in enumerate(replays)
        if replay.name in first
        for place in (first[replay.name].doc_start,)
    ]
    return _changed(source, changes)


def _secret(code: str, what: str) -> str:
    # The same in every run, so that the inputs are that forge draws from a contract's constants.
    return hashlib.sha256(f"{what}\0{code}".encode("utf-8", "replace")).hexdigest()


def _number(address: str) -> str:
    # As a number of 22 bytes, since a literal of 20 wants a checksum, cut to an address by the machine.
    return "0x0000" + address[2:]


def _members(source: str) -> list[Member]:
    try:
        return [
            member
            for definition in definitions(source)
            for member in members(source, definition.name)
        ]
    except ValueError:
        return []


def _entered(member: Member) -> bool:
    return member.kind == "function" and member.visibility in ("public", "external")


def _drawn(member: Member) -> bool:
    return bool(member.parameters) or _INVARIANT.match(member.name) is not None


def _after_parameters(member: Member) -> tuple[int, int]:
    """Where modifiers may stand, as an empty range of bytes."""
    masked = mask(member.header)
    end = parentheses(masked)[masked.index("(")]
    place = member.start + len(member.header[:end].encode())
    return place, place


def _assumptions(source: str, member: Member) -> list[tuple[int, int, str]]:
    body = source.encode()[member.body_start : member.end].decode()
    return [
        (
            member.body_start + len(body[: found.start()].encode()),
            member.body_start + len(body[: found.end()].encode()),
            f"_solexpAssume_{member.contract}",
        )
        for found in _ASSUME.finditer(mask(body))
    ]


def _changed(source: str, changes: Sequence[tuple[int, int, str]]) -> str:
    data = source.encode()
    for start, end, text in sorted(changes, reverse=True):
        data = data[:start] + text.encode() + data[end:]
    return data.decode()
