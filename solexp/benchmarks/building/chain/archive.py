"""An archive node: what it alone knows of a transaction."""

from __future__ import annotations

import re
from typing import Any

import msgspec

from solexp.benchmarks.building.chain.asking import Asking, Passing
from solexp.core import UserError, secrets

_BUSY = re.compile(r"\brate\b|limit exceeded|too many|capacity|throttl", re.IGNORECASE)
_PRUNED = re.compile(
    r"missing trie|prun|historical state|archive|state .*not available", re.IGNORECASE
)
_NO_SUCH_METHOD = re.compile(
    r"not (?:exist|found|available|supported|whitelisted|allowed)|unsupported|unknown method|"
    r"upgrade|disabled",
    re.IGNORECASE,
)
_UNKNOWN = re.compile(
    r"transaction .*not found|header not found|unknown (?:block|transaction)", re.IGNORECASE
)
_PASSING = re.compile(r"timed? ?-?out|internal error|overload|busy|try again", re.IGNORECASE)
_METHOD_NOT_FOUND, _LIMIT = -32601, -32005


class Unsupported(Exception):
    """The node has no such method."""


class Archive:
    """Questions to a node. Answers are as it gives them."""

    def __init__(self, asking: Asking) -> None:
        self._asking = asking
        self._traces = True

    @property
    def traces(self) -> bool:
        """Whether the node has traced everything so far that was asked for."""
        return self._traces

    def chain(self) -> int:
        """The chain's id."""
        return int(self._ask("eth_chainId", keep=False), 16)

    def transaction(self, hash_: str) -> dict[str, Any]:
        """A transaction by its hash. Raises UserError when the node does not have it."""
        return self._there(self._ask("eth_getTransactionByHash", hash_, known=True), hash_)

    def receipt(self, hash_: str) -> dict[str, Any]:
        """A transaction's receipt. Raises UserError when the node does not have it."""
        return self._there(self._ask("eth_getTransactionReceipt", hash_, known=True), hash_)

    def block(self, number: int) -> dict[str, Any]:
        """A block's head."""
        found = self._ask("eth_getBlockByNumber", hex(number), False, known=True)
        return self._there(found, f"block {number}")

    def code(self, address: str, block: int) -> str:
        """The code at an address behind a block, as hex with ``0x``."""
        return str(self._ask("eth_getCode", address, hex(block)))

    def calls(self, hash_: str) -> dict[str, Any] | None:
        """The tree of calls that a transaction makes (``callTracer``), logs with them; None where nothing is traced."""
        return self._trace(hash_, "callTracer", {"withLog": True})

    def changes(self, hash_: str) -> dict[str, Any] | None:
        """The state that a transaction changes, ``pre`` and ``post`` (``prestateTracer``); None as in `calls`."""
        return self._trace(hash_, "prestateTracer", {"diffMode": True})

    def _trace(self, hash_: str, tracer: str, config: dict[str, bool]) -> dict[str, Any] | None:
        if not self._traces:
            return None
        options = {"tracer": tracer, "tracerConfig": config}
        try:
            found = self._ask("debug_traceTransaction", hash_, options, known=True)
        except Unsupported:
            self._traces = False
            return None
        return self._there(found, hash_)

    def _there(self, found: Any, what: str) -> dict[str, Any]:
        if not isinstance(found, dict):
            raise UserError(
                f"node: {self._asking.shown} does not know {what}; is it an archive node of this chain?"
            )
        return found

    def _ask(self, method: str, *params: Any, keep: bool = True, known: bool = False) -> Any:
        """``known``: what is asked for happened long ago, so that an empty answer is one of a node that lags."""

        def check(answer: Any) -> Any:
            result = self._result(answer, method)
            if known and result is None:
                raise Passing(f"{method}: nothing known")
            return result

        body = msgspec.json.encode(
            {"jsonrpc": "2.0", "id": 1, "method": method, "params": list(params)}
        )
        return self._asking.answer([method, *params], check, body=body, keep=keep)

    def _result(self, answer: Any, method: str) -> Any:
        if not isinstance(answer, dict) or "jsonrpc" not in answer or len(answer) < 2:
            raise Passing(f"{method}: the answer is none of JSON-RPC")
        error = answer.get("error")
        if error is None:
            return answer.get("result")
        code = error.get("code") if isinstance(error, dict) else None
        said = str(error.get("message") if isinstance(error, dict) else error)
        said = secrets.redact(said)[:200]
        if _UNKNOWN.search(said):
            raise Passing(f"{method}: {said}")
        if _PRUNED.search(said):
            raise UserError(
                f"node: {self._asking.shown} keeps no old state ('{said}'); give an archive node"
            )
        if method.startswith("debug_") and (
            code == _METHOD_NOT_FOUND or _NO_SUCH_METHOD.search(said)
        ):
            raise Unsupported(said)
        if code in (_LIMIT, 429) or _BUSY.search(said):
            raise Passing(said, busy=True)
        if _PASSING.search(said):
            raise Passing(said)
        raise UserError(f"node: {self._asking.shown} refuses {method}: '{said}'")
