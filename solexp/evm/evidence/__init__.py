"""Evidence that a person can read and run: the calls that tell a candidate from its original."""

from solexp.evm.evidence.foundry import difference, foundry_config, foundry_test
from solexp.evm.evidence.listing import Listing, listing
from solexp.evm.evidence.seeing import NotSeen, Seen, see
from solexp.evm.evidence.shortening import shorten

__all__ = [
    "Listing",
    "NotSeen",
    "Seen",
    "difference",
    "foundry_config",
    "foundry_test",
    "listing",
    "see",
    "shorten",
]
