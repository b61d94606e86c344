"""How alike the assertions of two programs are as texts and as trees: two of CodeBLEU's four parts (Ren et al. 2020).

Its other parts, keywords that weigh more and the flow of data, say nothing new of assertions about arguments.
"""

from __future__ import annotations

import ast
import io
import math
import tokenize
from collections import Counter
from collections.abc import Iterator, Sequence

_LONGEST = 4
"""Tokens of an n-gram, at most."""


def assertions(program: str) -> tuple[ast.expr, ...]:
    """The conditions that a program asserts, anywhere, in order; none of one that does not parse."""
    try:
        tree = ast.parse(program)
    except (SyntaxError, ValueError, RecursionError):
        return ()
    found = [node for node in ast.walk(tree) if isinstance(node, ast.Assert)]
    return tuple(
        node.test for node in sorted(found, key=lambda node: (node.lineno, node.col_offset))
    )


def ngrams(candidate: Sequence[ast.expr], reference: Sequence[ast.expr]) -> float:
    """BLEU-4 of the conditions' tokens (Papineni et al. 2002), n-grams beyond single tokens smoothed by one (Lin and
    Och 2004); 0 where either has no conditions."""
    ours, theirs = _tokens(candidate), _tokens(reference)
    if not ours or not theirs:
        return 0.0
    logs = []
    for size in range(1, _LONGEST + 1):
        had, wanted = _counted(ours, size), _counted(theirs, size)
        matched, total = (had & wanted).total(), had.total()
        smooth = size > 1
        if matched + smooth == 0:
            return 0.0
        logs.append(math.log((matched + smooth) / (total + smooth)))
    penalty = min(0.0, 1 - len(theirs) / len(ours))
    return math.exp(penalty + math.fsum(logs) / _LONGEST)


def syntax(candidate: Sequence[ast.expr], reference: Sequence[ast.expr]) -> float:
    """The share of the reference's subtrees that the candidate's conditions have, each as often as it occurs."""
    ours, theirs = Counter(_subtrees(candidate)), Counter(_subtrees(reference))
    return (ours & theirs).total() / theirs.total() if theirs else 0.0


def _tokens(conditions: Sequence[ast.expr]) -> list[str]:
    found = []
    for condition in conditions:
        line = io.StringIO(f"assert {ast.unparse(condition)}\n").readline
        found += [token.string for token in tokenize.generate_tokens(line) if token.string.strip()]
    return found


def _counted(tokens: Sequence[str], size: int) -> Counter[tuple[str, ...]]:
    return Counter(tuple(tokens[at : at + size]) for at in range(len(tokens) - size + 1))


def _subtrees(conditions: Sequence[ast.expr]) -> Iterator[str]:
    """Every expression that has parts of its own."""
    for condition in conditions:
        for node in ast.walk(condition):
            if isinstance(node, ast.expr) and any(
                isinstance(part, ast.expr) for part in ast.iter_child_nodes(node)
            ):
                yield ast.dump(node)
