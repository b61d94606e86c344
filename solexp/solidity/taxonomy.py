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
"""How much source before and after the place of an error a rule may look at."""

_EMIT = re.compile(r"\bemit\s+[\w$.]+\s*$")
_RECEIVE = re.compile(r"\b(?:receive|fallback)\s*$")
_EXPECTED = re.compile(r"Expected (?:token )?(?P<wanted>\S+?),? (?:but )?got (?P<got>.+?)\.?$")
_NEW_LINE = re.compile(r"\n\s*$")
_COMMENTS = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)

_Rules = tuple[tuple[str, re.Pattern[str]], ...]


def _rules(*pairs: tuple[str, str]) -> _Rules:
    """The first pattern found in a message gives the kind."""
    return tuple((kind, re.compile(pattern)) for kind, pattern in pairs)


_ANY_CLASS = _rules(
    ("stack_depth", r"(?i)stack too deep|too deep (?:inside|in) the stack"),
    ("emit", r"Event invocations have to be prefixed by|emit statement"),
    (
        "receive_function_version",
        r'use the "fallback" keyword|[Rr]eceive ether function|[Ff]allback function (?:can|must|is|may)'
        r'|name is "?(?:receive|fallback)|"(?:receive|fallback)" keyword',
    ),
    (
        "parameter_association",
        r"Documented parameter .* not found in the parameter list|[Nn]amed argument",
    ),
)

_TYPE_ERROR = _rules(
    ("member_access", r"^Member .* (?:outside of storage|not unique)"),
    ("member_unavailable", r"^Member .* (?:not found|not available)|has no member"),
    (
        "argument_count",
        r"^Wrong argument count|^Different number of|^Exactly one argument|^Not enough (?:components|variables)"
        r"|^Too many (?:components|variables)|^Need at least|^Return arguments required|arguments? given"
        r"|(?:expects?|takes?|requires?|needs) (?:at least |exactly )?(?:\w+) arguments?\b"
        r"|^Type tuple\(.*is not implicitly convertible to expected type tuple\(",
    ),
    (
        "storage_location",
        r"^(?:Data|Storage) location|[Ss]torage location|to expected type (?!address).* storage (?:pointer|ref)"
        r'|^(?!Explicit type conversion not allowed from "literal).* to "?\S.* storage (?:pointer|ref)'
        r"|\(nested\) mapping|[Uu]ninitialized"
        r"|[Cc]opying of type|Type (\S.*?) (?:memory|calldata|storage \w+) is not implicitly .* type \1\b"
        r"|conversion from (\S.*?) (?:memory|calldata|storage \w+) to \2 (?:memory|calldata|storage)"
        r"|only (?:be )?(?:assigned|used) (?:in|to) storage",
    ),
    (
        "argument_type",
        r"^Invalid type for argument|^No (?:matching|unique) declaration|argument must be|^The \w+ argument",
    ),
    (
        "override_conflict",
        r"[Oo]verrid|\bvirtual\b|should be marked (?:as )?abstract|^Linearization|must implement"
        r"|^Functions? in interfaces|Base contract|base contract|diamond",
    ),
    (
        "mutability",
        r"declared as (?:pure|view|constant)|requires \"(?:view|payable|pure)\"|payable public functions"
        r"|payable functions|[Mm]utability|(?:pure|view|payable) function|declared (?:pure|view|payable)",
    ),
    (
        "type_conversion",
        r"implicitly convertible|[Ee]xplicit type conversion|^Operator|[Uu]nary operator|not compatible with types?"
        r"|[Cc]onver(?:t|sion)|common type|conditional expression|True expression's|[Oo]ut[ -]of[ -](?:range|bounds)"
        r"|[Ll]iteral|checksum|[Ii]nvalid (?:rational|array length)|types? (?:do|does) not match|[Ii]nline array"
        r"|does not have the type|expected type|[Tt]oo large to",
    ),
    (
        "member_access",
        r"lvalue|[Ii]ndex|callable|only available|deprecated|disallowed|no longer|[Cc]onstant|[Ii]mmutable"
        r"|read-only|Cannot (?:call|access|instantiate|assign|read|set|use)|[Ii]nstantiat|[Aa]ccess"
        r"|Expression has to|call options|only be (?:used|called|accessed|set|done)|\bnew\b|library|not a type"
        r"|not allowed|not valid|not supported|not yet",
    ),
)

_DECLARATION_ERROR = _rules(
    ("invisible_function", r"not \(or not yet\) visible"),
    (
        "redefinition",
        r"shadows|already (?:been )?(?:declared|defined|imported)|twice|[Mm]ore than one|same name|[Oo]nly one",
    ),
    (
        "undefined_identifier",
        r"[Uu]ndeclared|not found|not unique|[Uu]nknown|not declared|undefined",
    ),
)

_BY_CLASS: dict[str, _Rules] = {
    "TypeError": _TYPE_ERROR,
    "DeclarationError": _DECLARATION_ERROR,
    "UnimplementedFeatureError": _rules(("storage_location", r"storage|memory|calldata")),
}


def classify(error_type: str, message: str, before: str = "", at: str = "") -> str:
    """The kind of an error, one of `KINDS`.

    ``before`` is the source text that ends where the compiler found the error, ``at`` the text that starts there; at
    best `CONTEXT_CHARS` of each.
    """
    kind = _first(_ANY_CLASS, message)
    if kind != "others":
        return kind
    if error_type in ("ParserError", "SyntaxError"):
        return _syntax(error_type, message, before)
    if error_type == "DocstringParsingError":
        return "docstring"
    if _suggests_itself(message, at):
        return "invisible_function"
    return _first(_BY_CLASS.get(error_type, ()), message)


def _suggests_itself(message: str, at: str) -> bool:
    """Whether the compiler proposes the very name that it does not know: there it is, but external."""
    name = re.match(r"[\w$]+", at)
    return (
        name is not None
        and message.startswith("Undeclared identifier. Did you mean")
        and f'"{name[0]}"' in message
    )


def _syntax(error_type: str, message: str, before: str) -> str:
    if _EMIT.search(before):
        return "emit"
    if _RECEIVE.search(before):
        return "receive_function_version"
    if error_type == "ParserError" and _lacks_token(message, before):
        return "missing_token"
    return "syntax_structure"


def _lacks_token(message: str, before: str) -> bool:
    """Whether a parenthesis or semicolon was left out, rather than something alien put where one should be.

    What follows a missing semicolon starts a line of its own or closes a block; what follows a missing parenthesis ends
    the statement.
    """
    match = _EXPECTED.search(message)
    if match is None:
        return False
    wanted = _NAMES.get(match["wanted"].strip("'"), match["wanted"].strip("'"))
    got = _NAMES.get(match["got"].strip("'"), match["got"].strip("'"))
    if wanted == ";":
        return got in ("}", "end of source", ")") or bool(
            _NEW_LINE.search(_COMMENTS.sub("", before))
        )
    return wanted == "(" or (wanted in (")", ",") and got in (";", "{", "}"))


_NAMES = {
    "Semicolon": ";",
    "LParen": "(",
    "RParen": ")",
    "LBrace": "{",
    "RBrace": "}",
    "Comma": ",",
    "EOS": "end of source",
}
"""What the compilers before 0.4.24 call the tokens."""


def _first(rules: _Rules, message: str) -> str:
    return next((kind for kind, pattern in rules if pattern.search(message)), "others")
