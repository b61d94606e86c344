"""Asking somebody else's server: at a steady rate, again after faults, and each question only once."""

from __future__ import annotations

import hashlib
import http.client
import logging
import random
import re
import time
from collections.abc import Callable, Mapping
from typing import Any, TypeVar, cast

import msgspec

from solexp.core import UserError, secrets
from solexp.core.hashing import content_hash
from solexp.core.nesting import refuse_depth
from solexp.store import Store
from solexp.toolchain.homes import cache_home

T = TypeVar("T")

_LOG = logging.getLogger("solexp.chain")
_ABSENT = object()
_PIECE = 1 << 20
_QUERY = re.compile(r"\?\S*")
_ADDRESS = re.compile(r"""https?://[^\s'"<>\\]+""", re.IGNORECASE)
_KEEPING = 1
"""Version of the form of what is kept."""


class Passing(Exception):
    """A fault that may be gone when the same is asked again."""

    def __init__(self, said: str, wait_s: float | None = None, *, busy: bool = False) -> None:
        super().__init__(said)
        self.wait_s = wait_s
        """Seconds for which the server asks to be left alone."""
        self.busy = busy
        """Whether it only says that too much is asked: then patience counts, not tries."""


class _Kept(msgspec.Struct, frozen=True):
    """An answer, and how to tell that it is whole."""

    question: msgspec.Raw
    sha256: str
    answer: msgspec.Raw


class Manners(msgspec.Struct, frozen=True, kw_only=True):
    """How a server is asked. Times are in seconds."""

    per_second: float | None = 3.0
    """Requests a second, at most; None for no limit."""
    tries: int = 7
    """Requests for one answer, those that the server was too busy for not counted."""
    backoff_s: float = 0.5
    """The first pause after a fault; each following one is twice as long."""
    max_backoff_s: float = 30.0
    patience_s: float = 300.0
    """How long all pauses for one answer may be that a busy server asks for."""
    timeout_s: float = 60.0
    """For an answer, to its last byte."""
    most_bytes: int = 256 << 20
    """Of an answer."""


