"""What a run's summary says of hand-made verdicts."""

from __future__ import annotations

import random
from typing import Any

import msgspec
import pytest

from solexp.core import Batch, Completion, Generation, Outcome, Usage, UserError, Verdict
from solexp.metrics.summary import Summary, summarise
from solexp.store.runfolder import TaskRow

GREEDY = Batch(name="greedy", n=1, ks=(1,))
BOTH = {"compile": True, "replay": True}


def task(name: str, **fields: Any) -> TaskRow:
    return TaskRow(id=name, hash="0", compiler="0.8.17", **fields)


def candidate(
    name: str,
    replay: Outcome,
    *,
    compiled: Outcome | None = None,
    batch: str = "greedy",
    repeat: int = 0,
    index: int = 0,
    **fields: Any,
) -> list[Verdict]:
    """The verdicts of both oracles; what does not get as far as a compiler is no compile pass."""
    early = (Outcome.NO_CODE, Outcome.COMPILE_ERROR)
    compiled = compiled or (replay if replay in early else Outcome.PASS)
    place: dict[str, Any] = {"task_id": name, "batch": batch, "repeat": repeat, "index": index}
    return [
        Verdict(**place, oracle="compile", outcome=compiled),
        Verdict(**place, oracle="replay", outcome=replay, **fields),
    ]


def summary(
    tasks: list[TaskRow],
    rows: list[list[Verdict]],
    batches: tuple[Batch, ...] = (GREEDY,),
    **more: Any,
) -> Summary:
    flat = [verdict for group in rows for verdict in group]
    settings: dict[str, Any] = {"seed": 1, "oracles": BOTH} | more
    return summarise(tasks, flat, batches, **settings)


def test_undecidable_and_vacuous_tasks_are_no_passes_and_scores_are_given_without_them() -> None:
    names = "abcd"
    outcomes = (Outcome.PASS, Outcome.FAIL, Outcome.UNDECIDABLE, Outcome.VACUOUS)
    rows = [candidate(name, outcome) for name, outcome in zip(names, outcomes, strict=True)]
    found = summary([task(name) for name in names], rows)
    assert (found.metrics["pass_at_1"].value, found.metrics["pass_at_1"].n) == (0.25, 4)
    decidable = found.metrics["decidable.pass_at_1"]
    assert (decidable.value, decidable.n) == (0.5, 2)
    assert found.metrics["compile_at_1"].value == 1.0
    assert found.decidable_tasks == 2


def test_a_harness_error_is_no_sample() -> None:
    rows = [candidate("a", Outcome.PASS), candidate("b", Outcome.HARNESS_ERROR)]
    found = summary([task("a"), task("b")], rows)
    assert (found.metrics["pass_at_1"].value, found.metrics["pass_at_1"].n) == (1.0, 1)
    assert found.outcomes == {"pass": 1, "harness_error": 1}
    assert found.missing_tasks == ("b",)


def test_a_harness_error_that_leaves_too_few_samples_makes_the_task_missing() -> None:
    nucleus = Batch(name="nucleus", n=3, temperature=0.2, ks=(2, 3))
    outcomes = (Outcome.PASS, Outcome.FAIL, Outcome.HARNESS_ERROR)
    rows = [candidate("a", o, batch="nucleus", index=i) for i, o in enumerate(outcomes)]
    found = summary([task("a")], rows, (nucleus,))
    assert found.metrics["pass_at_2"].value == 1.0
    assert "pass_at_3" not in found.metrics


def test_a_failure_stands_whatever_another_oracle_cannot_tell() -> None:
    rows = [candidate("a", Outcome.UNDECIDABLE, compiled=Outcome.COMPILE_ERROR)]
    found = summary([task("a")], rows)
    assert found.outcomes == {"compile_error": 1}
    assert "decidable.pass_at_1" not in found.metrics


