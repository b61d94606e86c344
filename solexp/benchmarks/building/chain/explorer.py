"""An explorer's API in the form of Etherscan's, version 2: ``?chainid=…&module=…&action=…``."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, TypeVar

from solexp.benchmarks.building.chain.asking import Asking, Passing
from solexp.core import UserError, secrets

KEY = "SOLEXP_EXPLORER_KEY"
"""The environment variable with the API's key."""

PAGE = 1_000
"""Rows of a page."""
MOST = 1 << 63
"""What numbers of blocks, times and gas stay below."""
_WINDOW = 10_000
"""Rows, counted from the first page, that one question may lead to: from then on blocks are asked for."""

_BUSY = re.compile(
    r"rate limit|limit exceeded|too many invalid|temporarily|server too busy", re.IGNORECASE
)
_DAILY = re.compile(r"daily|per day", re.IGNORECASE)
_PASSING = re.compile(r"timeout|time-?out|unexpected error|unable to process", re.IGNORECASE)
_KEY = re.compile(r"(?:invalid|missing)\S* api ?key|missing/invalid", re.IGNORECASE)
_CHAIN = re.compile(r"chainid|supported for this chain", re.IGNORECASE)
_NOTHING = re.compile(r"^no (?:transactions|records|internal)|no matching records", re.IGNORECASE)

Row = dict[str, str]
T = TypeVar("T")


class Unverified(UserError):
    """The explorer has no source of a contract."""


class Explorer:
    """Questions about contracts of one chain."""

    def __init__(self, asking: Asking, chain: int) -> None:
        self._asking = asking
        self._chain = chain
        self._key = secrets.from_environment(KEY)

    def source(self, address: str) -> Row:
        """What was handed in for the contract's verification. Raises Unverified where nothing was."""

        def check(answer: Any) -> Row:
            rows = self._result(answer)
            row = rows[0] if isinstance(rows, list) and rows else None
            if not isinstance(row, dict) or not isinstance(row.get("SourceCode"), str):
                raise Passing("the answer holds no source")
            # Not kept: it may be verified tomorrow.
            if not row["SourceCode"].strip():
                raise Unverified(f"{address} is not verified")
            return row

        return self._ask(check, module="contract", action="getsourcecode", address=address)

    def creation(self, address: str) -> Row | None:
        """Who created a contract (``contractCreator``), in which transaction (``txHash``); None where unknown."""

        def check(answer: Any) -> Row | None:
            rows = self._result(answer)
            row = rows[0] if isinstance(rows, list) and rows else None
            if row is not None and not (
                isinstance(row, dict) and isinstance(row.get("txHash"), str | None)
            ):
                raise Passing("the answer holds no creation")
            return row

        return self._ask(
            check, module="contract", action="getcontractcreation", contractaddresses=address
        )

    def head(self) -> int:
        """The number of the newest block."""

        def check(answer: Any) -> int:
            result = self._result(answer)
            try:
                number = int(result, 16)
            except (TypeError, ValueError):
                number = -1
            if not 0 <= number < MOST:
                raise Passing(f"the newest block is {str(result)[:80]!r}")
            return number

        return self._ask(check, keep=False, module="proxy", action="eth_blockNumber")

    def transactions(self, address: str, most: int, to_block: int) -> list[Row]:
        """The first ``most`` top-level transactions to a contract, its creation among them, up to a block.

        In the chain's order.
        """
        return self._all("txlist", address, most, to_block)

    def internal(self, address: str, most: int, to_block: int) -> list[Row]:
        """The first ``most`` internal transactions that a contract takes part in, as the explorer has them."""
        return self._all("txlistinternal", address, most, to_block)

    def _all(self, action: str, address: str, most: int, to_block: int) -> list[Row]:
        """All pages. Behind the last row that a question may lead to, the next one starts at its block."""
        found: list[Row] = []
        seen: set[tuple[str, str]] = set()
        start, page = 0, 1
        while len(found) < most:
            rows = self._page(action, address, start, to_block, page)
            fresh = [row for row in rows if _name(row) not in seen]
            seen.update(map(_name, fresh))
            found += fresh
            if len(rows) < PAGE:
                break
            page += 1
            if page * PAGE > _WINDOW:
                last = int(rows[-1]["blockNumber"])
                if last <= start:
                    raise UserError(
                        f"explorer: block {last} alone has {_WINDOW} transactions of {address}; ask for fewer"
                    )
                start, page = last, 1
        found.sort(key=_place)
        return found[:most]

    def _page(self, action: str, address: str, start: int, end: int, page: int) -> list[Row]:
        def check(answer: Any) -> list[Row]:
            rows = self._result(answer)
            if not isinstance(rows, list) or not all(_whole(row) for row in rows):
                raise Passing("the answer is no list of transactions")
            return rows

        return self._ask(
            check,
            module="account",
            action=action,
            address=address,
            startblock=str(start),
            endblock=str(end),
            page=str(page),
            offset=str(PAGE),
            sort="asc",
        )

    def _ask(self, check: Callable[[Any], T], *, keep: bool = True, **question: str) -> T:
        params = {"chainid": str(self._chain), **question}
        sent = params | ({"apikey": self._key} if self._key else {})
        return self._asking.answer(params, check, params=sent, keep=keep)

    def _result(self, answer: Any) -> Any:
        """The result in an answer. Raises Passing, and UserError for what is no use to ask again."""
        if not isinstance(answer, dict):
            raise Passing("the answer is no JSON object")
        if "jsonrpc" in answer and "result" in answer:
            return answer["result"]
        message, result = str(answer.get("message", "")), answer.get("result")
        if str(answer.get("status")) == "1":
            return result
        if _NOTHING.search(message) or _NOTHING.search(str(result)):
            return []
        said = secrets.redact(result if isinstance(result, str) and result else message)
        if "error" in answer:
            said = secrets.redact(str(answer["error"]))
        shown = f"explorer: {self._asking.shown} says '{said[:200]}'"
        if "not verified" in said.lower():
            raise Unverified(said[:200])
        if _BUSY.search(said):
            if _DAILY.search(said):
                raise UserError(f"{shown}; go on tomorrow: what was asked is kept")
            raise Passing(said, busy=True)
        if _KEY.search(said):
            raise UserError(f"{shown}; set {KEY} to a key of this explorer")
        if _CHAIN.search(said):
            raise UserError(f"{shown}; give a chain that it has with --chain")
        if _PASSING.search(said) or not said:
            raise Passing(said or "an empty answer")
        raise UserError(shown)


def _whole(row: Any) -> bool:
    if not isinstance(row, dict) or not isinstance(row.get("hash"), str):
        return False
    try:
        return all(0 <= number < MOST for number in _place(row))
    except (KeyError, TypeError, ValueError):
        return False


def _name(row: Row) -> tuple[str, str]:
    return row["hash"], str(row.get("traceId", ""))


def _place(row: Row) -> tuple[int, int]:
    return int(row["blockNumber"]), int(row.get("transactionIndex") or 0)
