"""An agent: a model that works in a workspace by tools until it says that it is done."""

from solexp.strategies.agent.strategy import Agent, AgentReader

__all__ = ["Agent", "AgentReader"]
