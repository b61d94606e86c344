"""The filters that every build has, whatever it makes of what survives them."""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Protocol, TypeVar

import msgspec

from solexp.benchmarks.building.duplicates import near_duplicates
from solexp.benchmarks.building.funnel import Funnel
from solexp.benchmarks.building.settings import Filters
from solexp.benchmarks.building.sources import Source, imports
from solexp.core import CompilerSettings, UserError
from solexp.core.task import series
from solexp.evm.abi import changing_functions
from solexp.solidity.compiler import Compiler
from solexp.solidity.contracts import ancestors
from solexp.solidity.foundry.settings import newest
from solexp.solidity.functions import Member, body_of, members
from solexp.solidity.lexing import mask
from solexp.solidity.parsing import outline
from solexp.solidity.versions import parse_range, pragmas, release
from solexp.toolchain.install import soljson_versions

T = TypeVar("T")

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


class Fit(msgspec.Struct, frozen=True, kw_only=True):
    """A source that passed a filter, and what that found out."""

    source: Source
    compiler: CompilerSettings
    contract: str = ""
    functions: tuple[tuple[Member, str], ...] = ()


def screened(
    sources: Sequence[Source], settings: Filters, funnel: Funnel, *, as_built: bool = False
) -> list[Fit]:
    """The sources that what is known of them, their text and their pragma speak for, near duplicates left out.

    ``as_built`` takes the compiler of the verified build where that is known, and with it the addresses of libraries.
    """
    left = funnel.keep(
        "metadata", sources, _id, lambda each: _known_unfit(each, settings, as_built=as_built)
    )
    left = funnel.keep("one file", left, _id, _not_one_file)
    installed = _installed(settings)
    found = {
        each.id: _compiler(each, installed, settings.compilers, as_built=as_built) for each in left
    }
    left = funnel.keep("pragma", left, _id, lambda each: _reason(found[each.id]))
    near = near_duplicates({each.id: each.text for each in left}, settings.duplicates)
    left = funnel.keep("near duplicates", left, _id, lambda each: nearly(near.get(each.id)))
    return [
        Fit(source=each, compiler=compiler)
        for each in left
        if isinstance(compiler := found[each.id], CompilerSettings)
    ]


def nearly(another: str | None) -> str | None:
    """Why a near duplicate goes."""
    return None if another is None else f"nearly the same as another: {another}"


def _id(source: Source) -> str:
    return source.id


def _reason(found: CompilerSettings | str) -> str | None:
    return found if isinstance(found, str) else None


def _known_unfit(source: Source, settings: Filters, *, as_built: bool) -> str | None:
    if source.verified is False or (settings.verified and source.verified is None):
        return "is not verified"
    if not settings.proxies and source.proxy:
        return "is a proxy"
    if settings.min_transactions and (source.transactions or 0) < settings.min_transactions:
        return "has too few transactions"
    linked = as_built and source.compiler is not None and bool(source.compiler.libraries)
    return "has to be linked" if source.libraries and not linked else None


def _not_one_file(source: Source) -> str | None:
    return "imports other files" if imports(source.text) else None


def _installed(settings: Filters) -> list[str]:
    allowed = parse_range(settings.compilers)
    found = [version for version in soljson_versions() if allowed.allows(release(version))]
    if not found:
        raise UserError(f"compilers: there is none in {settings.compilers!r}")
    return found


def _compiler(
    source: Source, installed: Sequence[str], compilers: str, *, as_built: bool
) -> CompilerSettings | str:
    """The highest installed compiler that a source takes, or on wish its verified build's; or why there is none."""
    if as_built and source.compiler is not None:
        if parse_range(compilers).allows(release(source.compiler.version)):
            return source.compiler
        return f"was built by a compiler that is not wanted: {source.compiler.version}"
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


def fits(number: int, least: int | None, most: int | None) -> bool:
    return (least is None or number >= least) and (most is None or number <= most)


def balanced(held: list[Fit], settings: Filters, funnel: Funnel) -> list[Fit]:
    """At most so many sources of each series, drawn by the seed."""
    if settings.per_series is None:
        return held
    order = sorted(held, key=lambda fit: fit.source.id)
    random.Random(f"series:{settings.seed}").shuffle(order)
    counts: Counter[str] = Counter()
    drawn = set()
    for fit in order:
        own = series(fit.compiler.version)
        counts[own] += 1
        if counts[own] <= settings.per_series:
            drawn.add(fit.source.id)
    return funnel.keep(
        "balance",
        held,
        lambda fit: fit.source.id,
        lambda fit: None if fit.source.id in drawn else "is one too many of its series",
    )


def compiling(
    held: Sequence[Fit], settings: Filters, compiler: Compiler, funnel: Funnel, steps: Steps
) -> list[Fit]:
    def why_not(fit: Fit) -> str | None:
        steps.advance()
        build = compiler.compile({"source.sol": fit.source.text}, fit.compiler)
        if not build.ok:
            return f"does not compile: {build.errors[0].message}"
        deployed = fit.source.deployment
        contract = build.contract(deployed.contract if deployed else fit.contract)
        if contract is None or contract.creation == "0x":
            return "what is deployed is not there or abstract"
        if contract.missing_libraries:
            return "has to be linked"
        changing = len(changing_functions(contract))
        if not fits(changing, settings.min_changing, settings.max_changing):
            return f"has too few or too many functions that change state: {changing}"
        return None

    return funnel.keep("compiler", held, lambda fit: fit.source.id, why_not)


def drawn(items: list[T], settings: Filters, name: Callable[[T], str]) -> list[T]:
    """At most ``rows`` of what is left, drawn by the seed, in their order."""
    if settings.rows is None or settings.rows >= len(items):
        return items
    order = sorted(map(name, items))
    random.Random(f"rows:{settings.seed}").shuffle(order)
    kept = set(order[: settings.rows])
    return [each for each in items if name(each) in kept]
