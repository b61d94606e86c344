"""Mutants of functions: small changes of a body that ought to be noticed (DeMillo, Lipton and Sayward 1978)."""

from solexp.solidity.mutation.checked import Checked
from solexp.solidity.mutation.mutations import mutations

VERSION = 1
"""Of the rules and the order. A change of either raises it."""

__all__ = ["VERSION", "Checked", "mutations"]
