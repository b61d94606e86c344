"""From sources to functions that are to be written: every filter, then a seeded choice."""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Sequence
from functools import cached_property
from typing import Protocol

import msgspec

from solexp.benchmarks.building.duplicates import near_duplicates
from solexp.benchmarks.building.funnel import Funnel
from solexp.benchmarks.building.settings import Settings
from solexp.benchmarks.building.sources import Source, imports
from solexp.core import CompilerSettings, UserError
from solexp.core.workspace import STUB
from solexp.evm.abi import changing_functions
from solexp.solidity.compiler import Compiler
from solexp.solidity.contracts import ancestors
from solexp.solidity.foundry.settings import newest
from solexp.solidity.functions import (
    Member,
    body_of,
    identifiers,
    members,
    replace_body,
    text_of,
)
from solexp.solidity.lexing import mask
from solexp.solidity.parsing import outline
from solexp.solidity.versions import parse_range, pragmas, release
from solexp.toolchain.install import soljson_versions

STUB_BODY = f"{{ {STUB} }}"
_SERIES = re.compile(r"(?<![\d.])0\.\d+")
_DELEGATES = re.compile(r"(?<![\w$])(?:delegatecall|callcode)(?![\w$])")
_CALLED = re.compile(r"([A-Za-z_$][\w$]*)\s*\(")


class Steps(Protocol):
    """Who is told how far the compiling has come."""

    def total(self, steps: int) -> None: ...

    def advance(self) -> None: ...


class Untold:
    """Nobody."""

    def total(self, steps: int) -> None: ...

    def advance(self) -> None: ...


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


class _Fit(msgspec.Struct, frozen=True, kw_only=True):
    """A source that passed a filter, and what that found out."""

    source: Source
    compiler: CompilerSettings
    contract: str = ""
    functions: tuple[tuple[Member, str], ...] = ()


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
    left = funnel.keep("metadata", sources, _id, lambda each: _known_unfit(each, settings))
    left = funnel.keep("one file", left, _id, _not_one_file)
    installed = _installed(settings)
    found = {each.id: _compiler(each, installed) for each in left}
    left = funnel.keep("pragma", left, _id, lambda each: _reason(found[each.id]))
    near = near_duplicates(left, settings.duplicates)
    left = funnel.keep(
        "near duplicates",
        left,
        _id,
        lambda each: f"nearly the same as another: {near[each.id]}" if each.id in near else None,
    )
    held = [
        _Fit(source=each, compiler=compiler_)
        for each in left
        if isinstance(compiler_ := found[each.id], CompilerSettings)
    ]
    held = _with_functions(held, settings, funnel)
    held = _balanced(held, settings, funnel)
    steps.total(2 * len(held))
    held = _compiling(held, settings, compiler, funnel, steps)
    steps.total(2 * len(held))
    return _drawn(held, settings, compiler, funnel, steps)


def _id(source: Source) -> str:
    return source.id


def _reason(found: CompilerSettings | str) -> str | None:
    return found if isinstance(found, str) else None


def _known_unfit(source: Source, settings: Settings) -> str | None:
    if source.verified is False:
        return "is not verified"
    if not settings.proxies and source.proxy:
        return "is a proxy"
    if settings.min_transactions and (source.transactions or 0) < settings.min_transactions:
        return "has too few transactions"
    return "has to be linked" if source.libraries else None


def _not_one_file(source: Source) -> str | None:
    return "imports other files" if imports(source.text) else None


def _installed(settings: Settings) -> list[str]:
    allowed = parse_range(settings.compilers)
    found = [version for version in soljson_versions() if allowed.allows(release(version))]
    if not found:
        raise UserError(f"compilers: there is none in {settings.compilers!r}")
    return found


def _compiler(source: Source, installed: Sequence[str]) -> CompilerSettings | str:
    """The highest installed compiler that a source takes, or why there is none."""
    texts = pragmas(source.text)
    if not texts:
        return "has no pragma"
    try:
        version = newest({source.id: source.text}, installed)
    except UserError:
        old = [each for each in soljson_versions() if release(each) < (0, 5, 0)]
        try:
            newest({source.id: source.text}, old)
        except UserError:
            return f"asks for no compiler that there is: {' '.join(texts)}"
        return f"asks for a compiler of 0.4: {' '.join(texts)}"
    return CompilerSettings(
        version=version,
        optimizer=True if source.optimizer is None else source.optimizer,
        runs=source.runs,
    )


