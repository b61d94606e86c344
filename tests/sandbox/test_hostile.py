"""What hostile programs try: each gets its own call's answer at worst, and nothing else."""

from __future__ import annotations

import socket
import threading
from pathlib import Path

import pytest

from solexp.sandbox import Ended, Limits, call_python
from solexp.sandbox.box import Sandbox
from tests.sandbox.conftest import Ask

HONEST = "def f(x): return x + 1"
QUICK = Limits(cpu_s=1.0, wall_s=1.0)


def still_well() -> None:
    """The warm sandbox serves the next program as if nothing had been."""
    results = call_python(HONEST, "f", ["[1]", "[2]"], QUICK)
    assert [result.value for result in results] == ["2", "3"]


# Answers


def test_printing_is_no_answer(ask: Ask) -> None:
    program = """
import os, sys
def f():
    print("PASSED"); sys.stderr.write("PASSED"); os.write(1, b"+RI\\0\\0\\0\\0017"); os.write(2, b"+R")
    return 5
"""
    assert ask(program).value == "5"


def test_a_forged_record_says_what_returning_would_and_only_for_its_own_question() -> None:
    program = """
import os
def f(x):
    if x == 2:
        for fd in range(64):
            try: os.write(fd, bytes([0, 0, 0, 15, *bytes(8)]) + b"RI" + bytes([0, 0, 0, 1]) + b"7")
            except OSError: pass
        os._exit(0)
    return x
"""
    results = call_python(program, "f", ["[1]", "[2]", "[3]"], QUICK)
    assert [result.value for result in results] == ["1", "7", "3"]


@pytest.mark.parametrize(
    "forged",
    [
        b"",
        b"R",
        b"RN" * 2,
        b"RI\0\0\0\1z",
        b"RS\xff\xff\xff\xffa",
        b"RL\xff\xff\xff\xff" + b"N" * 100,
        b"R" + b"L\0\0\0\1" * 5000 + b"N",
        b"RS\0\0\0\1\xff",
        b"RD\0",
        b"E",
        b"E\1\xff",
        b"L\0\0\0\1x",
        b"K" + b"\0" * 50,
        b"?" * 50,
        bytes(range(256)) * 200,
    ],
)
def test_a_garbled_record_is_no_answer(ask: Ask, forged: bytes) -> None:
    for whole in (
        forged,
        len(forged).to_bytes(4) + forged,
        (len(forged) + 8).to_bytes(4) + bytes(8) + forged,
    ):
        program = f"import os\ndef f():\n    os.write(3, {whole!r})\n    os._exit(0)"
        result = ask(program)
        # Where bytes of it are taken for a time, that can be any.
        wanted = {Ended.UNREADABLE, Ended.TIMEOUT} if whole else {Ended.DIED}
        assert result.ended in wanted, whole
        assert result.value is None
        assert not result.assertion


def test_a_time_that_is_none_is_garbled(ask: Ask) -> None:
    for seconds in ("inf", "nan", "-1"):
        program = f"""
import os, struct
def f():
    os.write(3, bytes([0, 0, 0, 9]) + struct.pack(">d", float("{seconds}")) + b"RT")
    os._exit(0)
"""
        assert ask(program).ended == Ended.UNREADABLE


def test_a_second_record_after_the_first_is_none(ask: Ask) -> None:
    program = "import os\ndef f():\n    os.write(3, bytes([0, 0, 0, 10, *bytes(8)]) + b'RT')\n    return False"
    assert ask(program).ended == Ended.UNREADABLE


def test_rebound_builtins_change_no_answer(ask: Ask) -> None:
    names = (
        "repr len str type isinstance callable int bytes list dict eval exec compile BaseException"
    )
    program = f"""
import builtins, marshal, os, struct, sys
def f():
    for module in (marshal, os, struct, sys):
        for name in list(vars(module)):
            if not name.startswith("__"):
                try: setattr(module, name, None)
                except Exception: pass
    for name in {names.split()}:
        setattr(builtins, name, lambda *_, **__: 13)
    return [1, {{"a": (2.5, {{3}})}}]
"""
    assert ask(program).value == "[1, {'a': (2.5, {3})}]"


