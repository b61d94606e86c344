"""Functions as tasks and rounds of refinement, as a person reads them."""

from __future__ import annotations

from solexp.report import levels

HALF = {"value": 0.5, "lo": 0.25, "hi": 0.75, "n": 4}
LOSS = {"value": -0.25, "lo": -0.5, "hi": 0.0, "n": 4}


def test_functions_and_contracts_have_a_row_each_with_compile_before_pass() -> None:
    grid = levels.functions(
        {"fpr_p_at_1": HALF, "fpr_c_at_1": HALF, "cfpr_c.together_at_1": {**HALF, "n": 2}}
    )
    assert grid is not None
    assert grid.columns == ("share of", "n", "compile @1", "pass @1")
    assert grid.rows == (
        ("functions", "4", "50.0 [25.0, 75.0]", "50.0 [25.0, 75.0]"),
        ("contracts, all functions together", "2", "50.0 [25.0, 75.0]", "–"),
    )


def test_rounds_show_what_was_gained_and_what_was_lost() -> None:
    grid = levels.rounds(
        {
            "pass_rate": HALF,
            "round0.pass_rate": HALF,
            "round1.pass_rate": HALF,
            "gain.pass_rate": LOSS,
        }
    )
    assert grid is not None
    assert [row[0] for row in grid.rows] == ["first answers", "after round 1", "gained"]
    assert grid.rows[-1][1] == "-25.0 [-50.0, 0.0]"


def test_a_run_of_whole_contracts_without_refinement_has_neither() -> None:
    assert levels.functions({"pass_at_1": HALF, "pass_rate": HALF}) is None
    assert levels.rounds({"pass_at_1": HALF, "pass_rate": HALF}) is None
