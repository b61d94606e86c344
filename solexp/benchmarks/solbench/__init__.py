"""SolBench: one function of a verified contract, in the text of its file."""

from solexp.benchmarks.solbench.benchmark import SolBench

__all__ = ["SolBench"]
