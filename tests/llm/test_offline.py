"""The calibration models, and how samples are drawn."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from msgspec import structs

from solexp.core import Batch, CompilerSettings, Message, Prompt, Target, Task, UserError
from solexp.llm.model import Model, Request, generation_key
from solexp.llm.offline import Mutants, Reference, Stubs
from solexp.llm.sampling import Sampling
from solexp.python.extract import extract_program
from solexp.python.mutation import mutations
from solexp.solidity.extract import extract_contract

SOURCE = """pragma solidity ^0.8.0;
contract A {
    uint256 n;
    constructor() { n = 1; }
    modifier once() { require(n == 1); _; }
    function bump(uint256 by) external once returns (uint256) { n += by; return n; }
    function read() external view returns (uint256) { if (n > 0) { return n; } return 0; }
}
"""
START = SOURCE.index("contract")


def task(**fields: Any) -> Task:
    return Task(
        id="a",
        benchmark="hand",
        compiler=CompilerSettings(version="0.8.17"),
        sources={"a.sol": SOURCE},
        target=Target(path="a.sol", contract="A", start=START, end=len(SOURCE) - 1),
        framework="contract A {}",
        **fields,
    )


def request(index: int = 0, **fields: Any) -> Request:
    batch = Batch(name="nucleus", n=5, temperature=0.2, ks=(5,))
    prompt = Prompt(task_id="a", messages=(Message("user", "write A"),))
    return Request(
        task=fields.pop("task", task()), prompt=prompt, batch=batch, repeat=0, index=index
    )


def code(model: Model, wanted: Request) -> str | None:
    return extract_contract(model.complete(wanted).text, "A").code


def test_the_reference_answers_with_the_reference() -> None:
    assert code(Reference(), request()) == task().reference


def test_mutants_are_drawn_by_the_seed_alone() -> None:
    many = task(mutants={name: f"contract A {{ /* {name} */ }}" for name in "pqr"})
    model = Mutants(reference_share=0.5, seed=1)
    names = [model.choose(request(index, task=many)) for index in range(2000)]
    again = Mutants(reference_share=0.5, seed=1)
    assert names == [again.choose(request(index, task=many)) for index in range(2000)]
    shares = Counter(names)
    assert 0.45 < shares["reference"] / 2000 < 0.55
    assert all(0.13 < shares[name] / 2000 < 0.21 for name in "pqr")


def test_one_mutant_can_be_asked_for() -> None:
    many = task(mutants={"p": "contract A { uint p; }", "q": "contract A {}"})
    model = Mutants(reference_share=1, only="p")
    assert code(model, request(task=many)) == "contract A { uint p; }"
    assert model.complete(request(task=many)).label == "p"
    with pytest.raises(UserError, match="task a has no mutant 'qq'; did you mean 'q'"):
        Mutants(only="qq").complete(request(task=many))


def test_every_mutant_can_be_asked_for_in_turn() -> None:
    many = task(mutants={name: f"contract A {{ /* {name} */ }}" for name in "rqp"})
    model = Mutants(each=True, seed=3)
    labels = [model.complete(request(index, task=many)).label for index in range(6)]
    assert labels == ["reference", "p", "q", "r", "reference", "reference"]
    assert code(model, request(2, task=many)) == "contract A { /* q */ }"
    keys = {generation_key(each, request(1, task=many)) for each in (model, Mutants(seed=3))}
    assert len(keys) == 2
    made = [Mutants(each=True).choose(request(index, task=function())) for index in (1, 2)]
    assert made == sorted(made)
    assert len(set(made)) == 2
    with pytest.raises(UserError, match=r"model\.each: .* model\.only for 'p'"):
        Mutants(each=True, only="p")


def test_words_about_mutants_change_no_key() -> None:
    many = task(mutants={"p": "contract A {}"})
    told = structs.replace(many, mutant_faults={"p": "role"})
    assert told.content_hash == many.content_hash
    assert told.content_hash != structs.replace(told, mutant_labels={"p": "shown"}).content_hash


BUMP = "function bump(uint256 by) external once returns (uint256) { n += by; return n; }"


def function() -> Task:
    """A function without mutants of its own."""
    place = SOURCE.index(BUMP)
    target = Target(
        path="a.sol", contract="A", start=place, end=place + len(BUMP), member="bump(uint256)"
    )
    return structs.replace(task(), target=target)


def test_a_function_without_mutants_is_given_some_that_do_not_repeat() -> None:
    model, wanted = Mutants(reference_share=0.5, seed=1), function()
    answers = [model.complete(request(index, task=wanted)) for index in range(10)]
    again = [Mutants(reference_share=0.5, seed=1).complete(request(9, task=wanted))]
    assert again == answers[9:], "no other answer matters"
    names = [each.label for each in answers if each.label != "reference"]
    assert 3 <= len(names) == len(set(names))
    texts = {each.text for each in answers if each.label != "reference"}
    assert len(texts) == len(names)
    assert Reference().complete(request(task=wanted)).text not in texts
    only = Mutants(only=names[0]).complete(request(task=wanted))
    assert only.text in texts
    assert only.label == names[0]
    with pytest.raises(UserError, match="has no mutant 'returned@1'"):
        Mutants(only="returned@1").complete(request(task=wanted))


def test_a_contract_without_mutants_is_answered_with_the_reference() -> None:
    assert Mutants(reference_share=0).complete(request()).label == "reference"


def test_a_share_beyond_one_is_refused() -> None:
    with pytest.raises(UserError, match="reference_share"):
        Mutants(reference_share=1.5)


def test_stubs_keep_everything_but_the_functions_bodies() -> None:
    stub = code(Stubs("empty"), request())
    assert stub is not None
    assert "constructor() { n = 1; }" in stub
    assert "modifier once() { require(n == 1); _; }" in stub
    assert "returns (uint256) {}" in stub
    assert "n += by" not in stub
    assert "return" not in stub.replace("returns", "")
    reverting = code(Stubs("revert"), request())
    assert reverting is not None
    assert reverting.count("{ revert(); }") == 2


def test_raising_n_keeps_the_keys_of_the_samples_that_are_there() -> None:
    small = request(3)
    large = Request(
        task=small.task,
        prompt=small.prompt,
        batch=Batch(name="nucleus", n=10, temperature=0.2, ks=(5, 10)),
        repeat=0,
        index=3,
    )
    assert generation_key(Reference(), small) == generation_key(Reference(), large)
    assert generation_key(Reference(), small) != generation_key(Reference(), request(4))
    assert generation_key(Reference(), small) != generation_key(Stubs(), small)


def test_samples_with_one_key_have_one_answer_and_a_paid_answer_outlives_its_batchs_name() -> None:
    many = task(mutants={name: f"contract A {{ /* {name} */ }}" for name in "pqr"})
    answers: dict[str, set[str]] = {}
    for name in ("greedy", "nucleus", "mean_of_n"):
        for index in range(20):
            wanted = structs.replace(
                request(index, task=many), batch=Batch(name=name, n=20, temperature=0.2)
            )
            key = generation_key(Mutants(), wanted)
            answers.setdefault(key, set()).add(Mutants().complete(wanted).text)
    assert len(answers) == 60
    assert all(len(texts) == 1 for texts in answers.values())

    class Paid(Reference):
        paid = True

    renamed = structs.replace(request(), batch=Batch(name="other", n=5, temperature=0.2))
    assert generation_key(Paid(), renamed) == generation_key(Paid(), request())


def batch(**fields: Any) -> dict[str, dict[str, Any]]:
    return {"nucleus": {"n": 5, "temperature": 0.2, "ks": [3, 5], **fields}}


@pytest.mark.parametrize(
    ("batches", "message"),
    [
        (batch(ks=[1, 5]), "k = 1 comes from a greedy sample"),
        (batch(n=0), "at least 1"),
        (batch(temperature=3), "between 0 and 2"),
        (batch(top_p=0), "top_p"),
        (batch(ks=[0]), "every k"),
        (batch(n=4), "k = 5 needs at least that many samples, n is 4"),
        (batch(temprature=1), "temprature"),
        (batch() | {"greedy": {"n": 3, "ks": [1, 3]}}, "k = 3 is served by both"),
        ({}, "at least one batch"),
    ],
)
def test_wrong_batches_are_refused(batches: dict[str, dict[str, Any]], message: str) -> None:
    with pytest.raises(UserError, match=message):
        Sampling(batches)


def test_mean_of_n_is_the_name_under_which_nucleus_samples_serve_k_1() -> None:
    sampling = Sampling({"mean_of_n": {"n": 5, "temperature": 0.2, "ks": [1, 3, 5]}})
    assert sampling.batches[0].ks == (1, 3, 5)


PROGRAM = "def half(x):\n    assert x >= 0\n    return x // 2"


def python_task(**fields: Any) -> Task:
    return Task(
        id="a",
        benchmark="hand",
        language="python",
        compiler=CompilerSettings(version=""),
        sources={"half.py": PROGRAM},
        target=Target(path="half.py", contract="", start=0, end=len(PROGRAM), member="half"),
        framework="",
        **fields,
    )


def program(model: Model, wanted: Request) -> str | None:
    return extract_program(model.complete(wanted).text, "half").code


def test_python_functions_are_answered_too() -> None:
    wanted = request(task=python_task())
    assert program(Reference(), wanted) == PROGRAM
    assert program(Stubs(), wanted) == "def half(x):\n    pass"
    assert program(Stubs("revert"), wanted) == "def half(x):\n    raise NotImplementedError"


def test_mutants_of_python_functions_do_not_repeat_before_all_were_drawn() -> None:
    every = len(mutations(PROGRAM, "half"))
    model = Mutants(reference_share=0, seed=3)
    wanted = [request(index, task=python_task()) for index in range(every)]
    programs = [program(model, each) for each in wanted]
    assert len(set(programs)) == every and PROGRAM not in programs
    assert model.choose(request(every, task=python_task())) == model.choose(wanted[0])
    name = model.choose(wanted[0])
    assert program(Mutants(only=name), request(task=python_task())) == programs[0]
    with pytest.raises(UserError, match="task a has no mutant 'x'"):
        Mutants(only="x").complete(wanted[0])
