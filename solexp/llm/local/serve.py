"""The process that a llama.cpp server runs in. It is run by its path and imports nothing of solexp.

It reads one line of JSON on standard input: the fields of `solexp.llm.local.server.Settings`, and ``parent``, the
process it belongs to. It writes one line of JSON to standard output: ``url``, or ``error``. It ends when its input
ends, or its parent does.
"""

from __future__ import annotations

import ctypes
import json
import os
import signal
import subprocess
import sys
import threading
import time
from typing import Any

_PR_SET_PDEATHSIG = 1
_SIGKILL = 9
_LOOK_S = 0.5
_BELOW: list[subprocess.Popen[bytes]] = []
"""The server, where it is a process of its own."""


def main() -> None:
    """Serve until there is nobody to serve."""
    # Ctrl-C goes to the whole foreground group; when the server ends is its parent's decision.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    settings = json.loads(sys.stdin.readline())
    _end_with(settings["parent"])
    if settings["binary"]:
        _run(settings)
    else:
        _embed(settings)


def _tell(**what: Any) -> None:
    print(json.dumps(what), flush=True)


def _end_with(parent: int) -> None:
    """Let this process be killed when ``parent`` has ended, in whatever way and whatever this process is doing."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, _SIGKILL)
    if os.getppid() != parent:
        os._exit(1)
    threading.Thread(target=_follow, args=(parent,), daemon=True).start()


def _follow(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(_LOOK_S)
    for server in _BELOW:
        server.kill()
    os._exit(1)


def _embed(settings: dict[str, Any]) -> None:
    """The server within xllamacpp."""
    import xllamacpp  # noqa: PLC0415

    params = xllamacpp.CommonParams()
    params.model.path = settings["gguf"]
    params.model_alias = {settings["alias"]}
    params.n_ctx = settings["context"] * settings["slots"]
    params.n_parallel = settings["slots"]
    params.n_threads_http = settings["slots"] + 2
    params.cpuparams.n_threads = settings["threads"]
    params.cpuparams_batch.n_threads = settings["threads"]
    params.port = 0
    params.ui = False
    params.warmup = False
    params.cache_prompt = False
    params.cache_ram_mib = 0
    params.sampling.top_p = 1.0
    flash = xllamacpp.llama_flash_attn_type
    params.flash_attn_type = (
        flash.LLAMA_FLASH_ATTN_TYPE_AUTO
        if settings["flash_attention"]
        else flash.LLAMA_FLASH_ATTN_TYPE_DISABLED
    )
    if settings["gpu_layers"] is not None:
        params.n_gpu_layers = settings["gpu_layers"]
    if settings["chat_template"] is not None:
        params.chat_template = settings["chat_template"]
    try:
        server = xllamacpp.Server(params)
    except RuntimeError as error:
        _tell(error=str(error))
        os._exit(1)
    _tell(url=server.listening_address)
    sys.stdin.read()
    # Its own way of ending waits for requests under way.
    os._exit(0)


def _run(settings: dict[str, Any]) -> None:
    """An installed llama-server, in this process's place where the kernel then still ends it with its parent."""
    command = [settings["binary"], *settings["arguments"]]
    # What older releases do not know is ignored among the variables, but refused among the arguments.
    environment = {
        **os.environ,
        "LLAMA_ARG_FLASH_ATTN": "auto" if settings["flash_attention"] else "off",
        "LLAMA_ARG_JINJA": "1",
        "LLAMA_ARG_NO_WEBUI": "1",
        "LLAMA_ARG_CACHE_RAM": "0",
    }
    _tell(url=settings["url"])
    # Its log goes where errors go, and its input is not ours.
    os.dup2(2, 1)
    if sys.platform == "linux":
        null = os.open(os.devnull, os.O_RDONLY)
        os.dup2(null, 0)
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        os.execve(settings["binary"], command, environment)
    server = subprocess.Popen(command, env=environment, stdin=subprocess.DEVNULL)
    _BELOW.append(server)
    threading.Thread(target=_end_with_input, args=(server,), daemon=True).start()
    os._exit(server.wait() & 0xFF)


def _end_with_input(server: subprocess.Popen[bytes]) -> None:
    sys.stdin.read()
    server.kill()


if __name__ == "__main__":
    main()