def _with_functions(fits: Sequence[_Fit], settings: Settings, funnel: Funnel) -> list[_Fit]:
    """A contract of each source that can be deployed by itself, and its functions that may be asked for."""
    left, dropped = [], []
    for fit in fits:
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


def passes_on(text: str, contract: str) -> bool:
    """Whether a contract passes calls on to another's code: its fallback function, or one that this calls, delegates.

    Functions are followed by name, within the contract and what it inherits.
    """
    known = outline(text)
    family = {contract, *(each.name for each in ancestors(contract, known))}
    own = [
        (member, mask(body_of(text, member)))
        for each in known
        if each.name in family and each.kind == "contract"
        for member in members(text, each.name)
    ]
    queue = [body for member, body in own if member.kind in ("fallback", "receive")]
    left = [(member.name, body) for member, body in own if member.kind == "function"]
    while queue:
        body = queue.pop()
        if _DELEGATES.search(body):
            return True
        called = set(_CALLED.findall(body))
        queue += [each for name, each in left if name in called]
        left = [(name, each) for name, each in left if name not in called]
    return False


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
        and _fits(text_of(text, member).count("\n") + 1, settings.min_lines, settings.max_lines)
        and "".join(body_of(text, member).split()) != "".join(STUB_BODY.split())
    ]


def _fits(number: int, least: int | None, most: int | None) -> bool:
    return (least is None or number >= least) and (most is None or number <= most)


def _balanced(fits: list[_Fit], settings: Settings, funnel: Funnel) -> list[_Fit]:
    """At most so many sources of each series, drawn by the seed."""
    if settings.per_series is None:
        return fits
    order = sorted(fits, key=lambda fit: fit.source.id)
    random.Random(f"series:{settings.seed}").shuffle(order)
    counts: Counter[str] = Counter()
    drawn = set()
    for fit in order:
        series = ".".join(fit.compiler.version.split(".")[:2])
        counts[series] += 1
        if counts[series] <= settings.per_series:
            drawn.add(fit.source.id)
    return funnel.keep(
        "balance",
        fits,
        lambda fit: fit.source.id,
        lambda fit: None if fit.source.id in drawn else "is one too many of its series",
    )


def _compiling(
    fits: Sequence[_Fit], settings: Settings, compiler: Compiler, funnel: Funnel, steps: Steps
) -> list[_Fit]:
    def why_not(fit: _Fit) -> str | None:
        steps.advance()
        build = compiler.compile({"source.sol": fit.source.text}, fit.compiler)
        if not build.ok:
            return f"does not compile with the highest compiler: {build.errors[0].message}"
        deployed = fit.source.deployment
        contract = build.contract(deployed.contract if deployed else fit.contract)
        if contract is None or contract.creation == "0x":
            return "what is deployed is not there or abstract"
        if contract.missing_libraries:
            return "has to be linked"
        changing = len(changing_functions(contract))
        if not _fits(changing, settings.min_changing, settings.max_changing):
            return f"has too few or too many functions that change state: {changing}"
        return None

    return funnel.keep("compiler", fits, lambda fit: fit.source.id, why_not)


def _drawn(
    fits: Sequence[_Fit], settings: Settings, compiler: Compiler, funnel: Funnel, steps: Steps
) -> list[Chosen]:
    """So many functions of each contract whose stub compiles; of all these so many rows."""
    chosen: list[Chosen] = []
    dropped = []
    for fit in fits:
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
    funnel.stage("stub", len(fits) - len(dropped), dropped)
    if settings.rows is not None and settings.rows < len(chosen):
        order_ = sorted(one.id for one in chosen)
        random.Random(f"rows:{settings.seed}").shuffle(order_)
        kept = set(order_[: settings.rows])
        chosen = [one for one in chosen if one.id in kept]
    return chosen
