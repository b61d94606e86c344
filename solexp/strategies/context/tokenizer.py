"""A model's own tokenizer, from its file."""

from __future__ import annotations

from pathlib import Path

from solexp.core import UserError
from solexp.llm.tokens import Tokenizer


def tokenizer_from(path: str | Path) -> Tokenizer:
    """The tokenizer in a ``tokenizer.json``, such as those that come with a model's weights.

    Its pieces are those of the text as it stands: a character that is several tokens goes with the first of them, and
    the others are empty, so that their number is the model's. Raises UserError when the file, or the package that reads
    it, is missing.
    """
    file = Path(path).expanduser()
    try:
        import tokenizers  # noqa: PLC0415
    except ImportError:
        raise UserError(
            "strategy.context.tokenizer: needs a package more; run: pip install 'solexp[embedding]'"
        ) from None
    if not file.is_file():
        raise UserError(f"strategy.context.tokenizer: there is no file {file}")
    try:
        loaded = tokenizers.Tokenizer.from_file(str(file))
    except Exception as error:
        raise UserError(
            f"strategy.context.tokenizer: {file} is no tokenizer.json: {error}"
        ) from error

    def pieces(text: str) -> list[str]:
        ends = [end for _, end in loaded.encode(text, add_special_tokens=False).offsets]
        if not ends:
            return [text] if text else []
        # What the last token does not cover goes with it.
        ends[-1] = len(text)
        place, found = 0, []
        for end in ends:
            found.append(text[place : max(place, end)])
            place = max(place, end)
        return found

    return pieces