class Asking:
    """One server. Counts what was ``asked`` (requests that were sent) and what was ``kept`` before."""

    def __init__(
        self, who: str, url: str, manners: Manners, *, scope: object = None, strict: bool = True
    ) -> None:
        """``who`` is what messages call the server; answers are kept by the address without what may be a key, and
        ``scope``. ``strict``: the path may be a key, too.
        """
        # requests takes a while to import; only a process that asks pays for it.
        import requests  # noqa: PLC0415
        import urllib3.exceptions  # noqa: PLC0415

        # An address that cannot be read is not shown: nobody knows which part of it is a key.
        if not _ADDRESS.fullmatch(url):
            raise UserError(
                f"{who}: its address must start with http:// or https:// and hold no blanks or quotes; mend it"
            )
        try:
            requests.Request("GET", url).prepare()
        except (requests.RequestException, ValueError):
            raise UserError(
                f"{who}: its address has no host, or a wrong one or port; mend it"
            ) from None
        self.who = who
        self.shown = secrets.mask_url(url, strict=strict)
        secrets.register_url(url, self.shown, strict=strict)
        self._url = url
        self._manners = manners
        self._session = requests.Session()
        self._session.headers["User-Agent"] = "solexp"
        self._store = Store(cache_home() / "chain", _KEEPING)
        self._scope = [self.shown, scope]
        self._next = 0.0
        self._random = random.Random()
        self._faults = (
            requests.RequestException,
            urllib3.exceptions.HTTPError,
            http.client.HTTPException,
            OSError,
        )
        self.asked = 0
        self.kept = 0

    def scoped(self, scope: object) -> None:
        """Keep answers apart from those of another ``scope``, such as a chain."""
        self._scope = [self.shown, scope]

    def answer(
        self,
        question: object,
        check: Callable[[Any], T],
        *,
        params: Mapping[str, str] | None = None,
        body: bytes | None = None,
        keep: bool = True,
    ) -> T:
        """What ``check`` makes of the answer's JSON, from what is kept or from the server.

        ``question`` is what it is kept under: no key belongs in it. ``check`` raises Passing for what should be asked
        again, and UserError for what is final. What is kept is the part of the answer that ``check`` returns. Raises
        UserError when the server cannot be reached, or gives no usable answer however often it is asked.
        """
        key = content_hash(self._scope, question)
        if keep:
            found = self._found(key, question)
            if found is not _ABSENT:
                self.kept += 1
                return cast("T", found)
        part = self._until_answered(check, params, body)
        if keep:
            answer = msgspec.json.encode(part)
            kept = _Kept(
                question=msgspec.Raw(msgspec.json.encode(question)),
                sha256=hashlib.sha256(answer).hexdigest(),
                answer=msgspec.Raw(answer),
            )
            self._store.put(key, kept)
        return part

    def _found(self, key: str, question: object) -> object:
        """What is kept, or that it is absent or damaged."""
        kept = self._store.get(key, _Kept)
        if kept is None or bytes(kept.question) != msgspec.json.encode(question):
            return _ABSENT
        if hashlib.sha256(bytes(kept.answer)).hexdigest() != kept.sha256:
            return _ABSENT
        return msgspec.json.decode(kept.answer)

    def _until_answered(
        self, check: Callable[[Any], T], params: Mapping[str, str] | None, body: bytes | None
    ) -> T:
        faults, waited = 0, 0.0
        while True:
            try:
                return check(self._once(params, body))
            except Passing as fault:
                said = secrets.redact(str(fault))
                manners = self._manners
                faults += 1
                pause = self._pause(faults, fault)
                if fault.busy or fault.wait_s is not None:
                    waited += pause
                    if waited > manners.patience_s:
                        raise UserError(
                            f"{self.who}: {self.shown} asks to be left alone ({said}); try later, or ask less with "
                            "a lower rate"
                        ) from None
                if not fault.busy and faults >= manners.tries:
                    raise UserError(
                        f"{self.who}: no answer from {self.shown}: {said}; tried {faults} times"
                    ) from None
                _LOG.info("%s: %s; again in %.1f s", self.shown, said, pause)
                time.sleep(pause)

    def _pause(self, faults: int, fault: Passing) -> float:
        manners = self._manners
        grown = min(manners.max_backoff_s, manners.backoff_s * 2.0 ** (faults - 1))
        pause = grown * self._random.uniform(0.5, 1.0)
        return pause if fault.wait_s is None else max(pause, fault.wait_s)

    def _once(self, params: Mapping[str, str] | None, body: bytes | None) -> Any:
        self._wait_for_turn()
        self.asked += 1
        try:
            with self._session.request(
                "GET" if body is None else "POST",
                self._url,
                params=dict(params or {}),
                data=body,
                headers={} if body is None else {"Content-Type": "application/json"},
                timeout=self._manners.timeout_s,
                stream=True,
                allow_redirects=False,
            ) as response:
                self._refuse(response)
                data = self._read(response)
        except self._faults as error:
            # What was begun of an answer may still come over this connection.
            self._session.close()
            raise Passing(_said(error)) from None
        try:
            refuse_depth(data)
            return msgspec.json.decode(data)
        except (msgspec.DecodeError, ValueError):
            raise Passing("the answer is no whole JSON") from None

    def _refuse(self, response: Any) -> None:
        """Raises for a status that is no success."""
        status = response.status_code
        if status in (408, 429) or status >= 500:
            from solexp.llm.served.faults import wait_of  # noqa: PLC0415

            headers = {name.lower(): value for name, value in response.headers.items()}
            raise Passing(f"HTTP status {status}", wait_of(headers), busy=status == 429)
        if status in (401, 403):
            raise UserError(
                f"{self.who}: {self.shown} refuses the key (HTTP status {status}); set the right one"
            )
        if status == 400:
            # Nodes answer errors of their protocol so.
            return
        if status >= 300:
            raise UserError(
                f"{self.who}: {self.shown} answers with HTTP status {status}; mend the address"
            )

    def _read(self, response: Any) -> bytes:
        """The whole body: a server that trickles is late as a whole."""
        end = time.monotonic() + self._manners.timeout_s
        expected = response.headers.get("Content-Length")
        pieces, size = [], 0
        while piece := response.raw.read1(_PIECE, decode_content=True):
            pieces.append(piece)
            size += len(piece)
            if size > self._manners.most_bytes:
                raise UserError(
                    f"{self.who}: an answer of {self.shown} passes {self._manners.most_bytes >> 20} MB"
                )
            if time.monotonic() > end:
                raise Passing("no whole answer within the time limit")
        whole = int(expected) if expected and expected.isdecimal() else 0
        if response.headers.get("Content-Encoding") is None and size < whole:
            raise Passing("the answer broke off")
        return b"".join(pieces)

    def _wait_for_turn(self) -> None:
        if self._manners.per_second is None:
            return
        now = time.monotonic()
        if self._next > now:
            time.sleep(self._next - now)
        self._next = max(now, self._next) + 1 / self._manners.per_second

    def close(self) -> None:
        """Close the connections."""
        self._session.close()


def _said(error: Exception) -> str:
    """What a fault of the network says, without the objects that clients tell of."""
    # The key is a part of the query.
    text = _QUERY.sub("", str(error))
    if "timed out" in text.lower():
        return "no answer within the time limit"
    if "refused" in text:
        return "the connection is refused"
    if "resolve" in text or "Name or service" in text:
        return "its name cannot be resolved"
    if "reset" in text or "aborted" in text or "closed" in text or "IncompleteRead" in text:
        return "the connection broke off"
    return secrets.redact(f"{type(error).__name__} {text}"[:200])
