"""A contract of several files as one file, which compiles to the same code.

Whole declarations of the top level are taken over, those alone that the contract needs, bases before what inherits
them. Names are resolved by the compiler's syntax trees: where two files use one name for two things, the later is
renamed; names that an import gave to a thing or to a whole file become those of the things.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from solexp.solidity.syntax import named_by, nodes

_SPDX = re.compile(rb"SPDX-License-Identifier:[ \t]*([\w.+() -]+?)[ \t\r]*(?=\*/|\n|$)")
_SPDX_LINE = re.compile(
    rb"[ \t]*(?://+|/\*+)[ \t]*SPDX-License-Identifier:[^\n]*?(?:\*/)?[ \t\r]*(?:\n|$)"
)
_PRAGMA = re.compile(r"pragma\s+(\w+)\s*([^;]*);")
_PATH = re.compile(r"[\w$]+(?:\s*\.\s*[\w$]+)*")
_WORD = re.compile(rb"[A-Za-z_$][\w$]*")
_INHERITDOC = re.compile(rb"@inheritdoc\s+([\w$.]+)")
_DIRECTIVES = ("PragmaDirective", "ImportDirective")
_CODER = {"v1": "abicoder v1", "v2": "abicoder v2", "ABIEncoderV2": "abicoder v2"}


class CannotFlatten(ValueError):
    """The files cannot be one; the message says why."""


class _Top:
    """A declaration, or a directive ``using``, of a file's top level."""

    def __init__(self, path: str, node: dict[str, Any], before: bytes) -> None:
        self.path = path
        self.node = node
        self.before = before
        """The comments before it."""
        self.start, self.end = _span(node)
        self.id: int = node["id"]
        self.kind: str = node["nodeType"]
        self.name: str = node.get("name") or ""
        self.needs: set[int] = set()
        """Other declarations, by id."""
        self.bases: list[int] = []


def flatten(sources: Mapping[str, str], asts: Mapping[str, Any], path: str, contract: str) -> str:
    """One file with ``contract`` of ``path`` and all that it needs.

    ``asts`` are the compiler's syntax trees of ``sources``, by path. Raises CannotFlatten where the compiler is too old
    for such trees, and where something stands in the way.
    """
    return _Flattening(sources, asts).flat(path, contract)


