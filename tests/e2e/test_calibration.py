"""Every labelled mutant is judged once, and what an oracle makes of it is told."""

from __future__ import annotations

from tests.e2e.conftest import Trial


def test_every_mutant_of_a_task_is_drawn_and_counted(trial: Trial) -> None:
    words = ("model=mutants", "model.each=true", "oracle=[length]", "tracking=none")
    said = trial.solexp(
        *("run", *words, "benchmark.ids=[HouseholdWallet]", "sampling.batches.greedy.n=12")
    )
    (run,) = trial.runs()
    found = run.summary["calibration"]
    caught = found["oracles"]["length"]
    assert len(found["not_drawn"]) == 4
    assert "; 4 labelled mutants were not drawn: raise the sampling's n" in said
    assert caught["wrong"]["caught"] == caught["wrong"]["n"]
    assert caught["equivalent"]["caught"] == caught["equivalent"]["n"]
    assert caught["wrong"]["n"] + caught["equivalent"]["n"] == 11
    assert (caught["references"]["caught"], caught["references"]["n"]) == (0, 1)
    assert found["missed"] == []
    assert sum(each["n"] for each in caught["faults"].values()) == caught["wrong"]["n"]
    assert {"role", "order"} <= set(caught["faults"])
    labels = [str(row.completion.label) for row in run.generations()]
    assert labels[0] == "reference"
    assert labels[1:] == sorted(set(labels[1:]))
