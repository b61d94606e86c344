"""Language models that run on this machine."""

from solexp.llm.local.model import LlamaCpp
from solexp.llm.local.smollm2 import SmolLM2

__all__ = ["LlamaCpp", "SmolLM2"]
