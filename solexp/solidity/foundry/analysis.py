"""A project's tests and what they reach, file by file, whatever of the project builds."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Any

import msgspec

from solexp.core import CompilerSettings, UserError
from solexp.core.hashing import content_hash
from solexp.solidity.compiler import Compiler
from solexp.solidity.foundry.callgraph import CallGraph, Code, call_graph
from solexp.solidity.foundry.files import Files
from solexp.solidity.foundry.imports import closure, imported, resolved
from solexp.solidity.foundry.reach import reached
from solexp.solidity.foundry.settings import Profile
from solexp.store.cache import Store
from solexp.toolchain.homes import cache_home

SCHEMA = 1
"""Version of what is kept: raised whenever the walk finds something else."""

_BATCH = 1_500_000
"""Bytes of sources that are compiled at once: their ASTs take some 15 times that."""
_TEST = re.compile(r"\bfunction\s+(?:test|invariant|statefulFuzz)")


class Reachable(msgspec.Struct, frozen=True, kw_only=True):
    """A function or modifier that tests reach."""

    path: str
    start: int
    """UTF-8 byte offset in its file."""
    tests: dict[str, tuple[str, ...]]
    """Signatures of the tests that reach it, by test file."""
    invoked: tuple[tuple[str, int, int], ...] = ()
    """Path and byte range of what it invokes: functions, modifiers, events and errors."""
    documentation: str = ""
    """Of the nearest function that it overrides and that has any; empty where it overrides none."""


class Analysis(msgspec.Struct, frozen=True, kw_only=True):
    """What is known of a project."""

    functions: tuple[Reachable, ...]
    settings: dict[str, CompilerSettings]
    """By test file, those of them that build."""
    problems: tuple[str, ...] = ()
    """What does not build, one line each."""


def analyse(
    files: Files, profile: Profile, compiler: Compiler, available: Sequence[str]
) -> Analysis:
    """Compiles a project's test files, as far as its analysis alone, and follows what the tests call.

    Test files that do not build are left out, each with a problem.
    """
    problems: list[str] = []
    settings: dict[str, CompilerSettings] = {}
    groups: dict[str, list[str]] = {}
    for root in test_files(files, profile):
        needed = closure(files, [root], profile.remappings)
        missing = _missing(files, needed, profile.remappings)
        if missing is not None:
            problems.append(f"{root} is left out: {missing}")
            continue
        try:
            chosen = profile.compiler(_texts(needed), available)
        except UserError as error:
            problems.append(f"{root} is left out: {error}")
            continue
        settings[root] = chosen
        groups.setdefault(chosen.version, []).append(root)
    found: dict[tuple[str, int], Reachable] = {}
    for roots in groups.values():
        for batch in _batches(files, roots, profile.remappings):
            _merge(found, _follow(files, batch, settings, compiler, problems))
    return Analysis(functions=tuple(found.values()), settings=settings, problems=tuple(problems))


def test_files(files: Files, profile: Profile) -> list[str]:
    """The files that may hold tests: all Solidity but libraries' with a function that is called like a test."""
    return sorted(
        path
        for path, data in files.items()
        if path.endswith(".sol")
        and not is_library(path, profile)
        and not any(_skips(pattern, path) for pattern in profile.skip)
        and _TEST.search(data.decode(errors="replace"))
    )


def is_library(path: str, profile: Profile) -> bool:
    """Whether a file lies below a library folder."""
    return any(
        path.startswith(f"{folder}/") for folder in (*profile.library_folders, "node_modules")
    )


def _skips(pattern: str, path: str) -> bool:
    """Whether a pattern of foundry.toml's ``skip`` leaves a file out; ``test`` and ``script`` go by the ending."""
    word = {"test": "*.t.sol", "tests": "*.t.sol", "script": "*.s.sol", "scripts": "*.s.sol"}
    pattern = word.get(pattern, pattern)
    return (
        fnmatchcase(f"/{path}", pattern)
        or fnmatchcase(path, pattern)
        or ("*" not in pattern and pattern in path)
    )


def _missing(files: Files, needed: Files, remappings: Sequence[str]) -> str | None:
    """The first import that names no file, and what would mend it; None when all are there."""
    for path, data in sorted(needed.items()):
        for each in imported(data.decode(errors="replace")):
            there = resolved(each, path, remappings)
            if there in files:
                continue
            said = f"{path} imports '{each}', and there is no {there}"
            if each.startswith("."):
                return said
            top = each.partition("/")[0]
            return f"{said}; install it below a library folder, or add the remapping {top}/=FOLDER/"
    return None


def _texts(files: Files) -> dict[str, str]:
    return {path: data.decode(errors="replace") for path, data in files.items()}


def _batches(files: Files, roots: Sequence[str], remappings: Sequence[str]) -> list[list[str]]:
    """Roots that share much of what they import, so that it is compiled once."""
    batches: list[list[str]] = []
    held: dict[str, int] = {}
    for root in roots:
        sizes = {path: len(data) for path, data in closure(files, [root], remappings).items()}
        if not batches or sum({**held, **sizes}.values()) > _BATCH:
            batches.append([])
            held = {}
        batches[-1].append(root)
        held |= sizes
    return batches


