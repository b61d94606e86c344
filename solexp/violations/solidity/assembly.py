"""Inline assembly that only reckons: Yul without memory, storage or calls."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Any

from solexp.violations.solidity import terms
from solexp.violations.solidity.calls import Calls
from solexp.violations.solidity.faults import Unsupported
from solexp.violations.solidity.guards import Expected, Kind
from solexp.violations.solidity.terms import Term
from solexp.violations.solidity.types import Type
from solexp.violations.solidity.unit import Node
from solexp.violations.solidity.values import Broken, Word, whole

_TOKEN = re.compile(
    r"//[^\n]*|/\*.*?\*/|\s+|(?P<word>0x[0-9a-fA-F]+|\d+|[A-Za-z_$][\w$.]*|\"[^\"]*\"|:=|[{}(),:])",
    re.DOTALL,
)
_HARMLESS = frozenset(
    {"mload", "gas", "returndatasize", "calldatasize", "calldataload", "codesize"}
)
"""Read only: what they give is unknown, and nothing else becomes so."""

_BINARY = {
    "add": terms.add,
    "sub": terms.sub,
    "mul": terms.mul,
    "div": terms.udiv,
    "sdiv": terms.sdiv,
    "mod": terms.urem,
    "smod": terms.srem,
    "and": terms.band,
    "or": terms.bor,
    "xor": terms.bxor,
}
_TRUTHS = {
    "lt": terms.ult,
    "gt": lambda a, b: terms.ult(b, a),
    "slt": terms.slt,
    "sgt": lambda a, b: terms.slt(b, a),
    "eq": terms.eq,
}
_ZERO = terms.lasting(terms.const(0, 256))
_ONE = terms.lasting(terms.const(1, 256))


def tokens(text: str) -> list[str]:
    """The words of a piece of assembly. Raises Unsupported for letters that are none of Yul's."""
    found, at = [], 0
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None:
            raise Unsupported("inline assembly")
        if match["word"]:
            found.append(match["word"])
        at = match.end()
    return found


class Assembly(Calls):
    """Executes inline assembly."""

    def _do_InlineAssembly(self, node: Node) -> None:  # noqa: N802
        place = self.unit.place(node)
        text = self.unit.texts[place.path][place.start : place.end].decode("utf-8", "replace")
        words = tokens(text[text.index("{") :])
        outer = self._outer(node)
        run = _Yul(self, node, words, outer)
        try:
            run.block()
        except Unsupported as fault:
            named = Exception.__str__(fault)
            known = named.startswith("inline assembly")
            reason = self.refuse(named if known else f"inline assembly ({named})", node)
            self._forget(words, outer, reason)

    def _outer(self, node: Node) -> dict[str, Node]:
        """Solidity's variables by the names that the assembly uses."""
        found = {}
        for entry in node.get("externalReferences") or ():
            reference = entry
            if "declaration" not in entry:
                # Before 0.6 by name.
                reference = next(iter(entry.values()))
            start, length, _ = map(int, reference["src"].split(":"))
            path = self.unit.place(node).path
            name = self.unit.texts[path][start : start + length].decode()
            if not reference.get("isSlot") and not reference.get("isOffset"):
                found[name] = self.unit.declarations[reference["declaration"]]
        return found

    def _forget(self, words: list[str], outer: dict[str, Node], reason: str) -> None:
        """What assembly may have changed is not known any more."""
        called = {a for a, b in pairwise(words) if b == "("}
        if called - _HARMLESS - _PURE:
            self.lose(reason)
        for name, declared in outer.items():
            if (name, ":=") in pairwise(words) or "," in words:
                at = self.frame.number, declared["id"]
                self.path.variables[at] = self.unknown(self.unit.type_of(declared), reason)


