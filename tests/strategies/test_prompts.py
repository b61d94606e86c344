"""What prompts show, and what they must not."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from solexp.benchmarks.solcontracteval import SolContractEval
from solexp.benchmarks.starter import Starter
from solexp.core import Completion, Prompt, Task, UserError
from solexp.solidity.comments import comment_words, comments, without_comments
from solexp.solidity.functions import without_bodies
from solexp.strategies import WholeContract
from solexp.strategies.context.given import Given
from solexp.strategies.examples.chosen import Chosen
from solexp.strategies.examples.ranking import Drawn
from solexp.strategies.function import Function
from solexp.strategies.prompted import Prompted
from solexp.strategies.refine.again import Again
from solexp.strategies.sequential import Sequential, open_members
from solexp.strategies.templates import Template, bounded, names

STARTER = list(Starter(version=1).tasks())
KINDS = [WholeContract, Function, Sequential]
RUN = 8
"""So many words in a row that stand in a comment of the original give it away."""


def prompts(strategy: Prompted, task: Task, reply: str = "") -> list[Prompt]:
    """All requests of a dialogue that is given the same reply each time."""
    dialogue = strategy.dialogue(task)
    found = [next(dialogue).prompt]
    while True:
        try:
            found.append(dialogue.send(Completion(text=reply)).prompt)
        except StopIteration:
            return found


def text_of(prompt: Prompt) -> str:
    return "\n".join(message.content for message in prompt.messages) + prompt.suffix


def runs(words: list[str]) -> set[tuple[str, ...]]:
    return {tuple(words[at : at + RUN]) for at in range(len(words) - RUN + 1)}


def given_away(task: Task, text: str) -> set[tuple[str, ...]]:
    """Runs of words that ``text`` shares with comments of the task's sources."""
    shown = runs(re.findall(r"\w+", text))
    said: set[tuple[str, ...]] = set()
    for source in (*task.sources.values(), task.framework):
        for words in comment_words(source):
            said |= runs(words)
    code = runs(re.findall(r"\w+", " ".join(without_comments(s) for s in task.sources.values())))
    return (shown & said) - code


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("natspec", ["none", "model"])
def test_without_the_data_sets_documentation_no_original_comment_is_shown(
    kind: Any, natspec: str
) -> None:
    strategy = kind(natspec=natspec, context=Given())
    for task in STARTER[::4]:
        for posed in strategy.expand([task])[:6]:
            for prompt in prompts(strategy, posed):
                assert not given_away(task, text_of(prompt))


@pytest.mark.parametrize("kind", KINDS)
def test_no_original_comment_of_contracts_from_the_chain_is_shown(
    kind: Any, data_home: Path
) -> None:
    tasks = SolContractEval(path=str(data_home / "solcontracteval"), limit=8, seed=3).tasks()
    strategy = kind(natspec="none", context=Given())
    for task in tasks:
        for posed in strategy.expand([task])[:4]:
            for prompt in prompts(strategy, posed):
                assert not given_away(task, text_of(prompt))


def test_the_check_on_comments_can_fail() -> None:
    strategy = WholeContract(natspec="task", context=Given())
    assert any(given_away(task, text_of(prompts(strategy, task)[0])) for task in STARTER)


@pytest.mark.parametrize("kind", KINDS)
def test_no_body_of_the_reference_is_shown(kind: Any) -> None:
    strategy = kind(context=Given())
    for task in STARTER[::5]:
        marks = [
            line.strip()
            for line in without_comments(task.reference).splitlines()
            if line.startswith("        ") and line.strip().endswith(";") and len(line.strip()) > 25
        ]
        # What modifiers say is shown, so it is no body's alone.
        outline = task.context + without_bodies(task.reference, open_members(task))
        lines = [line for line in marks if line not in outline]
        assert lines
        for posed in strategy.expand([task])[:3]:
            # Of a function's contract all else is shown, so only its own lines count.
            own = [line for line in lines if line in posed.reference]
            text = text_of(prompts(strategy, posed)[0])
            if kind is not Function:
                assert [line for line in own if line in text] == []
            else:
                framework = posed.framework
                assert [line for line in own if text.count(line) > framework.count(line)] == []


def test_freshly_written_documentation_stands_above_its_function() -> None:
    task = next(task for task in STARTER if task.id == "TideAuction")
    reply = (
        "```solidity\ncontract TideAuction {\n"
        "    /// @notice Newly written words on buying.\n"
        "    function buy(uint256 count) external payable;\n"
        "    /** @notice Newly written words\n     *  on two lines. */\n"
        "    function close() external;\n}\n```"
    )
    strategy = WholeContract(natspec="model")
    written, asked = prompts(strategy, task, reply)
    assert "require(" in text_of(written)
    text = text_of(asked)
    assert re.search(r"words on buying\.\n\s*function buy\(uint256 count\)", text)
    assert re.search(r"/// on two lines\.\n\s*function close\(\)", text)


def test_documentation_is_written_once_for_all_samples() -> None:
    ask = next(WholeContract(natspec="model").dialogue(STARTER[0]))
    assert ask.shared
    assert ask.batch is not None
    assert ask.batch.temperature == 0


def test_later_functions_see_the_bodies_that_were_written_before() -> None:
    task = next(task for task in STARTER if task.id == "GatePass")
    strategy = Sequential()
    dialogue = strategy.dialogue(task)
    first = next(dialogue).prompt
    signature = str(first.holds["function"])
    header = text_of(first).splitlines()[-1]
    second = dialogue.send(Completion(text=f"{header} {{ /* mine */ revert('as I wrote it'); }}"))
    assert "as I wrote it" not in text_of(first)
    assert "as I wrote it" in text_of(second.prompt)
    assert second.prompt.holds["function"] != signature


