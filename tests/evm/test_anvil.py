"""Programs on a real anvil."""

from __future__ import annotations

import re
import resource
import subprocess
import sys
import threading
import time
from collections.abc import Callable

import msgspec
import psutil
import pytest

from solexp.core import Call, CallResult, HarnessError, Program, Trace
from solexp.evm.anvil import AnvilMachine
from solexp.evm.anvils import anvil_for, old_forks_exact
from solexp.evm.machine import Observation, Subject
from solexp.evm.observe import observation
from solexp.evm.words import word
from solexp.toolchain.node import version_of
from tests.evm.boxes import (
    BLOCK,
    BOX,
    HERE,
    OTHER,
    SENDER,
    TIME,
    call,
    program,
    put,
    recorded,
    selector,
)
from tests.evm.conftest import Make

END = Observation(storage=False)


def test_a_program_becomes_a_trace_at_the_recorded_address(subject: Make) -> None:
    [trace] = AnvilMachine().run(program(), [subject(BOX)], END)
    assert trace.address == HERE
    assert trace.deployment.status
    totals = [n * (n + 1) // 2 for n in range(1, 13)]
    assert [int(result.output, 16) for result in trace.calls] == totals
    assert trace.calls[0].logs[0].topics[1] == f"0x{'0' * 24}{OTHER[2:]}"
    assert trace.hardfork == "london"


def test_the_releases_of_anvil_are_part_of_what_a_trace_depends_on() -> None:
    old, new = version_of(anvil_for("berlin")), version_of(anvil_for("london"))
    told = AnvilMachine().fingerprint()["anvils"]
    assert told == ((old, new) if old_forks_exact() else (new,))
    assert all(re.fullmatch(r"\d+\.\d+\.\d+.*", version) for version in (old, new))


def test_all_subjects_of_a_run_start_from_the_same_state(subject: Make) -> None:
    box = subject(BOX)
    one, two, three = AnvilMachine().run(program(), [box] * 3, END)
    assert one == two == three


@pytest.mark.slow
def test_every_deployment_is_seen_to_be_mined_on_a_busy_machine(subject: Make) -> None:
    """Waiting by ``eth_sendTransactionSync`` misses about one deployment in a thousand here, and refuses it."""
    busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(4)]
    try:
        traces = AnvilMachine().run(program(put(1)), [subject(BOX)] * 6000, END)
    finally:
        for process in busy:
            process.kill()
            process.wait()
    assert all(trace == traces[0] for trace in traces)
    assert traces[0].deployment.status


def test_calls_see_the_recorded_sender_block_and_time(subject: Make) -> None:
    box = subject(
        """contract Box {
            function f() public payable returns (address, address, uint, uint, uint) {
                return (msg.sender, tx.origin, msg.value, block.number, block.timestamp);
            }
            function g() public returns (address, uint, address) {
                return (block.coinbase, block.difficulty, address(this));
            }
        }""",
        version="0.4.26",
    )
    coinbase = "0x" + "c0" * 20
    history = program(
        call("f()", sender=OTHER, at=4, value=3),
        call("g()", sender=OTHER, at=5),
        coinbase=coinbase,
        prevrandao=f"0x{99:064x}",
    )
    other, here, fees = (int(address, 16) for address in (OTHER, HERE, coinbase))
    for fork in ("byzantium", "london", "cancun"):
        fixed = msgspec.structs.replace(history, hardfork=fork)
        [trace] = AnvilMachine().run(fixed, [box], END)
        seen = ["".join(map(word, (other, other, 3, BLOCK + 4, TIME + 52)))]
        seen.append("".join(map(word, (fees, 99, here))))
        assert [result.output[2:] for result in trace.calls] == seen


def test_the_constructor_sees_the_recorded_block_and_time(subject: Make) -> None:
    source = """contract Box { uint256 at; uint256 when; address from;
        constructor() { at = block.number; when = block.timestamp; from = msg.sender; } }"""
    box = subject(source)
    history = program(put(1))
    [trace] = AnvilMachine().run(history, [box], observation(history, box.contract))
    storage = trace.checkpoints[-1].storage
    assert int(storage["at"], 16) == BLOCK
    assert int(storage["when"], 16) == TIME
    assert storage["from"].endswith(SENDER[2:])


