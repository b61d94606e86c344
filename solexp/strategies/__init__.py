"""How a model is prompted, and how its replies become candidates."""

from solexp.strategies.base import Ask, Attempt, Dialogue, Reader, Strategy
from solexp.strategies.contract import WholeContract

__all__ = ["Ask", "Attempt", "Dialogue", "Reader", "Strategy", "WholeContract"]
