"""The forecast tells what will be asked."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from solexp.core import Completion, ModelGone, Task
from solexp.generating import Wanted, generate
from solexp.generating.forecast import forecast
from solexp.llm.model import Request
from solexp.store import Store
from solexp.strategies import Dialogue
from tests.generating.parts import Scripted, ask, wanted
from tests.made_tasks import whole_source


def documented(posed: Task) -> Callable[[int], Dialogue]:
    """Documentation that all samples share, then the answer."""

    def begin(_: int) -> Dialogue:
        text = yield ask(posed, f"document {posed.id}", shared=True)
        yield ask(posed, f"write {posed.id} with {text.text}")

    return begin


def in_turns(posed: Task) -> Callable[[int], Dialogue]:
    """Three requests, the later ones by what came of those before."""

    def begin(_: int) -> Dialogue:
        said = posed.id
        for _turn in range(3):
            reply = yield ask(posed, said)
            said = f"{said}, {reply.text}"

    return begin


def spec(model: Scripted, turns: int) -> Any:
    refine = SimpleNamespace(rounds=0)
    strategy = SimpleNamespace(turns=lambda _: turns, refine=refine)
    return SimpleNamespace(model=model, strategy=strategy)


@pytest.mark.parametrize(("begun", "turns"), [(documented, 1), (in_turns, 3)])
@pytest.mark.parametrize("kept", [0, 1, 2, 3, 5, 7])
@pytest.mark.parametrize("n_per_request", [1, 2, 8])
def test_as_many_requests_are_foretold_as_are_asked(
    begun: Callable[[Task], Callable[[int], Dialogue]],
    turns: int,
    kept: int,
    n_per_request: int,
    tmp_path: Path,
) -> None:
    posed = whole_source("a")

    def samples() -> list[Wanted]:
        return [wanted("a", 3, begun(posed)), wanted("b", 2, begun(whole_source("b")))]

    store = Store(tmp_path)
    left = kept

    def until_gone(request: Request) -> Completion:
        nonlocal left
        left -= 1
        if left < 0:
            raise ModelGone("gone")
        return Completion(text=f"{request.prompt.messages[-1].content}#{request.index}")

    generate(Scripted(until_gone, n_per_request=1), samples(), store, keep=lambda _: None)
    model = Scripted(n_per_request=n_per_request)
    told = forecast(spec(model, turns), samples(), store).requests
    generate(model, samples(), store, keep=lambda _: None)
    assert told == model.calls


def test_repeats_share_what_is_asked_once(tmp_path: Path) -> None:
    posed = whole_source("a")
    once = wanted("a", 2, documented(posed))
    again = Wanted(task=posed, batch=once.batch, repeat=1, indices=once.indices, begin=once.begin)
    told = forecast(spec(Scripted(), 1), [once, again], Store(tmp_path)).samples
    assert told == 1 + 4
