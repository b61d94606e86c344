"""How a model is prompted, and how its reply becomes a candidate."""

from solexp.strategies.base import Strategy
from solexp.strategies.contract import WholeContract

__all__ = ["Strategy", "WholeContract"]
