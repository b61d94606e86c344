"""What is printed of the oracles themselves."""

from __future__ import annotations

from typing import Any

from solexp.report import oracles


def caught(count: int, n: int, undecided: int = 0) -> dict[str, Any]:
    return {"caught": count, "n": n, "open": undecided, "lo": None, "hi": None}


def row(wrong: int, alarms: int = 0) -> dict[str, Any]:
    return {
        "wrong": caught(wrong, 4, 1),
        "faults": {"role": caught(min(1, wrong), 1), "time": caught(max(0, wrong - 1), 3, 1)},
        "shown": caught(wrong, 4, 1),
        "hidden": caught(0, 0),
        "equivalent": caught(alarms, 1, 1),
        "kinds": {"gas": caught(alarms, 1, 1)},
        "references": caught(0, 1),
        "missed": [],
        "false_alarms": [],
    }


CALIBRATION = {
    "oracles": {"compile": row(0), "replay": row(3), "dcr": row(1, 1)},
    "together": row(3, 1),
    "missed": [
        {"name": f"Vault/{n}", "about": "time", "said": {"replay": "pass", "dcr": "vacuous"}}
        for n in range(9)
    ],
    "false_alarms": [
        {"name": "Vault/same", "about": "gas", "said": {"replay": "pass", "dcr": "fail"}}
    ],
}


def test_each_oracle_has_a_row_and_each_fault() -> None:
    grid = oracles.recall(CALIBRATION, {"every": {}}, {"per_candidate": {"dcr": 1.25}})
    assert grid is not None
    assert [each[0] for each in grid.rows] == ["replay", "dcr", "together"]
    assert grid.rows[1] == (
        *("dcr", "1/4", "25.0", "1/4", "–"),
        *("1/1", "100.0", "0/1", "2", "1.2"),
    )
    faults = oracles.faults(CALIBRATION, {"every": {}})
    assert faults is not None
    assert faults.columns == ("", "by", "mutants", "replay", "dcr", "together")
    assert faults.rows == (
        ("wrong", "role", "1", "1", "1", "1"),
        ("wrong", "time", "3", "2", "0", "2"),
        ("right", "gas", "2", "0", "1", "1"),
        ("right", "reference", "1", "0", "0", "0"),
    )


def test_where_one_oracle_asks_what_a_candidate_does_there_is_no_table() -> None:
    assert oracles.recall(CALIBRATION, None, {}) is None
    assert oracles.faults(None, {"every": {}}) is None
    assert oracles.explained(None) == []


def test_what_is_to_be_explained_stands_by_name() -> None:
    missed, alarms = oracles.explained(CALIBRATION)
    assert missed.startswith("missed by all oracles: Vault/0 (time, dcr vacuous), Vault/1")
    assert missed.endswith("Vault/7 (time, dcr vacuous) and 1 more: solexp show --json")
    assert alarms == "false alarms: Vault/same (dcr fail)"
