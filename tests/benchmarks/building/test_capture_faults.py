"""Captures beside servers that fail, and processes that are killed."""

from __future__ import annotations

import gzip
import subprocess
import sys
import threading
from collections import Counter
from pathlib import Path

import pytest

from solexp.cli import main
from tests.benchmarks.building.captures import (
    KEY,
    capture,
    made,
    told,
    words_of,
)
from tests.benchmarks.building.loopback import (
    BAD_KEY,
    BUSY,
    DOWN,
    HTML,
    LAGGING,
    NODE_BUSY,
    RATE,
    RESET,
    TORN,
    Chain,
    Fault,
    Server,
    said,
)

pytestmark = pytest.mark.usefixtures("capturing")
WAIT = threading.Event()

FAULTS = {
    "rate": RATE, "429": BUSY, "503": DOWN, "torn": TORN, "html": HTML, "reset": RESET,
    "node's limit": NODE_BUSY, "lagging node": LAGGING,
}  # fmt: skip


@pytest.mark.parametrize("fault", FAULTS)
def test_a_passing_fault_is_asked_again_and_changes_nothing(fault: str, tmp_path: Path) -> None:
    with Server(made(), key=KEY) as server:
        assert capture(server, tmp_path / "calm", "--node", server.node) == 0
    asked = len(server.asked)
    with Server(made(), key=KEY, script=[None, FAULTS[fault]] * asked) as server:
        assert capture(server, tmp_path / "rough", "--node", server.node) == 0
    assert len(server.asked) > 1.5 * asked
    for name in ("hashes", "contracts", "notes"):
        assert told(tmp_path / "rough")[name] == told(tmp_path / "calm")[name]


def test_a_killed_capture_goes_on_where_it_was(tmp_path: Path) -> None:
    out = tmp_path / "out"
    with Server(made(), key=KEY, script=[None] * 11 + [Fault(stall_s=60)]) as server:
        words = words_of(server, out, "--node", server.node)
        with subprocess.Popen([sys.executable, "-m", "solexp.cli", *words]) as killed:
            while len(server.asked) < 12:
                WAIT.wait(0.02)
            killed.kill()
        assert not told(out)["done"]
        assert capture(server, out, "--node", server.node) == 0
        asked = Counter(server.asked)
        assert asked.pop("eth_chainId []") == 2
        assert [question for question, times in asked.items() if times > 1] == server.asked[11:12]
        assert told(out)["done"]


def test_what_is_kept_is_asked_again_only_where_it_is_damaged(tmp_path: Path) -> None:
    with Server(made(), key=KEY) as server:
        assert capture(server, tmp_path / "out", "--node", server.node) == 0
        hashes = told(tmp_path / "out")["hashes"]
        kept = sorted((tmp_path / "cache" / "chain").rglob("*.json"))
        assert KEY not in "".join(place.read_text() for place in kept)
        for place, change in zip(kept, (b"", b"{", b'{"x": 1}'), strict=False):
            place.write_bytes(change)
        kept[3].write_bytes(kept[3].read_bytes().replace(b"0x", b"0y", 1))
        kept[4].write_bytes(kept[5].read_bytes())  # another's answer
        whole = len(server.asked)
        assert capture(server, tmp_path / "out", "--node", server.node) == 0
        assert len(server.asked[whole:]) == 1 + 5
        assert told(tmp_path / "out")["hashes"] == hashes


@pytest.mark.parametrize(
    ("script", "says"),
    [
        ([BAD_KEY], "set SOLEXP_EXPLORER_KEY to a key of this explorer"),
        ([Fault(status=403)], "refuses the key"),
        ([said("Missing or unsupported chainid parameter")], "give a chain that it has"),
        ([said("Max daily rate limit reached. 100000 (100%) of 100000")], "go on tomorrow"),
        ([Fault(status=404)], "mend the address"),
        ([DOWN] * 9, "no answer from"),
        ([Fault(status=503, headers={"Retry-After": "3600"})], "asks to be left alone"),
        ([None, Fault(body={"status": "1", "message": "OK", "result": [{"SourceCode": ""}]})], "is not verified"),
    ],
)  # fmt: skip
def test_what_cannot_be_mended_by_asking_again_ends_in_one_line(
    script: list[Fault | None], says: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with Server(made(), key=KEY, script=script) as server:
        assert capture(server, tmp_path) == 2
    told = capsys.readouterr().err.strip().splitlines()
    assert says in told[-1]
    assert KEY not in "".join(told)
    assert len(server.asked) <= 7


def test_a_server_that_is_not_there_ends_in_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with Server(made()) as server:
        pass
    assert capture(server, tmp_path) == 2
    told = capsys.readouterr().err.strip().splitlines()
    assert len(told) == 1
    assert "the connection is refused; tried 7 times" in told[0]


def test_a_node_of_another_chain_or_without_old_state_ends_in_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with Server(made(), key=KEY) as server:
        other = Chain(chain=137)
        with Server(other) as node:
            assert capture(server, tmp_path, "--node", node.node) == 2
        assert "is of chain 137, not of 1" in capsys.readouterr().err

        def pruned(method: str, answer: dict[str, object]) -> dict[str, object]:
            error = {"code": -32000, "message": "missing trie node 1234 (path )"}
            return answer if "trace" not in method else {"jsonrpc": "2.0", "id": 1, "error": error}

        with Server(made(), upset=pruned) as node:
            assert capture(server, tmp_path, "--node", node.node) == 2
        assert "give an archive node" in capsys.readouterr().err


def test_no_key_is_written_down(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    secret = "n0de-k3y-0123456789"
    with Server(made(), key=KEY) as server:
        words = words_of(server, tmp_path / "out", "--node", f"{server.node}/{secret}")
        assert main(words) == 0
        server.script.extend([said(f"Invalid API Key {KEY}"), said(KEY)])
        assert main([*words, "--chain", "5"]) == 2
    told = "".join(capsys.readouterr())
    written = b"".join(
        gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
        for folder in (tmp_path / "out", tmp_path / "cache" / "chain")
        for path in folder.rglob("*")
        if path.is_file()
    ).decode(errors="replace")
    for text in (told, written):
        assert KEY not in text
        assert secret not in text
