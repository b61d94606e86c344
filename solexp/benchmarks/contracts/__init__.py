"""Whole contracts from sources of one's own: sets that `solexp data build contracts` has made."""

from solexp.benchmarks.contracts.benchmark import Contracts

__all__ = ["Contracts"]