def test_what_the_data_tell_about_a_task_does_not_depend_on_the_models_failures() -> None:
    tasks = [task("a", undecidable="no history"), task("b")]
    rows = [candidate("a", Outcome.COMPILE_ERROR), candidate("b", Outcome.PASS)]
    found = summary(tasks, rows)
    assert found.metrics["pass_at_1"].value == 0.5
    assert (found.metrics["decidable.pass_at_1"].value, found.decidable_tasks) == (1.0, 1)


def test_an_oracle_may_say_beside_a_failure_that_the_task_cannot_be_decided() -> None:
    rows = [
        candidate("a", Outcome.COMPILE_ERROR, measures={"task_decidable": False}),
        candidate("b", Outcome.PASS, measures={"task_decidable": True}),
    ]
    found = summary([task("a"), task("b")], rows)
    assert (found.metrics["decidable.pass_at_1"].n, found.decidable_tasks) == (1, 1)


def test_fidelity_counts_each_task_once() -> None:
    measures = {"recorded_calls": 10, "statuses_as_recorded": 10, "gas_as_recorded": 7}
    rows = [
        candidate("a", Outcome.PASS, measures=measures),
        candidate("a", Outcome.FAIL, index=1, measures=measures),
        candidate("b", Outcome.PASS, measures=measures | {"statuses_as_recorded": 4}),
        candidate("c", Outcome.COMPILE_ERROR),
    ]
    found = summary([task(n) for n in "abc"], rows).fidelity
    assert (found.tasks, found.exact_tasks) == (2, 1)
    assert (found.calls, found.statuses, found.gas) == (20, 14, 14)


def test_only_compiling_decides_every_task() -> None:
    found = summary(
        [task("a", undecidable="no history")],
        [candidate("a", Outcome.PASS)[:1]],
        oracles={"compile": True},
    )
    assert found.metrics["decidable.pass_at_1"].value == 1.0


def test_an_oracle_that_does_not_decide_keeps_nobody_from_passing() -> None:
    oracles = {"compile": True, "replay": False}
    found = summary([task("a")], [candidate("a", Outcome.FAIL)], oracles=oracles)
    assert found.metrics["pass_at_1"].value == 1.0
    assert found.oracles["replay"].outcomes == {"fail": 1}


def test_candidates_without_all_verdicts_are_in_no_score() -> None:
    rows = [candidate("a", Outcome.PASS), candidate("b", Outcome.PASS)[:1]]
    found = summary([task("a"), task("b")], rows)
    assert (found.metrics["pass_at_1"].n, found.unjudged) == (1, 1)


def test_k_1_comes_from_the_greedy_batch_and_larger_k_from_the_nucleus_one() -> None:
    nucleus = Batch(name="nucleus", n=5, temperature=0.2, ks=(3, 5))
    rows = [candidate("a", Outcome.FAIL)]
    passes = (True, False, False, False, False)
    rows += [
        candidate("a", Outcome.PASS if p else Outcome.FAIL, batch="nucleus", index=i)
        for i, p in enumerate(passes)
    ]
    found = summary([task("a")], rows, (GREEDY, nucleus))
    assert found.metrics["pass_at_1"].value == 0.0
    assert found.metrics["pass_at_3"].value == 0.6
    assert found.metrics["pass_at_5"].value == 1.0


@pytest.mark.parametrize(
    ("batches", "said"),
    [
        ((Batch(name="nucleus", n=5, temperature=0.2, ks=(1, 5)),), "name the batch 'mean_of_n'"),
        ((GREEDY, Batch(name="again", n=1, ks=(1,))), "both serve k = 1"),
        ((Batch(name="few", n=2, temperature=0.2, ks=(5,)),), "too few for k = 5"),
    ],
)
def test_samplings_that_would_mislead_are_refused(batches: tuple[Batch, ...], said: str) -> None:
    with pytest.raises(UserError, match=said):
        summary([task("a")], [], batches)