def test_code_that_changes_the_runner_in_its_process_harms_no_other_call() -> None:
    program = """
import sys
def f(x):
    for name, module in list(sys.modules.items()):
        if name.startswith("solexp"):
            for each in list(vars(module)):
                setattr(module, each, lambda *_, **__: b"RT")
    return x
"""
    results = call_python(program, "f", ["[1]", "[2]"], QUICK)
    assert "'" not in "".join(result.value or "" for result in results)
    still_well()


def test_the_memory_of_a_call_holds_no_argument_of_another() -> None:
    program = """
import gc, re
def f(own):
    found, stack, met = set(), [gc.get_objects()], set()
    while stack:
        for each in stack.pop():
            if isinstance(each, (str, bytes)):
                text = each if isinstance(each, str) else each.decode("latin-1")
                found.update(re.findall("marker-[0-9]+", text))
            elif id(each) not in met and isinstance(each, (list, tuple, dict)):
                met.add(id(each))
                stack.append(list(each.values()) if isinstance(each, dict) else list(each))
    return sorted(found)
"""
    given = [f"['marker-{n}']" for n in range(10, 16)]
    results = call_python(program, "f", given, Limits(cpu_s=5))
    assert [result.value for result in results] == [f"['marker-{n}']" for n in range(10, 16)]


# Ends


def test_leaving_without_an_answer_is_dying(ask: Ask) -> None:
    result = ask("import os\ndef f(): os._exit(0)")
    assert result.ended == Ended.DIED
    assert result.message == "ended with status 0 and no answer"
    assert ask("import os\ndef f(): os._exit(7)").ended == Ended.DIED
    still_well()


@pytest.mark.parametrize("raised", ["SystemExit", "KeyboardInterrupt", "GeneratorExit"])
def test_exceptions_that_are_to_end_a_process_are_exceptions(ask: Ask, raised: str) -> None:
    result = ask(f"def f(): raise {raised}")
    assert (result.ended, result.exception) == (Ended.RAISED, raised)
    assert ask("import sys\ndef f(): sys.exit(0)").exception == "SystemExit"


def test_signals_to_itself_end_only_itself(ask: Ask) -> None:
    for signal in ("SIGKILL", "SIGSEGV", "SIGABRT"):
        program = f"import os, signal\ndef f(): signal.raise_signal(signal.{signal})"
        assert ask(program).ended == Ended.DIED
    still_well()


def test_a_crash_in_c_is_dying(ask: Ask) -> None:
    result = ask("import ctypes\ndef f(): ctypes.string_at(0)")
    assert (result.ended, result.message) == (Ended.DIED, "ended by signal 11")
    still_well()


def test_closing_all_descriptors_is_dying(ask: Ask) -> None:
    assert ask("import os\ndef f(): os.closerange(0, 100)").ended == Ended.DIED
    still_well()


def test_killing_everything_in_sight_kills_nobody_else() -> None:
    program = """
import os, signal
def f(x):
    for pid in (os.getppid(), 1, 2, 0, -1):
        for number in (signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGSTOP):
            if pid != 0 or number == 0:
                try: os.kill(pid, number)
                except OSError: pass
    return x
"""
    results = call_python(program, "f", ["[1]", "[2]"], QUICK)
    assert [result.value for result in results] == ["1", "2"]
    still_well()


def test_a_program_that_ends_its_sandbox_loses_only_its_own_calls(sandbox: Sandbox) -> None:
    from solexp.sandbox import calls  # noqa: PLC0415

    sandbox._process.kill()
    sandbox._process.wait()
    calls._idle.append(sandbox)
    still_well()


# Time


@pytest.mark.parametrize(
    "body",
    [
        "while True: pass",
        "sum(range(10**12))",
        "__import__('re').match(r'(a+)+$', 'a' * 60 + 'b')",
        "10 ** 10 ** 9",
        "list(zip(*[iter(int, 1)]))",
        "f()\n    except: f()",
        "[0] * 10**7 * 10**7",
    ],
)
def test_work_without_end_uses_up_its_cpu_time(ask: Ask, body: str) -> None:
    program = f"def f():\n  try:\n    {body}\n  finally: pass\n"
    if "f()" in body:
        program = "def f():\n  while True:\n    try: f()\n    except: pass\n"
    result = ask(program, cpu_s=0.1)
    assert result.ended == Ended.TIMEOUT or result.exception == "MemoryError", result
    assert result.cpu_s < 1.5


