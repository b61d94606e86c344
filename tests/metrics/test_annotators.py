"""Cohen's and Fleiss' kappa over any labels, and their intervals."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from solexp.metrics.agreement import cohen
from solexp.metrics.annotators import annotated, fleiss

# Ten subjects, fourteen raters, five categories: the worked example of the textbooks, kappa 0.210.
RATED = [
    (0, 0, 0, 0, 14),
    (0, 2, 6, 4, 2),
    (0, 0, 3, 5, 6),
    (0, 3, 9, 2, 0),
    (2, 2, 8, 1, 1),
    (7, 7, 0, 0, 0),
    (3, 2, 6, 3, 0),
    (2, 5, 3, 2, 2),
    (6, 5, 2, 1, 0),
    (0, 2, 2, 3, 7),
]
LABELS = st.lists(st.sampled_from("abc"), min_size=2, max_size=30)
PAIRS = st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from("abc")), min_size=2)


def test_fleiss_is_that_of_the_worked_example() -> None:
    assert fleiss(RATED) == pytest.approx(0.210, abs=5e-4)


def test_cohen_takes_any_number_of_labels() -> None:
    # (2 0 2 2 0 1) and (0 0 2 2 0 2): four of six alike, 15/36 by chance.
    assert cohen([[2, 0, 0], [0, 0, 1], [1, 0, 2]]) == pytest.approx((4 / 6 - 15 / 36) / (21 / 36))


@given(PAIRS)
@settings(max_examples=30, deadline=None)
def test_cohen_is_that_of_an_independent_library(pairs: list[tuple[str, str]]) -> None:
    metrics = pytest.importorskip("sklearn.metrics")
    one, other = ({str(at): pair[who] for at, pair in enumerate(pairs)} for who in (0, 1))
    found = annotated({"one": one, "other": other}, resamples=2).cohen[0]
    if found.kappa is not None:
        expected = metrics.cohen_kappa_score(list(one.values()), list(other.values()))
        assert found.kappa == pytest.approx(expected)


@given(LABELS)
@settings(max_examples=30, deadline=None)
def test_annotators_who_copy_agree_perfectly_or_cannot_be_told_apart(labels: list[str]) -> None:
    own = {str(at): label for at, label in enumerate(labels)}
    found = annotated({"a": own, "b": own, "c": own}, resamples=20)
    assert found.fleiss.alike == 1.0
    assert found.fleiss.kappa == (None if len(set(labels)) == 1 else 1.0)
    assert found.disagreements == ()


def test_items_that_somebody_has_not_labelled_count_for_those_who_have() -> None:
    given_ = {
        "a": {"1": "good", "2": "bad", "3": "good"},
        "b": {"1": "good", "2": "good", "4": "bad"},
        "c": {"1": "good"},
    }
    found = annotated(given_, resamples=20)
    assert found.items == 4
    assert [(each.annotators, each.items) for each in found.cohen] == [
        (("a", "b"), 2),
        (("a", "c"), 1),
        (("b", "c"), 1),
    ]
    assert found.fleiss.items == 1
    assert [each.item for each in found.disagreements] == ["2"]
    assert found.labels["a"] == {"bad": 1, "good": 2}


def test_intervals_hang_on_the_seed_and_widen_with_the_groups() -> None:
    one = {str(at): "yes" if at % 4 else "no" for at in range(40)}
    other = one | {str(at): "no" for at in range(0, 40, 5)}
    groups = {item: str(int(item) // 10) for item in one}
    alone = annotated({"a": one, "b": other}, seed=1).fleiss
    together = annotated({"a": one, "b": other}, groups=groups, seed=1).fleiss
    assert alone == annotated({"a": one, "b": other}, seed=1).fleiss
    assert alone.lo is not None
    assert alone.kappa is not None
    assert alone.hi is not None
    assert -1 <= alone.lo <= alone.kappa <= alone.hi <= 1
    assert together.kappa == alone.kappa
    assert (together.lo, together.hi) != (alone.lo, alone.hi)


def test_what_cannot_be_compared_is_refused() -> None:
    with pytest.raises(ValueError, match="two annotators"):
        annotated({"a": {"1": "x"}})
    with pytest.raises(ValueError, match="as many labels"):
        fleiss([(1, 1), (2, 1)])
    assert fleiss([]) is None
    assert fleiss([(3, 0), (3, 0)]) is None
