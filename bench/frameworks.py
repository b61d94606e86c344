"""Frameworks and contexts that are built here beside SolContractEval's own, for the same contracts.

    python bench/frameworks.py [--ids ID ...] [--compile] [--details]

For each task: the contract as `solexp data build contracts` shows it (`solexp.solidity.frameworks`) and as the data set
does, declaration by declaration; and the context that is found here beside the data set's. ``--compile`` also says
whether the data set's context compiles with the reference behind it, and whether each framework does in the
reference's place; ``--details`` names every difference. Prints a line a task and, last, one JSON object; tokens are by
`solexp.llm.tokens.approximate`.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator

import msgspec

from bench.context import builds
from solexp.benchmarks.building.settings import ContractSettings
from solexp.benchmarks.solcontracteval import SolContractEval
from solexp.core import Task
from solexp.llm.tokens import count
from solexp.solidity.comments import without_comments
from solexp.solidity.compiler import Compiler
from solexp.solidity.definitions import Declaration, Index, index_of
from solexp.solidity.definitions.index import CALLABLES, CONTAINERS
from solexp.solidity.frameworks import framework
from solexp.solidity.functions import body_of, members
from solexp.solidity.functions.heads import Head, parentheses, read_head
from solexp.solidity.lexing import mask
from solexp.solidity.similarity import tokens
from solexp.solidity.splice import splice
from solexp.strategies.context.dependencies import Dependencies

KEPT = frozenset(ContractSettings().keep)


class Declared(msgspec.Struct, frozen=True):
    """One declaration of a contract, as far as it can be seen from outside its bodies."""

    kind: str
    name: str
    """A function's signature, or what else tells it apart."""
    parts: dict[str, str]
    """What else is declared of it."""


def declared(text: str, contract: str) -> dict[tuple[str, str], Declared]:
    """What a contract declares, by kind and name."""
    index = index_of({"": text})
    owner = index.container("", contract, 0, len(text.encode()))
    if owner is None:
        raise ValueError(f"{contract} is not in the text")
    bodies = {each.start: each for each in members(text, contract)}
    found = [_contract(index, owner)]
    for each in index.members(owner.number):
        if each.kind in CALLABLES:
            member = bodies.get(each.start)
            body = {"body": "none" if member is None else "empty" if member.empty else "kept"}
            if member is not None and not member.empty:
                body["code"] = _spaced(body_of(text, member))
            found.append(_callable(index, each, contract, body))
        else:
            found.append(_plain(index, each))
    return {(each.kind, each.name): each for each in found}


def _contract(index: Index, owner: Declaration) -> Declared:
    return Declared("contract", owner.name, {"head": _spaced(index.header(owner))})


def _callable(index: Index, each: Declaration, contract: str, body: dict[str, str]) -> Declared:
    masked = mask(index.header(each) + " {}")
    head = read_head(masked, 0, parentheses(masked))
    if head is None:
        return Declared(each.kind, each.name, {"head": _spaced(index.header(each))})
    old = head.kind == "function" and head.name == contract
    named = msgspec.structs.replace(head, kind="constructor") if old else head
    return Declared(named.kind, named.signature, _parts(named) | body)


def _parts(head: Head) -> dict[str, str]:
    return {
        "visibility": head.visibility or "none",
        "mutability": head.mutability or "none",
        "modifiers": " ".join(sorted(head.modifiers)),
        "returns": ",".join(each.type for each in head.returns),
        "inheritance": " ".join(word for word in ("virtual", "override") if getattr(head, word)),
        "names": ",".join(each.name for each in (*head.parameters, *head.returns)),
    }


def _plain(index: Index, each: Declaration) -> Declared:
    text = without_comments(index.text(each))
    if each.kind == "variable":
        left, _, value = text.partition("=") if "=>" not in text else (text, "", "")
        words = [word for word in tokens(left) if word not in (each.name, ";")]
        return Declared("variable", each.name, {"type": " ".join(words), "value": _spaced(value)})
    if each.kind == "using":
        return Declared("using", _spaced(text), {})
    return Declared(each.kind, each.name, {"text": _spaced(text)})


def _spaced(text: str) -> str:
    return " ".join(tokens(text))


class Difference(msgspec.Struct, frozen=True):
    """One thing in which two frameworks differ."""

    what: str
    """Such as ``function only ours`` or ``function visibility``."""
    where: str