def test_state_is_read_after_every_call_without_disturbing_what_follows(subject: Make) -> None:
    box = subject(BOX)
    # All in two blocks, so that readings fall inside blocks too.
    history = program(*(put(n + 1, at=1 + n // 6) for n in range(12)))
    machine = AnvilMachine()
    [plain] = machine.run(history, [box], END)
    plan = observation(history, box.contract, checkpoint_every=1)
    [watched] = machine.run(history, [box], plan)
    assert watched.calls == plain.calls
    assert [point.after for point in watched.checkpoints] == list(range(1, 13))
    totals = [int(point.storage["total"], 16) for point in watched.checkpoints]
    assert totals == [n * (n + 1) // 2 for n in range(1, 13)]
    assert int(watched.checkpoints[2].storage[f"held[{SENDER}]"], 16) == 6


def test_a_contract_that_destroyed_itself_stays_so_between_readings(subject: Make) -> None:
    source = BOX.replace(
        "require(amount < 1000",
        "if (amount == 3) selfdestruct(payable(msg.sender)); require(amount < 1000",
    )
    box = subject(source)
    history = program(*(put(n + 1, at=n) for n in range(6)))
    machine = AnvilMachine()
    [plain] = machine.run(history, [box], END)
    [watched] = machine.run(history, [box], observation(history, box.contract, checkpoint_every=2))
    assert watched.calls == plain.calls
    assert [r.output for r in watched.calls[3:]] == ["0x"] * 3
    assert int(watched.checkpoints[-1].storage["total"], 16) == 0


def test_getters_stand_in_where_there_is_no_layout_and_cannot_change_state(subject: Make) -> None:
    source = """contract Box { mapping(address => uint256) public held; uint256 public total; uint256 asked;
        function put(uint256 amount) public returns (uint256) {
            held[msg.sender] += amount; total += amount; return total;
        }
        function asks() public view returns (uint256) { return asked; } }"""
    box = subject(source, version="0.5.12")
    assert box.contract.storage_layout is None
    history = program(put(2), put(3, sender=OTHER, at=2))
    plan = observation(history, box.contract)
    [trace] = AnvilMachine().run(history, [box], plan)
    getters = trace.checkpoints[-1].getters
    assert int(getters["total()"].output, 16) == 5
    assert int(getters[f"held({OTHER})"].output, 16) == 3
    cheat = source.replace("public view returns (uint256) {", "public returns (uint256) { asked++;")
    [other] = AnvilMachine().run(history, [subject(cheat, version="0.5.12")], plan)
    assert not other.checkpoints[-1].getters["asks()"].status


def test_getters_that_take_structs_are_asked_too(subject: Make) -> None:
    box = subject(
        """contract Box { uint256 total; struct Part { uint256 times; bool whole; }
        function put(uint256 amount) external { total += amount; }
        function part(Part calldata p) external view returns (uint256) { return total * p.times; } }"""
    )
    history = program(put(77))
    plan = observation(history, box.contract, getters="always")
    labels = [probe.label for probe in plan.getters if probe.label.startswith("part((77,")]
    [trace] = AnvilMachine().run(history, [box], plan)
    assert len(labels) == 1
    assert int(trace.checkpoints[-1].getters[labels[0]].output, 16) == 77 * 77


def test_a_call_that_cannot_pay_for_its_data_fails_alone(subject: Make) -> None:
    history = program(put(1, at=1), put(2, at=2, gas=20_000), put(3, at=3, value=0, gas=90_000))
    [trace] = AnvilMachine(gas="recorded").run(history, [subject(BOX)], END)
    assert [result.status for result in trace.calls] == [True, False, True]
    assert trace.calls[1].error == "gas below intrinsic cost"


def test_values_beyond_any_fortune_are_paid(subject: Make) -> None:
    source = """contract Box { function put(uint256) external payable returns (uint256) {
        return address(this).balance; } }"""
    history = program(put(1, value=10**30), put(1, value=10**31, at=2))
    [trace] = AnvilMachine().run(history, [subject(source)], END)
    assert int(trace.calls[1].output, 16) == 11 * 10**30
    assert trace.checkpoints[-1].balance == 11 * 10**30


def test_each_call_runs_under_the_rules_of_its_own_block(subject: Make) -> None:
    source = "contract Box { uint256 x; function put(uint256 a) public { x = a; } }"
    box = subject(source, version="0.4.26")
    # The same write, before and after Berlin made the first touch of a slot dearer.
    berlin = 12_244_000 - BLOCK
    calls = [put(7, at=at) for at in (berlin - 2, berlin - 1, berlin, berlin + 1)]
    history = program(*calls)
    early = msgspec.structs.replace(history.deployment, block_number=12_243_000)
    history = msgspec.structs.replace(history, deployment=early)
    [exact] = AnvilMachine().run(history, [box], END)
    [fixed] = AnvilMachine(forks="deployment").run(history, [box], END)
    assert exact.hardfork == "istanbul+berlin"
    assert fixed.hardfork == "istanbul"
    assert [r.gas_used for r in exact.calls[:2]] == [r.gas_used for r in fixed.calls[:2]]
    again = fixed.calls[1].gas_used
    assert [r.gas_used - again for r in fixed.calls[2:]] == [0, 0]
    # Writing what is there already: 800, then 2,100 for the first touch and 100.
    assert [r.gas_used - again for r in exact.calls[2:]] == [1400, 1400]


def test_writes_before_istanbul_cost_what_they_did(subject: Make) -> None:
    box = subject(
        "contract Box { uint256 x; function put(uint256 a) public { x = a; } }", version="0.4.26"
    )
    history = program(put(1, at=1), put(2, at=2), put(0, at=3), hardfork="byzantium")
    [trace] = AnvilMachine().run(history, [box], END)
    fresh, changed, cleared = (result.gas_used for result in trace.calls)
    assert fresh - changed == 15_000
    # Zero costs 64 less than one as calldata, and half the gas used is the most that is given back.
    assert cleared == changed - 64 - (changed - 64) // 2


def _while_running(act: Callable[[psutil.Process], None]) -> threading.Thread:
    """Does something to the node this process starts next."""
    before = {child.pid for child in psutil.Process().children(recursive=True)}

    def wait() -> None:
        for _ in range(2000):
            for child in psutil.Process().children(recursive=True):
                if (
                    child.pid not in before
                    and child.name() == "anvil"
                    and child.cpu_times().user > 0.15
                ):
                    act(child)
                    return
            time.sleep(0.005)

    thread = threading.Thread(target=wait)
    thread.start()
    return thread


def _slow(subject: Make) -> tuple[Subject, Program]:
    looping = subject(BOX.replace("held[msg.sender] += amount;", "while (true) {}"))
    calls = (put(1, at=n, **recorded(400_000_000)) for n in range(200))
    return looping, program(*calls)


def test_a_node_that_is_killed_costs_the_task_not_the_run(subject: Make) -> None:
    looping, history = _slow(subject)
    thread = _while_running(lambda node: node.kill())
    with pytest.raises(HarnessError, match="anvil ended during a run"):
        AnvilMachine().run(history, [looping], END)
    thread.join()
    [trace] = AnvilMachine().run(program(), [subject(BOX)], END)
    assert trace.address == HERE


def test_a_node_that_hangs_ends_at_the_time_limit_and_the_next_subject_gets_a_new_one(
    subject: Make,
) -> None:
    looping, history = _slow(subject)
    thread = _while_running(lambda node: node.suspend())
    started = time.perf_counter()
    box = subject(BOX)
    slow, fine = AnvilMachine(timeout_s=4).run(history, [looping, box], END)
    assert time.perf_counter() - started < 30
    thread.join()
    assert slow.stopped == "time"
    assert fine.stopped is None
    assert all(result.status for result in fine.calls[:3])


def test_no_node_outlives_its_run(subject: Make) -> None:
    AnvilMachine().run(program(), [subject(BOX)], END)
    assert not [c for c in psutil.Process().children(recursive=True) if c.name() == "anvil"]


def test_memory_that_a_subject_takes_is_bounded(subject: Make) -> None:
    greedy = subject(
        BOX.replace(
            "held[msg.sender] += amount;", "assembly { mstore(60000000, 1) return(0, 60000000) }"
        )
    )
    history = program(*(put(n + 1, at=n, **recorded(9_000_000_000)) for n in range(16)))
    [fine, trace] = AnvilMachine(memory_mb=640).run(history, [subject(BOX), greedy], END)
    assert fine.stopped is None
    assert trace.stopped == "memory"
    assert len(trace.calls) < 16


@pytest.mark.slow
def test_eleven_deployments_of_a_thousand_large_calls_stay_under_a_gigabyte(subject: Make) -> None:
    source = """contract Box { uint256 n; function put(bytes calldata a) external returns (bytes32) {
        n++; return keccak256(a); } }"""
    box = subject(source)
    calls = []
    for n in range(1000):
        data = f"{n:08x}" * 25_000
        text = selector("put(bytes)") + word(32) + word(100_000) + data
        calls.append(Call(sender=SENDER, input=text, block_number=BLOCK + n, timestamp=TIME + n))
    history = program(*calls)
    peak = 0
    done = threading.Event()

    def watch() -> None:
        nonlocal peak
        while not done.wait(0.05):
            nodes = [c for c in psutil.Process().children(recursive=True) if c.name() == "anvil"]
            with_nodes = psutil.Process().memory_info().rss + sum(
                c.memory_info().rss for c in nodes
            )
            peak = max(peak, with_nodes)

    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    thread = threading.Thread(target=watch)
    thread.start()
    try:
        traces = AnvilMachine(memory_mb=2048).run(history, [box] * 11, END)
    finally:
        done.set()
        thread.join()
    assert all(trace == traces[0] for trace in traces)
    assert traces[0].calls[-1].status
    assert peak < 1 << 30, (peak >> 20, before >> 10)


def test_traces_hold_long_data_as_a_hash(subject: Make) -> None:
    source = """contract Box { event Data(bytes a);
        function put(uint256 n) external returns (bytes memory b) {
            b = new bytes(n); b[0] = 0x07; emit Data(b); } }"""
    history = program(put(20_000, gas=5_000_000))
    [trace] = AnvilMachine().run(history, [subject(source)], END)
    result: CallResult = trace.calls[0]
    assert len(result.output) < 300
    assert "20064 bytes, sha256" in result.output
    assert "bytes, sha256" in result.logs[0].data
    assert isinstance(trace, Trace)
