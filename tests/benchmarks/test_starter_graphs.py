"""The annotated life cycles of the starter benchmark speak of functions that there are, and of nothing twice."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from functools import cache
from typing import Any

import pytest

from solexp.benchmarks.starter.loader import FOLDER, read_deployment, read_sources, task_ids
from solexp.solidity.contracts import Function, ancestors
from solexp.solidity.parsing import definitions

TASKS = [name for name in task_ids() if (FOLDER / name / "graph.json").is_file()]
TYPES = {"condition", "response", "include", "exclude"}
OF_EVENTS = {"id", "function", "guard", "once", "ownership", "arguments", "sender", "value"}
OF_RELATIONS = {"type", "source", "target", "guard", "unsure", "why"}


def test_twelve_life_cycles_are_annotated() -> None:
    assert len(TASKS) >= 12


@pytest.mark.parametrize("task_id", TASKS)
def test_the_events_are_the_functions_that_may_change_state_all_of_them(task_id: str) -> None:
    annotated = graph(task_id)

    assert annotated.keys() == {"contract", "events", "relations", "marking"}
    assert annotated["contract"] == read_deployment(task_id).contract
    assert {event["function"] for event in annotated["events"]} == state_changing(task_id)


@pytest.mark.parametrize("task_id", TASKS)
def test_an_event_is_named_after_its_function_and_told_from_others_by_its_guard(
    task_id: str,
) -> None:
    events = graph(task_id)["events"]

    assert not doubles(event["id"] for event in events)
    for event in events:
        assert event.keys() <= OF_EVENTS
        assert event["id"].partition("/")[0] == event["function"].partition("(")[0]
    alike = Counter(event["function"] for event in events)
    assert all(event["guard"] for event in events if alike[event["function"]] > 1)


@pytest.mark.parametrize("task_id", TASKS)
def test_relations_connect_events_once_and_say_why(task_id: str) -> None:
    annotated = graph(task_id)
    ids = {event["id"] for event in annotated["events"]}

    assert not doubles((r["type"], r["source"], r["target"]) for r in annotated["relations"])
    for relation in annotated["relations"]:
        assert relation.keys() <= OF_RELATIONS
        assert relation["type"] in TYPES
        assert {relation["source"], relation["target"]} <= ids
        assert relation["why"]


@pytest.mark.parametrize("task_id", TASKS)
def test_what_is_out_at_first_is_what_something_brings_in(task_id: str) -> None:
    annotated = graph(task_id)
    ids = [event["id"] for event in annotated["events"]]
    marking = annotated["marking"]
    brought = {r["target"] for r in annotated["relations"] if r["type"] == "include"}

    assert marking["executed"] == marking["pending"] == []
    assert marking["included"] == [name for name in ids if name in set(marking["included"])]
    assert set(ids) - set(marking["included"]) <= brought


@pytest.mark.parametrize("task_id", TASKS)
def test_what_is_taken_out_comes_back_or_is_over_for_good(task_id: str) -> None:
    annotated = graph(task_id)
    once = {event["id"] for event in annotated["events"] if event.get("once")}
    out: dict[str, set[str]] = {}
    for relation in annotated["relations"]:
        if relation["type"] == "exclude":
            out.setdefault(relation["target"], set()).add(relation["source"])
    back = {r["target"] for r in annotated["relations"] if r["type"] == "include"}

    # An event that takes itself out, but comes back, is not one that may happen once.
    assert all(name in back for name, sources in out.items() if name in sources)
    # What nothing brings back is taken out by something that happens once.
    assert all(sources & once for name, sources in out.items() if name not in back)


def graph(task_id: str) -> dict[str, Any]:
    annotated: dict[str, Any] = json.loads((FOLDER / task_id / "graph.json").read_text("utf-8"))
    return annotated


@cache
def state_changing(task_id: str) -> frozenset[str]:
    """Signatures of the deployed contract's functions that may change state, those it inherits included."""
    (source,) = read_sources(task_id)[0].values()
    known = definitions(source)
    name = read_deployment(task_id).contract
    (deployed,) = (found for found in known if found.name == name)
    lineage = [deployed, *ancestors(name, known)]
    return frozenset(
        signature(function)
        for found in lineage
        for function in found.functions
        if function.kind in {"function", "fallback", "receive"}
        and function.visibility in {"public", "external"}
        and function.mutability not in {"view", "pure", "constant"}
    )


def signature(function: Function) -> str:
    types = (kind.replace(" payable", "") for kind in function.parameters)
    return f"{function.name or function.kind}({','.join(types)})"


def doubles(items: Iterable[object]) -> list[object]:
    return [item for item, times in Counter(items).items() if times > 1]
