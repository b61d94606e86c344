"""Language models behind servers that speak OpenAI's protocol."""

from solexp.llm.served.model import OpenAICompatible
from solexp.llm.served.session import ServedSession, answered

__all__ = ["OpenAICompatible", "ServedSession", "answered"]
