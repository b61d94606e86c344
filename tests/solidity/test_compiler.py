from __future__ import annotations

import logging
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import psutil
import pytest

from solexp.core import CompilerSettings, TimeLimitExceeded, ToolError, UserError
from solexp.solidity.compiler import Compiler

RELEASES = ["0.4.11", "0.4.18", "0.4.26", "0.5.17", "0.6.12", "0.7.6", "0.8.17"]
LIBRARY_ADDRESS = "0x" + "1f" * 20

SOURCE = """library Sums { function sum(uint a, uint b) public returns (uint) { return a + b; } }
contract Box {
    uint public held;
    function put(uint a) public { held = Sums.sum(held, a); }
}
"""


# The scope makes pytest run what needs one release together.
@pytest.mark.parametrize("version", RELEASES, scope="module")
def test_every_series_of_compilers_builds_links_and_names_methods(
    compiler: Compiler, version: str
) -> None:
    settings = CompilerSettings(version=version, optimizer=True)
    build = compiler.compile({"box.sol": SOURCE}, settings)
    assert build.ok, build.errors
    assert build.compiler.startswith(f"{version}+commit.")
    box = build.contract("Box")
    assert box is not None
    assert box.methods == {"held()": "a285aed7", "put(uint256)": "3f81a2c0"}
    assert {entry["name"] for entry in box.abi} == {"held", "put"}
    assert box.missing_libraries == ("box.sol:Sums",)
    assert (box.storage_layout is not None) == (version >= "0.5.13")

    linked = compiler.compile(
        {"box.sol": SOURCE},
        CompilerSettings(version=version, optimizer=True, libraries={"Sums": LIBRARY_ADDRESS}),
    ).contract("Box")
    assert linked is not None
    assert linked.missing_libraries == ()
    assert LIBRARY_ADDRESS[2:] in linked.creation
    assert int(linked.creation, 16) and int(linked.runtime, 16)


# The scope makes pytest run what needs one release together.
@pytest.mark.parametrize("version", RELEASES, scope="module")
def test_an_error_tells_class_bytes_and_line_in_every_series(
    compiler: Compiler, version: str
) -> None:
    source = "contract A {\n  /* é */ function f() public { uint x = 1 }\n}"
    (error,) = compiler.compile({"dir/a.sol": source}, CompilerSettings(version=version)).errors
    at = source.encode().rindex(b"}\n}")
    assert (error.type, error.path, error.line) == ("ParserError", "dir/a.sol", 2)
    assert (error.start, error.end) == (at, at + 1)
    assert error.kind == "missing_token"


def test_the_strict_reading_refuses_what_code_generation_refuses(compiler: Compiler) -> None:
    names = [f"a{i}" for i in range(18)]
    source = f"""contract A {{
        function f({", ".join("uint " + name for name in names)}) public pure returns (uint) {{
            return {" + ".join(names)};
        }} }}"""
    build = compiler.compile({"a.sol": source}, CompilerSettings(version="0.8.17"))
    assert not build.ok
    assert build.analysis_ok
    assert {error.kind for error in build.errors} == {"stack_depth"}


def test_imports_come_from_the_sources_and_never_from_disk(
    compiler: Compiler, tmp_path: Path
) -> None:
    real = tmp_path / "real.sol"
    real.write_text("contract Real {}")
    for version in ("0.4.18", "0.8.17"):
        for path in (str(real), "/etc/passwd", "./real.sol"):
            build = compiler.compile(
                {"a.sol": f'import "{path}";\ncontract A {{}}'}, CompilerSettings(version=version)
            )
            assert [error.type for error in build.errors] == ["ParserError"]
    build = compiler.compile(
        {"a.sol": 'import "lib/b.sol"; contract A is B {}', "vendor/b.sol": "contract B {}"},
        CompilerSettings(version="0.8.17", remappings=("lib/=vendor/",)),
    )
    assert build.ok


def test_the_ast_is_there_when_asked_for(compiler: Compiler) -> None:
    for version in ("0.4.18", "0.8.17"):
        settings = CompilerSettings(version=version)
        assert compiler.compile({"a.sol": "contract A {}"}, settings).asts is None
        asts = compiler.compile({"a.sol": "contract A {}"}, settings, ast=True).asts
        assert asts is not None
        assert asts["a.sol"]["nodeType"] == "SourceUnit"


