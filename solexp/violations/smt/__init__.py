"""Contracts that a language model wrote for a solver (ContractEval, §3): parts of SMT-LIB programs, put together and
solved in a process of their own."""

from solexp.violations.smt.programs import solve

__all__ = ["solve"]
