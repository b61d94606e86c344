"""What people have done is not lost, and what is damaged is told before work is done in vain."""

from __future__ import annotations

import gzip
from pathlib import Path

import pyarrow
import pytest
from pyarrow import parquet

from solexp.benchmarks.solcontracteval import bundle
from solexp.cli import main
from tests.benchmarks.building.captures import KEY, SOURCE, capture, made
from tests.benchmarks.building.loopback import Server

pytestmark = pytest.mark.usefixtures("capturing")


@pytest.fixture
def built(tmp_path: Path) -> Path:
    """A set of one contract."""
    (tmp_path / "sources").mkdir()
    (tmp_path / "sources" / "Box.sol").write_text(SOURCE)
    assert build(tmp_path) == 0
    return tmp_path / "set"


def build(folder: Path, *words: str) -> int:
    place = ["--from", str(folder / "sources"), "--out", str(folder / "set")]
    return main(["data", "build", "contracts", *place, *words])


def natspec(built: Path, sheet: Path) -> int:
    chosen = ["benchmark=contracts", f"benchmark.path={built}"]
    return main(["data", "natspec", *chosen, "--out", str(sheet)])


def test_a_sheet_that_somebody_has_worked_on_is_not_written_over(
    built: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    sheet = tmp_path / "sheet.csv"
    assert natspec(built, sheet) == 0
    assert natspec(built, sheet) == 0
    head, _, rest = sheet.read_text().partition("\n")
    for text in (
        f"{head}\n{rest.rstrip()}Puts more.\n",
        f"{head},label\n{rest.rstrip()},right\n",
        "mine\n1\n",
    ):
        sheet.write_text(text)
        assert natspec(built, sheet) == 2
        assert "would be lost; give another --out" in capsys.readouterr().err
        assert sheet.read_text() == text


def test_a_signature_that_is_no_functions_is_told(
    built: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert built.is_dir()
    sheet = tmp_path / "sheet.csv"
    sheet.write_text("task_id,signature,documentation\nBox,put(uint),Puts more.\n")
    assert build(tmp_path, "--natspec", str(sheet)) == 2
    assert "did you mean 'put(uint256)'?" in capsys.readouterr().err


def test_where_nothing_can_be_written_nothing_is_begun(
    built: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").write_text("kept")
    (tmp_path / "folder.csv").mkdir()
    for sheet in (tmp_path / "file" / "sheet.csv", tmp_path / "folder.csv"):
        assert natspec(built, sheet) == 2
        assert f"{sheet} cannot be written" in capsys.readouterr().err
    for out in (tmp_path / "file", tmp_path / "file" / "out"):
        words = ["--from", str(tmp_path / "sources"), "--out", str(out)]
        for which in ("contracts", "solidity_eval", "solbench"):
            assert main(["data", "build", which, *words]) == 2
            assert f"{out} cannot be written" in capsys.readouterr().err
    assert (tmp_path / "file").read_text() == "kept"


@pytest.mark.parametrize("name", ["tasks.jsonl.gz", "transactions.parquet"])
@pytest.mark.parametrize("damage", [None, b"", gzip.compress(b"{}\n", mtime=0)])
def test_a_captured_table_that_was_changed_is_told(
    name: str, damage: bytes | None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "captured"
    with Server(made(), key=KEY) as server:
        assert capture(server, out) == 0
    (out / name).unlink()
    if damage is not None:
        (out / name).write_bytes(damage)
    words = ["--from", str(out), "--out", str(tmp_path / "set")]
    assert main(["data", "build", "contracts", *words]) == 2
    assert f"{name} is not what was captured; capture again" in capsys.readouterr().err


def test_a_captured_source_that_is_gone_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "captured"
    with Server(made(), key=KEY) as server:
        assert capture(server, out) == 0
    for source in (out / "sources").glob("*.sol"):
        source.unlink()
    words = ["--from", str(out), "--out", str(tmp_path / "set")]
    assert main(["data", "build", "contracts", *words]) == 2
    assert "is missing (Box_0x" in capsys.readouterr().err


def test_two_sources_with_one_name_for_their_graphs_are_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "sources" / "a").mkdir(parents=True)
    for place in ("a/b.sol", "a_b.sol"):
        (tmp_path / "sources" / place).write_text(SOURCE)
    assert build(tmp_path, "graphs=true", "duplicates=-1") == 2
    assert "would both be graphs/a_b.json" in capsys.readouterr().err


def test_a_creation_whose_input_is_no_hex_leaves_out_its_task(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with Server(made(), key=KEY) as server:
        assert capture(server, tmp_path) == 0
    place = tmp_path / "transactions.parquet"
    table = parquet.read_table(place)
    inputs = pyarrow.array(
        ["0xzz", *table["input"].to_pylist()[1:]], table.schema.field("input").type
    )
    parquet.write_table(
        table.set_column(table.schema.get_field_index("input"), "input", inputs), place
    )
    assert not list(bundle.tasks(tmp_path))
    assert "the input of its creation is no hex" in caplog.text