def test_optimizer_and_evm_version_reach_the_compiler(compiler: Compiler) -> None:
    def code(**settings: object) -> str:
        asked = CompilerSettings(version="0.8.17", **settings)  # type: ignore[arg-type]
        contract = compiler.compile({"box.sol": SOURCE}, asked).contract("Box")
        assert contract is not None
        return contract.creation

    variants = [
        code(),
        code(optimizer=True),
        code(optimizer=True, runs=100_000),
        code(evm_version="homestead"),
    ]
    assert len(set(variants)) == len(variants)


def test_settings_no_compiler_takes_are_the_users_error(compiler: Compiler) -> None:
    with pytest.raises(UserError, match="library 'Sums'"):
        compiler.compile(
            {"box.sol": SOURCE}, CompilerSettings(version="0.8.17", libraries={"Sums": "0x12"})
        )


def test_a_kept_build_needs_no_compiler(tmp_path: Path) -> None:
    settings = CompilerSettings(version="0.8.17")
    with Compiler(providers=("soljson",), cache_dir=tmp_path) as first:
        build = first.compile({"box.sol": SOURCE}, settings)
    with Compiler(providers=("soljson",), cache_dir=tmp_path) as second:
        second.compile({"box.sol": SOURCE}, settings)
        started = time.perf_counter()
        for _ in range(20):
            assert second.compile({"box.sol": SOURCE}, settings) == build
        assert (time.perf_counter() - started) / 20 < 0.2
        assert second.processes() == []


def test_a_stand_in_release_never_blames_the_author(
    compiler: Compiler, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.INFO):
        build = compiler.compile(
            {"a.sol": "pragma solidity ^0.8.0; contract A {}"}, CompilerSettings(version="0.8.1")
        )
    assert build.ok
    assert build.compiler.startswith("0.8.2+")
    assert "stands in" in caplog.text
    with pytest.raises(ToolError, match=r"asks for solc =0\.8\.1"):
        compiler.compile(
            {"a.sol": "pragma solidity =0.8.1; contract A {}"}, CompilerSettings(version="0.8.1")
        )


def test_a_compiler_that_is_another_release_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "home"
    fake = home / ".svm" / "0.8.17" / "solc-0.8.17"
    fake.parent.mkdir(parents=True)
    fake.write_text("#!/bin/sh\necho Version: 0.8.16+commit.07a7930e.Linux.g++\n")
    fake.chmod(0o755)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    with (
        Compiler(providers=("native",), cache_dir=tmp_path / "cache") as native,
        pytest.raises(ToolError, match=r"no compiler 0\.8\.17"),
    ):
        native.version("0.8.17")


def test_a_native_compiler_goes_first_and_is_said_to_be_used(
    compiler: Compiler,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    folder = tmp_path / "bin"
    folder.mkdir()
    native = folder / "solc"
    full = compiler.version("0.8.17")
    native.write_text(
        f"#!{sys.executable}\n"
        "import sys\n"
        "from pathlib import Path\n"
        f"if '--version' in sys.argv: print('Version: {full}'); sys.exit()\n"
        "request = sys.stdin.buffer.read()\n"
        f"sys.path.insert(0, {str(Path.cwd())!r})\n"
        "from solexp.solidity.worker import Worker\n"
        "from solexp.toolchain.install import ensure_node, ensure_soljson\n"
        "worker = Worker(ensure_node(), ensure_soljson('0.8.17'))\n"
        "print(worker.compile(request, timeout_s=60, memory_bytes=1 << 32).decode())\n"
        "worker.kill()\n"
    )
    native.chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")
    settings = CompilerSettings(version="0.8.17", runs=7)
    with (
        caplog.at_level(logging.INFO),
        Compiler(cache_dir=tmp_path / "cache", timeout_s=60) as by_order,
    ):
        build = by_order.compile({"box.sol": SOURCE}, settings)
        assert by_order.processes() == []
    assert "solc 0.8.17: native" in caplog.text
    assert build == compiler.compile({"box.sol": SOURCE}, settings)


def test_two_processes_share_one_cache(tmp_path: Path) -> None:
    program = f"""
import sys
from pathlib import Path
from solexp.core import CompilerSettings
from solexp.solidity.compiler import Compiler
with Compiler(providers=("soljson",), cache_dir=Path({str(tmp_path)!r})) as compiler:
    for i in range(6):
        source = "contract A {{ function f() public pure returns (uint) {{ return %d; }} }}" % i
        assert compiler.compile({{"a.sol": source}}, CompilerSettings(version="0.8.17")).ok
print("done")
"""
    both = [
        subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True)
        for _ in range(2)
    ]
    assert [process.communicate(timeout=120)[0] for process in both] == ["done\n", "done\n"]
    # Six builds and the compiler's own version; nothing half-written beside them.
    assert len([path for path in tmp_path.rglob("*") if path.is_file()]) == 7