def test_a_timeout_cannot_be_caught(ask: Ask) -> None:
    program = """
import signal
def f():
    for number in range(1, 64):
        try: signal.signal(number, lambda *_: None)
        except (OSError, ValueError): pass
    while True:
        try:
            while True: pass
        except BaseException: pass
"""
    result = ask(program, cpu_s=0.2)
    assert result.ended == Ended.TIMEOUT
    assert result.message == "used up its 0.2 s of CPU time"


def test_threads_share_one_cpu_time(ask: Ask) -> None:
    program = """
import hashlib, threading
def f():
    def burn():
        while True: hashlib.sha256(bytes(10**6))
    threads = [threading.Thread(target=burn) for _ in range(4)]
    for thread in threads: thread.start()
    for thread in threads: thread.join()
"""
    result = ask(program, cpu_s=0.2)
    assert result.ended == Ended.TIMEOUT
    assert 0.2 <= result.cpu_s < 2


def test_sleeping_for_ever_ends_by_the_backstop(ask: Ask) -> None:
    for body in ("time.sleep(1000)", "threading.Lock().acquire(); l=threading.Lock(); l.acquire(); l.acquire()",
                 "signal.pause()", "os.read(os.pipe()[0], 1)", "os.close(3); time.sleep(1000)"):  # fmt: skip
        program = f"import os, signal, threading, time\ndef f(): {body}"
        result = ask(program, wall_s=0.2)
        assert result.ended == Ended.TIMEOUT, body
        assert (result.message or "").startswith("was idle for 0."), body


def test_a_thread_left_running_ends_with_its_call(ask: Ask) -> None:
    program = """
import threading, time
def burn():
    while True: time.sleep(0.001)
def f():
    threading.Thread(target=burn).start()
    return 5
"""
    assert ask(program).value == "5"
    still_well()


# Memory, recursion, processes


def test_a_memory_bomb_is_a_memory_error(ask: Ask) -> None:
    program = "def f():\n    kept = []\n    while True: kept.append(bytearray(10**7))"
    result = ask(program, cpu_s=5.0, memory_mb=128)
    assert (result.ended, result.exception) == (Ended.RAISED, "MemoryError")
    still_well()


def test_recursion_without_end_is_a_recursion_error(ask: Ask) -> None:
    result = ask("def f(): return f()")
    assert (result.ended, result.exception) == (Ended.RAISED, "RecursionError")
    deeper = "import sys\nsys.setrecursionlimit(10**9)\ndef f(): return f()"
    # What becomes of it then is the interpreter's affair.
    assert ask(deeper, cpu_s=0.2, memory_mb=96).ended != Ended.RETURNED
    still_well()


def test_no_process_can_be_started(ask: Ask) -> None:
    for body in ("os.fork()", "os.execv('/bin/sh', ['sh'])", "__import__('subprocess').run(['sh'])",
                 "__import__('multiprocessing').Process(target=print).start()"):  # fmt: skip
        result = ask(f"import os\ndef f(): {body}")
        assert (result.ended, result.exception) == (Ended.RAISED, "PermissionError"), body


def test_threads_without_end_end(ask: Ask) -> None:
    program = """
import threading, time
def f():
    while True: threading.Thread(target=time.sleep, args=(100,)).start()
"""
    result = ask(program)
    assert (result.ended, result.exception) == (Ended.RAISED, "RuntimeError")
    still_well()


def test_a_fork_bomb_goes_off_within_its_own_walls(ask: Ask) -> None:
    program = """
import os
def f():
    while True:
        try: os.fork()
        except OSError: pass
"""
    result = ask(program, cpu_s=0.2, processes=20)
    assert result.ended in {Ended.TIMEOUT, Ended.DIED, Ended.RAISED}
    still_well()


def test_children_left_running_end_with_their_call(
    ask: Ask, protections: tuple[str, ...], tmp_path: Path
) -> None:
    if "namespaces" not in protections:
        pytest.skip("no call can start processes here")
    program = """
import os, time
def f():
    if os.fork() == 0:
        os.setsid() if hasattr(os, "nothing") else None
        if os.fork() == 0:
            time.sleep(1000)
        os._exit(0)
    return os.getpid()
"""
    first = int(ask(program, processes=5).value or 0)
    assert first
    assert (
        ask("import os\ndef f():\n    os.kill(-1, 0)", processes=5).exception
        == "ProcessLookupError"
    )
    del tmp_path


