"""What is written down of a configuration, and what is not."""

from __future__ import annotations

import doctest
import logging
from collections.abc import Iterator

import msgspec
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from omegaconf import OmegaConf

from solexp.config.compose import plain
from solexp.core import UserError, secrets

KEY = "k3Y-0f-th3-N0de"


@pytest.fixture(autouse=True)
def forget(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Each test starts without secrets, and leaves none."""
    factory = logging.getLogRecordFactory()
    monkeypatch.setattr(secrets, "_EXACT", {})
    monkeypatch.setattr(secrets, "_KNOWN", {})
    yield
    logging.setLogRecordFactory(factory)


def test_the_examples_in_the_rule_hold() -> None:
    found = doctest.testmod(secrets)
    assert found.attempted
    assert not found.failed


def test_of_literal_secrets_nothing_but_scheme_and_host_is_stored() -> None:
    config = plain(
        OmegaConf.create(
            {
                "oracle": {"machine": {"rpc_url": f"https://node.example/v2/{KEY}?a={KEY}"}},
                "model": {"api_key": "short", "max_tokens": 5, "headers": {"X-Api-Key": KEY}},
                "tracking": {"uri": f"postgresql://me:{KEY}@host/db"},
                "store": "sqlite:////somewhere/mlflow.db",
                "page": "https://docs.example/page",
            }
        )
    )
    assert secrets.stored(config) == {
        "oracle": {"machine": {"rpc_url": "https://node.example/***"}},
        "model": {"api_key": "***", "max_tokens": 5, "headers": {"X-Api-Key": "***"}},
        "tracking": {"uri": "postgresql://***@host/db"},
        "store": "sqlite:////somewhere/mlflow.db",
        "page": "https://docs.example/page",
    }
    assert secrets.masked(secrets.stored(config)) == "oracle.machine.rpc_url"
    assert secrets.masked({"page": config["page"], "title": "***bold"}) is None


def test_what_comes_from_the_environment_is_stored_as_it_was_given(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name, value in (("NODE_TOKEN", KEY), ("ETH_NODE", f"http://n/{KEY}"), ("PLACE", "here")):
        monkeypatch.setenv(name, value)
    given = {
        "path_url": "https://node.example/v2/${oc.env:NODE_TOKEN}",
        "rpc_url": "${oc.env:ETH_NODE}",
        "options": ["--auth", "${oc.env:NODE_TOKEN}"],
        "name": "${oc.env:PLACE}",
        "again": "${options.1}",
        "mixed_url": "https://me:pw@node.example/0123456789abcdef/v2/${oc.env:NODE_TOKEN}",
    }
    config = plain(OmegaConf.create(given))
    assert config["path_url"] == f"https://node.example/v2/{KEY}"
    kept = secrets.stored(config)
    assert kept == given | {
        "name": "here",
        "again": "${oc.env:NODE_TOKEN}",
        "mixed_url": "https://***@node.example/***/v2/${oc.env:NODE_TOKEN}",
    }
    del kept["mixed_url"]
    assert plain(OmegaConf.create(kept)) == {k: v for k, v in config.items() if k in kept}
    monkeypatch.delenv("NODE_TOKEN")
    with pytest.raises(UserError, match=r"NODE_TOKEN' not found; set it, or give path_url=VALUE"):
        plain(OmegaConf.create(kept))


def test_known_secrets_are_replaced_in_any_text_and_plain_words_are_not() -> None:
    secrets.note(None, {"rpc_url": f"https://node.example/v2/{KEY}", "sort_key": "category"})
    said = f"HTTPSConnectionPool(host='node.example'): Max retries exceeded with url: /v2/{KEY} (x)"
    assert secrets.redact(said) == said.replace(f"/v2/{KEY}", "/***")
    assert secrets.redact(f"{KEY}!") == "***!"
    assert secrets.redact(f"at https://node.example/v2/{KEY}: gone") == (
        "at https://node.example/***: gone"
    )
    assert secrets.redact("the category of v2") == "the category of v2"


def test_the_words_of_a_command_are_masked_whatever_they_set() -> None:
    given = [
        f"oracle.replay.machine.rpc_url=https://a/v2/{KEY},https://b/{KEY}",
        f"oracle.replay.machine.rpc_url=https\\://a\\:1/v2/{KEY}",
        "model={api_key: abc, n: 3}",
        "++model.token=xyz",
        "model.api_key=null",
        "rpc_url='https://n/v2/${oc.env:K}'",
        "model.max_tokens=5",
        "benchmark.path=/somewhere/key",
    ]
    assert secrets.words(given) == [
        "oracle.replay.machine.rpc_url=https://a/***,https://b/***",
        r"oracle.replay.machine.rpc_url=https\://a\:1/***",
        "model={api_key: ***, n: 3}",
        "++model.token=***",
        *given[4:],
    ]


@given(secret=st.text(min_size=16), before=st.text(), after=st.text())
@example(secret="0" * 16, before="\x10", after="")
@example(secret="n" * 16, before="\n", after="\\")
def test_a_secret_is_in_no_json_that_is_written(secret: str, before: str, after: str) -> None:
    secrets._EXACT.clear()
    secrets._KNOWN.clear()
    secrets.register(secret, "${oc.env:A}")
    data = msgspec.json.encode({"said": before + secret + after})
    found = msgspec.json.decode(secrets.redact_json(data))["said"]
    assert secret not in found.replace("${oc.env:A}", "\N{WHITE SQUARE}")
    assert found.count("${oc.env:A}") >= 1


def test_no_handler_of_the_log_sees_a_known_secret(caplog: pytest.LogCaptureFixture) -> None:
    secrets.register(KEY)
    log = logging.getLogger("solexp.trial")
    try:
        raise ConnectionError(f"/v2/{KEY} is gone")  # noqa: TRY301
    except ConnectionError:
        log.exception("asking %s", f"https://node/{KEY}")
    assert "asking https://node/***" in caplog.text
    assert "ConnectionError: /v2/*** is gone" in caplog.text
    assert KEY not in caplog.text


def test_the_path_behind_a_numeric_address_of_version_6_is_masked() -> None:
    assert secrets.mask_url("http://[::1]:8545/v2/0123456789") == "http://[::1]:8545/***"
