"""What must not be written down: secret settings, and the keys within addresses.

The rule, for whatever solexp stores (run folder, caches, MLflow, log) and for its error messages:

- A setting whose last word is key, token, secret, password and the like is stored as ``***``.
- Of an address (a setting named ``…_url``, ``…_endpoint``) scheme and host are stored, the rest as ``***``; of any
  other URL all but user, password and query.
- What a setting takes from the environment stays ``${oc.env:NAME}``, unresolved, where the setting is one of these or
  the variable's name has such a word. So it can be composed again where the variable is set.
- The values themselves are known from then on, and are replaced in any text, unless they are too short or too plain a
  word to tell them from other text (see `telling`).

Secrets are known to the process that composed them; a worker's verdicts are written by that process too.
"""

from __future__ import annotations

import logging
import os
import re
import traceback
from collections.abc import Iterable, Mapping
from typing import Any
from urllib.parse import quote

import msgspec

MASK = "***"

_WORDS = {
    *("key", "apikey", "token", "secret", "password", "passwd", "passphrase", "mnemonic"),
    *("credential", "credentials", "authorization", "bearer"),
}
_ADDRESSES = {"url", "endpoint"}
_LOOSE_ADDRESSES = {"uri", "url"}

_INTERPOLATION = re.compile(r"\$\{(?:[^{}]|\{[^{}]*\})*\}")
_ENVIRONMENT = re.compile(r"\$\{\s*oc\.env\s*:\s*([A-Za-z_]\w*)")
_URL = re.compile(
    # Hydra escapes the colon of a value that it swept.
    r"(?P<scheme>\b[a-z][a-z0-9+.-]*)(?P<mark>\\?://)(?:(?P<user>[^/?#\s'\"]*)@)?"
    r"(?P<host>\[[0-9a-f:.]+\](?::\d+)?|[^/?#\s'\",;)\]}]*)(?P<rest>[^\s'\",;)\]}]*)",
    re.IGNORECASE,
)
_SETTING = re.compile(r"([A-Za-z][\w-]*)(\s*[:=]\s*)(?!\$?\{)('[^']*'|\"[^\"]*\"|[^,}\]\s]+)")
_ESCAPE = rb"\\u[0-9a-fA-F]{4}|\\."
"""One of a JSON string."""
_NOTHING = ("null", "None", "true", "false", "''", '""')
_HELD = "\0{}\0"

_EXACT: dict[str, str] = {}
"""What stands for a setting's whole value."""

_KNOWN: dict[str, str] = {}
"""What stands for a secret within any text."""


def is_secret(name: str) -> bool:
    """Whether a setting or variable so called holds a secret.

    >>> [is_secret(name) for name in ("api_key", "OPENAI_API_KEY", "max_tokens", "x-authToken")]
    [True, True, False, True]
    """
    return bool(words := _split(name)) and words[-1] in _WORDS


def is_address(name: str) -> bool:
    """Whether a setting so called holds an address of which the path may be a key, such as ``rpc_url``.

    A ``base_url`` says where a protocol lives; its key travels apart.
    """
    return bool(words := _split(name)) and words[-1] in _ADDRESSES and words != ["base", "url"]


def _split(name: str) -> list[str]:
    return re.sub(r"([a-z0-9])([A-Z])", r"\1_\2", name).lower().replace("-", "_").split("_")


def telling(value: str) -> bool:
    """Whether a value can be told from other text: 8 characters or more, and no plain word below 16.

    >>> [telling(value) for value in ("v2", "mainnet", "category", "k3y-of-mine", "AbCdEfGh")]
    [False, False, False, True, True]
    """
    return len(value) >= 8 and (len(value) >= 16 or not re.fullmatch(r"[a-z_-]+", value))