def test_a_worker_killed_in_mid_compile_is_started_again(tmp_path: Path) -> None:
    body = "for (uint i = 0; i < n; i++) { x += i * n; y[x] = keccak256(abi.encode(x, i, n)); } "
    functions = (f"function f{i}(uint n) external {{ {body * 3} }}" for i in range(250))
    slow = "contract A { uint x; mapping(uint => bytes32) y; " + " ".join(functions) + "}"
    with Compiler(providers=("soljson",), cache_dir=tmp_path) as compiler:
        compiler.compile({"a.sol": "contract A {}"}, CompilerSettings(version="0.8.17"))
        (worker,) = compiler.processes()
        killer = threading.Timer(0.15, lambda: os.kill(worker, signal.SIGKILL))
        killer.start()
        build = compiler.compile({"a.sol": slow}, CompilerSettings(version="0.8.17"))
        killer.join()
        assert build.contract("A") is not None or build.errors
        assert not psutil.pid_exists(worker)


def test_the_time_limit_ends_the_compiler(tmp_path: Path) -> None:
    endless = "contract A { uint x = " + "+".join(str(i) for i in range(200_000)) + "; }"
    with Compiler(providers=("soljson",), cache_dir=tmp_path, timeout_s=0.3) as compiler:
        compiler.version("0.8.17")
        (worker,) = compiler.processes()
        with pytest.raises(TimeLimitExceeded, match=r"0\.3 s"):
            compiler.compile({"a.sol": endless}, CompilerSettings(version="0.8.17"))
        assert compiler.processes() == []
        assert not psutil.pid_exists(worker)


def test_no_more_compilers_stay_loaded_than_allowed(tmp_path: Path) -> None:
    releases = ("0.6.12", "0.8.17", "0.7.6", "0.8.17")
    with Compiler(providers=("soljson",), cache_dir=tmp_path, max_workers=2) as compiler:
        seen = []
        for i, version in enumerate(releases):
            compiler.compile({"a.sol": f"contract A{i} {{}}"}, CompilerSettings(version=version))
            seen.append(compiler.processes())
        assert [len(pids) for pids in seen] == [1, 2, 2, 2]
        # The least recently used one went, and the other was used again.
        assert seen[3] == [seen[2][1], seen[2][0]] or set(seen[3]) == set(seen[2])
    assert not any(psutil.pid_exists(pid) for pids in seen for pid in pids)


def test_a_compiler_that_has_grown_too_large_is_ended(tmp_path: Path) -> None:
    with Compiler(providers=("soljson",), cache_dir=tmp_path, worker_memory_mb=64) as compiler:
        assert compiler.compile({"a.sol": "contract A {}"}, CompilerSettings(version="0.8.17")).ok
        assert compiler.processes() == []


def test_threads_share_the_compilers(tmp_path: Path) -> None:
    failures: list[BaseException] = []
    with Compiler(providers=("soljson",), cache_dir=tmp_path, max_workers=2) as compiler:

        def work(name: str) -> None:
            try:
                for i in range(3):
                    build = compiler.compile(
                        {"a.sol": f"contract {name}{i} {{}}"}, CompilerSettings(version="0.8.17")
                    )
                    assert build.contract(f"{name}{i}") is not None
            except BaseException as error:
                failures.append(error)

        threads = [threading.Thread(target=work, args=(name,)) for name in "ABCD"]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(compiler.processes()) <= 2
    assert failures == []


def test_an_orphaned_compiler_ends_itself(tmp_path: Path) -> None:
    program = f"""
import os, signal, threading
from pathlib import Path
from solexp.core import CompilerSettings
from solexp.solidity.compiler import Compiler
compiler = Compiler(providers=("soljson",), cache_dir=Path({str(tmp_path)!r}))
compiler.version("0.8.17")
print(compiler.processes()[0], flush=True)
threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGKILL)).start()
source = "contract A {{ uint x = " + "+".join(str(i) for i in range(200000)) + "; }}"
compiler.compile({{"a.sol": source}}, CompilerSettings(version="0.8.17"))
"""
    done = subprocess.run(
        [sys.executable, "-c", program], stdout=subprocess.PIPE, text=True, check=False, timeout=60
    )
    worker = int(done.stdout)
    deadline = time.monotonic() + 20
    while psutil.pid_exists(worker) and psutil.Process(worker).status() != psutil.STATUS_ZOMBIE:
        assert time.monotonic() < deadline, "the compiler outlived its parent"
        time.sleep(0.1)
