"""What tokens cost."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Any

import msgspec
import yaml

from solexp.core import UserError
from solexp.llm.served.names import undated

_SHIPPED = Path(__file__).with_name("prices")


class Price(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """US dollars for a million tokens."""

    input: float
    output: float
    """Reasoning included."""
    cached_input: float | None = None
    """For the part of a prompt that the provider had in its cache; None is as ``input``."""

    def cost(self, prompt_tokens: int, completion_tokens: int, cached_tokens: int = 0) -> float:
        """US dollars for so many tokens; ``cached_tokens`` is part of ``prompt_tokens``."""
        cached = min(cached_tokens, prompt_tokens) if self.cached_input is not None else 0
        return (
            (prompt_tokens - cached) * self.input
            + cached * (self.cached_input or 0.0)
            + completion_tokens * self.output
        ) / 1e6


def find_price(host: str, model: str, given: str | dict[str, Any] | None) -> Price | None:
    """The price of ``model`` at ``host``; None where it is not known.

    ``given`` is the user's: a price itself (``{input: 1, output: 2}``), or the path of a YAML file that maps models
    to prices, or hosts to such maps. It comes before the shipped list, which knows hosts. Raises UserError.
    """
    if isinstance(given, dict):
        return _price(given, "model.prices")
    if given is not None:
        path = Path(given).expanduser()
        found = _look_up(_read(path), host, model, f"model.prices: {path}")
        if found is not None:
            return found
    return _look_up(_shipped(), host, model, "solexp's price list")


def price_date() -> str:
    """The date of the shipped list, such as ``2025-12``."""
    return _newest().stem


def _newest() -> Path:
    return max(_SHIPPED.glob("*.yaml"))


@lru_cache(1)
def _shipped() -> dict[str, Any]:
    return _read(_newest())


def _read(path: Path) -> dict[str, Any]:
    try:
        table = yaml.safe_load(path.read_text("utf-8"))
    except OSError as error:
        raise UserError(f"model.prices: {path}: {error.strerror}") from None
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        reason = " ".join(str(error).split())
        raise UserError(f"model.prices: {path}: no YAML: {reason}") from None
    if not isinstance(table, dict):
        raise UserError(
            f"model.prices: {path}: must map models to prices, such as my-model: {{input: 1, output: 2}}"
        )
    return table


def _look_up(table: dict[str, Any], host: str, model: str, where: str) -> Price | None:
    sections = [table[host]] if isinstance(table.get(host), dict) else []
    for section in (*sections, table):
        for name in (model, undated(model)):
            node = section.get(name)
            if isinstance(node, dict) and ("input" in node or "output" in node):
                return _price(node, f"{where}: {name}")
    return None


def _price(node: dict[str, Any], where: str) -> Price:
    try:
        price = msgspec.convert(node, Price)
    except msgspec.ValidationError as error:
        raise UserError(f"{where}: {error}; a price is {{input: 1, output: 2}}") from None
    if min(price.input, price.output, price.cached_input or 0.0) < 0:
        raise UserError(f"{where}: a price must not be below 0")
    return price