@pytest.mark.parametrize("name", names())
def test_every_layout_keeps_to_the_schema_of_variables(name: str) -> None:
    assert Template(name).fingerprint()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "{% block user %}{{ contarct }}{% endblock %}",
            "no variable 'contarct'; did you mean 'contract'",
        ),
        ("{% block usr %}{% endblock %}", "no block 'usr'; did you mean 'user'"),
        ("{% block user %}{{ contract }", "line 1"),
        ("{{ contract }}", "needs a block 'user'"),
        ("{% block user %}{% include '/etc/hostname' %}{% endblock %}", "can include"),
    ],
)
def test_a_template_of_ones_own_is_checked_at_once(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "mine.jinja"
    path.write_text(text)
    with pytest.raises(UserError, match=re.escape(said)):
        Template(str(path))


@pytest.mark.parametrize(
    ("inside", "said"),
    [
        ("{{ 1 / 0 }}", "division by zero"),
        ("{{ contract + 1 }}", "concatenate"),
        ("{{ contract.__class__.__mro__ }}", "unsafe"),
        ("{{ examples[7].code }}", "no element 7"),
        ("{{ 'a' * 10000000000 }}", "more than 10,000,000 characters"),
        ("{{ 9 ** 99999999 }}", "more than 10,000,000 characters"),
        ("{% for i in range(9999) %}{{ 'a' * 9999 }}{% endfor %}", "characters"),
        ("{% for i in range(10000000) %}{% endfor %}", "Range too big"),
        (
            "{% for i in range(99999) %}{% for j in range(99999) %}{% endfor %}{% endfor %}",
            "seconds",
        ),
    ],
)
def test_a_template_that_fails_or_has_no_end_is_told_in_one_line(
    tmp_path: Path, inside: str, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bounded, "MOST_SECONDS", 0.3)
    path = tmp_path / "mine.jinja"
    path.write_text(f"{{% block user %}}{inside}{{% endblock %}}")
    with pytest.raises(UserError, match=re.escape(said)) as caught:
        prompts(WholeContract(template=str(path)), STARTER[0])
    assert "mine.jinja" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_template_that_is_no_text_is_told(tmp_path: Path) -> None:
    path = tmp_path / "mine.jinja"
    path.write_bytes(b"\xff\xfe{% block user %}")
    with pytest.raises(UserError, match=r"mine\.jinja"):
        Template(str(path))


def test_a_template_of_ones_own_is_used(tmp_path: Path) -> None:
    path = tmp_path / "mine.jinja"
    path.write_text("{% block user %}Do {{ contract }} for {{ version }}.{% endblock %}")
    task = STARTER[0]
    prompt = prompts(WholeContract(template=str(path)), task)[0]
    assert text_of(prompt) == f"Do {task.target.contract} for {task.compiler.version}."


def test_an_unknown_layout_is_refused_with_the_nearest() -> None:
    with pytest.raises(UserError, match="did you mean 'solbehave'"):
        Template("solbehav")
    with pytest.raises(UserError, match=r"^strategy.refine.templates: no layout 'repairr'"):
        Again(["repairr"], source="compiler")


def test_raw_forms_end_with_the_beginning_of_the_answer() -> None:
    task = Function().expand(STARTER[:1])[0]
    prefix = prompts(Function(template="soleval", form="completion"), task)[0]
    assert prefix.messages[-1].content.splitlines()[-1].startswith(("function", "constructor"))
    gap = prompts(Function(form="infill"), task)[0]
    assert gap.messages[-1].content.endswith("{")
    assert gap.suffix.startswith("}")


def test_a_whole_contract_leaves_no_gap_to_fill() -> None:
    with pytest.raises(UserError, match=r"strategy\.form"):
        WholeContract(form="infill")


def test_shots_without_examples_are_refused() -> None:
    with pytest.raises(UserError, match=r"strategy\.shots"):
        WholeContract(shots=1)


@given(st.text(alphabet="ab \"'/*\n\\;{}", max_size=60))
def test_taking_comments_out_leaves_none(source: str) -> None:
    assert comments(without_comments(without_comments(source))) == []


def test_strings_that_look_like_comments_stay() -> None:
    source = 'string url = "https://a.b/*c*/"; // gone\nuint a; /* gone */ uint b;\n'
    assert without_comments(source) == 'string url = "https://a.b/*c*/";\nuint a;   uint b;\n'


def test_a_sequence_of_functions_is_shown_functions_as_examples() -> None:
    strategy = Sequential(shots=2, examples=Chosen(by=Drawn(seed=1), pool="tasks"))
    strategy.prepare(STARTER[:1], STARTER)
    shown = strategy.examples.choose(STARTER[0], 2)
    assert len(shown) == 2
    assert all(
        example.code.startswith(("function", "constructor", "fallback", "receive"))
        for example in shown
    )


@pytest.mark.parametrize("kind", [WholeContract, Sequential])
def test_single_functions_are_refused_by_strategies_that_pose_contracts(kind: Any) -> None:
    with pytest.raises(UserError, match="choose strategy=function"):
        kind().expand(Function().expand(STARTER[:1]))


def test_a_layout_that_does_not_begin_the_answer_cannot_be_completed() -> None:
    with pytest.raises(UserError, match="choose soleval or solbench"):
        Function(form="completion")
