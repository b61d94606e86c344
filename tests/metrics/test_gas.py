"""What candidates cost in gas: the median saving, what was measured at all, and the Fee between runs."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from solexp.core import Batch, Outcome, Verdict
from solexp.metrics.estimators import bootstrap_median
from solexp.metrics.gas import RunGas, TaskGas, fee, gas_metrics, run_gas
from solexp.metrics.scores import Judged, judged
from solexp.metrics.summary import summarise
from solexp.store.runfolder import TaskRow

Measured = tuple[int, int] | None
"""Gas of the reference and of the candidate; None where no unit test reaches the function."""


def sample(
    task: str,
    index: int,
    measured: Measured,
    *,
    function: Measured = None,
    tests: Outcome = Outcome.PASS,
) -> list[Verdict]:
    """The verdicts of a sample as the oracles ``tests`` and ``gas`` give them."""
    measures: dict[str, float | int | bool | str | None] = {}
    outcome = tests
    if tests is Outcome.PASS:
        measures["gas_tests"] = 0 if measured is None else 1
        outcome = Outcome.UNDECIDABLE if measured is None else Outcome.PASS
        for prefix, pair in (("gas", measured), ("gas_function", function)):
            if pair is not None:
                measures |= {f"{prefix}_reference": pair[0], f"{prefix}_candidate": pair[1]}
    return [
        Verdict(task_id=task, batch="mean_of_n", repeat=0, index=index, oracle=oracle, **fields)
        for oracle, fields in (
            ("tests", {"outcome": tests}),
            ("gas", {"outcome": outcome, "measures": measures}),
        )
    ]


def candidates(*rows: list[Verdict]) -> list[Judged]:
    return judged(verdict for row in rows for verdict in row)


def test_a_saving_is_what_the_reference_uses_more_and_a_task_counts_once() -> None:
    rows = candidates(
        sample("cheap", 0, (1000, 900), function=(100, 0)),
        sample("cheap", 1, (1000, 700)),
        sample("dear", 0, (1000, 1100), function=(100, 200)),
        sample("same", 0, (500, 500)),
    )
    found = gas_metrics(rows, ["tests"], seed=1)
    assert found["gas.saving_median"].value == 0.0  # of 0.2, -0.1 and 0
    assert found["gas.saving_median"].n == 3
    assert found["gas.saving_median"].lo is found["gas.saving_median"].hi is None
    assert found["gas.function_saving_median"].value == 0.0  # of 1 and -1
    gas = run_gas(rows, ["tests"])
    assert gas is not None
    assert gas.tasks["cheap"] == TaskGas(reference=1000, samples=(900, 700))
    assert gas.tasks["cheap"].saving == pytest.approx(0.2)
    assert gas.tasks["dear"].saving == pytest.approx(-0.1)


def test_only_samples_that_pass_count_and_those_without_a_unit_test_are_not_covered() -> None:
    rows = candidates(
        sample("a", 0, (1000, 900)),
        sample("a", 1, (1000, 1), tests=Outcome.FAIL),
        sample("b", 0, None),
        sample("b", 1, None),
        sample("c", 0, None, tests=Outcome.COMPILE_ERROR),
        sample("d", 0, None, tests=Outcome.VACUOUS),
    )
    gas = run_gas(rows, ["tests"])
    assert gas == RunGas(
        solved={"a": (1, 1), "b": (2, 0)}, tasks={"a": TaskGas(reference=1000, samples=(900,))}
    )
    coverage = gas_metrics(rows, ["tests"], seed=1)["gas.coverage"]
    assert coverage.value == pytest.approx(1 / 3)
    assert coverage.n == 2
    assert coverage.lo is not None
    assert coverage.lo <= coverage.value


def test_a_sample_that_another_deciding_oracle_fails_is_not_measured() -> None:
    rows = sample("a", 0, (1000, 900))
    rows.append(
        Verdict(
            task_id="a",
            batch="mean_of_n",
            repeat=0,
            index=0,
            oracle="compile",
            outcome=Outcome.COMPILE_ERROR,
        )
    )
    gas = run_gas(judged(rows), ["compile", "tests"])
    assert gas == RunGas(solved={}, tasks={})


def test_a_run_without_the_oracle_has_no_figures() -> None:
    rows = [row for row in sample("a", 0, (10, 9)) if row.oracle == "tests"]
    assert run_gas(judged(rows), ["tests"]) is None
    assert gas_metrics(judged(rows), ["tests"], seed=1) == {}


def test_the_summary_holds_the_figures() -> None:
    rows = [row for n in range(8) for row in sample(f"t{n}", 0, (100, 90 + n))]
    found = summarise(
        [TaskRow(id=f"t{n}", hash="") for n in range(8)],
        rows,
        [Batch(name="mean_of_n", n=1, ks=(1,))],
        seed=1,
        oracles={"tests": True, "gas": False},
    ).metrics
    saving = found["gas.saving_median"]
    assert saving.value == pytest.approx(0.065)
    assert saving.lo is not None
    assert saving.hi is not None
    assert 0.03 <= saving.lo < saving.value < saving.hi <= 0.1
    assert found["gas.coverage"].value == 1.0
    assert found["pass_at_1"].value == 1.0


def test_the_interval_of_a_median_holds_the_true_one_as_often_as_it_says() -> None:
    import numpy as np  # noqa: PLC0415

    random = np.random.default_rng(7)
    held = 0
    for trial in range(300):
        values = random.exponential(size=25)
        _, lo, hi = bootstrap_median(list(values), seed=trial, resamples=400)
        assert lo is not None
        assert hi is not None
        held += lo <= np.log(2) <= hi
    assert 0.91 <= held / 300 <= 0.99


def run(**tasks: tuple[int, ...]) -> RunGas:
    """Each task's reference, and what its passing samples use; with the reference alone it is not measured."""
    return RunGas(
        solved={task: (max(1, len(gas) - 1), len(gas) - 1) for task, gas in tasks.items()},
        tasks={
            task: TaskGas(reference=gas[0], samples=gas[1:])
            for task, gas in tasks.items()
            if len(gas) > 1
        },
    )


