"""What a server's refusals mean: try again, stop, or an outcome of this one prompt."""

from __future__ import annotations

import datetime as dt
import email.utils
import math
import re
from collections.abc import Mapping
from enum import StrEnum
from typing import Any

import msgspec


class Kind(StrEnum):
    """What to do about a fault."""

    PASSING = "passing"
    """May pass: try again."""
    RATE = "rate"
    """Too many requests: wait, all of them."""
    HOPELESS = "hopeless"
    """This request will not be answered, another may be."""
    CONTEXT = "context"
    """The prompt is too long for the model: an outcome."""
    REFUSED = "refused"
    """The provider refuses the prompt for what it says: an outcome."""
    KEY = "key"
    MODEL = "model"
    QUOTA = "quota"
    WRONG = "wrong"
    """The request itself is wrong, and so will the next one be."""


class Fault(Exception):
    """A request that brought no answer."""

    def __init__(
        self, kind: Kind, message: str, *, wait_s: float | None = None, lost: bool = False
    ) -> None:
        """``wait_s`` is how long the server wants to be left alone; ``lost`` says that an answer may have been
        written and billed that never arrived."""
        super().__init__(message)
        self.kind = kind
        self.message = message
        self.wait_s = wait_s
        self.lost = lost


class ErrorBody(msgspec.Struct, frozen=True):
    """What a server says of an error."""

    message: str
    codes: tuple[str, ...] = ()
    """Its ``code``, ``type`` and ``status``, in small letters."""
    wait_s: float | None = None
    """Seconds it asks to be left alone: Google says that here, and in no header."""


# How servers say that the prompt is too long: OpenAI, DeepSeek, OpenRouter and vLLM; llama.cpp; Anthropic; Google;
# Text Generation Inference and Together; Mistral; SGLang; xAI; Ollama; LM Studio; Fireworks; Cohere; Bedrock.
_TOO_LONG = re.compile(
    r"maximum context length"
    r"|context[ _]length[ _]exceeded|exceed_context_size|exceeds?\s+(?:the\s+)?(?:available\s+)?context"
    r"|exceed context limit|maximum model length|model's context length|model'?s? maximum context"
    r"|prompt is too long|input is too long|too long for (?:the )?(?:requested )?model"
    r"|input token count.{0,40}exceeds|exceeds the maximum number of (?:input )?tokens"
    r"|max_new_tokens` must be|too large for model|maximum prompt length"
    r"|input length exceeds|context the overflows|too many tokens"
    r"|reduce the length of the (?:messages|prompt|input)|string too long|request_too_large"
    r"|input .{0,30}is too large to process",
    re.IGNORECASE | re.DOTALL,
)
_NO_MODEL = re.compile(
    r"model[_ ]not[_ ](?:found|exist)|not a valid model|unknown model|invalid model|no such model"
    r"|models?\W.{0,120}(?:does not exist|not found)|unable to access model"
    r"|model:?\s\S+ is (?:not supported|not available)"
    r"|not_found_error.{0,40}model",
    re.IGNORECASE | re.DOTALL,
)
_NO_MONEY = re.compile(
    r"insufficient[_ ](?:quota|balance|credits?|funds)|exceeded your current quota|billing[_ ](?:hard|not)"
    r"|credit balance is too low|never purchased credits|requires more credits|payment required",
    re.IGNORECASE,
)
# Google tells of a minute's quota in the words that others have for an account that is used up.
_PER_MINUTE = re.compile(r"retry in [\d.]+ ?m?s\b|per ?minute", re.IGNORECASE)
_RETRY_IN = re.compile(r"retry in (\d+(?:\.\d+)?) ?(m?s)\b", re.IGNORECASE)
_SECONDS = re.compile(r"(\d+(?:\.\d+)?)(s)")
_NEVER_FITS = re.compile(r"request too large for", re.IGNORECASE)
_REFUSED = re.compile(
    r"content[_ ](?:filter|policy|management policy)|content_policy_violation|data_inspection_failed"
    r"|potentially violating|your input was flagged|blocked by (?:\w+ ){0,3}(?:safety|content|moderation|guardrail)"
    r"|prohibited_content|invalid_prompt",
    re.IGNORECASE,
)


def error_body(body: Any) -> ErrorBody:
    """The message and codes in a server's answer, whichever of the known layouts it has."""
    if isinstance(body, list) and body:
        # Google's compatible endpoint wraps its errors in a list.
        body = body[0]
    if not isinstance(body, Mapping):
        text = re.sub(r"<[^>]+>", " ", str(body or ""))
        return ErrorBody(_line(text))
    error = body.get("error", body)
    if isinstance(error, str):
        return ErrorBody(_line(error), _codes(body))
    if not isinstance(error, Mapping):
        return ErrorBody(_line(str(body)))
    message = error.get("message") or error.get("detail") or error.get("error") or str(dict(error))
    metadata = error.get("metadata")
    if isinstance(metadata, Mapping) and isinstance(metadata.get("raw"), str):
        # OpenRouter passes on what the provider behind it said.
        message = f"{message}: {metadata['raw']}"
    return ErrorBody(
        _line(str(message)),
        _codes(error) + (_codes(body) if error is not body else ()),
        _delay(error.get("details"), str(message)),
    )


