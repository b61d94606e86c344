"""Differential fuzzing: random, ABI-aware sequences of calls, found on the original and asked of candidates."""

from solexp.fuzzing.confirming import Differing
from solexp.fuzzing.exploring import Explorer, settle
from solexp.fuzzing.literals import constants
from solexp.fuzzing.looking import Looked, look_through
from solexp.fuzzing.reference import KeptReference, Reference, pack, unpack
from solexp.fuzzing.settings import Constants, Settings, Unit, entries, units
from solexp.fuzzing.trying import Asked, Tried

__all__ = [
    "Asked",
    "Constants",
    "Differing",
    "Explorer",
    "KeptReference",
    "Looked",
    "Reference",
    "Settings",
    "Tried",
    "Unit",
    "constants",
    "entries",
    "look_through",
    "pack",
    "settle",
    "units",
    "unpack",
]
