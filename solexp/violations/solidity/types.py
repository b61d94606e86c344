"""Solidity's types, as the compiler's type identifiers spell them: ``t_mapping$_t_address_$_t_uint256_$``."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Literal

import msgspec

from solexp.violations.solidity.faults import Unsupported

Kind = Literal[
    "uint",
    "int",
    "bool",
    "address",
    "contract",
    "enum",
    "fixed_bytes",
    "bytes",
    "string",
    "array",
    "mapping",
    "struct",
    "wrapped",
    "tuple",
    "rational",
    "literal",
    "type",
    "function",
    "magic",
    "other",
]


class Type(msgspec.Struct, frozen=True):
    """A type without the place where its values are kept, unless that is part of it."""

    kind: Kind
    bits: int = 0
    """Width of a value of elementary type; of an enum it depends on its members."""
    items: tuple[Type, ...] = ()
    """Element type of an array, key and value of a mapping, members of a tuple, the type that a ``type`` is of."""
    length: int | None = None
    """Of a fixed-size array."""
    declaration: int = 0
    """AST id of a struct, enum, contract or wrapped type."""
    location: str = ""
    """``storage``, ``memory`` or ``calldata``."""
    pointer: bool = False
    value: int = 0
    """Numerator of a rational."""
    divisor: int = 1
    name: str = ""
    """Kind of a function or magic object: ``require``, ``internal``, ``message``."""
    bound: bool = False
    """Whether a function is bound to its first argument."""

    @property
    def scalar(self) -> bool:
        """Whether a value is one word."""
        return self.kind in _SCALARS

    @property
    def signed(self) -> bool:
        return self.kind == "int"

    @property
    def dynamic_bytes(self) -> bool:
        return self.kind in ("bytes", "string")


_SCALARS = frozenset(
    {"uint", "int", "bool", "address", "contract", "enum", "fixed_bytes", "wrapped"}
)

UINT256 = Type("uint", 256)
ADDRESS = Type("address", 160)
BOOLEAN = Type("bool")
BYTES32 = Type("fixed_bytes", 256)
BYTES4 = Type("fixed_bytes", 32)
BYTES1 = Type("fixed_bytes", 8)

_SIMPLE = re.compile(r"t_(u?int|bytes)(\d+)")
_NAMED = re.compile(r"t_(struct|enum|contract|userDefinedValueType|super)\$_")
_LOCATION = re.compile(r"_(storage|memory|calldata)(_ptr|_slice)*")
_RATIONAL = re.compile(r"t_rational_(minus_|-)?(\d+)_by_(\d+)")


@lru_cache(maxsize=4096)
def read_type(identifier: str | None) -> Type:
    """The type that an identifier means. Raises Unsupported for those unknown."""
    if not identifier:
        raise Unsupported("an expression without a type")
    return _Reader(identifier).read()


class _Reader:
    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0

    def read(self) -> Type:  # noqa: PLR0912, PLR0911
        rest = self.text[self.at :]
        if rest.startswith("t_bool"):
            return self._take("t_bool", BOOLEAN)
        if rest.startswith("t_address"):
            payable = "t_address_payable"
            return self._take(payable if rest.startswith(payable) else "t_address", ADDRESS)
        if match := _SIMPLE.match(rest):
            self.at += match.end()
            if match[1] == "bytes":
                return Type("fixed_bytes", 8 * int(match[2]))
            return Type("uint" if match[1] == "uint" else "int", int(match[2]))
        if match := _RATIONAL.match(rest):
            self.at += match.end()
            sign = -1 if match[1] else 1
            return Type("rational", value=sign * int(match[2]), divisor=int(match[3]))
        if match := _NAMED.match(rest):
            return self._named(match[1], match.end())
        for word in ("stringliteral", "string", "bytes"):
            if rest.startswith(f"t_{word}"):
                self.at += 2 + len(word)
                if word == "stringliteral":
                    self.at = self._end(self.at, r"_[0-9a-f]*")
                    return Type("literal")
                return self._located(Type("bytes" if word == "bytes" else "string"))
        if rest.startswith("t_array$_"):
            return self._array()
        if rest.startswith("t_mapping$_"):
            self.at += len("t_mapping$_")
            key = self.read()
            self._skip("_$_")
            value = self.read()
            self._skip("_$")
            return Type("mapping", items=(key, value))
        if rest.startswith("t_tuple$_"):
            self.at += len("t_tuple")
            return Type("tuple", items=self._list())
        if rest.startswith("t_type$_"):
            self.at += len("t_type$_")
            inner = self.read()
            self._skip("_$")
            return Type("type", items=(inner,))
        return self._special(rest)

    def _special(self, rest: str) -> Type:
        if match := re.match(r"t_function_([a-z0-9]+)_?[a-z]*", rest):
            bound = "bound_to$" in rest or "attached_to$" in rest
            self.at += match.end()
            self._signature()
            return Type("function", name=match[1], bound=bound)
        if match := re.match(r"t_magic_(\w+)", rest):
            self.at = len(self.text)
            return Type("magic", name=match[1])
        self.at = (
            self._end(self.at, r"t_[A-Za-z0-9]*(?=_\$|\$|$)")
            if rest.startswith("t_error")
            else len(self.text)
        )
        return Type("other", name=rest)

    def _signature(self) -> None:
        """Past the rest of a function's type: parameters, results and what it is bound to."""
        if self.text[self.at : self.at + 2] != "$_":
            return
        self._list()
        while match := re.match(
            r"(returns|bound_to|attached_to|gas|value|salt)", self.text[self.at :]
        ):
            self.at += match.end()
            if self.text[self.at : self.at + 2] == "$_":
                self._list()

    def _take(self, word: str, kind: Type) -> Type:
        self.at += len(word)
        return kind

    def _named(self, word: str, skip: int) -> Type:
        self.at += skip
        match = re.compile(r"(.*?)_\$(\d+)").match(self.text, self.at)
        if match is None:
            raise Unsupported(f"the type {self.text}")
        self.at = match.end()
        number = int(match[2])
        if word == "struct":
            return self._located(Type("struct", declaration=number))
        if word == "contract":
            return Type("contract", 160, declaration=number)
        if word == "super":
            return Type("magic", name="super", declaration=number)
        return Type("enum" if word == "enum" else "wrapped", declaration=number)

    def _array(self) -> Type:
        self.at += len("t_array$_")
        base = self.read()
        self._skip("_$")
        match = re.compile(r"dyn|\d+").match(self.text, self.at)
        if match is None:
            raise Unsupported(f"the type {self.text}")
        self.at = match.end()
        length = None if match[0] == "dyn" else int(match[0])
        return self._located(Type("array", items=(base,), length=length))

    def _located(self, kind: Type) -> Type:
        match = _LOCATION.match(self.text, self.at)
        if match is None:
            return kind
        self.at = match.end()
        return msgspec.structs.replace(kind, location=match[1], pointer="_ptr" in match[0])

    def _list(self) -> tuple[Type, ...]:
        """``$_a_$_b_$``, or ``$__$`` for none."""
        if self.text.startswith("$__$", self.at):
            self.at += 4
            return ()
        self._skip("$_")
        found = [self.read()]
        while self.text.startswith("_$_", self.at):
            # An empty component of a tuple is ``_$__$_``.
            if self.text.startswith("_$__$", self.at):
                self.at += 3
                found.append(Type("other"))
                continue
            self.at += 3
            found.append(self.read())
        self._skip("_$")
        return tuple(found)

    def _skip(self, word: str) -> None:
        if not self.text.startswith(word, self.at):
            raise Unsupported(f"the type {self.text}")
        self.at += len(word)

    def _end(self, at: int, pattern: str) -> int:
        match = re.compile(pattern).match(self.text, at)
        return match.end() if match else at
