"""Asking a model for every sample of every task, and never twice for the same."""

from solexp.generating.engine import Halted, Wanted, generate

__all__ = ["Halted", "Wanted", "generate"]
