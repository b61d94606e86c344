"""A language model behind a server that speaks OpenAI's protocol."""

from __future__ import annotations

import urllib.parse
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any

import msgspec

from solexp.core import Batch, Prompt, Task, Usage, UserError, secrets
from solexp.core.settings import above
from solexp.llm import tokens
from solexp.llm.budget import Budget
from solexp.llm.model import checked_cutoff
from solexp.llm.served.pricing import Price, find_price, price_date
from solexp.llm.served.reading import Reply
from solexp.llm.served.session import ServedSession
from solexp.llm.served.wire import (
    OWN_FIELDS,
    Dialect,
    FixedSampling,
    SystemRole,
    TokensField,
    output_tokens,
)

if TYPE_CHECKING:
    from solexp.llm.served.connection import Connection

_LEAST_BODY = 32_000_000
"""Bytes that any reply may have. A reply is cut only once it is read; what passes this is not read to its end."""
_PER_MESSAGE = 8
"""Tokens that a chat template puts around a message, at most."""

_ABOVE_0 = (
    "concurrency", "n_per_request", "requests_per_minute", "tokens_per_minute", "connect_timeout_s", "timeout_s",
    "tries", "backoff_s", "max_backoff_s", "patience_s", "circuit", "max_tokens_total", "max_output_tokens",
    "max_reply_chars",
)  # fmt: skip


@lru_cache(512)
def _count(text: str) -> int:
    return tokens.count(text)


