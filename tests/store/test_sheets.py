"""Sheets as people and programs write them."""

from __future__ import annotations

from pathlib import Path

import pytest

from solexp.core import UserError
from solexp.store.sheets import rows_of, write_sheet


@pytest.mark.parametrize("name", ["sheet.jsonl", "sheet.csv", "sheet.tsv"])
def test_what_is_written_is_read_again_however_long_and_whatever_its_line_ends(
    name: str, tmp_path: Path
) -> None:
    rows = [{"item": "a\u2028b\x85c", "code": "x" * 200_000}, {"item": "d", "code": "one\ntwo"}]
    write_sheet(tmp_path / name, rows)
    assert [row for _, row in rows_of(tmp_path / name)] == rows


@pytest.mark.parametrize("text", ["{", "[1]", '{"item":' + "[" * 100_000])
def test_a_malformed_line_is_named(text: str, tmp_path: Path) -> None:
    (tmp_path / "sheet.jsonl").write_text(f'{{"item": 1}}\n\n{text}\n')
    with pytest.raises(UserError, match="line 3"):
        list(rows_of(tmp_path / "sheet.jsonl"))
