"""A difference as a Foundry test: one file that needs nothing else."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from importlib import resources

from solexp.core import Log
from solexp.evm.abi import describe_event
from solexp.evm.evidence.cast import Cast, ether
from solexp.evm.evidence.listing import what
from solexp.evm.evidence.literals import address, arguments, constructor_arguments
from solexp.evm.evidence.seeing import Read, Seen
from solexp.evm.evidence.slots import Slot
from solexp.evm.gas import call_limits, deployment_limit
from solexp.evm.hardforks import at_least
from solexp.evm.machine import BLOCK_GAS, RICH
from solexp.evm.receiving import codes_of, described
from solexp.evm.script import PROBE_ADDRESS

OLDEST = "petersburg"
"""The oldest fork that tests are compiled for. Where a program ran under an older one, the test switches to that."""
_INTRINSIC = 21_000
"""forge adds it to the gas of a call that is a transaction."""
_LEAST_GAS = 1 << 30
_TRANSACTIONS_A_TEST = 64
"""EIP-150 keeps one part in so many back from each call."""

_FORGE_NAMES = {
    "frontier": "homestead",
    "dao": "homestead",
    "tangerine": "tangerineWhistle",
    "spuriousdragon": "spuriousDragon",
    "muirglacier": "istanbul",
    "arrowglacier": "london",
    "grayglacier": "london",
}

_CONFIG = """\
# The rules of the chain that the calls were made under.
[profile.default]
src = "test"
test = "test"
libs = []
evm_version = "{fork}"
# Every call of the test is a transaction of its own.
isolate = true
gas_limit = {gas}
block_gas_limit = {block_gas}
auto_detect_remappings = false
# What is tested may call forge's cheat codes, too.
ffi = false
fs_permissions = []

[profile.default.lint]
lint_on_build = false
"""


def foundry_config(seen: Seen) -> str:
    """The ``foundry.toml`` that stands beside the test."""
    limits = call_limits(seen.program, "generous", seen.traces[0])
    deployment = deployment_limit(seen.program, "generous", seen.traces[0])
    enough = sum(limits) + deployment
    return _CONFIG.format(
        fork=OLDEST if _is_old(seen) else _fork(seen),
        gas=max(_LEAST_GAS, enough + enough // _TRANSACTIONS_A_TEST),
        block_gas=BLOCK_GAS,
    )


def foundry_test(seen: Seen, about: Sequence[str]) -> str:
    """The text of a test contract whose ``test_original`` passes and whose ``test_candidate`` fails.

    ``about`` are lines that say where the difference comes from.
    """
    return _Writer(seen).text(about)


def test_contract(seen: Seen) -> str:
    """The name of the test's contract."""
    return re.sub(r"\W", "", seen.program.deployment.contract) + "Test"


def _fork(seen: Seen) -> str:
    """The fork as forge calls it."""
    fork = seen.program.hardfork or ""
    return _FORGE_NAMES.get(fork, fork)


def _is_old(seen: Seen) -> bool:
    return not at_least(seen.program.hardfork or "", OLDEST)


