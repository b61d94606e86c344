"""An archive node: what it alone knows of a transaction."""

from __future__ import annotations

import re
from typing import Annotated, Any

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


_Count = Annotated[str, msgspec.Meta(pattern="^0x[0-9a-fA-F]{1,16}$")]
"""A number below 2**64."""
_Amount = Annotated[str, msgspec.Meta(pattern="^0x[0-9a-fA-F]{1,64}$")]


class _Log(msgspec.Struct):
    address: str
    topics: list[str]
    data: str


class _Receipt(msgspec.Struct):
    gasUsed: _Count  # noqa: N815
    status: _Count | None = None
    contractAddress: str | None = None  # noqa: N815
    logs: list[_Log] | None = None


class _Transaction(msgspec.Struct, kw_only=True):
    blockNumber: _Count | None = None  # noqa: N815
    transactionIndex: _Count | None = None  # noqa: N815
    nonce: _Count | None = None
    to: str | None = None
    value: _Amount | None = None
    gas: _Count | None = None
    gasPrice: _Amount | None = None  # noqa: N815
    input: str | None = None


class _Block(msgspec.Struct):
    number: _Count
    hash: str
    timestamp: _Count
    gasLimit: _Count  # noqa: N815
    miner: str | None = None
    difficulty: _Amount | None = None
    mixHash: str | None = None  # noqa: N815
    baseFeePerGas: _Amount | None = None  # noqa: N815


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
        return int(self._ask("eth_chainId", keep=False, kind=_Count), 16)

    def transaction(self, hash_: str) -> dict[str, Any]:
        """A transaction by its hash. Raises UserError when the node does not have it."""
        return self._known("eth_getTransactionByHash", hash_, kind=_Transaction, what=hash_)

    def receipt(self, hash_: str) -> dict[str, Any]:
        """A transaction's receipt. Raises UserError when the node does not have it."""
        return self._known("eth_getTransactionReceipt", hash_, kind=_Receipt, what=hash_)

    def block(self, number: int) -> dict[str, Any]:
        """A block's head."""
        what = f"block {number}"
        return self._known("eth_getBlockByNumber", hex(number), False, kind=_Block, what=what)

    def code(self, address: str, block: int) -> str:
        """The code at an address behind a block, as hex with ``0x``."""
        return str(self._ask("eth_getCode", address, hex(block), kind=str))

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

    def _known(self, method: str, *params: Any, kind: Any, what: str) -> dict[str, Any]:
        return self._there(self._ask(method, *params, known=True, kind=kind), what)

    def _there(self, found: Any, what: str) -> dict[str, Any]:
        if not isinstance(found, dict):
            raise UserError(
                f"node: {self._asking.shown} does not know {what}; is it an archive node of this chain?"
            )
        return found

    def _ask(
        self, method: str, *params: Any, keep: bool = True, known: bool = False, kind: Any = Any
    ) -> Any:
        """``known``: what is asked for happened long ago, so that an empty answer is one of a node that lags.

        ``kind``: what the answer must be of, though it is returned as it came.
        """

        def check(answer: Any) -> Any:
            result = self._result(answer, method)
            if known and result is None:
                raise Passing(f"{method}: nothing known")
            try:
                msgspec.convert(result, kind)
            except msgspec.ValidationError as error:
                raise Passing(f"{method}: the answer is malformed: {error}") from None
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