class _Flattening:
    def __init__(self, sources: Mapping[str, str], asts: Mapping[str, Any]) -> None:
        self._data = {path: text.encode() for path, text in sources.items()}
        self._asts = asts
        self._tops: dict[int, _Top] = {}
        self._owner: dict[int, int] = {}
        """The declaration of the top level in which each node lies."""
        self._headers: dict[str, list[bytes]] = {}
        """The comments before directives, by file."""
        for path, ast in asts.items():
            if not isinstance(ast, dict) or "nodes" not in ast:
                raise CannotFlatten("its compiler tells nothing of names: it is too old")
            self._read(path, ast)
        for top in self._tops.values():
            self._link(top)
        self._final: dict[int, str] = {}

    def flat(self, path: str, contract: str) -> str:
        target = next(
            (
                top
                for top in self._tops.values()
                if top.path == path and top.kind == "ContractDefinition" and top.name == contract
            ),
            None,
        )
        if target is None:
            raise CannotFlatten(f"{path} has no contract {contract}")
        order = self._ordered(self._reached(target), path)
        self._final = self._names([target, *order])
        parts, begun = [], set()
        for top in order:
            if top.path not in begun:
                begun.add(top.path)
                parts += self._headers[top.path]
            parts.append(b"\n".join(filter(None, (top.before, self._text(top)))))
        files = list(dict.fromkeys(top.path for top in order))
        head = [*self._licence(files), *self._pragmas(files)]
        return b"\n\n".join((b"\n".join(head), *filter(None, parts))).decode() + "\n"

    def _read(self, path: str, ast: dict[str, Any]) -> None:
        data, position = self._data[path], 0
        headers = self._headers.setdefault(path, [])
        for node in ast["nodes"]:
            start, end = _span(node)
            before = _SPDX_LINE.sub(b"", data[position:start]).strip()
            # A semicolon may end what the tree ends before it.
            position = end
            if node["nodeType"] in _DIRECTIVES:
                if before:
                    headers.append(before)
                continue
            top = _Top(path, node, before)
            if data[end:].lstrip()[:1] == b";" and top.kind != "ContractDefinition":
                position = top.end = data.index(b";", end) + 1
            self._tops[top.id] = top
            for each in nodes(node):
                if isinstance(each.get("id"), int):
                    self._owner[each["id"]] = top.id

    def _link(self, top: _Top) -> None:
        exported = self._asts[top.path].get("exportedSymbols") or {}
        for node in nodes(top.node):
            for meant in named_by(node):
                self._need(top, meant)
            if node["nodeType"] == "InheritanceSpecifier":
                base = node["baseName"]
                meant = (base.get("pathNode") or base).get("referencedDeclaration")
                if meant in self._owner:
                    top.bases.append(self._owner[meant])
            if node["nodeType"] == "StructuredDocumentation":
                for name in _INHERITDOC.findall(self._slice(top.path, node)):
                    for meant in exported.get(name.decode(), ()):
                        self._need(top, meant)

    def _need(self, top: _Top, meant: int) -> None:
        owner = self._owner.get(meant)
        if owner is not None and owner != top.id:
            top.needs.add(owner)

    def _reached(self, target: _Top) -> set[int]:
        """All that the target needs, the directives ``using`` that concern it among them."""
        found: set[int] = set()
        waiting = [target.id]
        while waiting:
            while waiting:
                one = waiting.pop()
                if one not in found:
                    found.add(one)
                    waiting += self._tops[one].needs
            files = {self._tops[each].path for each in found}
            waiting = [
                each.id
                for each in self._tops.values()
                if each.kind == "UsingForDirective"
                and each.id not in found
                and self._concerns(each, found, files)
            ]
        return found

    def _concerns(self, using: _Top, found: set[int], files: set[str]) -> bool:
        if not using.node.get("global"):
            return using.path in files
        kind = using.node.get("typeName") or {}
        meant = (kind.get("pathNode") or kind).get("referencedDeclaration")
        return isinstance(meant, int) and self._owner.get(meant) in found

    def _ordered(self, chosen: set[int], first: str) -> list[_Top]:
        """By file, imported files first, and in each as it stands there; but bases before what inherits them."""
        places = {path: place for place, path in enumerate(self._files(first))}
        rest = len(places)
        waiting = sorted(
            (self._tops[each] for each in chosen),
            key=lambda top: (places.get(top.path, rest), top.path, top.start),
        )
        done: dict[int, _Top] = {}

        def place(top: _Top, heirs: tuple[int, ...]) -> None:
            if top.id in done:
                return
            for base in top.bases:
                if base not in heirs:
                    place(self._tops[base], (*heirs, top.id))
            done[top.id] = top

        for top in waiting:
            place(top, ())
        return list(done.values())

    def _files(self, first: str) -> list[str]:
        """The files that one imports, each behind those that it imports itself."""
        found: dict[str, None] = {}
        begun: set[str] = set()

        def visit(path: str) -> None:
            if path in begun or path not in self._asts:
                return
            begun.add(path)
            for node in self._asts[path]["nodes"]:
                if node["nodeType"] == "ImportDirective":
                    visit(node["absolutePath"])
            found[path] = None

        visit(first)
        return list(found)

    def _names(self, order: Iterable[_Top]) -> dict[int, str]:
        """The name of each declaration in the one file. The first of a name keeps it."""
        taken: dict[str, tuple[str, bool]] = {}
        given: dict[tuple[str, str], str] = {}
        words = {word.decode() for data in self._data.values() for word in _WORD.findall(data)}
        final: dict[int, str] = {}
        for top in order:
            if not top.name or top.id in final:
                continue
            # Functions of one name in one file are overloads, and stay so.
            mine = (top.path, top.kind == "FunctionDefinition")
            name = top.name
            if taken.setdefault(top.name, mine) != mine:
                known = given.get((top.path, top.name)) if mine[1] else None
                name = known or _fresh(top.name, words)
                given[top.path, top.name] = name
                words.add(name)
            final[top.id] = name
        return final

    def _text(self, top: _Top) -> bytes:
        """A declaration's text, every name in it the one file's."""
        edits: dict[tuple[int, int], bytes] = {}
        new = self._final.get(top.id, top.name)
        if new != top.name:
            edits[self._own_name(top)] = new.encode()
        for node in nodes(top.node):
            for start, end, text in self._renamed(top, node):
                edits[start, end] = text
        data, parts, position = self._data[top.path], [], top.start
        for (start, end), text in sorted(edits.items()):
            if start < position:
                continue
            parts += [data[position:start], text]
            position = end
        parts.append(data[position : top.end])
        return b"".join(parts)

    def _renamed(self, top: _Top, node: dict[str, Any]) -> Iterator[tuple[int, int, bytes]]:
        kind = node["nodeType"]
        meant = node.get("referencedDeclaration")
        whole = kind == "Identifier" or (kind == "MemberAccess" and _of_module(node))
        if whole and meant in self._final:
            yield from self._unless_so(top.path, *_span(node), self._final[meant])
        elif kind in ("IdentifierPath", "UserDefinedTypeName") and "pathNode" not in node:
            yield from self._path(top.path, node)
        elif kind == "InlineAssembly":
            yield from self._assembly(top.path, node)
        elif kind == "StructuredDocumentation":
            yield from self._documentation(top.path, node)

    def _unless_so(
        self, path: str, start: int, end: int, name: str
    ) -> Iterator[tuple[int, int, bytes]]:
        if self._data[path][start:end] != name.encode():
            yield start, end, name.encode()

    def _path(self, path: str, node: dict[str, Any]) -> Iterator[tuple[int, int, bytes]]:
        """``File.Contract.Struct``: what stands before the last words, up to the top level's, becomes its name."""
        meant = node.get("referencedDeclaration")
        owner = self._owner.get(meant) if isinstance(meant, int) else None
        if owner is None or owner not in self._final:
            return
        start, end = _span(node)
        text = self._data[path][start:end].decode()
        # Old compilers' spans of a type reach behind its name, as in `A a`.
        match = _PATH.match(text)
        if match is None:
            raise CannotFlatten(f"{path}: the name '{text}' cannot be read")
        words = list(re.finditer(r"[\w$]+", match[0]))
        own = 1 if meant == owner else 2
        if len(words) >= own:
            last = words[len(words) - own]
            yield from self._unless_so(path, start, start + last.end(), self._final[owner])

    def _assembly(self, path: str, node: dict[str, Any]) -> Iterator[tuple[int, int, bytes]]:
        for each in node.get("externalReferences") or ():
            for one in [each] if "declaration" in each else list(each.values()):
                if isinstance(one, dict) and one.get("declaration") in self._final:
                    start = int(one["src"].split(":")[0])
                    match = _WORD.match(self._data[path], start)
                    if match:
                        yield from self._unless_so(
                            path, start, match.end(), self._final[one["declaration"]]
                        )

    def _documentation(self, path: str, node: dict[str, Any]) -> Iterator[tuple[int, int, bytes]]:
        start, _ = _span(node)
        exported = self._asts[path].get("exportedSymbols") or {}
        for match in _INHERITDOC.finditer(self._slice(path, node)):
            for meant in exported.get(match[1].decode(), ()):
                if meant in self._final:
                    yield from self._unless_so(
                        path, start + match.start(1), start + match.end(1), self._final[meant]
                    )

    def _own_name(self, top: _Top) -> tuple[int, int]:
        """Where a declaration says its own name."""
        if any(
            each.get("nodeType") == "FunctionDefinition" and each.get("name") == top.name
            for each in top.node.get("nodes", ())
        ):
            raise CannotFlatten(f"two files have a {top.name}, one with a constructor of that name")
        location = top.node.get("nameLocation")
        if location and not location.startswith("-"):
            start, length = map(int, location.split(":")[:2])
            return start, start + length
        name = re.escape(top.name.encode())
        if top.kind == "VariableDeclaration":
            pattern = rb"\b" + name + rb"(?=\s*=)"
        else:
            pattern = (
                rb"\b(?:contract|library|interface|struct|enum|function)\s+" + name + rb"(?![\w$])"
            )
        match = re.search(pattern, self._data[top.path][top.start : top.end])
        if match is None:
            raise CannotFlatten(f"two files have a {top.name}, and where one names it is not found")
        end = top.start + match.end()
        return end - len(top.name.encode()), end

    def _licence(self, files: Iterable[str]) -> list[bytes]:
        found = [match[1].strip() for path in files for match in _SPDX.finditer(self._data[path])]
        several = list(dict.fromkeys(found))
        if len(several) > 1:
            several = [b"(" + each + b")" if b" " in each else each for each in several]
        return [b"// SPDX-License-Identifier: " + b" AND ".join(several)] if several else []

    def _pragmas(self, files: Iterable[str]) -> list[bytes]:
        """Every pragma once. Two ways of coding cannot both hold in one file."""
        versions: dict[str, None] = {}
        others: dict[str, None] = {}
        for path in files:
            for node in self._asts[path]["nodes"]:
                if node["nodeType"] != "PragmaDirective":
                    continue
                match = _PRAGMA.search(self._slice(path, node).decode() + ";")
                if match is None:
                    continue
                name, value = match[1], " ".join(match[2].split())
                if name == "solidity":
                    versions[f"pragma solidity {value};"] = None
                else:
                    others[_CODER.get(value, f"{name} {value}")] = None
        if {"abicoder v1", "abicoder v2"} <= set(others):
            raise CannotFlatten("its files code arguments in two ways")
        written = [
            self._coder(each) if each == "abicoder v2" else f"pragma {each};" for each in others
        ]
        return [each.encode() for each in (*versions, *written)]

    def _coder(self, word: str) -> str:
        """Compilers before 0.7.5 know the second way of coding under another name."""
        old = any(b"ABIEncoderV2" in data for data in self._data.values())
        return "pragma experimental ABIEncoderV2;" if old else f"pragma {word};"

    def _slice(self, path: str, node: dict[str, Any]) -> bytes:
        start, end = _span(node)
        return self._data[path][start:end]


def _span(node: Mapping[str, Any]) -> tuple[int, int]:
    start, length = map(int, node["src"].split(":")[:2])
    return start, start + length


def _of_module(node: Mapping[str, Any]) -> bool:
    told = node["expression"].get("typeDescriptions") or {}
    return str(told.get("typeIdentifier", "")).startswith("t_module")


def _fresh(name: str, words: set[str]) -> str:
    number = 2
    while f"{name}_{number}" in words:
        number += 1
    return f"{name}_{number}"