def test_mean_of_n_gives_k_1_as_the_mean_over_samples() -> None:
    batch = Batch(name="mean_of_n", n=4, temperature=0.2, ks=(1,))
    outcomes = [Outcome.PASS, Outcome.FAIL, Outcome.FAIL, Outcome.FAIL]
    rows = [candidate("a", o, batch="mean_of_n", index=i) for i, o in enumerate(outcomes)]
    assert summary([task("a")], rows, (batch,)).metrics["pass_at_1"].value == 0.25


def test_one_sample_a_task_has_wilsons_interval() -> None:
    rows = [candidate(str(i), Outcome.PASS if i < 3 else Outcome.FAIL) for i in range(10)]
    metric = summary([task(str(i)) for i in range(10)], rows).metrics["pass_at_1"]
    assert metric.lo == pytest.approx(0.1078, abs=1e-4)
    assert metric.hi == pytest.approx(0.6032, abs=1e-4)


def test_repeats_give_mean_and_spread() -> None:
    rows = [
        candidate(name, outcome, repeat=repeat)
        for repeat, outcomes in enumerate(
            [(Outcome.PASS, Outcome.PASS), (Outcome.PASS, Outcome.FAIL)]
        )
        for name, outcome in zip("ab", outcomes, strict=True)
    ]
    metric = summary([task("a"), task("b")], rows).metrics["pass_at_1"]
    assert (metric.value, metric.repeats, metric.n) == (0.75, (1.0, 0.5), 2)
    assert metric.spread == pytest.approx(0.35355, abs=1e-5)
    assert metric.lo is not None
    assert metric.lo >= 0.5


def test_scores_are_given_by_category_and_compiler_series() -> None:
    old = TaskRow(id="b", hash="0", compiler="0.4.26", category="DeFi")
    rows = [candidate("a", Outcome.PASS), candidate("b", Outcome.FAIL)]
    found = summary([task("a", category="ERC20"), old], rows).metrics
    values = {
        name: found[f"{name}.pass_at_1"].value
        for name in ("category.ERC20", "category.DeFi", "series.0.8", "series.0.4")
    }
    assert list(values.values()) == [1.0, 0.0, 1.0, 0.0]


def test_every_choice_of_axes_is_scored_from_the_measures() -> None:
    measures: list[dict[str, Any]] = [
        {},
        {"diverges.storage": 2},
        {"diverges.events": 1, "diverges.storage": 1},
        {"diverges.return": 1},
        {"diverges.status": 1},
        {"diverges.deployment": 1},
        {"diverges.revert": 1},
    ]
    rows = []
    for i, each in enumerate(measures):
        fails = any(each.get(f"diverges.{a}") for a in ("status", "return", "events", "storage"))
        fails = fails or "diverges.deployment" in each
        outcome = Outcome.FAIL if fails else Outcome.PASS
        rows.append(candidate(str(i), outcome, measures=each))
    rows.append(candidate("7", Outcome.COMPILE_ERROR))
    found = summary([task(str(i)) for i in range(8)], rows)
    passes = {
        name.split(".")[1]: round(metric.value * 8)
        for name, metric in found.metrics.items()
        if name.startswith("axes.") and name.endswith(".pass_at_1") and "decidable" not in name
    }
    assert passes == {
        "status": 5,
        "status_return": 4,
        "status_events": 4,
        "status_return_events": 3,
        "solcontracteval": 2,
        "observable": 2,
        "strict": 1,
    }
    default = found.metrics["axes.solcontracteval.pass_at_1"].value
    assert default == found.metrics["pass_at_1"].value
    # revert diverges in a candidate that passes by default, so it is no failing axis
    assert {a: s.candidates for a, s in found.failing_axes.items()} == {
        "deployment": 1,
        "events": 1,
        "return": 1,
        "status": 1,
        "storage": 2,
    }
    # three candidates fail by deployment, status or return, two by storage, one by events
    assert found.failing_dimensions == pytest.approx(
        {"return": 1 / 2, "storage": 1 / 3, "events": 1 / 6}
    )


