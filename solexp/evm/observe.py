"""What to look at: keys that a program brings into play, and read-only calls worth making."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any, Literal, TypeVar

from solexp.core import ContractBuild, Program
from solexp.evm.abi import input_types, split_types
from solexp.evm.machine import Keys, Observation, Probe
from solexp.evm.storage import budget
from solexp.evm.words import created_address, word

GetterRule = Literal["fallback", "always", "never"]
"""When differing answers of getters count: ``always``, ``never``, or as a ``fallback`` where storage alone cannot be
compared, since the compiler gives no layout or the candidate lacks a variable."""

SMALL_NUMBERS = 24
MAX_ADDRESSES = 1024
MAX_PAIRS = 1024
MAX_WORDS = 384
MAX_TEXTS = 32
MAX_PROBES = 768
MAX_BALANCES = 256
MAX_WORDS_A_TRACE = 300_000
_WORDS_A_CALL = 48
_ZERO = "0" * 64

T = TypeVar("T")


def observation(
    program: Program,
    reference: ContractBuild,
    *,
    checkpoint_every: int | None = None,
    getters: GetterRule = "fallback",
    max_slots: int = 8192,
) -> Observation:
    """What to read of ``program``'s contract. Probes come from the reference's ABI, never from a candidate's."""
    keys = keys_in_play(program)
    layout = reference.storage_layout is not None
    accounts = keys.addresses[:MAX_BALANCES]
    if checkpoint_every:
        # More words in one trace are not worth their memory.
        readings = len(program.calls) // checkpoint_every + 1
        max_slots = max(64, min(max_slots, MAX_WORDS_A_TRACE // readings))
        accounts = accounts[: max(8, max_slots // 8)]
    widths = budget(reference.storage_layout, keys, max_slots)
    return Observation(
        checkpoint_every=checkpoint_every,
        storage=layout,
        getters=probes(reference, keys) if getters != "never" else (),
        getters_in_need=getters == "fallback",
        keys=keys,
        max_slots=max_slots,
        slots_of=widths.slots_of if layout else None,
        per_mapping=widths.per_mapping if layout else None,
        flags=widths.flags if layout else None,
        balances=accounts,
    )


def keys_in_play(program: Program) -> Keys:
    """Addresses, words and texts that senders and calldata bring in, the most used first."""
    deployment = program.deployment
    own = created_address(deployment.sender, deployment.nonce)
    addresses: Counter[str] = Counter(map(_padded, (own, deployment.sender)))
    words: Counter[str] = Counter()
    pairs: Counter[tuple[str, str]] = Counter()
    texts: Counter[str] = Counter()
    for caller, data, used in _arguments(program):
        near = [caller, _padded(own)]
        chunk = data[: 64 * _WORDS_A_CALL]
        for at in range(0, len(chunk) - 63, 64):
            part = chunk[at : at + 64]
            if part.startswith("000000000000000000000000") and part[24:32] != "00000000":
                addresses[part] += used
                if len(near) < 5:
                    near.append(part)
            elif part != _ZERO:
                words[part] += used
                text = _text_at(data, part)
                if text:
                    texts[text] += used
        addresses[caller] += used
        for first in near:
            for second in near:
                if first != second:
                    pairs[first, second] += used
    small = [word(number) for number in range(SMALL_NUMBERS)]
    return Keys(
        addresses=(*_most(addresses, MAX_ADDRESSES), _ZERO),
        pairs=_most(pairs, MAX_PAIRS),
        words=tuple(dict.fromkeys((*small, *_most(words, MAX_WORDS)))),
        texts=_most(texts, MAX_TEXTS),
    )


def _arguments(program: Program) -> Iterator[tuple[str, str, int]]:
    """Distinct (padded sender, argument digits) with how often they occur."""
    yield _padded(program.deployment.sender), program.deployment.constructor_args[2:], 1
    seen = Counter((call.sender, call.input[10 : 10 + 256 * 64]) for call in program.calls)
    for (sender, data), count in seen.items():
        yield _padded(sender), data, count


def _padded(address: str) -> str:
    return "000000000000000000000000" + address[2:].lower()


def _text_at(data: str, offset: str) -> str | None:
    """The string that an argument word points to, as hex digits, if it looks like one."""
    if not offset.startswith("0" * 56):
        return None
    at = 2 * int(offset, 16)
    if at % 64 or at + 64 > len(data):
        return None
    head = data[at : at + 64]
    if not head.startswith("0" * 60):
        return None
    length = 2 * int(head, 16)
    return data[at + 64 : at + 64 + length] if 0 < length <= len(data) - at - 64 else None


def _most(counted: Counter[T], limit: int) -> tuple[T, ...]:
    return tuple(key for key, _ in counted.most_common(limit))


def probes(contract: ContractBuild, keys: Keys, limit: int = MAX_PROBES) -> tuple[Probe, ...]:
    """Calls to the contract's view and pure functions, with arguments from ``keys``, at most ``limit``."""
    found: list[Probe] = []
    views = [entry for entry in contract.abi if _is_view(entry)]
    if not views:
        return ()
    share = max(4, limit // len(views))
    for entry in views:
        types = input_types(entry)
        selector = contract.methods.get(f"{entry['name']}({','.join(types)})")
        if selector is None:
            continue
        for shown, digits in _argument_lists(types, keys, share):
            found.append(Probe(f"{entry['name']}({shown})", f"0x{selector}{digits}"))
    return tuple(found[:limit])


def _is_view(entry: dict[str, Any]) -> bool:
    return entry.get("type") == "function" and (
        entry.get("stateMutability") in ("view", "pure") or entry.get("constant") is True
    )


def _argument_lists(types: list[str], keys: Keys, limit: int) -> Iterable[tuple[str, str]]:
    if not types:
        return [("", "")]
    pools = [_pool(kind, keys) for kind in types]
    if not all(pools):
        return []
    if types == ["address", "address"]:
        return [(f"0x{a[24:]},0x{b[24:]}", a + b) for a, b in keys.pairs[:limit]]
    longest = max(len(pool) for pool in pools)
    chosen = [
        [pool[(index + shift) % len(pool)] for shift, pool in enumerate(pools)]
        for index in range(min(limit, longest))
    ]
    return [(",".join(shown for shown, _ in c), "".join(d for _, d in c)) for c in chosen]


def _pool(kind: str, keys: Keys) -> list[tuple[str, str]]:
    if kind == "address":
        return [("0x" + key[24:], key) for key in keys.addresses]
    if kind == "bool":
        return [("false", word(0)), ("true", word(1))]
    if kind.startswith("uint") and "[" not in kind:
        size = int(kind[4:] or 256)
        values = [(int(key, 16), key) for key in keys.words]
        return [(str(value), key) for value, key in values if value < 1 << size]
    if kind == "bytes32":
        return [("0x" + key, key) for key in keys.words]
    if kind.startswith("(") and kind.endswith(")"):
        # Every type that has a pool is static, and so are structs of them: their members stand side by side.
        rows = _argument_lists(split_types(kind[1:-1]), keys, MAX_PROBES)
        return [(f"({shown})", digits) for shown, digits in rows]
    return []