class _Writer:
    def __init__(self, seen: Seen) -> None:
        self._seen = seen
        self._axis = seen.question.axis
        self._read = seen.question.read
        self._program = seen.program
        self._contract = seen.original.contract
        self._cast = Cast(seen.program)
        self._names = {
            account: role.upper().replace(" ", "_") for account, role in self._cast.roles.items()
        }
        self._known = self._names | {self._cast.contract: "target"}
        self._limits = call_limits(seen.program, "generous", seen.traces[0])

    def text(self, about: Sequence[str]) -> str:
        template = resources.files(__package__).joinpath("Template.sol").read_text("utf-8")
        steps = "\n".join(f"        {line}".rstrip() for line in self._steps())
        constants = "\n".join(
            f"    address private constant {name} = {address(account, {})};"
            for account, name in self._names.items()
        )
        parts = {
            "ABOUT": "\n".join(f"/// {line}".rstrip() for line in about),
            "NAME": test_contract(self._seen),
            "ACCOUNTS": constants,
            "STEPS": steps,
            "RANDOM": self._random(),
            "CODES": "\n".join(self._codes()),
        }
        return re.sub(r"/\*<(\w+)>\*/", lambda found: parts[found[1]], template)

    def _random(self) -> str:
        given = self._program.prevrandao
        merged = at_least(self._program.hardfork or "", "paris")
        if given is not None:
            value = f"{int(given, 16):#066x}"
            return (
                f"vm.prevrandao(bytes32(uint256({value})));"
                if merged
                else f"vm.difficulty({int(given, 16)});"
            )
        if merged:
            return "unchecked { vm.prevrandao(bytes32((number + 1) * MIX)); }"
        return "vm.difficulty(1e15 + mulmod(number + 1, MIX, 1e14));"

    def _codes(self) -> Iterator[str]:
        for name, subject in (
            ("ORIGINAL", self._seen.original),
            ("CANDIDATE", self._seen.candidate),
        ):
            yield f"// What creates the {name.lower()}, without the constructor's arguments."
            yield f'bytes constant {name} = hex"{subject.creation[2:]}";'
            for number, code in enumerate(subject.code_at.values(), 1):
                yield f'bytes constant {name}_LIBRARY_{number} = hex"{code[2:]}";'

    def _steps(self) -> Iterator[str]:
        program, seen = self._program, self._seen
        deployment = program.deployment
        if program.calls or (self._read is not None and self._read.getter is not None):
            yield "bool ok;"
            yield "bytes memory data;"
            yield "bytes memory out;"
        if _is_old(seen):
            yield f'vm.setEvmVersion("{_fork(seen)}");'
        yield f"vm.chainId({program.chain_id});"
        if int(program.coinbase, 16):
            yield f"vm.coinbase({address(program.coinbase, {})});"
        if program.base_fee:
            yield f"vm.fee({program.base_fee});"
        yield from self._libraries()
        yield ""
        yield f"// {deployment.contract} is deployed."
        yield f"_at({deployment.block_number}, {deployment.timestamp});"
        sender = self._names[deployment.sender.lower()]
        yield f"vm.deal({sender}, {RICH + deployment.value});"
        if deployment.nonce:
            yield f"vm.setNonce({sender}, {deployment.nonce});"
        last = not program.calls and self._read is None
        if last and self._axis == "events":
            yield "vm.recordLogs();"
        yield "bytes memory code = candidate ? CANDIDATE : ORIGINAL;"
        encoded = "code"
        if deployment.constructor_args != "0x":
            given = constructor_arguments(self._contract, deployment.constructor_args, self._names)
            encoded = f"abi.encodePacked(code, {given})"
        value = ether(deployment.value) if deployment.value else "0"
        yield f"address target = _deploy({sender}, {value}, {encoded});"
        if last:
            yield from self._deployed()
            return
        yield 'require(target != address(0), "it is not deployed");'
        wealth = RICH + sum(call.value for call in program.calls)
        for name in dict.fromkeys(
            self._names[call.sender.lower()]
            for call in program.calls
            if call.sender.lower() in self._names
        ):
            yield f"vm.deal({name}, {wealth});"
        for place in range(len(program.calls)):
            yield from self._call(place)
        if self._read is not None:
            yield ""
            yield f"// What differs: {self._differing()}."
            yield from self._reading(self._read)

    def _libraries(self) -> Iterator[str]:
        places = (self._seen.original.code_at, self._seen.candidate.code_at)
        for place in dict.fromkeys([*places[0], *places[1]]):
            either = [
                f"{name}_LIBRARY_{list(codes).index(place) + 1}" if place in codes else 'bytes("")'
                for name, codes in zip(("ORIGINAL", "CANDIDATE"), places, strict=True)
            ]
            yield f"vm.etch({address(place, {})}, candidate ? {either[1]} : {either[0]});"

    def _deployed(self) -> Iterator[str]:
        yield ""
        yield f"// What differs: {self._differing()}."
        if self._axis == "events":
            yield "Vm.Log[] memory logs = vm.getRecordedLogs();"
            yield from self._events(self._seen.expected.logs, "the constructor")
        elif self._seen.expected.status:
            yield 'if (target == address(0)) _fail("the deployment", "deployed", "not deployed");'
        else:
            yield 'if (target != address(0)) _fail("the deployment", "not deployed", "deployed");'

    def _differing(self) -> str:
        return self._cast.named(difference(self._seen))

    def _call(self, place: int) -> Iterator[str]:
        program, seen = self._program, self._seen
        call = program.calls[place]
        before = program.calls[place - 1] if place else program.deployment
        is_last = place == len(program.calls) - 1
        differs = is_last and self._read is None
        told = described(self._contract if call.to is None else None, call)
        title = f"call {place + 1}, {self._cast.named(told)}"
        yield ""
        yield f"// What differs: {self._differing()}." if differs else f"// {title}"
        if (call.block_number, call.timestamp) != (before.block_number, before.timestamp):
            yield f"_at({call.block_number}, {call.timestamp});"
        if differs and self._axis == "events":
            yield "vm.recordLogs();"
        to = "target" if call.to is None else address(call.to, self._known)
        sender = address(call.sender, self._known)
        value = ether(call.value) if call.value else "0"
        gas = max(0, self._limits[place] - _INTRINSIC)
        data = arguments(self._contract if call.to is None else None, call.input, self._known)
        for account, _ in codes_of(program.calls[place - 1]) if place else ():
            yield f'vm.etch({address(account, self._known)}, "");'
        for account, code in codes_of(call):
            yield f'vm.etch({address(account, self._known)}, hex"{code[2:]}");'
        yield f"data = {data};"
        made = f"_call({{from: {sender}, to: {to}, value: {value}, gas: {gas}, data: data}});"
        if not differs:
            ends = [trace.calls[place].status for trace in seen.traces]
            if ends[0] != ends[1]:
                yield made
                return
            yield f"(ok, out) = {made}"
            yield f"_ends(ok, out, {str(ends[0]).lower()}, {_text(title)});"
            return
        yield f"(ok, out) = {made}"
        yield from self._differs(title)

    def _differs(self, title: str) -> Iterator[str]:
        seen = self._seen
        expected = seen.expected
        name = _text(title)
        yield f"_ends(ok, out, {str(expected.status).lower()}, {name});"
        if self._axis in ("return", "revert"):
            yield f'_same(out, hex"{expected.output[2:]}", {name});'
        elif self._axis == "events":
            yield "Vm.Log[] memory logs = vm.getRecordedLogs();"
            yield from self._events(expected.logs, title)

    def _events(self, logs: Sequence[Log], title: str) -> Iterator[str]:
        yield f"_count(logs, {len(logs)}, {_text(f'the number of events of {title}')});"
        for place, log in enumerate(logs):
            topics = "".join(topic[2:] for topic in log.topics)
            emitter = address(log.address, self._known)
            yield f"// {self._cast.named(describe_event(self._contract, log))}"
            yield (
                f'_event(logs[{place}], {emitter}, hex"{topics}", hex"{log.data[2:]}", '
                f"{_text(f'event {place + 1} of {title}')});"
            )

    def _reading(self, read: Read) -> Iterator[str]:
        expected = self._seen.expected
        title = _text(self._differing())
        if read.getter is not None:
            data = arguments(self._contract, read.getter.input, self._known)
            caller = address(PROBE_ADDRESS, {})
            yield f"data = {data};"
            yield f"vm.prank({caller}, {caller});"
            yield "(ok, out) = target.staticcall(data);"
            yield f"_ends(ok, out, {str(expected.status).lower()}, {title});"
            if expected.status:
                yield f'_same(out, hex"{expected.output[2:]}", {title});'
            return
        if read.slots is not None:
            theirs, ours = map(_slot, read.slots)
            yield f"uint256 word = candidate ? _word(target, {ours}) : _word(target, {theirs});"
        else:
            yield f"uint256 word = {address('0x' + read.label[-40:], self._known)}.balance;"
        yield f"_equal(word, {int(expected.output, 16)}, {title});"


def difference(seen: Seen) -> str:
    """What differs, in a few words."""
    read = seen.question.read
    return what(seen.question.axis, len(seen.program.calls), None if read is None else read.label)


def _slot(slot: Slot) -> str:
    return f"{slot.slot:#x}, {slot.offset}, {slot.size}, {str(slot.signed).lower()}"


def _text(text: str) -> str:
    """A Solidity string literal, of printable ASCII."""
    plain = "".join(letter if " " <= letter <= "~" else "?" for letter in text.replace("…", "..."))
    return '"' + plain.replace("\\", "\\\\").replace('"', '\\"') + '"'
