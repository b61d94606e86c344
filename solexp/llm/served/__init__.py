"""Language models behind servers that speak OpenAI's protocol."""

from solexp.llm.served.budget import Budget, BudgetReached, Reservation
from solexp.llm.served.forecast import Forecast, forecast
from solexp.llm.served.model import OpenAICompatible
from solexp.llm.served.session import ServedSession, answered

__all__ = [
    "Budget",
    "BudgetReached",
    "Forecast",
    "OpenAICompatible",
    "Reservation",
    "ServedSession",
    "answered",
    "forecast",
]
