from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from solexp.core import CompilerSettings, Target, Task, UserError
from solexp.llm.tokens import count
from solexp.solidity.comments import without_comments
from solexp.strategies.context.window import Side, Window

SOURCE = """pragma solidity ^0.8.0;

contract Base {
    uint256 internal total; // zażółć
}

/// All about it.
contract Target is Base {
    /// Sets it.
    function set(uint256 a) public {
        total = a + 41;
    }

    function get() public view returns (uint256) {
        return total;
    }
}

contract Other {
    uint256 public first;
    uint256 public second;
}
"""


def task_at(begin: str, end: str) -> Task:
    data = SOURCE.encode()
    start = data.index(begin.encode())
    return Task(
        id="made",
        benchmark="tests",
        compiler=CompilerSettings(version="0.8.17"),
        sources={"a.sol": SOURCE},
        target=Target(
            path="a.sol",
            contract="Target",
            start=start,
            end=data.index(end.encode(), start) + len(end),
        ),
        framework="",
    )


WHOLE = task_at("contract Target", "\n}")
SET = task_at("function set", "\n    }")


def test_the_text_before_the_target_ends_above_its_documentation() -> None:
    assert Window(1000).text(WHOLE) == SOURCE[: SOURCE.index("/// All")]


def test_what_is_nearest_to_the_target_is_kept_in_whole_lines() -> None:
    text = Window(12).text(SET)
    assert text == "contract Target is Base {\n    "
    assert Window(12, whole_lines=False, tokenizer=list).text(SET) == " Base {\n    "


def test_no_tokens_are_no_text() -> None:
    for side in ("before", "around"):
        assert Window(0, side).text(SET) == ""


def test_around_the_target_its_header_stands_for_it() -> None:
    text = Window(1000, "around").text(SET)
    assert text.startswith("pragma solidity")
    assert "    function set(uint256 a) public {}\n" in text
    assert text.endswith("uint256 public second;\n}\n")
    assert "41" not in text
    assert "Sets it" not in text


def test_each_side_has_half_of_the_tokens_and_what_the_other_leaves() -> None:
    text = Window(60, "around").text(WHOLE)
    first, _, last = text.partition("contract Target is Base {}")
    assert count(first) + count(last) <= 62
    assert last.strip() == SOURCE[SOURCE.index("contract Other") :].strip()
    assert "uint256 internal total" in first


def test_another_tokenizer_can_count() -> None:
    window = Window(3, tokenizer=lambda text: text.splitlines(keepends=True))
    assert window.text(WHOLE) == "    uint256 internal total; // zażółć\n}\n\n"


def test_a_models_own_tokenizer_is_read_from_its_file(tmp_path: Path) -> None:
    tokenizers = pytest.importorskip("tokenizers")
    made = tokenizers.Tokenizer(tokenizers.models.BPE())
    made.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    alphabet = tokenizers.pre_tokenizers.ByteLevel.alphabet()
    trainer = tokenizers.trainers.BpeTrainer(
        vocab_size=300, initial_alphabet=alphabet, show_progress=False
    )
    made.train_from_iterator([SOURCE], trainer)
    file = tmp_path / "tokenizer.json"
    made.save(str(file))
    window = Window(6, whole_lines=False, tokenizer=str(file))
    text = window.text(SET)
    assert SOURCE[: SOURCE.index("/// Sets")].endswith(text)
    assert len(made.encode(text).ids) == 6
    for sample in (SOURCE, "", "€ 🙂 ż"):
        assert "".join(window.tokenizer(sample)) == sample
    assert window.fingerprint() != Window(6, whole_lines=False).fingerprint()


def test_a_tokenizers_file_that_is_none_is_refused(tmp_path: Path) -> None:
    pytest.importorskip("tokenizers")
    broken = tmp_path / "tokenizer.json"
    broken.write_text("{}")
    for path, said in ((str(broken), "is no tokenizer.json"), ("nowhere.json", "no file")):
        with pytest.raises(UserError, match=said):
            Window(tokenizer=path)


@pytest.mark.parametrize(
    ("tokens", "side", "said"), [(-1, "before", "tokens"), (5, "befor", "did you mean 'before'")]
)
def test_settings_that_make_no_sense_are_refused(tokens: int, side: Side, said: str) -> None:
    with pytest.raises(UserError, match=said):
        Window(tokens, side)


@given(st.integers(0, 120), st.sampled_from(["before", "around"]), st.booleans(), st.booleans())
def test_a_window_never_has_more_tokens_than_asked_for_nor_the_targets_body(
    tokens: int, side: Side, lines: bool, whole: bool
) -> None:
    task = WHOLE if whole else SET
    text = Window(tokens, side, lines).text(task)
    header = "contract Target is Base {}" if whole else "function set(uint256 a) public {}"
    before, _, after = text.partition(f"{header}\n")
    # The gap's own blank lines are not the file's.
    assert count(before.strip()) + count(after.strip()) <= tokens
    assert "total = a + 41" not in text


@given(st.integers(0, 120), st.sampled_from(["before", "around"]), st.booleans())
def test_no_word_of_a_comment_outlives_its_comment(tokens: int, side: Side, lines: bool) -> None:
    text = without_comments(Window(tokens, side, lines).text(SET))
    assert "zażółć" not in text
    assert "about" not in text


def test_settings_are_told_apart() -> None:
    prints = [
        msgspec.json.encode(window.fingerprint())
        for window in (Window(), Window(5), Window(side="around"), Window(whole_lines=False))
    ]
    assert len(set(prints)) == 4
