"""From sources to whole contracts that are to be written: every filter, then a seeded choice."""

from __future__ import annotations

import random
from collections.abc import Sequence

import msgspec

from solexp.benchmarks.building.duplicates import near_duplicates
from solexp.benchmarks.building.fresh import Fresh, Reproduction
from solexp.benchmarks.building.funnel import Funnel
from solexp.benchmarks.building.screening import (
    Fit,
    Steps,
    balanced,
    compiling,
    drawn,
    nearly,
    passes_on,
    screened,
)
from solexp.benchmarks.building.settings import ContractSettings
from solexp.benchmarks.building.sources import Source
from solexp.benchmarks.solidity_eval.construction import Standing, stand
from solexp.core import CompilerSettings, Program
from solexp.solidity.compiler import Compiler
from solexp.solidity.contracts import Definition
from solexp.solidity.frameworks import definition_text
from solexp.solidity.functions import members
from solexp.solidity.parsing import outline

_WRITTEN = ("function", "fallback", "receive")


class Target(msgspec.Struct, frozen=True, kw_only=True):
    """A contract that is to be written."""

    source: Source
    contract: str
    compiler: CompilerSettings
    reproduction: Reproduction | None = None
    """What a fresh deployment made of the recorded calls, where that was tried."""

    @property
    def id(self) -> str:
        return self.source.id


def choose_targets(
    sources: Sequence[Source],
    settings: ContractSettings,
    compiler: Compiler,
    funnel: Funnel,
    *,
    steps: Steps,
    fresh: Fresh | None = None,
) -> list[Target]:
    """The chosen contracts, in the sources' order; every filter is noted in ``funnel``.

    ``fresh`` deploys them, where the settings ask for that. ``steps`` is told of every compilation and deployment.
    """
    held = screened(sources, settings, funnel, as_built=True)
    if settings.history:
        held = funnel.keep("history", held, _id, _no_history)
    held = balanced(held, settings, funnel)
    held = _with_contracts(held, settings, funnel)
    texts = {each.source.id: definition_text(each.source.text, each.contract) for each in held}
    near = near_duplicates(texts, settings.duplicates)
    held = funnel.keep(
        "near duplicates of the target", held, _id, lambda each: nearly(near.get(each.source.id))
    )
    deploying = settings.deploys or settings.reproduces is not None
    steps.total((2 if deploying else 1) * len(held))
    held = compiling(held, settings, compiler, funnel, steps)
    chosen = [
        Target(source=each.source, contract=each.contract, compiler=each.compiler) for each in held
    ]
    if deploying:
        chosen = _deployed(chosen, settings, compiler, funnel, steps=steps, fresh=fresh or Fresh())
    return drawn(chosen, settings, lambda one: one.id)


def program_of(source: Source, contract: str) -> Standing:
    """How a contract stands: by its recorded history, or else as is known or may be made up, without any calls."""
    if source.program is not None:
        return Standing(source.program, source.program.deployment.contract, None)
    return stand(source.text, contract, source.deployment)


def _id(fit: Fit) -> str:
    return fit.source.id


def _no_history(fit: Fit) -> str | None:
    program = fit.source.program
    return None if program is not None and program.calls else "has no recorded history"


def _with_contracts(held: Sequence[Fit], settings: ContractSettings, funnel: Funnel) -> list[Fit]:
    """The contract of each source that is to be written."""
    left, dropped = [], []
    for fit in held:
        found = _candidates(fit.source, settings)
        if isinstance(found, str):
            dropped.append((fit.source.id, found))
            continue
        draw = random.Random(f"contract:{settings.seed}:{fit.source.id}")
        left.append(msgspec.structs.replace(fit, contract=draw.choice(sorted(found))))
    funnel.stage("target", len(left), dropped)
    return left


def _candidates(source: Source, settings: ContractSettings) -> list[str] | str:
    """The names of the contracts that may be the target, or why there is none."""
    known = outline(source.text)
    wanted = _wanted(source, settings, known)
    concrete = [each for each in wanted if each.kind == "contract" and not each.abstract]
    if not concrete:
        kinds = sorted({"abstract" if each.abstract else each.kind for each in wanted})
        return f"has no contract to write: {', '.join(kinds) or 'none'}"
    try:
        if not settings.proxies and any(passes_on(source.text, each.name) for each in wanted):
            return "is a proxy"
        found = [each.name for each in concrete if _has_to_do(source.text, each.name)]
    except ValueError as error:
        return f"cannot be read: {error}"
    return found or "has nothing but constructors to write"


def _wanted(
    source: Source, settings: ContractSettings, known: Sequence[Definition]
) -> list[Definition]:
    deployed = None if source.deployment is None else source.deployment.contract
    name = {"given": source.contract, "drawn": None, "deployed": deployed or source.contract}[
        settings.target
    ]
    if name is not None or settings.target == "drawn":
        return [each for each in known if name in (None, each.name)]
    bases = {base.rpartition(".")[2] for each in known for base in each.inherits}
    return [each for each in known if each.name not in bases] or list(known)


def _has_to_do(text: str, contract: str) -> bool:
    return any(member.kind in _WRITTEN and not member.empty for member in members(text, contract))


def _deployed(
    chosen: Sequence[Target],
    settings: ContractSettings,
    compiler: Compiler,
    funnel: Funnel,
    *,
    steps: Steps,
    fresh: Fresh,
) -> list[Target]:
    """Those that a fresh deployment brings to life, and whose history it reproduces."""
    tried: dict[str, Reproduction | str] = {}
    for one in chosen:
        program = program_of(one.source, one.contract).program
        tried[one.id] = (
            "nobody knows how it is deployed"
            if program is None
            else fresh.run(one.source.text, one.compiler, _first(program, settings), compiler)
        )
        steps.advance()
    left = [
        msgspec.structs.replace(one, reproduction=found)
        for one in chosen
        if isinstance(found := tried[one.id], Reproduction)
    ]
    failed = [(name, found) for name, found in tried.items() if isinstance(found, str)]
    funnel.stage("deploys", len(left), failed)
    least = settings.reproduces
    if least is None:
        return left
    return funnel.keep(
        "reproducible",
        left,
        lambda one: one.id,
        lambda one: None if one.reproduction is None else one.reproduction.why_not(least),
    )


def _first(program: Program, settings: ContractSettings) -> Program:
    most = settings.reproduced_calls if settings.reproduces is not None else 0
    return msgspec.structs.replace(program, calls=program.calls[:most])