def _follow(
    files: Files,
    roots: list[str],
    settings: dict[str, CompilerSettings],
    compiler: Compiler,
    problems: list[str],
) -> list[Reachable]:
    """What the tests of ``roots`` reach; roots that do not build are taken out of ``settings``."""
    left = list(roots)
    while left:
        chosen = settings[left[0]]
        sources = closure(files, left, chosen.remappings)
        found = _compiled(_texts(sources), left, chosen, compiler)
        if isinstance(found, tuple):
            return list(found)
        place = f"{found.file}:{found.line}: " if found.file else ""
        at_fault = [
            root
            for root in left
            if found.file is None or found.file in closure(files, [root], chosen.remappings)
        ] or left
        if found.file is None and len(left) > 1:
            # Nothing says whose it is.
            return [
                each
                for root in left
                for each in _follow(files, [root], settings, compiler, problems)
            ]
        problems += [
            f"{root} is left out: it does not build with solc {chosen.version}: {place}{found.message}"
            for root in at_fault
        ]
        for root in at_fault:
            del settings[root]
        left = [root for root in left if root not in at_fault]
    return []


class _Fault(msgspec.Struct, frozen=True):
    """The compiler's first error."""

    message: str
    file: str | None
    line: int


def _compiled(
    sources: dict[str, str], roots: Sequence[str], settings: CompilerSettings, compiler: Compiler
) -> tuple[Reachable, ...] | _Fault:
    asked: dict[str, Any] = {
        "remappings": list(settings.remappings),
        "outputSelection": {
            "*": {"": ["ast"]},
            **{root: {"": ["ast"], "*": ["evm.methodIdentifiers"]} for root in roots},
        },
    }
    if settings.evm_version:
        asked["evmVersion"] = settings.evm_version
    request = msgspec.json.encode(
        {
            "language": "Solidity",
            "sources": {path: {"content": text} for path, text in sorted(sources.items())},
            "settings": asked,
        }
    )
    store = Store(cache_home() / "reach", SCHEMA)
    key = content_hash(compiler.version(settings.version), request)
    known = store.get(key, tuple[Reachable, ...])
    if known is not None:
        return known
    answer = msgspec.json.decode(compiler.answer(request, settings.version))
    for error in answer.get("errors", ()):
        if error["severity"] == "error":
            return _fault(error, sources)
    graph = call_graph({path: each.get("ast") for path, each in answer["sources"].items()})
    found: dict[tuple[str, int], Reachable] = {}
    for root in roots:
        signatures = {
            (name, selector): signature
            for name, contract in answer.get("contracts", {}).get(root, {}).items()
            for signature, selector in contract["evm"]["methodIdentifiers"].items()
        }
        _merge(found, _of_root(graph, root, signatures))
    result = tuple(found.values())
    store.put(key, result)
    return result


def _fault(error: dict[str, Any], sources: Mapping[str, str]) -> _Fault:
    at = error.get("sourceLocation") or {}
    file, start = at.get("file"), at.get("start", -1)
    text = sources.get(file, "").encode()[: max(start, 0)] if file else b""
    message = str(error.get("message", "")).partition("\n")[0]
    return _Fault(message, file if file in sources else None, text.count(b"\n") + 1)


def _of_root(
    graph: CallGraph, root: str, signatures: Mapping[tuple[str, str], str]
) -> list[Reachable]:
    what = reached(graph, root)
    everything = {code for test in what.tests for code in test.reached}
    everything |= {code for each in what.beforehand.values() for code in each}
    found = []
    for number in sorted(everything):
        code = graph.code[number]
        if not code.key or not code.implemented:
            continue
        tests = {
            _signature(graph.contracts[test.contract].name, graph.code[test.code], signatures)
            for test in what.by(number)
        }
        if tests:
            found.append(
                Reachable(
                    path=code.path,
                    start=code.start,
                    tests={root: tuple(sorted(tests))},
                    invoked=_invoked(graph, code),
                    documentation=_inherited(graph, code),
                )
            )
    return found


def _signature(contract: str, test: Code, signatures: Mapping[tuple[str, str], str]) -> str:
    if test.selector is not None and (contract, test.selector) in signatures:
        return signatures[contract, test.selector]
    # Compilers before 0.6 do not tell selectors; tests are hardly ever overloaded.
    fitting = [
        each
        for (holder, _), each in signatures.items()
        if holder == contract
        and each.partition("(")[0] == test.name
        and _parameters(each) == test.parameters
    ]
    return fitting[0] if fitting else f"{test.name}()"


def _parameters(signature: str) -> int:
    """How many parameters a signature has; a struct is one."""
    inner = signature.partition("(")[2][:-1]
    depth, count = 0, 1 if inner else 0
    for letter in inner:
        depth += (letter == "(") - (letter == ")")
        count += letter == "," and depth == 0
    return count


def _invoked(graph: CallGraph, code: Code) -> tuple[tuple[str, int, int], ...]:
    places = {
        graph.invoked[each.id]
        for each in code.references
        if each.id in graph.invoked and each.id != code.id
    }
    return tuple(sorted(places))


def _inherited(graph: CallGraph, code: Code) -> str:
    waiting = list(code.bases)
    seen: set[int] = set()
    while waiting:
        number = waiting.pop(0)
        base = graph.code.get(number)
        if base is None or number in seen:
            continue
        seen.add(number)
        if base.documentation and "@inheritdoc" not in base.documentation:
            return base.documentation
        waiting += base.bases
    return ""


def _merge(into: dict[tuple[str, int], Reachable], more: Iterable[Reachable]) -> None:
    for each in more:
        key = each.path, each.start
        known = into.get(key)
        into[key] = (
            each
            if known is None
            else msgspec.structs.replace(known, tests={**known.tests, **each.tests})
        )
