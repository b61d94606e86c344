"""Nearness by embeddings: of a local folder, or of a server that speaks OpenAI's protocol."""

from __future__ import annotations

import json
import threading
import zlib
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from solexp.core import HarnessError, UserError
from solexp.strategies.examples.chosen import Chosen
from solexp.strategies.examples.embedding import Nearest
from solexp.strategies.examples.ranking import words
from tests.strategies.examples.pool import BODIES, REQUIREMENTS, TASKS, function_task

ASKED = function_task("asked", "function raise() external { }", "Outbids the highest bidder.")


class Server(ThreadingHTTPServer):
    """Embeds a text as the sum of its words, and remembers what it was sent."""

    daemon_threads = True
    status = 200
    dimensions = 64

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.sent: list[str] = []
        self.keys: set[str | None] = set()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/v1"


class _Handler(BaseHTTPRequestHandler):
    server: Server

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.keys.add(self.headers.get("Authorization"))
        if self.server.status != 200:
            self._answer(self.server.status, {"error": {"message": "no"}})
            return
        self.server.sent += asked["input"]
        rows = [
            {"object": "embedding", "index": n, "embedding": self._vector(text)}
            for n, text in enumerate(asked["input"])
        ]
        usage = {"prompt_tokens": 1, "total_tokens": 1}
        answer = {"object": "list", "model": asked["model"], "data": rows[::-1], "usage": usage}
        self._answer(200, answer)

    def _vector(self, text: str) -> list[float]:
        vector = np.zeros(self.server.dimensions)
        for word in words(text):
            vector[zlib.crc32(word.encode()) % len(vector)] += 1
        return [float(each) for each in vector]

    def _answer(self, status: int, body: dict[str, Any]) -> None:
        data = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        """Say nothing."""


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Server]:
    pytest.importorskip("openai")
    monkeypatch.setenv("SOLEXP_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("MADE_KEY", "key-of-this-test")
    with Server() as running:
        thread = threading.Thread(target=running.serve_forever, args=(0.05,), daemon=True)
        thread.start()
        yield running
        running.shutdown()
        thread.join()


def by(server: Server, **settings: Any) -> Nearest:
    return Nearest(model="words", base_url=server.url, api_key_env="MADE_KEY", **settings)


def test_the_example_nearest_to_the_requirement_stands_last(server: Server) -> None:
    chosen = Chosen(by(server, batch=3))
    chosen.prepare([ASKED], TASKS)

    found = chosen.choose(ASKED, 3)

    assert found[-1].id == "bid"
    assert server.keys == {"Bearer key-of-this-test"}


def test_a_text_is_sent_once_whatever_is_evaluated(server: Server) -> None:
    for tasks in ([ASKED], [ASKED, TASKS[0]], [TASKS[1]]):
        chosen = Chosen(by(server))
        chosen.prepare(tasks, TASKS)
        chosen.choose(tasks[0], 2)

    assert len(server.sent) == len(set(server.sent)) == len(TASKS) + 1


def test_no_shots_send_nothing(server: Server) -> None:
    chosen = Chosen(by(server))
    chosen.prepare([ASKED], TASKS)

    assert chosen.choose(ASKED, 0) == ()
    assert server.sent == []


def test_another_model_has_vectors_of_its_own(server: Server) -> None:
    for model in ("words", "others"):
        chosen = Chosen(Nearest(model=model, base_url=server.url))
        chosen.prepare([ASKED], TASKS[:2])
        chosen.choose(ASKED, 2)

    assert len(server.sent) == 6


@pytest.mark.parametrize("status", [401, 403, 404, 400])
def test_what_a_server_refuses_is_the_users_to_mend_and_tells_no_key(
    server: Server, status: int
) -> None:
    server.status = status
    chosen = Chosen(by(server))
    chosen.prepare([ASKED], TASKS)

    with pytest.raises(UserError, match=rf"refuses embeddings of 'words' \({status}\)") as caught:
        chosen.choose(ASKED, 1)
    assert "key-of-this-test" not in str(caught.value)


def test_a_server_whose_model_changed_under_its_name_is_noticed(server: Server) -> None:
    chosen = Chosen(by(server))
    chosen.prepare([ASKED], TASKS[:2])
    chosen.choose(ASKED, 1)
    server.dimensions = 32
    chosen = Chosen(by(server))
    chosen.prepare([ASKED], TASKS[:4])

    with pytest.raises(HarnessError, match=r"\[32, 64\] numbers"):
        chosen.choose(ASKED, 1)


def test_the_fingerprint_holds_neither_key_nor_address() -> None:
    nearest = Nearest(model="words", base_url="http://user:pass@host/v1", api_key_env="MADE_KEY")

    assert nearest.fingerprint() == {"by": "embedding", "model": "words", "max_chars": 20_000}


def test_a_static_model_is_read_from_its_folder(tmp_path: Path) -> None:
    model2vec = pytest.importorskip("model2vec")
    tokenizers = pytest.importorskip("tokenizers")
    known = sorted({w for n in BODIES for w in REQUIREMENTS[n].lower().replace(".", "").split()})
    vocabulary = {word: number for number, word in enumerate(["[UNK]", *known])}
    tokenizer = tokenizers.Tokenizer(tokenizers.models.WordLevel(vocabulary, unk_token="[UNK]"))
    tokenizer.normalizer = tokenizers.normalizers.Lowercase()
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    vectors = np.eye(len(vocabulary), dtype=np.float32)
    vectors[0] = 0
    model2vec.StaticModel(vectors, tokenizer).save_pretrained(str(tmp_path))
    nearest = Nearest(folder=str(tmp_path))
    chosen = Chosen(nearest)
    asked = function_task("asked", "function raise() external { }", "The highest bidder of all.")
    chosen.prepare([asked], TASKS)

    assert chosen.choose(asked, 2)[-1].id == "bid"
    assert nearest.fingerprint() == Nearest(folder=str(tmp_path)).fingerprint()


def test_a_folder_that_is_no_model_is_named(tmp_path: Path) -> None:
    pytest.importorskip("model2vec")
    for place, said in ((tmp_path / "none", "no such folder"), (tmp_path, "no model: no model")):
        chosen = Chosen(Nearest(folder=str(place)))
        chosen.prepare([ASKED], TASKS)
        with pytest.raises(UserError, match=rf"by\.folder: .*{said}"):
            chosen.choose(ASKED, 1)


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"base_url": "z"}, "by: base_url wants the server's model"),
        ({"folder": "x", "model": "y"}, "by: give either folder"),
        ({"model": "y", "batch": 0}, "by.batch: must be above 0, got 0"),
    ],
)
def test_settings_that_make_no_sense_are_refused(settings: dict[str, Any], said: str) -> None:
    with pytest.raises(UserError, match=rf"^strategy\.examples\.{said}"):
        Nearest(**settings)
