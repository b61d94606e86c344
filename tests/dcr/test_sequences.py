"""Sequences along a graph, on a real contract and node."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec
import pytest

from solexp.core import Build, CallResult, Program, Task, Trace
from solexp.dcr.graph import read
from solexp.dcr.records import Search, Sequences, programs
from solexp.dcr.sequences import DEPLOYMENT_GAS, Original, find, settle
from solexp.evm.deployed import Deployed
from solexp.evm.machine import Subject
from solexp.solidity.compiler import Compiler
from solexp.violations.solidity import Contract, Settings, Snapshot
from tests.evm.boxes import HERE, SENDER, task
from tests.oracles.vaults import GRAPH, VAULT, history

TASK = task(VAULT, history())
FORK = "london"
SEARCH = Search(calls=60, length=20, queries=6)
assert TASK.program is not None
BASE: Program = msgspec.structs.replace(TASK.program, hardfork=FORK)


@pytest.fixture(scope="module")
def compiler() -> Iterator[Compiler]:
    with Compiler() as compiler:
        yield compiler


@pytest.fixture(scope="module")
def original(compiler: Compiler) -> Original:
    return original_of(TASK, compiler)


def original_of(posed: Task, compiler: Compiler) -> Original:
    def compiled(sources: dict[str, str]) -> Build:
        return compiler.compile(sources, posed.compiler)

    def linked(build: Build, sources: dict[str, str]) -> Subject | None:
        del sources
        made = build.contract("Box")
        return Subject(made.creation, made) if made is not None else None

    build = compiler.compile(posed.sources, posed.compiler, ast=True)
    subject = linked(build, posed.sources)
    assert subject is not None
    return Original(subject, build, dict(posed.sources), compiled, linked)


@pytest.fixture(scope="module")
def found(original: Original) -> Sequences:
    return search(original, SEARCH)


def search(original: Original, settings: Search, graph: str = GRAPH) -> Sequences:
    return find(original, BASE, FORK, read(graph, "graph.json"), settings)


def traces(original: Original, sequences: Sequences) -> list[Trace]:
    with Deployed(BASE, FORK) as node:
        node.deploy(original.subject, DEPLOYMENT_GAS)
        return node.run(node.questions(programs(BASE, sequences.programs)))


def test_calls_follow_the_graph_and_ownership_is_handed_over_last(found: Sequences) -> None:
    assert found.reason is None
    assert found.calls == 60
    for events in found.events:
        assert events[0] == "initialize"
        assert events.count("initialize") == 1
        if "take" in events:
            assert events.index("put") < events.index("take")
        assert "hand" not in events[:-1]
    assert any(events[-1] == "hand" for events in found.events)


def test_all_calls_succeed_on_the_original_and_all_rejected_ones_were_tried(
    original: Original, found: Sequences
) -> None:
    told = traces(original, found)
    assert all(result.status for trace in told for result in trace.calls)
    assert settle(found, told) == found
    assert 0 < len(found.rejected) <= SEARCH.rejected
    for row in found.rejected:
        assert row.after <= len(found.programs[row.program])


def test_what_only_a_solver_and_what_only_time_brings_about_is_reached(found: Sequences) -> None:
    succeeded = {row.event for row in found.counts if row.succeeded}
    assert succeeded == {"initialize", "put", "take", "open", "flush", "hand"}
    assert found.found["solved"] >= 1
    assert found.functions(succeeded=True) == {row.function for row in found.counts}


def test_the_same_seed_finds_the_same_sequences_and_another_seed_others(
    original: Original,
) -> None:
    small = msgspec.structs.replace(SEARCH, calls=15, sources=("history", "pool"))
    first, again = (search(original, small) for _ in range(2))
    assert first == again
    assert search(original, msgspec.structs.replace(small, seed=1)) != first


LOCK = """contract Box {
    uint256 private tries;
    function open(uint256 a, uint256 b) external {
        require(EITHER);
        tries += 1;
    }
}"""
LOCK_GRAPH = """{"contract": "Box", "events": [{"id": "open", "function": "open(uint256,uint256)"}], "relations": []}"""


def test_sequences_do_not_hang_on_what_the_process_judged_before(compiler: Compiler) -> None:
    settings = Search(calls=6, length=3, sources=("z3",), queries=6)
    plain, turned = (
        original_of(task(LOCK.replace("EITHER", either), history()), compiler)
        for either in (
            "a == 1111 || b == 2222 || a + b == 3333 || a * b == 4444",
            "a * b == 4444 || a + b == 3333 || b == 2222 || a == 1111",
        )
    )
    first = search(plain, settings, LOCK_GRAPH)
    # What both have in common is made in another order, and stays.
    situation = Contract(turned.build, "Box", turned.sources).at(
        "open(uint256,uint256)",
        Snapshot(address=HERE, contracts=frozenset({HERE}), accounts=(SENDER,)),
    )
    situation.solve((), Settings(rlimit=settings.rlimit))
    assert first.found["solved"] >= 1
    assert search(plain, settings, LOCK_GRAPH) == first


def test_a_fresh_start_can_begin_with_recorded_calls(original: Original) -> None:
    settings = Search(calls=40, length=5, sources=("history", "pool"), led=1)
    led = search(original, settings)
    recorded = BASE.calls[1]
    assert led.found["led"] >= 1
    assert any(
        (calls[0].input, calls[0].sender, calls[0].timestamp)
        == (recorded.input, recorded.sender, recorded.timestamp)
        for calls in led.programs[1:]
        if calls
    )
    assert "led" not in search(original, msgspec.structs.replace(settings, led=0)).found


def test_without_a_search_there_are_only_the_graphs_own_arguments(original: Original) -> None:
    bare = search(original, Search(calls=5, sources=()))
    assert bare.found.keys() == {"graph"}
    succeeded = {row.event for row in bare.counts if row.succeeded}
    assert succeeded == {"initialize", "flush"}, "flush has no arguments"
    assert bare.queries == 0


def test_a_guard_that_the_contract_does_not_take_is_named_and_counts_as_held(
    original: Original,
) -> None:
    wrong = GRAPH.replace('"guard": "ready"}', '"guard": "ready && steady"}')
    found = search(original, Search(calls=5, sources=("history", "pool")), wrong)
    assert found.calls
    assert any("steady" in guard for guard in found.unread)


def test_a_graph_of_other_functions_gives_no_sequence(original: Original) -> None:
    graph = '{"contract": "Box", "events": [{"id": "a", "function": "a()"}], "relations": []}'
    found = search(original, Search(calls=5), graph)
    assert found.reason == "the contract has none of the graph's functions"
    assert found.unbound == ("a",)


def test_calls_that_fail_on_the_machine_of_record_are_dropped_with_what_hangs_on_them(
    found: Sequences,
) -> None:
    def failing(place: int) -> Trace:
        results = [CallResult(status=True) for _ in found.programs[place]]
        if place == 0:
            results[3] = CallResult(status=False)
        return Trace(address="0x1", deployment=CallResult(status=True), calls=tuple(results))

    settled = settle(found, [failing(place) for place in range(len(found.programs))])
    assert settled.unsettled == 1
    assert settled.calls == found.calls - 1
    assert settled.events[0] == found.events[0][:3] + found.events[0][4:]
    assert all(row.after <= 3 for row in settled.rejected if row.program == 0)