def test_a_task_on_which_a_stub_passes_along_a_choice_of_axes_is_not_decidable_along_it() -> None:
    told = "status,return,events,storage|status"
    rows = [
        candidate("a", Outcome.PASS, measures={"stubs_differ": told}),
        candidate("b", Outcome.PASS, measures={"stubs_differ": "storage|status,storage"}),
        candidate("c", Outcome.PASS, measures={"stubs_differ": "deployment"}),
        candidate("d", Outcome.FAIL, measures={"diverges.storage": 1}),
        candidate(
            "e", Outcome.VACUOUS, measures={"stubs_differ": "none|status", "task_decidable": False}
        ),
    ]
    metrics = summary([task(n) for n in "abcde"], rows).metrics
    alone, decidable = metrics["axes.status.pass_at_1"], metrics["axes.status.decidable.pass_at_1"]
    assert (alone.value, alone.n) == (0.6, 5)
    assert (decidable.value, decidable.n) == (1.0, 3)
    chosen = metrics["axes.solcontracteval.decidable.pass_at_1"]
    assert (chosen.value, chosen.n) == (0.75, 4)
    assert chosen == metrics["decidable.pass_at_1"]


def test_what_used_up_its_limits_passes_along_no_axes() -> None:
    measures = {"diverges.storage": 1, "truncated": True}
    found = summary([task("a")], [candidate("a", Outcome.FAIL, measures=measures)])
    assert found.metrics["axes.status.pass_at_1"].value == 0.0


def test_a_task_with_nothing_but_harness_errors_does_not_count_as_decidable() -> None:
    rows = [candidate("a", Outcome.PASS), candidate("b", Outcome.HARNESS_ERROR)]
    assert summary([task("a"), task("b"), task("c")], rows).decidable_tasks == 1


def test_reasons_are_counted_without_what_tells_one_task_from_another() -> None:
    said = {
        "a": (Outcome.HARNESS_ERROR, "ToolError: anvil at 127.0.0.1:8545 did not answer in 30.5 s"),
        "b": (Outcome.HARNESS_ERROR, "ToolError: anvil at 127.0.0.1:9001 did not answer in 9 s"),
        "c": (Outcome.HARNESS_ERROR, "OSError: [Errno 28] No space left: '/tmp/x'\ntrace"),
        "d": (Outcome.UNDECIDABLE, "'Box' is abstract in the original's sources"),
        "e": (Outcome.NO_CODE, "refused"),
        "f": (Outcome.PASS, ""),
    }
    rows = [candidate(n, o, evidence={"reason": reason}) for n, (o, reason) in said.items()]
    rows[4][0] = msgspec.structs.replace(rows[4][0], evidence={"reason": "refused"})
    found = summary([task(name) for name in said], rows).reasons
    assert found == {
        "harness_error": {
            "ToolError: anvil at N:N did not answer in N s": 2,
            "OSError: [Errno N] No space left: '…'": 1,
        },
        "undecidable": {"'…' is abstract in the original's sources": 1},
        "no_code": {"refused": 1},
    }
    assert list(found) == ["harness_error", "undecidable", "no_code"]


def test_tasks_are_counted_by_why_they_cannot_be_decided_also_where_no_candidate_compiles() -> None:
    told: dict[str, Any] = {
        "task_decidable": False,
        "task_outcome": "undecidable",
        "task_reason": "3 calls of the original succeed, fewer than 5",
    }
    rows = [
        candidate("a", Outcome.COMPILE_ERROR, measures=told),
        candidate(
            "b",
            Outcome.UNDECIDABLE,
            evidence={"reason": "2 calls of the original succeed, fewer than 5"},
        ),
        candidate("b", Outcome.COMPILE_ERROR, measures=told, batch="other"),
        candidate(
            "c",
            Outcome.NO_CODE,
            measures=told | {"task_outcome": "vacuous", "task_reason": "no call tells"},
        ),
        candidate("d", Outcome.COMPILE_ERROR, measures={"task_decidable": True}),
        candidate("e", Outcome.COMPILE_ERROR),
    ]
    found = summary([*map(task, "abcd"), task("e", undecidable="no history")], rows)
    assert found.open_tasks == {
        "undecidable": {"N calls of the original succeed, fewer than N": 2, "no history": 1},
        "vacuous": {"no call tells": 1},
    }
    assert found.decidable_tasks == 1