def register(value: str | None, shown: str = MASK) -> None:
    """Know a secret from now on: ``shown`` is written in its place. What is shown as an interpolation stays so."""
    if not value or value == shown or "${" in _EXACT.get(value, ""):
        return
    _EXACT[value] = shown
    if telling(value):
        for text in {value, quote(value, safe=""), quote(value)}:
            _KNOWN[text] = shown
        _guard_logs()


def from_environment(name: str) -> str | None:
    """The value of an environment variable, known as a secret from now on."""
    value = os.environ.get(name)
    register(value, f"${{oc.env:{name}}}")
    return value


def register_url(url: str, shown: str | None = None, *, strict: bool = True) -> None:
    """Know an address, its path and whatever in it may be a key. ``strict`` as in `mask_url`."""
    shown = mask_url(url, strict=strict) if shown is None else shown
    found = _URL.fullmatch(url)
    if found is None or shown == url:
        return
    register(url, shown)
    for part in (found["user"] or "").split(":"):
        if telling(part):
            register(part)
    if not strict:
        return
    path = found["rest"]
    if any(telling(part) for part in re.split(r"[/?&=#]", path)):
        # Clients tell of a request by its path alone.
        _KNOWN[path] = f"/{MASK}"
        _guard_logs()
    for part in re.split(r"[/?&=#]", path):
        if telling(part):
            register(part)


def mask_url(url: str, *, strict: bool = True) -> str:
    """``url`` without what may be a key; ``strict`` masks the path too. Interpolations stay, and plain words beside.

    >>> mask_url("https://me:pw@node.example:8545/v2/0123456789")
    'https://***@node.example:8545/***'
    >>> mask_url("https://node.example/v2/${oc.env:NODE_KEY}")
    'https://node.example/v2/${oc.env:NODE_KEY}'
    """
    held: list[str] = []

    def hold(found: re.Match[str]) -> str:
        held.append(found[0])
        return _HELD.format(len(held) - 1)

    def masked(found: re.Match[str]) -> str:
        user, rest = found["user"], found["rest"]
        if user:
            user = user if _plain(user, ":") else MASK
        path, mark, query = rest.partition("?")
        if strict:
            rest = rest if rest in ("", "/") else _masked_rest(rest)
        elif query:
            rest = path + mark + (query if _plain(query, "&=") else MASK)
        return f"{found['scheme']}{found['mark']}{user + '@' if user else ''}{found['host']}{rest}"

    text = _URL.sub(masked, _INTERPOLATION.sub(hold, url))
    return re.sub(r"\0(\d+)\0", lambda found: held[int(found[1])], text)


def _plain(text: str, separators: str) -> bool:
    """Whether all of a text is interpolations that are held."""
    return all(re.fullmatch(r"(\0\d+\0)+", part) for part in re.split(f"[{separators}]", text))


def _masked_rest(rest: str) -> str:
    if "\0" not in rest:
        return f"/{MASK}"
    parts = re.split(r"([/?&=#])", rest)
    return "".join(part if "\0" in part or not telling(part) else MASK for part in parts)


def note(raw: Any, resolved: Any, name: str = "") -> None:
    """Know the secrets of a composed configuration: ``raw`` with its interpolations, and ``resolved``."""
    if isinstance(resolved, Mapping):
        for key, value in resolved.items():
            note(raw.get(key) if isinstance(raw, Mapping) else None, value, str(key))
    elif isinstance(resolved, list):
        several = raw if isinstance(raw, list) else [None] * len(resolved)
        for one, value in zip(several, resolved, strict=True):
            note(one, value, name)
    elif isinstance(resolved, str) and resolved:
        _note(raw if isinstance(raw, str) else resolved, resolved, name)


def _note(raw: str, value: str, name: str) -> None:
    secret = is_secret(name) or is_address(name)
    variables = [
        each
        for each in _ENVIRONMENT.findall(raw)
        if secret or not _WORDS.isdisjoint(_split(each)) or "APIKEY" in each.upper()
    ]
    for variable in variables:
        from_environment(variable)
    shown = mask_url(raw, strict=is_address(name)) if variables else _shown(name, value)
    if "://" in value:
        register_url(value, shown, strict=is_address(name))
    register(value, shown)


