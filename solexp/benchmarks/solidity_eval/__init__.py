"""Solidity Eval (2026): one function of a verified contract, written by an agent in a workspace."""

from solexp.benchmarks.solidity_eval.benchmark import SolidityEval

__all__ = ["SolidityEval"]
