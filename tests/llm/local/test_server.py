"""What llama.cpp tells of tokens, as texts."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from solexp.llm.local.server import _pieces


@given(st.text(st.characters(codec="utf-8")), st.data())
def test_tokens_together_are_the_text_wherever_its_bytes_were_cut(
    text: str, data: st.DataObject
) -> None:
    raw = text.encode()
    cuts = sorted(data.draw(st.sets(st.integers(1, len(raw) - 1)))) if len(raw) > 1 else []
    parts = [raw[a:b] for a, b in zip([0, *cuts], [*cuts, len(raw)], strict=True)] if raw else []
    told: list[str | list[int]] = []
    for part in parts:
        try:
            told.append(part.decode())
        except UnicodeDecodeError:
            told.append(list(part))
    pieces = _pieces(told, text)
    assert "".join(pieces) == text
    assert len(pieces) == len(parts)


def test_a_space_that_a_tokenizer_puts_first_is_no_part_of_the_text() -> None:
    assert _pieces([" contract", " A"], "contract A") == ["contract", " A"]
    assert _pieces([" contract"], " contract") == [" contract"]
