"""ContractEval: Python functions of HumanEval+ and MBPP+, with what they demand of their arguments."""

from solexp.benchmarks.contracteval.benchmark import ContractEval

__all__ = ["ContractEval"]
