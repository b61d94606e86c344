"""The definitions of a task's sources: an index of them, what they need of each other, and how they are shown."""

from solexp.solidity.definitions.index import Declaration, Index, index_of
from solexp.solidity.definitions.named import definitions_named, names_in

__all__ = ["Declaration", "Index", "definitions_named", "index_of", "names_in"]