# Files and network


def test_nothing_of_the_machine_can_be_read(ask: Ask, protections: tuple[str, ...]) -> None:
    if not {"namespaces", "landlock"} & set(protections):
        pytest.skip("files cannot be hidden here")
    program = """
import os
def f(paths):
    found = []
    for path in paths:
        try: found.append((path, len(os.listdir(path)) if os.path.isdir(path) else len(open(path).read())))
        except OSError: pass
    return found
"""
    here = Path(__file__)
    paths = [here, here.parent, Path("/etc/passwd"), Path("/etc/shadow"), Path.home() / ".bashrc"]
    paths += [Path("/proc/self/environ"), Path("/proc/1/environ"), Path("/sys"), Path("/dev/shm")]
    paths += [Path.cwd(), Path(pytest.__file__), Path("/var/log"), Path("/usr/bin")]
    given = [str(path) for path in paths]
    assert ask(program, f"[{given}]").value == "[]"


def test_nothing_can_be_written_but_in_the_folder(ask: Ask, tmp_path: Path) -> None:
    tmp_path.chmod(0o777)
    program = """
import os
def f(paths):
    found = []
    for path in paths:
        try: found.append((path, open(path, "w").write("x")))
        except OSError: pass
    return found
"""
    given = [
        str(tmp_path / "x"),
        "/x",
        "/tmp/x",
        "/dev/shm/x",
        "/usr/lib/x",
        "/var/tmp/x",
        "/home/x",
    ]
    given += [f"{Path(threading.__file__).parent}/x.py", threading.__file__, "/etc/ld.so.cache"]
    assert ask(program, f"[{given}]").value == "[]"
    assert not (tmp_path / "x").exists()


def test_the_folder_is_empty_for_each_call_whatever_was_done_to_it() -> None:
    program = """
import os, shutil, tempfile
def f(x):
    seen = os.listdir(".")
    with tempfile.TemporaryDirectory() as folder:
        open(folder + "/x", "w").write("x")
    deep = "."
    for _ in range(50):
        deep += "/d"; os.mkdir(deep)
    os.symlink("/", "link"); open("kept", "w").write("x")
    if x == 1: shutil.rmtree("d"); os.chmod(".", 0) if os.stat(".").st_uid == os.getuid() else None
    if x == 2:
        try: os.rmdir(os.getcwd())
        except OSError: pass
    return seen
"""
    results = call_python(program, "f", ["[1]", "[2]", "[3]"], QUICK)
    assert [result.value for result in results] == ["[]"] * 3


def test_a_disk_cannot_be_filled(ask: Ask, protections: tuple[str, ...]) -> None:
    if "namespaces" not in protections:
        pytest.skip("no file can be written here")
    program = """
def f(size):
    written = files = 0
    try:
        for files in range(10000):
            with open(f"{files}", "wb", buffering=0) as file:
                written += file.write(bytes(size))
    except OSError as error:
        return error.errno, written, files
"""
    errno, written, files = eval(ask(program, f"[{1 << 18}]", file_mb=2).value or "")
    assert (errno, files) == (28, 8)
    assert written <= 2 << 20
    errno, _, files = eval(ask(program, "[0]", file_mb=2).value or "")
    assert errno == 28
    assert files < 1000
    still_well()


def test_the_network_cannot_be_reached(ask: Ask) -> None:
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        server.listen()
        server.settimeout(0.2)
        port = server.getsockname()[1]
        program = """
import socket
def f(port):
    told = []
    for address in (("127.0.0.1", port), ("1.1.1.1", 53)):
        try: socket.create_connection(address, 1); told.append("connected")
        except OSError: pass
    for family in (socket.AF_UNIX, socket.AF_INET6, socket.AF_NETLINK):
        try: socket.socket(family); told.append(str(family))
        except OSError: pass
    return told
"""
        assert ask(program, f"[{port}]").value == "[]"
        with pytest.raises(TimeoutError):
            server.accept()


# What is wrongly taken for an assertion, and rightly


