"""CodeBLEU, how alike two pieces of Python are (Ren et al. 2020, "CodeBLEU: a Method for Automatic Evaluation of Code
Synthesis", §3), over Python's own tokens and syntax trees."""

from __future__ import annotations

import ast
import io
import keyword
import math
import tokenize
from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

import msgspec

from solexp.python.dataflow import Flow, data_flow

_LONGEST = 4
"""Tokens of an n-gram, at most."""
_WEIGHTS = dict.fromkeys(keyword.kwlist, 5)
"""How much a token weighs, where it is not 1: keywords five times as much as others (§3.1)."""
_DEEPEST = 100
"""Levels of nodes, at most, of code that is compared."""
_EPSILON = 0.1
"""Matches that n-grams of a length count as which have none."""
_NO_PARTS = (ast.expr_context, ast.operator, ast.cmpop, ast.boolop, ast.unaryop)
"""Nodes of Python's trees that stand for a sign between the parts, as leaves of other trees do."""


class Likeness(msgspec.Struct, frozen=True, kw_only=True):
    """CodeBLEU's parts, each from 0 to 1."""

    ngrams: float
    """BLEU-4 of the tokens (Papineni et al. 2002)."""
    weighted_ngrams: float
    """The same with keywords that weigh five times as much (§3.1)."""
    syntax: float
    """Of the reference's subtrees, the share that the candidate has (§3.2)."""
    dataflow: float | None
    """Of the reference's data-flow items, the share that the candidate has (§3.3); None where it has none."""

    @property
    def codebleu(self) -> float:
        """The parts' mean, a quarter each (§3, eq. 1); a third each where the reference has no data flow."""
        parts = [self.ngrams, self.weighted_ngrams, self.syntax]
        parts += [] if self.dataflow is None else [self.dataflow]
        return math.fsum(parts) / len(parts)


def likeness(candidate: Sequence[ast.stmt], reference: Sequence[ast.stmt]) -> Likeness | None:
    """How alike the candidate is to the reference; None where the reference is empty, all 0 where the candidate is.

    Layout, comments and superfluous brackets do not count. A candidate that is nested too deeply counts as empty.
    """
    if not reference:
        return None
    theirs = _read(reference)
    ours = _read(candidate if _shallow(candidate) else ())
    return Likeness(
        ngrams=_bleu(ours.tokens, theirs.tokens, {}),
        weighted_ngrams=_bleu(ours.tokens, theirs.tokens, _WEIGHTS),
        syntax=_share(ours.subtrees, theirs.subtrees),
        dataflow=_share(ours.flow, theirs.flow) if theirs.flow else None,
    )


class _Code(NamedTuple):
    tokens: list[str]
    subtrees: list[str]
    flow: list[Flow]


def _shallow(statements: Sequence[ast.stmt]) -> bool:
    # Counted, since the interpreter's own limit of recursion is whatever some package has set it to.
    level: list[ast.AST] = list(statements)
    for _ in range(_DEEPEST):
        level = [child for node in level for child in ast.iter_child_nodes(node)]
        if not level:
            return True
    return False


def _read(statements: Sequence[ast.stmt]) -> _Code:
    text = ast.unparse(ast.Module(body=list(statements), type_ignores=[]))
    tree = ast.parse(text)
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    written = [token.string for token in tokens if token.string.strip()]
    return _Code(written, list(_subtrees(tree)), data_flow(tree))


def _bleu(ours: Sequence[str], theirs: Sequence[str], weights: Mapping[str, int]) -> float:
    """BLEU-4, in whose precision of single tokens these weigh (§3.1); 0 for no tokens.

    A precision of 0 beyond single tokens counts as a tenth of a match (Chen and Cherry 2014, smoothing 1). Lengths that
    the candidate is too short for are left out; the brevity penalty sees to those.
    """
    if not ours:
        return 0.0
    logs = []
    for size in range(1, min(_LONGEST, len(ours)) + 1):
        had, wanted = _counted(ours, size), _counted(theirs, size)
        matched, total = (
            sum(
                count * (weights.get(gram[0], 1) if size == 1 else 1)
                for gram, count in each.items()
            )
            for each in (had & wanted, had)
        )
        if size == 1 and not matched:
            return 0.0
        logs.append(math.log((matched or _EPSILON) / total))
    penalty = min(0.0, 1 - len(theirs) / len(ours))
    return math.exp(penalty + math.fsum(logs) / len(logs))


def _counted(tokens: Sequence[str], size: int) -> Counter[tuple[str, ...]]:
    return Counter(tuple(tokens[at : at + size]) for at in range(len(tokens) - size + 1))


def _share(ours: Iterable[Hashable], theirs: Iterable[Hashable]) -> float:
    """The share of the second's items that the first has, each as often as it occurs."""
    had, wanted = Counter(ours), Counter(theirs)
    return (had & wanted).total() / wanted.total()


def _subtrees(tree: ast.Module) -> Iterator[str]:
    """Every subtree with parts of its own, as the kinds of its nodes: names and values do not count."""
    for node in ast.walk(tree):
        if any(True for _ in _parts(node)):
            yield _shape(node)


def _shape(node: ast.AST) -> str:
    parts = ",".join(_shape(part) for part in _parts(node))
    return f"{type(node).__name__}({parts})"


def _parts(node: ast.AST) -> Iterator[ast.AST]:
    return (part for part in ast.iter_child_nodes(node) if not isinstance(part, _NO_PARTS))
