"""Kinds of compile errors: the seventeen of SolContractEval (paper, Table IV) with its "others", and one of our own.

The paper names its kinds and gives no rules. The rules here are ours: they look at the compiler's class and message
and, where a message alone is ambiguous (``emit`` before 0.4.21 is an unexpected token like any other), at the source
just before it. docs/reference/error-taxonomy.md states them in words.
"""

from __future__ import annotations

import re

KINDS: dict[str, str] = {
    "emit": "ParserError",
    "missing_token": "ParserError",
    "syntax_structure": "ParserError",
    "receive_function_version": "ParserError",
    "override_conflict": "TypeError",
    "member_unavailable": "TypeError",
    "type_conversion": "TypeError",
    "argument_count": "TypeError",
    "argument_type": "TypeError",
    "mutability": "TypeError",
    "storage_location": "TypeError",
    "member_access": "TypeError",
    "undefined_identifier": "DeclarationError",
    "redefinition": "DeclarationError",
    "invisible_function": "DeclarationError",
    "stack_depth": "other",
    "parameter_association": "other",
    "docstring": "other",
    "others": "other",
}
"""Every kind and the block of the paper's table it stands in. ``docstring`` is in no row of that table."""

CONTEXT_CHARS = 200
"""How much source before an error a rule may look at."""

_EMIT = re.compile(r"\bemit\s+[\w$.]+\s*$")
_RECEIVE = re.compile(r"\b(?:receive|fallback)\s*$")
_MISSING = re.compile(
    r"Expected (?:token )?(?:'[;()]'|';'|Semicolon|LParen|RParen|[^,]*'[;()]')(?:,? (?:but )?got\b|$| )",
)

_ANY_CLASS: tuple[tuple[str, re.Pattern[str]], ...] = (
    (
        "stack_depth",
        re.compile(r"stack too deep|too deep inside the stack|too deep in the stack", re.I),
    ),
    ("emit", re.compile(r"Event invocations have to be prefixed by|emit statement", re.I)),
    (
        "receive_function_version",
        re.compile(
            r'use the "fallback" keyword or the "receive"|receive(?: ether)? function|fallback function'
            r'|"(?:receive|fallback)" function',
            re.I,
        ),
    ),
    (
        "parameter_association",
        re.compile(
            r"Documented parameter .* not found in the parameter list"
            r"|Named argument|Duplicate named argument|named arguments",
            re.I,
        ),
    ),
)

_TYPE_ERROR: tuple[tuple[str, re.Pattern[str]], ...] = (
    (
        "override_conflict",
        re.compile(
            r"\boverrid|\bvirtual\b|should be (?:marked as )?abstract|must implement|Linearization"
            r"|[Ii]nterface.*(?:declared|inherit)|hierarchy",
        ),
    ),
    (
        "storage_location",
        re.compile(
            r"[Dd]ata location|[Ss]torage location|storage pointer|storage ref"
            r"|\(nested\) mapping|containing a mapping|memory.* to storage|outside of storage"
            r"|from (?:struct|bytes|string|\S+\[\S*) \S* ?(?:memory|calldata|storage)\b.* to .*\b(?:storage|memory)\b"
            r"|mapping.* (?:storage|memory)|[Uu]ninitialized",
        ),
    ),
    (
        "mutability",
        re.compile(
            r"declared as (?:pure|view|constant)|(?:pure|view|payable) function"
            r"|cannot be (?:declared as )?(?:pure|view|payable)|requires \"(?:view|payable|pure)\""
            r"|can only be used in payable|mutability|modif(?:y|ies) (?:the )?state"
        ),
    ),
    (
        "argument_count",
        re.compile(
            r"argument count|Different number of|arguments? given|[Oo]ne argument expected"
            r"|number of (?:arguments|components|return)|takes? (?:exactly )?\w+ arguments?"
            r"|[Nn]eeds? (?:at least|exactly)? ?\w+ argument|Not enough components|[Tt]oo many (?:arg|comp)"
            r"|Return arguments required|Function declaration.*arguments|requires? .*\barguments?\b"
            r"|tuple.* is not implicitly convertible to expected type tuple",
        ),
    ),
    (
        "argument_type",
        re.compile(
            r"Invalid type for argument|matching declaration found after argument-dependent"
            r"|unique declaration found after|argument.*(?:type|must)|[Pp]arameter.*type"
            r"|Internal (?:or recursive )?type|not allowed in (?:public|external)|only supported in",
        ),
    ),
    (
        "member_unavailable",
        re.compile(
            r"Member .* (?:not found|is not available)|not found or not visible|has no member"
        ),
    ),
    (
        "type_conversion",
        re.compile(
            r"implicitly convertible|conversion|not compatible with type|convert|Operator|operator"
            r"|[Oo]ut[- ]of[- ]range|[Ii]nvalid (?:rational|literal|array length)|checksum|Literal"
            r"|conditional expression|common type|does not match (?:expected )?type|type expected"
            r"|\b(?:fractional|inline array)\b|[Bb]uil?t-?in unary",
        ),
    ),
    (
        "member_access",
        re.compile(
            r"[Mm]ember|[Ii]ndex|lvalue|only available|deprecated|disallowed|no longer|removed"
            r"|[Aa]ssign|constant|immutable|read-only|is not callable|callable|Cannot (?:call|access|instantiate|read)"
            r"|[Ii]nstantiat|not accessible|visible|expression has to be|attribute|selector|\"[\w.]+\" is",
        ),
    ),
)

_DECLARATION_ERROR: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("invisible_function", re.compile(r"not \(or not yet\) visible|not visible", re.I)),
    (
        "redefinition",
        re.compile(
            r"already (?:been )?(?:declared|defined)|defined twice|more than one|same name|redeclar|shadow|only one"
            r"|conflict|duplicate|redefin",
            re.I,
        ),
    ),
    (
        "undefined_identifier",
        re.compile(
            r"undeclared|not found|unresolved|undefined|unknown|does not exist|no such", re.I
        ),
    ),
)


_BY_CLASS = {"TypeError": _TYPE_ERROR, "DeclarationError": _DECLARATION_ERROR}


def classify(error_type: str, message: str, before: str = "") -> str:
    """The kind of an error, one of `KINDS`.

    ``before`` is the source text that ends where the compiler found the error, at best `CONTEXT_CHARS` of it.
    """
    kind = _first(_ANY_CLASS, message)
    if kind != "others":
        return kind
    if error_type in ("ParserError", "SyntaxError"):
        return _syntax(error_type, message, before)
    if error_type == "DocstringParsingError":
        return "docstring"
    if error_type == "UnimplementedFeatureError" and re.search(r"storage|memory", message):
        return "storage_location"
    return _first(_BY_CLASS.get(error_type, ()), message)


def _syntax(error_type: str, message: str, before: str) -> str:
    if _EMIT.search(before):
        return "emit"
    if _RECEIVE.search(before):
        return "receive_function_version"
    if error_type == "ParserError" and _MISSING.search(message):
        return "missing_token"
    return "syntax_structure"


def _first(rules: tuple[tuple[str, re.Pattern[str]], ...], message: str) -> str:
    return next((kind for kind, pattern in rules if pattern.search(message)), "others")
