"""Functions: finding them in sources and in replies, taking their bodies out and putting them in."""

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
    free_functions,
    identifiers,
    member_at,
    members,
    plain,
)

__all__ = [
    "Member",
    "body_of",
    "free_functions",
    "identifiers",
    "member_at",
    "members",
    "plain",
    "replace_body",
    "replace_member",
    "replace_members",
    "text_of",
    "without_bodies",
]
