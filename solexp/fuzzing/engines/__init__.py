"""Engines that look for sequences of calls which tell a candidate from its original."""

from solexp.fuzzing.engines.base import ENGINES, Engine, EngineName, Lead, Told

__all__ = ["ENGINES", "Engine", "EngineName", "Lead", "Told"]
