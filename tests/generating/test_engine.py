"""Every sample is asked for once, whatever comes between."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from solexp.core import (
    Completion,
    FinishReason,
    Generation,
    ModelGone,
    Prompt,
    RequestFailed,
    UserError,
)
from solexp.generating import Halted, Wanted, generate
from solexp.llm.model import Request
from solexp.llm.offline import Reference
from solexp.store import Store
from solexp.strategies import Dialogue
from tests.generating.parts import Scripted, ask, wanted
from tests.llm.served.asking import model_of
from tests.llm.served.server import N_IGNORED, LoopbackServer, status
from tests.made_tasks import whole_source


def had(
    model: Scripted | Reference, samples: Iterable[Wanted], folder: Path
) -> tuple[list[Generation], Halted]:
    found: list[Generation] = []
    halted = generate(model, samples, Store(folder), keep=found.append)
    return sorted(found, key=lambda g: (g.task_id, g.index)), halted


def test_every_sample_of_every_task_is_had(tmp_path: Path) -> None:
    model = Scripted()
    found, halted = had(model, [wanted("a", 3), wanted("b", 2)], tmp_path)
    assert [g.completion.text for g in found] == ["a#0", "a#1", "a#2", "b#0", "b#1"]
    assert halted.told() is None


def test_samples_drawn_alike_are_one_call(tmp_path: Path) -> None:
    model = Scripted()
    had(model, [wanted("a", 5)], tmp_path)
    assert model.calls == 1


def test_groups_are_begun_as_earlier_ones_end(tmp_path: Path) -> None:
    begun = 0
    seen: list[int] = []

    def groups() -> Iterator[Wanted]:
        nonlocal begun
        for i in range(40):
            begun += 1
            yield wanted(f"t{i:02}")

    model = Scripted(concurrency=3)
    generate(model, groups(), Store(tmp_path), keep=lambda _: seen.append(begun))
    assert seen[0] <= 7
    assert model.most_at_once <= 6


def test_what_was_answered_is_never_asked_again_and_needs_no_connection(tmp_path: Path) -> None:
    first, _ = had(Scripted(), [wanted("a", 5)], tmp_path)
    model = Scripted()
    again, _ = had(model, [wanted("a", 5)], tmp_path)
    assert again == first
    assert (model.asked, model.opened) == ([], 0)


def test_more_samples_ask_only_for_those_that_are_missing(tmp_path: Path) -> None:
    had(Scripted(), [wanted("a", 5)], tmp_path)
    model = Scripted()
    found, _ = had(model, [wanted("a", 10)], tmp_path)
    assert len(found) == 10
    assert sorted(request.index for request in model.asked) == [5, 6, 7, 8, 9]


def test_another_model_or_another_prompt_is_another_question(tmp_path: Path) -> None:
    had(Scripted(), [wanted("a")], tmp_path)
    other, changed = Scripted(name="other"), Scripted()
    had(other, [wanted("a")], tmp_path)
    had(changed, [wanted("b")], tmp_path)
    assert (len(other.asked), len(changed.asked)) == (1, 1)


def test_a_dialogue_goes_on_from_each_samples_own_replies(tmp_path: Path) -> None:
    posed = whole_source("a")

    def begin(_: int) -> Dialogue:
        first = yield ask(posed, "first")
        yield ask(posed, f"then {first.text}")

    found, _ = had(Scripted(), [wanted("a", 2, begin)], tmp_path)
    assert [[c.text for c in g.completions] for g in found] == [
        ["first#0", "then first#0#0"],
        ["first#1", "then first#1#1"],
    ]
    assert len({g.prompts for g in found}) == 2


def test_what_all_samples_share_is_asked_once(tmp_path: Path) -> None:
    posed = whole_source("a")

    def begin(_: int) -> Dialogue:
        text = yield ask(posed, "document it", shared=True)
        yield ask(posed, f"with {text.text}")

    model = Scripted()
    found, _ = had(model, [wanted("a", 3, begin), wanted("a", 4, begin)], tmp_path)
    asked = [request.prompt.messages[0].content for request in model.asked]
    assert asked.count("document it") == 1
    assert {g.earlier[0].text for g in found} == {"document it#0"}
    assert {g.shared for g in found} == {(found[0].prompts[0],)}


def test_a_request_that_fails_costs_its_sample_alone(tmp_path: Path) -> None:
    def answer(request: Request) -> Completion:
        if request.task.id == "b":
            raise RequestFailed("500 five times")
        return Completion(text="fine")

    found, halted = had(Scripted(answer), [wanted("a"), wanted("b"), wanted("c")], tmp_path)
    assert [g.task_id for g in found] == ["a", "c"]
    assert halted.failed == ["b nucleus/0/0: 500 five times"]
    assert halted.told() == ("1 samples could not be had, the first: b nucleus/0/0: 500 five times")


def test_a_model_that_is_gone_ends_the_asking_and_leaves_what_there_is(tmp_path: Path) -> None:
    def answer(request: Request) -> Completion:
        if request.task.id == "t03":
            raise ModelGone("nothing answers")
        return Completion(text="fine")

    model = Scripted(answer, concurrency=1)
    found, halted = had(model, [wanted(f"t{i:02}") for i in range(9)], tmp_path)
    assert [g.task_id for g in found][:3] == ["t00", "t01", "t02"]
    assert len(found) < 6
    assert halted.told() == "stopped asking: nothing answers"


def test_what_the_user_must_mend_is_raised(tmp_path: Path) -> None:
    def answer(_: Request) -> Completion:
        raise UserError("no key")

    with pytest.raises(UserError, match="no key"):
        had(Scripted(answer), [wanted("a"), wanted("b")], tmp_path)


@pytest.mark.parametrize("concurrency", [1, 8])
def test_a_limit_of_tokens_stops_before_it_is_passed(tmp_path: Path, concurrency: int) -> None:
    # Each request takes 10 tokens and may take 15: the fifth would fit, if it were known beforehand.
    model = Scripted(concurrency=concurrency, max_tokens_total=50)
    found, halted = had(model, [wanted(f"t{i:02}") for i in range(20)], tmp_path)
    assert len(found) == 4
    assert "model.max_tokens_total=50 would be passed" in str(halted.reason)


def test_a_limit_of_cost_stops_before_it_is_passed_and_goes_on_when_it_is_raised(
    tmp_path: Path,
) -> None:
    model = Scripted(max_cost_usd=0.05)
    found, halted = had(model, [wanted(f"t{i:02}") for i in range(9)], tmp_path)
    assert len(found) == 4
    assert "model.max_cost_usd=0.05 would be passed" in str(halted.reason)
    richer = Scripted(max_cost_usd=1.0)
    found, halted = had(richer, [wanted(f"t{i:02}") for i in range(9)], tmp_path)
    assert (len(found), len(richer.asked), halted.reason) == (9, 5, None)


def test_samples_that_are_asked_for_singly_after_all_stay_within_the_limit(tmp_path: Path) -> None:
    with LoopbackServer() as server:
        server.always = N_IGNORED
        samples = wanted("a", 4)
        first = next(samples.begin(0)).prompt
        worst = model_of(server).at_most(first, samples.batch, 1)[0]
        # As much as four samples of one request may take, of which each in the end has a prompt of its own.
        model = model_of(server, n_per_request=4, max_tokens_total=4 * worst - 1)
        halted = generate(model, [samples], Store(tmp_path), keep=lambda _: None)
        assert server.count == 0
    assert "max_tokens_total" in str(halted.reason)


def test_replies_that_came_before_a_failure_count_as_spent(tmp_path: Path) -> None:
    with LoopbackServer(script=(N_IGNORED,)) as server:
        server.script.extend([status(500, "broken")] * 3)
        model = model_of(server, n_per_request=2, tries=3, max_tokens_total=100_000)
        found: list[Generation] = []
        generate(model, [wanted("a", 2)], Store(tmp_path), keep=found.append)
        used = found[0].completion.usage
    assert len(found) == 1
    assert model.budget.tokens == (used.prompt_tokens or 0) + (used.completion_tokens or 0) > 0


def test_a_limit_of_cost_without_a_price_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"model\.prices"):
        had(Scripted(max_cost_usd=1.0, price=None), [wanted("a")], tmp_path)


def test_a_prompt_that_is_too_long_is_an_answer(tmp_path: Path) -> None:
    def answer(_: Request) -> Completion:
        return Completion(text="", finish=FinishReason.CONTEXT)

    found, halted = had(Scripted(answer), [wanted("a")], tmp_path)
    assert found[0].completion.finish is FinishReason.CONTEXT
    assert halted.told() is None


def test_prompts_are_shown_before_they_are_sent(tmp_path: Path) -> None:
    shown: list[Prompt] = []
    model = Scripted()
    generate(model, [wanted("a", 2)], Store(tmp_path), keep=lambda _: None, show=shown.append)
    assert [prompt.messages[0].content for prompt in shown] == ["a"]


def test_models_that_cost_nothing_are_asked_in_order_and_not_kept(tmp_path: Path) -> None:
    found, _ = had(Reference(), [wanted("b"), wanted("a")], tmp_path)
    assert [g.task_id for g in found] == ["a", "b"]
    assert not list(tmp_path.rglob("*.json"))


def test_what_a_request_brought_is_kept_though_others_of_its_group_fail(tmp_path: Path) -> None:
    def answer(request: Request) -> Completion:
        if request.index == 3:
            raise UserError("over")
        return Completion(text="paid for")

    with pytest.raises(UserError, match="over"):
        had(Scripted(answer, n_per_request=1), [wanted("a", 5)], tmp_path)
    model = Scripted(n_per_request=1)
    had(model, [wanted("a", 5)], tmp_path)
    assert 3 in {request.index for request in model.asked}
    assert len(model.asked) < 5


def test_what_is_made_of_a_reply_in_a_thread_holds_up_nobody_else(tmp_path: Path) -> None:
    others_are_done = threading.Event()
    posed = whole_source("slow")

    def slow(_: int) -> Dialogue:
        reply = yield ask(posed, "first", works=True)
        assert threading.current_thread() is not threading.main_thread()
        assert others_are_done.wait(20)
        yield ask(posed, f"then {reply.text}")

    def quick(_: int) -> Dialogue:
        yield ask(posed, "quick")
        others_are_done.set()

    groups = [wanted("slow", 1, slow), wanted("quick", 1, quick)]
    found, halted = had(Scripted(), groups, tmp_path)
    assert halted.told() is None
    assert [g.completion.text for g in found] == ["quick#0", "then first#0#0"]


def test_what_goes_wrong_in_a_thread_is_raised(tmp_path: Path) -> None:
    posed = whole_source("a")

    def broken(_: int) -> Dialogue:
        yield ask(posed, "first", works=True)
        raise UserError("mend this")

    with pytest.raises(UserError, match="mend this"):
        had(Scripted(), [wanted("a", 1, broken)], tmp_path)