def differences(ours: str, theirs: str, contract: str) -> list[Difference]:
    """All that two frameworks of one contract declare otherwise; comments are no part of it."""
    one, other = declared(ours, contract), declared(theirs, contract)
    found = []
    for key in one.keys() | other.keys():
        kind, name = key
        if key not in other:
            found.append(Difference(f"{kind} only ours", name))
        elif key not in one:
            found.append(Difference(f"{kind} only theirs", name))
        else:
            left, right = one[key].parts, other[key].parts
            found += [
                Difference(f"{kind} {part}", f"{name}: {left.get(part)} | {right.get(part)}")
                for part in sorted(left.keys() | right.keys())
                if left.get(part) != right.get(part)
                and not (part == "code" and left["body"] != right["body"])
            ]
    return sorted(found, key=lambda each: (each.what, each.where))


def interface_alike(found: Iterable[Difference]) -> bool:
    """Whether the functions' signatures are equal: the same set, with visibility, mutability, modifiers and returns."""
    parts = {"visibility", "mutability", "modifiers", "returns", "only"}
    return not any(
        each.what.split()[0] in CALLABLES - {"modifier"} and each.what.split()[1] in parts
        for each in found
    )


def only_in(one: str, other: str) -> Iterator[str]:
    """The kinds of the declarations of one context that the other has not, members by contract and header."""
    known = set(_keys(other))
    for key in _keys(one):
        if key not in known:
            yield key[0]


def _keys(text: str) -> Iterator[tuple[str, str, str]]:
    index = index_of({"": text})
    for each in index.declarations:
        owner = "" if each.contract is None else index.declarations[each.contract].name
        named = each.name if each.kind in CONTAINERS else _spaced(index.header(each))
        yield each.kind, owner, named


def in_place(task: Task, text: str, compiler: Compiler) -> bool:
    """Whether a framework compiles where the reference stands."""
    return compiler.compile(splice(task, text), task.compiler).ok


def main() -> int:
    """Compares every task's."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--ids", nargs="*")
    parser.add_argument("--compile", action="store_true")
    parser.add_argument("--details", action="store_true")
    options = parser.parse_args()
    tasks: list[Task] = list(SolContractEval(calls=0).tasks())
    if options.ids:
        tasks = [task for task in tasks if task.id.startswith(tuple(options.ids))]
    strategy = Dependencies()
    kinds: Counter[str] = Counter()
    where: dict[str, set[str]] = defaultdict(set)
    alike = same = 0
    sizes, extra, lacking = [], Counter[str](), Counter[str]()
    failing: dict[str, list[str]] = defaultdict(list)
    with Compiler() as compiler:
        for task in tasks:
            contract = task.target.contract
            ours = framework(task.sources[task.target.path], contract, KEPT)
            found = differences(ours, task.framework, contract)
            context = strategy.text(task)
            alike += interface_alike(found)
            same += not found
            for each in found:
                kinds[each.what] += 1
                where[each.what].add(task.id)
            texts = (context, task.context)
            sizes.append(
                (
                    *map(count, texts),
                    *map(len, texts),
                    *(count(without_comments(text)) for text in texts),
                )
            )
            extra.update(only_in(task.context, context))
            lacking.update(only_in(context, task.context))
            line = f"{task.id[:40]:40} {len(found):3} differences, context {sizes[-1][0]:6} | {sizes[-1][1]:6}"
            if options.compile and not builds(task, task.context, compiler):
                failing["context of theirs"].append(task.id)
                line += ", theirs does not compile"
            for who, text in (("ours", ours), ("theirs", task.framework)):
                if options.compile and not in_place(task, text, compiler):
                    failing[f"framework of {who}"].append(task.id)
                    line += f", the framework of {who} does not"
            print(line, flush=True)
            for each in found if options.details else ():
                print(f"    {each.what}: {each.where}")
    ratios = [ours / theirs for ours, theirs, *_ in sizes if theirs]
    sums = [sum(column) for column in zip(*sizes, strict=True)]
    figures = {
        "tasks": len(tasks),
        "no_difference": same,
        "signatures_equal": alike,
        "differences": {
            what: {"count": many, "tasks": len(where[what])} for what, many in kinds.most_common()
        },
        "context_tokens": sums[0:2],
        "context_characters": sums[2:4],
        "context_tokens_without_comments": sums[4:6],
        "median_ratio": round(statistics.median(ratios), 3) if ratios else None,
        "only_theirs": dict(extra.most_common()),
        "only_ours": dict(lacking.most_common()),
        "do_not_compile": failing if options.compile else None,
    }
    print(json.dumps(figures))
    return 0


if __name__ == "__main__":
    sys.exit(main())
