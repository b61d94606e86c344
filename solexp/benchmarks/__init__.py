"""Benchmarks: where tasks come from.

One module or folder a benchmark reads released files into tasks; `solexp.benchmarks.data` lists, fetches, imports,
verifies and describes them.
"""

from solexp.benchmarks.base import FILTERS, Benchmark, select

__all__ = ["FILTERS", "Benchmark", "select"]