@pytest.mark.parametrize(
    ("body", "assertion"),
    [
        ("assert False", True),
        ("raise AssertionError", True),
        ("raise type('Sub', (AssertionError,), {})", True),
        ("raise ValueError", False),
        ("raise type('AssertionError', (Exception,), {})", False),
        ("raise type('Lie', (Exception,), {'__class__': AssertionError})", False),
        ("raise type('Lie', (Exception,), {'__class__': property(lambda self: AssertionError)})", False),
        ("builtins.AssertionError = ValueError\n    raise AssertionError", False),
        ("builtins.AssertionError = ValueError\n    assert False", True),
        ("builtins.issubclass = builtins.isinstance = lambda *_: True\n    raise ValueError", False),
        ("return AssertionError", False),
    ],
)  # fmt: skip
def test_only_the_interpreters_own_assertion_error_counts(
    ask: Ask, body: str, assertion: bool
) -> None:
    result = ask(f"import builtins\ndef f():\n    {body}")
    assert result.assertion is assertion
    assert result.value is None


def test_what_an_exception_says_of_itself_runs_nothing(ask: Ask) -> None:
    program = """
class Bad(Exception):
    def __str__(self):
        while True: pass
    __repr__ = __str__
def f(): raise Bad("told" * 10000)
"""
    result = ask(program, cpu_s=0.2)
    assert (result.ended, result.exception) == (Ended.RAISED, "Bad")
    assert len(result.message or "") == 2000


# Floods


def test_a_flood_of_output_goes_nowhere(ask: Ask) -> None:
    program = "def f():\n    for _ in range(1000): print('x' * 100_000)\n    return 5"
    assert ask(program).value == "5"


def test_a_flood_of_records_is_cut_off(ask: Ask) -> None:
    program = "import os\ndef f():\n    while True: os.write(3, bytes(1 << 16))"
    result = ask(program)
    assert (result.ended, result.message) == (Ended.UNREADABLE, "wrote too much")


# Getting out


def test_limits_cannot_be_raised_again(ask: Ask) -> None:
    program = """
import resource
def f():
    raised = []
    for name in ("AS", "CPU", "FSIZE", "NPROC", "NOFILE", "CORE"):
        which = getattr(resource, "RLIMIT_" + name)
        for wanted in (resource.RLIM_INFINITY, resource.getrlimit(which)[1] + 1):
            try: resource.setrlimit(which, (wanted, wanted)); raised.append(name)
            except (ValueError, OSError): pass
            try: resource.prlimit(1, which, (wanted, wanted)); raised.append(name)
            except (ValueError, OSError): pass
    return raised
"""
    assert ask(program).value == "[]"


def test_privileges_cannot_be_had(ask: Ask, protections: tuple[str, ...]) -> None:
    program = """
import ctypes, os
def f():
    libc = ctypes.CDLL(None, use_errno=True)
    had = []
    for name in ("setuid", "setgid", "seteuid", "setegid"):
        try: getattr(os, name)(0); had.append(name)
        except OSError: pass
    for name, call in {
        "ptrace": lambda: libc.ptrace(16, 1, 0, 0),
        "traceme": lambda: libc.ptrace(0, 0, 0, 0),
        "unshare": lambda: libc.unshare(0x10000000),
        "mount": lambda: libc.mount(b"tmpfs", b"/box", b"tmpfs", 0, None),
        "umount": lambda: libc.umount2(b"/box", 2),
        "chroot": lambda: libc.chroot(b"/usr"),
        "keyctl": lambda: libc.syscall(250, 0, -3, 1),
        "io_uring": lambda: libc.syscall(425, 8, bytes(120)),
        "bpf": lambda: libc.syscall(321, 0, bytes(100), 100),
        "memfd": lambda: libc.syscall(319, b"x", 0),
        "shmget": lambda: libc.shmget(0, 4096, 0o1600),
        "setpriority": lambda: libc.setpriority(0, 1, 19),
        "sched": lambda: libc.sched_setaffinity(1, 8, bytes([1]) + bytes(7)),
        "process_vm_readv": lambda: libc.process_vm_readv(1, bytes(16), 1, bytes(16), 1, 0),
    }.items():
        if call() >= 0: had.append(name)
    return had
"""
    if "filter" not in protections:
        pytest.skip("system calls cannot be filtered here")
    assert ask(program).value == "[]"
    still_well()


def test_a_call_has_no_descriptor_but_its_own_pipe(ask: Ask) -> None:
    program = """
import os
def f():
    found = []
    for fd in range(256):
        try: os.fstat(fd); found.append(fd)
        except OSError: pass
    return found
"""
    assert ask(program).value == "[0, 1, 2, 3]"
