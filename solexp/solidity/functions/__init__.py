"""Functions: finding them in sources and in replies, taking their bodies out and putting them in."""

from solexp.solidity.functions.extraction import MARKERS, extract_function
from solexp.solidity.functions.masking import (
    body_of,
    replace_body,
    replace_member,
    replace_members,
    text_of,
    without_bodies,
)
from solexp.solidity.functions.members import (
    Member,
    documented,
    free_functions,
    identifiers,
    member_at,
    members,
    plain,
)
from solexp.solidity.functions.scope import Scope, scope_of

__all__ = [
    "MARKERS",
    "Member",
    "Scope",
    "body_of",
    "documented",
    "extract_function",
    "free_functions",
    "identifiers",
    "member_at",
    "members",
    "plain",
    "replace_body",
    "replace_member",
    "replace_members",
    "scope_of",
    "text_of",
    "without_bodies",
]
