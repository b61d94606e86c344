"""SolContractEval: whole contracts, judged by replaying their history on the chain."""

from solexp.benchmarks.solcontracteval.benchmark import SolContractEval

__all__ = ["SolContractEval"]