def _shown(name: str, value: str) -> str:
    """What is stored of a literal value."""
    if is_secret(name):
        return value if value.startswith("${") else MASK
    if "://" in value:
        words = _split(name)
        if is_address(name) or words[-1] in _LOOSE_ADDRESSES or "@" in value:
            return mask_url(value, strict=is_address(name))
    return value


def stored(config: Any, name: str = "") -> Any:
    """A configuration, or a part of one, as it may be written down."""
    if isinstance(config, Mapping):
        return {key: stored(value, str(key)) for key, value in config.items()}
    if isinstance(config, list | tuple):
        return [stored(value, name) for value in config]
    if not isinstance(config, str) or not config:
        return config
    sensitive = is_secret(name) or is_address(name)
    if config in _EXACT and (sensitive or len(config) >= 4):
        return _EXACT[config]
    return redact(_shown(name, config))


def masked(config: Any, place: str = "") -> str | None:
    """The first setting, by its dotted name, that is stored without its value; None when there is none."""
    if isinstance(config, Mapping):
        parts = ((f"{place}.{key}" if place else str(key), value) for key, value in config.items())
        return next((found for at, value in parts if (found := masked(value, at))), None)
    if isinstance(config, list):
        return next((found for value in config if (found := masked(value, place))), None)
    if isinstance(config, str) and MASK in config and (config == MASK or "://" in config):
        return place
    return None


def words(command: Iterable[str]) -> list[str]:
    """The words of a command or overrides as they may be written down: every URL and secret setting in them masked."""
    return [_SETTING.sub(_masked_setting, _mask_urls(redact(word))) for word in command]


def _masked_setting(found: re.Match[str]) -> str:
    if not is_secret(found[1]) or found[3] in _NOTHING:
        return found[0]
    return f"{found[1]}{found[2]}{MASK}"


def _mask_urls(text: str) -> str:
    """Which setting a word belongs to is not known here, so that of a URL for a client the path is masked."""

    def one(found: re.Match[str]) -> str:
        strict = found["scheme"].lower() in ("http", "https", "ws", "wss")
        return mask_url(found[0], strict=strict)

    return _URL.sub(one, text) if "${" not in text else mask_url(text)


def redact(text: str) -> str:
    """``text`` with what stands for every secret that is known, in its place."""
    present = [secret for secret in _KNOWN if secret in text]
    if not present:
        return text
    # In one pass, the longest first: a key may be part of an address.
    present.sort(key=len, reverse=True)
    return re.sub("|".join(map(re.escape, present)), lambda found: _KNOWN[found[0]], text)


def redact_json(data: bytes) -> bytes:
    """The same for encoded JSON."""
    if not _KNOWN:
        return data
    known = {_in_json(secret): _in_json(shown) for secret, shown in _KNOWN.items()}
    present = sorted((secret for secret in known if secret in data), key=len, reverse=True)
    if not present:
        return data
    # An escape such as \u0010 is passed over whole: a secret of digits does not begin in its midst.
    pattern = b"|".join((*map(re.escape, present), _ESCAPE))
    return re.sub(pattern, lambda found: known.get(found[0], found[0]), data)


def _in_json(text: str) -> bytes:
    return msgspec.json.encode(text)[1:-1]


class _Record(logging.LogRecord):
    """A record of which no handler, not even another library's, sees a secret."""

    def __init__(self, *args: Any, **fields: Any) -> None:
        super().__init__(*args, **fields)
        if isinstance(self.exc_info, tuple) and self.exc_info[0] is not None:
            self.exc_text = redact("".join(traceback.format_exception(*self.exc_info)).rstrip())

    def getMessage(self) -> str:  # noqa: N802
        return redact(super().getMessage())


def _guard_logs() -> None:
    logging.setLogRecordFactory(_Record)
