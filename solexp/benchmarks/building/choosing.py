"""From sources to functions that are to be written: every filter, then a seeded choice."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from functools import cached_property

import msgspec

from solexp.benchmarks.building.funnel import Funnel
from solexp.benchmarks.building.screening import (
    Fit,
    Steps,
    balanced,
    compiling,
    drawn,
    fits,
    passes_on,
    screened,
)
from solexp.benchmarks.building.settings import Settings
from solexp.benchmarks.building.sources import Source
from solexp.core import CompilerSettings
from solexp.core.workspace import STUB
from solexp.solidity.compiler import Compiler
from solexp.solidity.functions import (
    Member,
    body_of,
    identifiers,
    members,
    replace_body,
    text_of,
)
from solexp.solidity.parsing import outline
from solexp.solidity.versions import pragmas

STUB_BODY = f"{{ {STUB} }}"
_SERIES = re.compile(r"(?<![\d.])0\.\d+")


class Chosen(msgspec.Struct, frozen=True, kw_only=True, dict=True):
    """A function that is to be written."""

    source: Source
    contract: str
    member: Member
    name: str
    """The member's, which no other of the contract has."""
    compiler: CompilerSettings

    @property
    def id(self) -> str:
        return f"{self.source.id}/{self.name}"

    @cached_property
    def stubbed(self) -> str:
        """The source with the stub for a body."""
        return replace_body(self.source.text, self.member, STUB_BODY)

    @property
    def body(self) -> str:
        return body_of(self.source.text, self.member)

    @cached_property
    def pragma(self) -> str:
        """The source's pragma; several as one."""
        return " ".join(dict.fromkeys(pragmas(self.source.text)))

    @property
    def series(self) -> str:
        """The series that the pragma names first, or else the compiler's."""
        found = _SERIES.search(self.pragma)
        return found[0] if found else ".".join(self.compiler.version.split(".")[:2])

    @property
    def documentation(self) -> str:
        """What is said of the function: in the source, or else beside it."""
        return self.member.natspec or self.source.documentation.get(self.member.signature, "")


def choose(
    sources: Sequence[Source],
    settings: Settings,
    compiler: Compiler,
    funnel: Funnel,
    steps: Steps,
) -> list[Chosen]:
    """The chosen functions, in the sources' order; every filter is noted in ``funnel``.

    ``steps`` is told of every compilation.
    """
    held = screened(sources, settings, funnel)
    held = _with_functions(held, settings, funnel)
    held = balanced(held, settings, funnel)
    steps.total(2 * len(held))
    held = compiling(held, settings, compiler, funnel, steps)
    steps.total(2 * len(held))
    return _drawn(held, settings, compiler, funnel, steps)


def _with_functions(held: Sequence[Fit], settings: Settings, funnel: Funnel) -> list[Fit]:
    """A contract of each source that can be deployed by itself, and its functions that may be asked for."""
    left, dropped = [], []
    for fit in held:
        found = _contracts(fit.source, settings)
        if isinstance(found, str):
            dropped.append((fit.source.id, found))
            continue
        draw = random.Random(f"contract:{settings.seed}:{fit.source.id}")
        contract = draw.choice(sorted(found))
        left.append(
            msgspec.structs.replace(fit, contract=contract, functions=tuple(found[contract]))
        )
    funnel.stage("contract and function", len(left), dropped)
    return left


def _contracts(source: Source, settings: Settings) -> dict[str, list[tuple[Member, str]]] | str:
    known = outline(source.text)
    wanted = [each for each in known if source.contract in (None, each.name)]
    concrete = [each for each in wanted if each.kind == "contract" and not each.abstract]
    if not concrete:
        kinds = sorted({"abstract" if each.abstract else each.kind for each in wanted})
        return f"has no contract that can be deployed: {', '.join(kinds) or 'none'}"
    if source.contract is None:
        bases = {base.rpartition(".")[2] for each in concrete for base in each.inherits}
        concrete = [each for each in concrete if each.name not in bases] or concrete
    try:
        if not settings.proxies and any(passes_on(source.text, each.name) for each in concrete):
            return "is a proxy"
        found = {each.name: eligible(source.text, each.name, settings) for each in concrete}
    except ValueError as error:
        return f"cannot be read: {error}"
    found = {name: functions for name, functions in found.items() if functions}
    return found or f"has no function of {settings.min_lines} lines or more of the wanted kind"


def eligible(text: str, contract: str, settings: Settings) -> list[tuple[Member, str]]:
    """The functions of a contract that may be asked for, in order, with their names.

    No constructors, modifiers, receive or fallback functions, none without a body; those of the wanted visibility and
    length.
    """
    known = members(text, contract)
    return [
        (member, name)
        for member, name in zip(known, identifiers(known), strict=True)
        if member.kind == "function"
        and not member.empty
        and (member.visibility or "public") in settings.visibility
        and fits(text_of(text, member).count("\n") + 1, settings.min_lines, settings.max_lines)
        and "".join(body_of(text, member).split()) != "".join(STUB_BODY.split())
    ]


def _drawn(
    held: Sequence[Fit], settings: Settings, compiler: Compiler, funnel: Funnel, steps: Steps
) -> list[Chosen]:
    """So many functions of each contract whose stub compiles; of all these so many rows."""
    chosen: list[Chosen] = []
    dropped = []
    for fit in held:
        steps.advance()
        order = list(fit.functions)
        random.Random(f"function:{settings.seed}:{fit.source.id}").shuffle(order)
        own: list[Chosen] = []
        for member, name in order:
            if len(own) == settings.functions:
                break
            one = Chosen(
                source=fit.source,
                contract=fit.contract,
                member=member,
                name=name,
                compiler=fit.compiler,
            )
            if compiler.compile({"source.sol": one.stubbed}, fit.compiler).ok:
                own.append(one)
        if not own:
            dropped.append((fit.source.id, "no function can be a stub and compile"))
        chosen += sorted(own, key=lambda one: one.member.start)
    funnel.stage("stub", len(held) - len(dropped), dropped)
    return drawn(chosen, settings, lambda one: one.id)