def test_the_fee_is_over_what_all_runs_solve_and_positive_where_candidates_are_cheaper() -> None:
    cheaper = run(a=(100, 80, 90), b=(200, 150), only=(999, 1), fuzzed=(1,))
    dearer = run(a=(100, 130), b=(200, 200), fuzzed=(1,))
    found = fee([cheaper, dearer], seed=1)
    assert [each.value for each in found.fees] == [65.0, -30.0]
    assert {each.tasks for each in found.fees} == {2}
    assert {each.solved_by_all for each in found.fees} == {3}
    first, second = found.fees
    assert first.saving_median is not None
    assert first.saving_median.value == pytest.approx(0.2)
    assert first.coverage is not None
    assert first.coverage.value == pytest.approx(4 / 5)
    assert second.coverage is not None
    assert second.coverage.value == pytest.approx(2 / 3)


def test_references_that_were_measured_otherwise_are_not_compared() -> None:
    with pytest.raises(ValueError, match=r"^a$"):
        fee([run(a=(100, 80)), run(a=(101, 80))], seed=1)


REFERENCES = {f"t{n}": 100 + n for n in range(6)}
gases = st.integers(1, 400)
runs = st.dictionaries(st.sampled_from(sorted(REFERENCES)), st.lists(gases, max_size=3)).map(
    lambda tasks: run(**{task: (REFERENCES[task], *used) for task, used in tasks.items()})
)


@given(st.data(), st.lists(runs, min_size=1, max_size=4))
def test_the_fee_is_the_same_in_whatever_order_runs_come(
    data: st.DataObject, compared: list[RunGas]
) -> None:
    order = data.draw(st.permutations(range(len(compared))))
    here, there = fee(compared, seed=1), fee([compared[place] for place in order], seed=1)
    assert here.hash == there.hash
    assert there.fees == tuple(here.fees[place] for place in order)


@given(st.lists(runs, min_size=1, max_size=4), runs)
def test_another_run_can_only_make_the_tasks_fewer(compared: list[RunGas], other: RunGas) -> None:
    before, after = fee(compared, seed=1), fee([*compared, other], seed=1)
    assert after.fees[0].solved_by_all <= before.fees[0].solved_by_all
    assert after.fees[0].tasks <= before.fees[0].tasks
    assert after.hash != before.hash


@given(runs, runs)
def test_another_figure_is_another_set(one: RunGas, other: RunGas) -> None:
    assert (fee([one], seed=1).hash == fee([other], seed=1).hash) == (one == other)


@given(runs)
def test_a_run_of_references_alone_has_no_fee(any_run: RunGas) -> None:
    same = RunGas(
        solved=any_run.solved,
        tasks={
            task: TaskGas(reference=gas.reference, samples=(gas.reference,) * len(gas.samples))
            for task, gas in any_run.tasks.items()
        },
    )
    [found] = fee([same], seed=1).fees
    assert found.value == 0.0
