"""Chosen functions as rows of Solidity Eval."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence, Set

import msgspec

from solexp.benchmarks.building.canaries import canaries, words_of
from solexp.benchmarks.building.choosing import Chosen
from solexp.benchmarks.building.settings import Settings
from solexp.benchmarks.building.sources import Source
from solexp.benchmarks.categories import categorise
from solexp.benchmarks.solidity_eval.archives import pack
from solexp.benchmarks.solidity_eval.posing import MANIFEST, Known
from solexp.benchmarks.solidity_eval.rows import Row
from solexp.core.hashing import content_hash
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
    texts = Counter(word for text in {source.text for source in sources} for word in words_of(text))
    common = {word for word, times in texts.items() if times > 1}
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
            # What occurs here alone was counted once.
            common=common,
        ),
    )


def context(one: Chosen, tokens: int) -> str:
    """The file's last lines before the function, at most ``tokens`` of them; its documentation where that is elsewhere;
    and its head."""
    before = one.source.text.encode()[: one.member.start].decode()
    lines = before.split("\n")
    kept: list[str] = []
    left = tokens - count(lines[-1])
    for line in reversed(lines[:-1]):
        left -= count(f"{line}\n")
        if left < 0:
            break
        kept.append(line)
    shown = "".join(f"{line}\n" for line in reversed(kept))
    said = "" if one.member.natspec else one.documentation
    indent = lines[-1] if not lines[-1].strip() else ""
    notes = "".join(f"{indent}/// {line}\n" for line in said.splitlines())
    return f"{shown}{notes}{lines[-1]}{one.member.header.strip()}"


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
        sha256={path: content_hash(one.source.text)},
        solexp=Known(deployment=deployed, documentation=said),
    )
    return msgspec.json.format(msgspec.json.encode(told), indent=2).decode() + "\n"
