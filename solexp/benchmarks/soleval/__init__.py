"""SolEval: functions inside real repositories, judged by their Foundry tests."""

from solexp.benchmarks.soleval.benchmark import SolEval

__all__ = ["SolEval"]