def _delay(details: Any, message: str) -> float | None:
    """The ``retryDelay`` in an error's details, such as ``"34s"``, or the time that its message names."""
    stated = next(
        (
            str(detail["retryDelay"])
            for detail in (details if isinstance(details, list) else ())
            if isinstance(detail, Mapping) and "retryDelay" in detail
        ),
        "",
    )
    for found in (_SECONDS.fullmatch(stated), _RETRY_IN.search(message)):
        if found:
            return float(found[1]) / (1000 if found[2].lower() == "ms" else 1)
    return None


def _codes(error: Mapping[str, Any]) -> tuple[str, ...]:
    return tuple(
        str(error[key]).lower() for key in ("code", "type", "status") if error.get(key) is not None
    )


def _line(text: str, most: int = 400) -> str:
    text = " ".join(text.split()) or "no reason given"
    return text if len(text) <= most else text[: most - 1] + "…"


def kind_of(status: int, error: ErrorBody) -> Kind:  # noqa: PLR0911
    """What an HTTP status and an error body amount to."""
    said = " ".join((error.message, *error.codes))
    used_up = _NO_MONEY.search(said) and not (status == 429 and _PER_MINUTE.search(error.message))
    if status == 402 or used_up:
        return Kind.QUOTA
    if _NEVER_FITS.search(error.message):
        return Kind.HOPELESS
    if status == 429 or "rate_limit_exceeded" in error.codes:
        return Kind.RATE
    if status in (400, 403, 413, 422, 500):
        if _TOO_LONG.search(said):
            return Kind.CONTEXT
        if status != 500 and _REFUSED.search(said):
            return Kind.REFUSED
    if status == 413:
        return Kind.CONTEXT
    if (
        status in (401, 403)
        or "invalid_api_key" in error.codes
        or "api key not valid" in said.lower()
    ):
        return Kind.KEY
    if status == 404 or (status in (400, 422) and _NO_MODEL.search(said)):
        return (
            Kind.MODEL if status != 404 or _NO_MODEL.search(said) or "model" in said else Kind.WRONG
        )
    if status in (408, 409, 425) or status >= 500:
        return Kind.PASSING
    return Kind.WRONG


def wait_of(headers: Mapping[str, str], now: dt.datetime | None = None) -> float | None:
    """Seconds a server asks to be left alone, from Retry-After (seconds or a date) or ``retry-after-ms``."""
    milliseconds = headers.get("retry-after-ms")
    if milliseconds is not None:
        try:
            return max(0.0, float(milliseconds) / 1000)
        except ValueError:
            pass
    value = headers.get("retry-after")
    if value is None:
        return None
    try:
        seconds = float(value)
    except ValueError:
        try:
            date = email.utils.parsedate_to_datetime(value)
        except ValueError:
            return None
        if date.tzinfo is None:
            date = date.replace(tzinfo=dt.UTC)
        seconds = (date - (now or dt.datetime.now(dt.UTC))).total_seconds()
    # NaN and infinity are numbers to Python, but no time to wait.
    return None if math.isnan(seconds) else min(max(0.0, seconds), 1e9)


def context_of(message: str) -> int | None:
    """The tokens that a model can take in, as a complaint of a prompt that is too long states them."""
    found = re.search(
        r"maximum context length(?: is| of)? (\d+)|must be <= (\d+)|context size \((\d+)", message
    )
    return int(next(filter(None, found.groups()))) if found else None


_MENDS = (
    (r"max_completion_tokens'? instead", "set model.max_tokens_field=max_completion_tokens"),
    (r"max_tokens|max_output_tokens", "lower model.max_output_tokens, or the batch's max_tokens"),
    (r"temperature.{0,20}top_p.{0,20}both", "set model.fixed_sampling=top_p"),
    (r"'?temperature|top_p", "set model.fixed_sampling=true"),
    (r"reasoning_effort|reasoning", "set model.reasoning_effort=null"),
    (r"suffix", "set model.infill to /infill or to the model's own template"),
    (r"\bseed\b", "set model.seeded=false"),
    (r"'stop'|`stop`|stop sequences?", "set model.stops=0"),
    (r"'n'|`n`|\bn\b (?:must|should|is)", "set model.n_per_request=1"),
    (r"\bsystem\b|\bdeveloper\b", "set model.system_role=user"),
    (
        r"\(status 404\)",
        "is model.base_url right, up to and with /v1, and does the server know this form of prompt?",
    ),
)


def mend_of(message: str) -> str:
    """The setting that a server's complaint about a parameter points to, as a clause; empty when none does."""
    for pattern, mend in _MENDS:
        if re.search(pattern, message, re.IGNORECASE):
            return f"; {mend}"
    return ""