def test_equal_data_have_equal_intervals_under_every_name() -> None:
    batch = Batch(name="nucleus", n=3, temperature=0.2, ks=(2, 3))
    rows = [
        candidate(str(i), Outcome.PASS if j < i % 3 else Outcome.FAIL, batch="nucleus", index=j)
        for i in range(12)
        for j in range(3)
    ]
    found = summary([task(str(i)) for i in range(12)], rows, (batch,)).metrics
    assert found["pass_at_2"] == found["decidable.pass_at_2"] == found["series.0.8.pass_at_2"]
    assert found["pass_at_2"].lo != found["pass_at_2"].hi


@pytest.mark.parametrize(
    ("outcome", "value", "limits"),
    [(Outcome.PASS, 1.0, (0.6755, 1.0)), (Outcome.FAIL, 0.0, (0.0, 0.3245))],
)
def test_tasks_that_all_score_0_or_1_have_wilsons_interval_over_tasks(
    outcome: Outcome, value: float, limits: tuple[float, float]
) -> None:
    batch = Batch(name="nucleus", n=3, temperature=0.2, ks=(2,))
    rows = [
        candidate(str(i), outcome, batch="nucleus", index=j, repeat=repeat)
        for i in range(8)
        for j in range(3)
        for repeat in range(2)
    ]
    metric = summary([task(str(i)) for i in range(8)], rows, (batch,)).metrics["pass_at_2"]
    assert (metric.value, metric.n) == (value, 8)
    assert (metric.lo, metric.hi) == pytest.approx(limits, abs=1e-4)


def test_exercised_tasks_are_those_that_reach_half_their_functions() -> None:
    rows = [
        candidate("a", Outcome.PASS, measures={"functions_exercised_share": 0.5}),
        candidate("b", Outcome.FAIL, measures={"functions_exercised_share": 0.49}),
        candidate("c", Outcome.UNDECIDABLE, measures={"functions_exercised_share": 1.0}),
    ]
    metric = summary([task(n) for n in "abc"], rows).metrics["exercised.pass_at_1"]
    assert (metric.value, metric.n) == (1.0, 1)


def test_candidates_that_only_code_generation_refused_compile_by_analysis() -> None:
    rows = [candidate("a", Outcome.COMPILE_ERROR)]
    rows[0][0] = msgspec.structs.replace(rows[0][0], measures={"analysis_ok": True})
    found = summary([task("a")], rows).metrics
    assert found["compile_at_1"].value == 0.0
    assert found["analysis_compile_at_1"].value == 1.0


def test_compile_errors_are_counted_by_kind_and_class() -> None:
    rows = [candidate("a", Outcome.COMPILE_ERROR), candidate("b", Outcome.COMPILE_ERROR)]
    errors: list[dict[str, object]] = [
        {"type": "ParserError", "kind": "emit"},
        {"type": "ParserError", "kind": "emit"},
        {"type": "TypeError", "kind": None},
    ]
    for row, part in zip(rows, (errors, errors[:1]), strict=True):
        row[0] = msgspec.structs.replace(row[0], evidence={"errors": part})
    found = summary([task("a"), task("b")], rows).compile_errors
    assert (found.errors, found.candidates) == (4, 2)
    assert (found.kinds["emit"].errors, found.kinds["emit"].candidates) == (3, 2)
    assert found.kinds["others"].share == 0.25
    assert found.types["ParserError"].share == 0.75


