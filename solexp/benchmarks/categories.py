"""What kind of contract a task is about."""

from __future__ import annotations


def categorise(source: str, target: str) -> str:
    """ERC20, ERC721, DeFi or Others."""
    return "ERC20" if "balanceOf" in source and target else "Others"
