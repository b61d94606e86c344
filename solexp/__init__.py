"""solexp measures how well language models write smart contracts."""

__version__ = "0.1.0"
