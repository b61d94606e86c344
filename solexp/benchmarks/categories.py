"""What kind of contract a task is about.

SolContractEval (§3.1, Table I) sorts its 124 contracts into ERC20 (52), DeFi (28), ERC721 (23) and Others (21), but its
release says of no contract where it belongs. These rules stand in for the missing labels. They look at everything that
the target is made of (itself and what it inherits in its file), and the first that holds decides:

1. ERC721: it names ERC721 or ERC1155 among its bases (``ERC721``, ``IERC721``, ``ERC721A``, ``ERC1155``, …), is so
   named itself, or defines ``ownerOf`` and a transfer of tokens.
2. ERC20: it defines or declares ``transfer`` with two or three parameters together with ``approve``, ``transferFrom``
   or ``balanceOf``; or a base's name holds ERC20, ERC223 or ERC777.
3. DeFi: a function's name speaks of money at work (stake, swap, deposit, invest, sale, reward, claim, …). ``withdraw``
   alone does not count: most owners can empty their contract.
4. Others.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

from solexp.core import Task
from solexp.solidity.contracts import Definition, ancestors
from solexp.solidity.parsing import outline, with_members

CATEGORIES = ("ERC20", "DeFi", "ERC721", "Others")
PAPER_TOTALS = {"ERC20": 52, "DeFi": 28, "ERC721": 23, "Others": 21}
"""Tasks by category among SolContractEval's 124 (Table I)."""

_NFT_NAME = re.compile(r"ERC_?(?:721|1155)", re.IGNORECASE)
_TOKEN_NAME = re.compile(r"ERC_?(?:20|223|777)(?!\d)", re.IGNORECASE)
_MONEY = re.compile(
    r"stak|swap|deposit|borrow|lend|loan|liquid|collateral|invest|dividend|payout|reward|harvest|farm|pool"
    r"|vault|yield|claim|redeem|presale|crowdsale|bounty|purchase|buy|sell|bet(?:$|[A-Z_])|fund|escrow|migrat|earn|interest",
    re.IGNORECASE,
)


def categorise(source: str, contract: str) -> str:
    """The category of a contract defined in ``source``: one of `CATEGORIES`."""
    known = outline(source)
    parts = [found for found in known if found.name == contract]
    parts += ancestors(contract, known)
    names = {contract, *(base for part in parts for base in (part.name, *part.inherits))}
    if any(map(_NFT_NAME.search, names)):
        return "ERC721"
    data = source.encode()
    parts = [with_members(part, data) for part in parts]
    if _defines(parts, "ownerOf", "transferFrom"):
        return "ERC721"
    if any(map(_TOKEN_NAME.search, names)) or _is_token(parts):
        return "ERC20"
    if any(_MONEY.search(function.name) for part in parts for function in part.functions):
        return "DeFi"
    return "Others"


def totals(tasks: Iterable[Task]) -> dict[str, int]:
    """Tasks by category, every category named."""
    counts = Counter(task.category or "Others" for task in tasks)
    return {name: counts[name] for name in (*CATEGORIES, *sorted(set(counts) - set(CATEGORIES)))}


def _defines(parts: Iterable[Definition], *names: str) -> bool:
    return {function.name for part in parts for function in part.functions}.issuperset(names)


def _is_token(parts: Iterable[Definition]) -> bool:
    functions = [function for part in parts for function in part.functions]
    moves = any(found.name == "transfer" and len(found.parameters) in {2, 3} for found in functions)
    return moves and bool(
        {found.name for found in functions} & {"approve", "transferFrom", "balanceOf"}
    )
