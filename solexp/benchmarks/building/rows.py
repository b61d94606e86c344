"""Chosen functions as rows of Solidity Eval."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Sequence, Set

import msgspec

from solexp.benchmarks.building.canaries import canaries, lines_of, words_of
from solexp.benchmarks.building.choosing import Chosen
from solexp.benchmarks.building.settings import Settings
from solexp.benchmarks.building.sources import Source
from solexp.benchmarks.categories import categorise
from solexp.benchmarks.solidity_eval.archives import pack
from solexp.benchmarks.solidity_eval.posing import MANIFEST, Known
from solexp.benchmarks.solidity_eval.rows import Row
from solexp.llm.tokens import count
from solexp.solidity.foundry.settings import CONFIG

_TOML = """[profile.default]
src = "src"
out = "out"
libs = []
solc = "{version}"
optimizer = {optimizer}
optimizer_runs = {runs}
ffi = false
"""


class _Manifest(msgspec.Struct, frozen=True, kw_only=True):
    """What ``manifest.json`` says."""

    task_id: str
    contract: str
    origin: str
    function: str
    solc: str
    sha256: dict[str, str]
    solexp: Known


def make_rows(chosen: Sequence[Chosen], settings: Settings, sources: Sequence[Source]) -> list[Row]:
    """A row for each chosen function. ``sources`` are all that were read: what two of them say is no secret."""
    texts = {source.text for source in sources}
    counts = Counter(word for text in texts for word in words_of(text) | lines_of(text))
    common = {word for word, times in counts.items() if times > 1}
    return [_row(one, settings, common) for one in chosen]


def _row(one: Chosen, settings: Settings, common: Set[str]) -> Row:
    source = one.source
    path = f"{one.contract}.sol"
    workspace = {
        CONFIG: _TOML.format(
            version=one.compiler.version,
            optimizer=str(one.compiler.optimizer).lower(),
            runs=one.compiler.runs,
        ),
        f"src/{path}": one.stubbed,
    }
    shown = context(one, settings.context_tokens)
    return Row(
        task_id=one.id,
        domain=categorise(source.text, one.contract),
        contract_name=one.contract,
        contract_address=source.address,
        pragma=one.pragma,
        pragma_major_minor=one.series,
        resolved_solc_version=one.compiler.version,
        target_function_signature=one.member.signature,
        prompt_context=shown,
        workspace_tar=pack(workspace),
        scoring_tar=pack({MANIFEST: _manifest(one), f"origin/{path}": source.text}),
        canary_substrings=canaries(
            one.body,
            (*workspace.values(), shown),
            most=settings.canaries,
            chars=settings.canary_chars,
            common=common,
            line_chars=settings.canary_lines,
        ),
    )


def context(one: Chosen, tokens: int) -> str:
    """The file before the function, at most ``tokens`` of it; its documentation where that is elsewhere; its head."""
    before = one.source.text.encode()[: one.member.start].decode()
    kept = last_lines(before, tokens)
    indent = kept[len(kept.rstrip(" \t")) :]
    said = "" if one.member.natspec else one.documentation
    notes = "".join(f"{indent}/// {line}\n" for line in said.splitlines())
    return f"{kept[: len(kept) - len(indent)]}{notes}{indent}{one.member.header.strip()}"


def last_lines(text: str, tokens: int) -> str:
    """The last whole lines of a text, at most ``tokens`` of them; what is begun of a line behind them stays."""
    *lines, last = text.split("\n")
    kept = [last]
    left = tokens - count(last)
    for line in reversed(lines):
        left -= count(f"{line}\n")
        if left < 0:
            break
        kept.append(line)
    return "\n".join(reversed(kept))


def _manifest(one: Chosen) -> str:
    path = f"origin/{one.contract}.sol"
    deployed = one.source.deployment
    if deployed is not None:
        deployed = msgspec.structs.replace(deployed, recorded=None, gas=None)
    said = one.documentation if not one.member.natspec else ""
    told = _Manifest(
        task_id=one.id,
        contract=one.contract,
        origin=path,
        function=one.member.signature,
        solc=one.compiler.version,
        sha256={path: hashlib.sha256(one.source.text.encode()).hexdigest()},
        solexp=Known(deployment=deployed, documentation=said),
    )
    return msgspec.json.format(msgspec.json.encode(told), indent=2).decode() + "\n"
