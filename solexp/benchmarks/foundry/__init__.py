"""Any Foundry project: its functions, judged by the project's own tests that reach them."""

from solexp.benchmarks.foundry.benchmark import Foundry

__all__ = ["Foundry"]
