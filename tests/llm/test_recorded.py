"""Recorded replies answer one series of samples, and nothing twice."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from solexp.core import Batch, Prompt, UserError
from solexp.llm.model import Request
from solexp.llm.recorded import Recorded
from tests.made_tasks import whole_source

TASK = whole_source()


def request(index: int = 0, repeat: int = 0, **fields: Any) -> Request:
    batch = Batch(**{"name": "mean_of_n", "n": 3, "temperature": 0.2, "ks": (1, 3), **fields})
    prompt = Prompt(task_id="t", messages=())
    return Request(task=TASK, prompt=prompt, batch=batch, repeat=repeat, index=index)


@pytest.fixture
def model(tmp_path: Path) -> Recorded:
    rows = [{"task_id": "t", "sample": index, "text": f"reply {index}"} for index in range(3)]
    path = tmp_path / "replies.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return Recorded(str(path))


def test_sample_i_is_answered_with_reply_i(model: Recorded) -> None:
    texts = [model.complete(request(index)).text for index in range(3)]
    assert texts == ["reply 0", "reply 1", "reply 2"]


@pytest.mark.parametrize(
    ("wanted", "said"),
    [
        (request(repeat=1), "sampling.repeats: must be 1 with recorded replies"),
        (request(name="nucleus", ks=(3,)), "not both 'mean_of_n' and 'nucleus'"),
    ],
)
def test_a_reply_is_not_given_a_second_time(model: Recorded, wanted: Request, said: str) -> None:
    model.complete(request())
    with pytest.raises(UserError) as raised:
        model.complete(wanted)
    assert said in str(raised.value)
    assert str(raised.value).endswith("; choose sampling=mean_of_n")
    assert "\n" not in str(raised.value)


def test_k_1_over_several_samples_must_be_called_a_mean(model: Recorded) -> None:
    with pytest.raises(UserError, match=r"batches\.greedy\.ks: k = 1 over 3 recorded samples"):
        model.complete(request(name="greedy", temperature=0))
    assert model.complete(request(name="mean_of_n", temperature=0)).text == "reply 0"


def test_a_reply_that_is_not_there_is_named(model: Recorded) -> None:
    with pytest.raises(UserError, match="no reply 3 for task 't'; lower the samples"):
        model.complete(request(3))
