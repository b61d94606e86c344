"""Which release of the compiler a set of sources asks for.

The grammar is npm's, as solc reads it (its ``SemVerHandler``): alternatives by ``||``, comparators that all must hold
within one, ``a - b`` ranges, ``^ ~ = < <= > >=`` with spaces allowed after them, ``x``, ``X`` and ``*`` as wildcards.

A task names its release exactly, so no run chooses one: `choose_version` is for those who make tasks of sources whose
release is not recorded.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

import msgspec

from solexp.core import UserError
from solexp.solidity.lexing import mask

Release = tuple[int, int, int]

_PRAGMA = re.compile(r"\bpragma\s+solidity\b([^;]*);")
_TOKEN = re.compile(
    r"\s*(?:(?P<op>\^|~|<=|>=|<|>|=|v(?=\d))|(?P<version>(?:\d+|[xX*])(?:\s*\.\s*(?:\d+|[xX*])){0,2})"
    r"|(?P<dash>-)|(?P<junk>\S))"
)


class Comparator(msgspec.Struct, frozen=True):
    """One condition on a release: ``op`` is ``=``, ``<``, ``<=``, ``>``, ``>=``, ``^`` or ``~``."""

    op: str
    parts: tuple[int | None, ...]
    """One to three numbers; None is a wildcard."""

    def allows(self, release: Release) -> bool:
        """Whether the release meets the condition."""
        if self.op in ("^", "~"):
            return self._compare(release, len(self.parts)) >= 0 and (
                self._compare(release, self._kept()) <= 0
            )
        order = self._compare(release, len(self.parts))
        return {
            "=": order == 0,
            "<": order < 0,
            "<=": order <= 0,
            ">": order > 0,
            ">=": order >= 0,
        }[self.op]

    def _kept(self) -> int:
        """How many leading numbers a release must share at most: solc counts ``^0.0.x`` as ``^0.0``."""
        if self.op == "~":
            return min(2, len(self.parts))
        return 1 if self.parts[0] != 0 or len(self.parts) == 1 else 2

    def _compare(self, release: Release, places: int) -> int:
        for ours, theirs in zip(release, self.parts[:places], strict=False):
            if theirs is not None and ours != theirs:
                return 1 if ours > theirs else -1
        return 0


class Range(msgspec.Struct, frozen=True):
    """What a pragma allows: at least one alternative must hold, and in it every comparator."""

    alternatives: tuple[tuple[Comparator, ...], ...]

    def allows(self, release: Release) -> bool:
        """Whether the release meets the pragma."""
        return any(
            all(comparator.allows(release) for comparator in alternative)
            for alternative in self.alternatives
        )


def parse_range(text: str) -> Range:
    """The range in a pragma's text, such as ``>=0.6.0 <0.8.0``. Raises UserError when it is none."""
    try:
        return Range(tuple(_alternative(part) for part in text.split("||")))
    except ValueError as error:
        raise UserError(
            f"pragma solidity {text.strip()!r}: {error}; write it like '^0.8.0' or '>=0.6.0 <0.8.0'"
        ) from error


def pragmas(source: str) -> list[str]:
    """The texts of a file's version pragmas, comments left out."""
    masked = mask(source)
    found = []
    for match in _PRAGMA.finditer(masked):
        text = match[1].strip()
        # A version may be quoted, in which case masking has blanked it.
        found.append(text or re.sub(r"[\"']", " ", source[match.start(1) : match.end(1)]).strip())
    return found


def release(version: str) -> Release:
    """The numbers of a release: (0, 8, 17) of ``0.8.17``. Raises UserError when it is no release."""
    match = re.fullmatch(r"v?(\d+)\.(\d+)\.(\d+)", version.strip())
    if match is None:
        raise UserError(f"compiler version {version!r} is no release; write it like '0.8.17'")
    return int(match[1]), int(match[2]), int(match[3])


def choose_version(
    sources: dict[str, str], available: Iterable[str], *, pin: str | None = None
) -> str:
    """The release that a set of sources is compiled with.

    ``pin`` wins if given. Else it is the lowest available release that every pragma of every file allows: the one that
    the author is likeliest to have had, and it does not change when new releases appear. Sources without any pragma
    get the newest. Raises UserError when no release fits.
    """
    known = {release(version): version for version in available}
    if pin is not None:
        if release(pin) not in known:
            raise UserError(
                f"there is no compiler {pin} ({_span(known.values())}); choose another version"
            )
        return known[release(pin)]
    ranges = [
        (path, text, parse_range(text))
        for path, source in sorted(sources.items())
        for text in pragmas(source)
    ]
    fitting = [each for each in sorted(known) if all(r.allows(each) for _, _, r in ranges)]
    if not fitting:
        asked = ", ".join(f"{path} asks for {text!r}" for path, text, _ in ranges)
        raise UserError(
            f"no compiler fits: {asked or 'none is available'} ({_span(known.values())}); "
            "change a pragma or name the version"
        )
    return known[fitting[0] if ranges else fitting[-1]]


def _span(versions: Iterable[str]) -> str:
    ordered: Sequence[str] = sorted(versions, key=release)
    return f"there are {ordered[0]} to {ordered[-1]}" if ordered else "there are none"


def _alternative(text: str) -> tuple[Comparator, ...]:
    tokens = [
        (match.lastgroup or "", match[match.lastgroup or 0]) for match in _TOKEN.finditer(text)
    ]
    if not tokens:
        raise ValueError("it is empty")
    comparators: list[Comparator] = []
    op = ""
    dashed = False
    for kind, token in tokens:
        if kind == "op" and not op:
            op = token
        elif kind == "dash" and not op and not dashed and len(comparators) == 1:
            dashed = True
        elif kind == "version" and not (dashed and len(comparators) == 2):
            parts = tuple(None if part.strip() in "xX*" else int(part) for part in token.split("."))
            comparators.append(Comparator("=" if op in ("", "v") else op, parts))
            op = ""
        else:
            raise ValueError(f"{token!r} is out of place")
    if op or (dashed and len(comparators) != 2):
        raise ValueError("it ends too early")
    if dashed:
        low, high = comparators
        return Comparator(">=", low.parts), Comparator("<=", high.parts)
    return tuple(comparators)