def test_gas_is_counted_and_fails_nobody() -> None:
    rows = [
        candidate("a", Outcome.PASS, measures={"diverges.gas": 3, "over_recorded_gas": 2}),
        candidate("b", Outcome.FAIL, measures={"diverges.gas": 0, "over_recorded_gas": 1}),
    ]
    found = summary([task("a"), task("b")], rows)
    assert (found.gas.flagged, found.gas.passing_out_of_gas) == (1, 1)
    assert found.metrics["pass_at_1"].value == 0.5


def test_tokens_are_summed_and_a_cost_that_one_reply_lacks_is_unknown() -> None:
    def generation(index: int, cost: float | None) -> Generation:
        usage = Usage(prompt_tokens=10, completion_tokens=3, cost_usd=cost)
        return Generation(
            key=str(index),
            task_id="a",
            batch="greedy",
            repeat=0,
            index=index,
            completion=Completion(text="", usage=usage, seconds=0.5),
        )

    known = summary([task("a")], [], generations=[generation(0, 0.1), generation(1, 0.2)])
    assert known.usage.cost_usd == pytest.approx(0.3)
    assert known.seconds.generating == 1.0
    unknown = summary([task("a")], [], generations=[generation(0, 0.1), generation(1, None)])
    assert (unknown.usage.prompt_tokens, unknown.usage.cost_usd) == (20, None)
    assert summary([task("a")], []).usage.prompt_tokens is None


def test_every_reply_of_every_round_counts_and_a_shared_one_once() -> None:
    def reply(tokens: int) -> Completion:
        usage = Usage(prompt_tokens=tokens, completion_tokens=1, cost_usd=tokens / 10)
        return Completion(text="", usage=usage, seconds=tokens)

    def generation(index: int, number: int, *replies: Completion, shared: bool) -> Generation:
        prompts = tuple(
            "documentation" if shared and n == 0 else f"{n}" for n in range(len(replies))
        )
        return Generation(
            key="",
            task_id="a",
            batch="greedy",
            repeat=0,
            index=index,
            round=number,
            completion=replies[-1],
            earlier=replies[:-1],
            prompts=prompts,
            shared=("documentation",) if shared else (),
        )

    rows = [
        generation(0, 0, reply(1000), reply(1), reply(2), shared=True),
        generation(1, 0, reply(1000), reply(3), reply(4), shared=True),
        generation(1, 1, reply(50), reply(60), shared=False),
    ]
    compiling = candidate("a", Outcome.PASS)
    found = summary([task("a", functions=3)], [compiling], generations=rows)
    assert found.usage.prompt_tokens == 1000 + 1 + 2 + 3 + 4 + 50 + 60
    assert found.usage.completion_tokens == 7
    assert found.usage.cost_usd == pytest.approx(112)
    assert found.seconds.generating == 1120


def test_the_summary_does_not_depend_on_the_order_of_rows() -> None:
    batch = Batch(name="nucleus", n=4, temperature=0.2, ks=(2, 4))
    draw = random.Random(5)
    tasks = [task(str(i), category=draw.choice(["ERC20", "DeFi"])) for i in range(9)]
    rows = [
        candidate(t.id, draw.choice([Outcome.PASS, Outcome.FAIL]), batch="nucleus", index=i)
        for t in tasks
        for i in range(4)
    ]
    first = msgspec.json.encode(summary(tasks, rows, (batch,)))
    draw.shuffle(rows)
    draw.shuffle(tasks)
    assert msgspec.json.encode(summary(tasks, rows, (batch,))) == first


def test_the_summary_survives_json() -> None:
    found = summary([task("a", category="ERC20")], [candidate("a", Outcome.PASS)])
    data = msgspec.json.encode(found)
    assert msgspec.json.decode(data, type=Summary) == found
    plain = msgspec.json.decode(data)
    assert set(plain["metrics"]["pass_at_1"]) == {"value", "lo", "hi", "n"}
    assert plain["schema"] == 1