@dataclass(kw_only=True)
class OpenAICompatible:
    """Implements `solexp.llm.model.LiveModel`."""

    name: str
    """The model, as the server calls it."""
    base_url: str
    """The address up to and with ``/v1`` or its like. No user, password or key may stand in it."""
    api_key_env: str | None = None
    """The environment variable that holds the key; None for a server that wants none."""
    provider: str | None = None
    """Who answers, in place of the address's host: answers of one provider are found again at another address."""
    cutoff: str | None = None
    """The last month the model has learnt from, as its makers state it, such as ``2023-10``; scores are then told
    apart by whether a contract was deployed before."""

    max_tokens_field: TokensField = "max_tokens"
    """What the server calls the limit of a reply; OpenAI's reasoning models want ``max_completion_tokens``."""
    max_output_tokens: int = 8192
    """Limit of a reply, thoughts included, where the batch's ``max_tokens`` is null. It is sent, so that no request
    is without a limit and the worst case of every request is known."""
    fixed_sampling: FixedSampling = False
    """The model refuses temperature and top-p: they are not sent. ``top_p``: it refuses that beside a temperature."""
    reasoning_effort: str | None = None
    """How much a reasoning model shall think, such as low, medium or high; None sends nothing."""
    seeded: bool = True
    """Whether the server takes a seed. Each sample's is the batch's seed plus its index."""
    stops: int = 4
    """How many stop sequences the server takes; replies are cut at the others here."""
    system_role: SystemRole = "system"
    """The role of instructions; ``user`` puts them before the first question, for models without the role."""
    infill: str = "suffix"
    """How a gap is asked to be filled: the parameter ``suffix`` of completions, llama.cpp's ``/infill``, or the
    model's own template with {prefix} and {suffix}."""
    extra_body: dict[str, Any] = field(default_factory=dict)
    """Further parameters of every request; they win over the sampling's. What has a setting of its own is refused."""
    max_reply_chars: int = 1_000_000
    """A longer reply is cut, and counts as truncated."""

    concurrency: int = 16
    """Requests in flight at most."""
    n_per_request: int = 1
    """Samples asked for in one request, at most."""
    requests_per_minute: float | None = None
    tokens_per_minute: float | None = None
    """Prompt and the most the reply may have, what is not used given back."""
    connect_timeout_s: float = 10.0
    timeout_s: float = 600.0
    """Of a whole request, from sending to the last byte of the reply."""
    tries: int = 8
    """How often a request is sent before it is given up, faults that may pass being all there is."""
    backoff_s: float = 1.0
    """Pause after the first fault; it doubles with each, up to ``max_backoff_s``, less a random part."""
    max_backoff_s: float = 60.0
    patience_s: float = 900.0
    """How long a request waits in all because the server says it is one too many."""
    circuit: int = 8
    """Requests given up in a row after which the server counts as gone."""

    max_cost_usd: float | None = None
    """Limit of this run's cost, in US dollars."""
    max_tokens_total: int | None = None
    """Limit of this run's tokens, prompts and replies together."""
    prices: str | dict[str, Any] | None = None
    """US dollars for a million of this model's tokens, such as {input: 1, output: 2}; or a YAML file of prices."""

    def __post_init__(self) -> None:
        self.takes_tools = True
        """Whether the protocol has a form for calls of tools; whether the model behind it knows that is for the user to
        say."""
        self.paid = True
        self.budget = Budget(self.max_cost_usd, self.max_tokens_total)
        """What the run has spent; replies that were lost on the way are charged to it by the session."""
        if self.api_key_env:
            # Known before anything is written down, prompts included; whether it is needed shows later.
            secrets.from_environment(self.api_key_env)
        for name in _ABOVE_0:
            above(f"model.{name}", getattr(self, name))
        if self.stops < 0:
            raise UserError(f"model.stops: must not be below 0, got {self.stops}")
        if not self.name or self.name == "???":
            raise UserError("model.name: must be given: the model as the server calls it")
        for key in self.extra_body:
            if key in OWN_FIELDS:
                raise UserError(
                    f"model.extra_body.{key}: has a setting of its own, of the model, the sampling or the strategy"
                )
        _check_address(self.base_url)
        checked_cutoff(self.cutoff)
        if self.infill not in ("suffix", "/infill") and not (
            "{prefix}" in self.infill and "{suffix}" in self.infill
        ):
            raise UserError(
                "model.infill: must be suffix, /infill, or a template with {prefix} and {suffix}, "
                f"got '{self.infill}'"
            )

    @property
    def host(self) -> str:
        """The name of the machine that answers."""
        return urllib.parse.urlsplit(self.base_url).hostname or ""

    @property
    def address(self) -> str:
        """Host and port, for messages."""
        return urllib.parse.urlsplit(self.base_url).netloc

    @cached_property
    def dialect(self) -> Dialect:
        """How the server and its model want to be asked."""
        return Dialect(**{name: getattr(self, name) for name in Dialect.__struct_fields__})

    @cached_property
    def price(self) -> Price | None:
        """US dollars for a million tokens; None when not known."""
        return find_price(self.host, self.name, self.prices)

    @property
    def price_date(self) -> str | None:
        """The date of the shipped list where the price is from it."""
        listed = self.price is not None and self.price == find_price(self.host, self.name, None)
        return price_date() if listed else None

    def fingerprint(self, task: Task) -> dict[str, Any]:  # noqa: ARG002
        """Who answers, and every setting that changes answers and is not as usual.

        Limits, pace, prices and the key change none. The port belongs to an address without a provider's name.
        """
        usual = Dialect()
        return {
            "model": "served",
            "provider": self.provider or self.address.lower(),
            "name": self.name,
            "settings": {
                name: value
                for name in Dialect.__struct_fields__
                if (value := getattr(self.dialect, name)) != getattr(usual, name)
            },
        }

    def estimate(self, prompt: Prompt, batch: Batch) -> tuple[int, int]:
        """Tokens of ``prompt`` (a stated approximation, see `solexp.llm.tokens`), and at most of one reply."""
        asked = sum(map(_count, _texts(prompt))) + _PER_MESSAGE // 2 * len(prompt.messages)
        return asked, self._most(batch)

    def at_most(self, prompt: Prompt, batch: Batch, n: int) -> tuple[int, float | None]:
        """Tokens and US dollars of one request for ``n`` samples in the worst case.

        Tokenizers differ: one and a half times the estimate is taken, and a token for every byte outside ASCII, but
        never more than the prompt has bytes.
        """
        estimate, most = self.estimate(prompt, batch)
        texts = _texts(prompt)
        size = sum(len(text.encode("utf-8", "replace")) for text in texts)
        beyond = sum(_beyond_ascii(text) for text in texts)
        template = _PER_MESSAGE * (len(prompt.messages) + 1)
        prompts = min(size, estimate * 3 // 2 + beyond) + template
        return prompts + n * most, self.cost(prompts, n * most)

    def cost(self, prompt_tokens: int, completion_tokens: int) -> float | None:
        """US dollars for so many tokens; None when the price is not known."""
        return None if self.price is None else self.price.cost(prompt_tokens, completion_tokens)

    def priced(self, reply: Reply) -> Usage:
        """The usage that a server reports, with what it costs: None where either is not known."""
        usage, price = reply.usage, self.price
        if reply.cost_usd is not None and self.host == "openrouter.ai":
            return msgspec.structs.replace(usage, cost_usd=reply.cost_usd)
        if price is None or usage.prompt_tokens is None or usage.completion_tokens is None:
            return usage
        cost = price.cost(usage.prompt_tokens, usage.completion_tokens, reply.cached_tokens)
        return msgspec.structs.replace(usage, cost_usd=cost)

    def session(self) -> ServedSession:
        """Connect; everything is closed again on leaving."""
        return ServedSession(self)

    def connect(self) -> Connection:
        """A connection with the key from the environment. Raises UserError when what a run needs is missing."""
        key = self._key()
        if self.max_cost_usd is not None and self.price is None:
            raise UserError(
                f"model.max_cost_usd: the price of '{self.name}' at {self.host} is not known; give it with "
                "model.prices={input: 1, output: 2}, in US dollars for a million tokens"
            )
        # The SDK costs half a second to import, which only who asks a server should pay.
        from solexp.llm.served.connection import Connection  # noqa: PLC0415

        return Connection(
            self.base_url,
            key,
            concurrency=self.concurrency,
            connect_timeout_s=self.connect_timeout_s,
            timeout_s=self.timeout_s,
            # JSON may need six bytes for a character, and thoughts come on top.
            max_body_bytes=_LEAST_BODY + 12 * self.max_reply_chars * self.n_per_request,
        )

    def _key(self) -> str | None:
        if self.api_key_env is None:
            return None
        key = (secrets.from_environment(self.api_key_env) or "").strip()
        if not key:
            raise UserError(
                f"model.api_key_env: the environment variable {self.api_key_env} is not set; put the key for "
                f"{self.host} into it: export {self.api_key_env}=…"
            )
        secrets.register(key)
        if not key.isascii() or not key.isprintable() or " " in key:
            raise UserError(
                f"model.api_key_env: the value of {self.api_key_env} is no key: it holds spaces or "
                "characters outside ASCII"
            )
        return key

    def _most(self, batch: Batch) -> int:
        return output_tokens(self.dialect, batch)


def _texts(prompt: Prompt) -> list[str]:
    """All that a prompt sends; what stands around calls of tools and their names included."""
    texts = [message.content for message in prompt.messages]
    texts += [
        msgspec.json.encode(message.calls).decode() for message in prompt.messages if message.calls
    ]
    if prompt.suffix:
        texts.append(prompt.suffix)
    if prompt.tools:
        texts.append(msgspec.json.encode(prompt.tools).decode())
    return texts


def _beyond_ascii(text: str) -> int:
    return (
        0 if text.isascii() else len(text.encode("utf-8", "replace")) - sum(map(str.isascii, text))
    )


def _check_address(base_url: str) -> None:
    """Refuse what is no address, and one with a secret in it, which would be written down with the configuration."""
    try:
        parsed = urllib.parse.urlsplit(base_url)
        parsed.port  # noqa: B018
    except ValueError:
        raise UserError("model.base_url: is no address") from None
    if parsed.scheme not in ("http", "https") or not parsed.hostname:
        raise UserError("model.base_url: must be an address such as http://localhost:8000/v1")
    if parsed.username is not None or parsed.password is not None or "@" in parsed.netloc:
        raise UserError(
            "model.base_url: must not hold a user or password; put the key into an environment variable "
            "and name it in model.api_key_env"
        )
    if parsed.query or parsed.fragment:
        raise UserError(
            "model.base_url: must end with its path; put parameters into model.extra_body and the key "
            "into the variable that model.api_key_env names"
        )