class _Yul:
    """Reads and executes assembly at once."""

    def __init__(self, run: Assembly, node: Node, words: list[str], outer: dict[str, Node]) -> None:
        self.run = run
        self.node = node
        self.words = words
        self.outer = outer
        self.at = 0
        self.own: dict[str, Term] = {}

    def block(self) -> None:
        self._take("{")
        while self._peek() != "}":
            self._statement()
        self._take("}")

    def _statement(self) -> None:
        word = self._next()
        if word == "let":
            name = self._next()
            self.own[name] = _ZERO
            if self._peek() == ":=":
                self._take(":=")
                self.own[name] = self._expression(self._next())
        elif word == "if":
            condition = terms.not_(terms.eq(self._expression(self._next()), _ZERO))
            before = dict(self.own)
            with self.run.under(condition):
                self.block()
            for name, old in before.items():
                self.own[name] = terms.ite(condition, self.own[name], old)
        elif self._peek() == ":=":
            self._take(":=")
            self._assign(word, self._expression(self._next()))
        elif word in ("revert", "invalid"):
            self._end(word)
        elif word == "pop":
            self._take("(")
            self._expression(self._next())
            self._take(")")
        else:
            raise Unsupported(word)

    def _end(self, word: str) -> None:
        self._take("(")
        given = [self._expression(self._next())] if self._peek() != ")" else []
        while self._peek() == ",":
            self._take(",")
            given.append(self._expression(self._next()))
        self._take(")")
        empty = word == "invalid" or given[1] is _ZERO
        data = "invalid" if word == "invalid" else "empty" if empty else "any"
        self.run.fail(Kind.REVERT, self.node, Expected(data=data))  # type: ignore[arg-type]

    def _assign(self, name: str, value: Term) -> None:
        if name in self.own:
            self.own[name] = value
            return
        declared = self.outer.get(name)
        if declared is None:
            raise Unsupported(name)
        kind = self.run.unit.plain(self.run.unit.type_of(declared))
        if not kind.scalar:
            raise Unsupported(f"{name} as a pointer")
        self.run.path.variables[self.run.frame.number, declared["id"]] = Word(
            _from_word(value, kind), kind
        )

    def _expression(self, word: str) -> Term:
        if word[0].isdigit():
            return terms.const(int(word, 0), 256)
        if self._peek() != "(":
            return self._variable(word)
        self._take("(")
        given = []
        while self._peek() != ")":
            given.append(self._expression(self._next()))
            if self._peek() == ",":
                self._take(",")
        self._take(")")
        return self._applied(word, given)

    def _variable(self, name: str) -> Term:
        if name in self.own:
            return self.own[name]
        declared = self.outer.get(name)
        if declared is None:
            raise Unsupported(name)
        value: Any = whole(self.run.variable(declared))
        if isinstance(value, Broken) or not isinstance(value, Word):
            raise Unsupported(f"{name} as a pointer")
        return _to_word(value.term, self.run.unit.plain(value.kind))

    def _applied(self, name: str, given: list[Term]) -> Term:  # noqa: PLR0911, PLR0912
        run = self.run
        if name in _BINARY and len(given) == 2:
            return _BINARY[name](*given)
        if name in _TRUTHS and len(given) == 2:
            return terms.ite(_TRUTHS[name](*given), _ONE, _ZERO)
        match name, given:
            case "iszero", [value]:
                return terms.ite(terms.eq(value, _ZERO), _ONE, _ZERO)
            case "not", [value]:
                return terms.bnot(value)
            case "shl", [amount, value]:
                return terms.shl(value, amount)
            case "shr", [amount, value]:
                return terms.lshr(value, amount)
            case "sar", [amount, value]:
                return terms.ashr(value, amount)
            case "caller", []:
                return terms.zext(run.message[0], 256)
            case "callvalue", []:
                return run.message[1]
            case "origin", []:
                return terms.zext(run.sender, 256)
            case "address", []:
                return terms.zext(run.this, 256)
            case "timestamp", []:
                return run.time
            case "number", []:
                return run.number
            case "chainid", [] if run.state is not None:
                return terms.const(run.state.chain_id, 256)
            case "extcodesize", [account]:
                return run.code_size(terms.extract(account, 0, 160))
            case "balance", [account]:
                return run.memory.balance(run.path, terms.extract(account, 0, 160))
            case "selfbalance", []:
                return run.memory.balance(run.path, run.this)
        raise Unsupported(name)

    def _peek(self) -> str:
        return self.words[self.at] if self.at < len(self.words) else ""

    def _next(self) -> str:
        word = self._peek()
        if not word:
            raise Unsupported("an unfinished block")
        self.at += 1
        return word

    def _take(self, word: str) -> None:
        if self._next() != word:
            raise Unsupported(f"{self.words[self.at - 1]}")


_PURE = (
    frozenset(_BINARY)
    | frozenset(_TRUTHS)
    | frozenset({"iszero", "not", "shl", "shr", "sar", "byte", "exp", "signextend", "pop"})
    | frozenset({"addmod", "mulmod", "keccak256", "caller", "callvalue", "origin", "address"})
    | frozenset({"timestamp", "number", "chainid", "coinbase", "gasprice", "gaslimit", "basefee"})
    | frozenset({"difficulty", "prevrandao", "blockhash", "balance", "selfbalance"})
    | frozenset({"extcodesize", "extcodehash"})
)


def _to_word(term: Term, kind: Type) -> Term:
    if kind.kind == "bool":
        return terms.ite(term, _ONE, _ZERO)
    if kind.kind == "fixed_bytes":
        return terms.resized_text(term, 256)
    return terms.resized(term, 256, sign=kind.signed)


def _from_word(term: Term, kind: Type) -> Term:
    if kind.kind == "bool":
        return terms.not_(terms.eq(term, _ZERO))
    if kind.kind == "fixed_bytes":
        return terms.resized_text(term, kind.bits)
    return terms.resized(term, kind.bits)
